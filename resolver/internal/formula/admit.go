package formula

import (
	"slices"

	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// AdmitInstalled finds the installed bundles that conflict with those before them, in order (section
// 8 of the semantics). The problem must drop the demands that own nothing.
func AdmitInstalled(p *problem.Problem, observer func(trace.Event)) (broken []int32) {
	f := Encode(p, GuardCounting, observer)
	var counting []int32
	for i, n := range p.Universe.Inst {
		if n != problem.NoNode {
			counting = append(counting, int32(i))
		}
	}
	// Admit all at once if possible, else the first half, then the second.
	var admit func(list []int32)
	admit = func(list []int32) {
		if len(list) == 0 || p.Budget.Stopped() {
			return
		}
		lits := make([]sat.Lit, len(list))
		for k, i := range list {
			lits[k] = f.guardOf(Fact{Kind: FactCounting, A: i})
		}
		switch f.Solve(lits...) {
		case sat.Satisfiable: // the requirements of admitted bundles are active
			for _, l := range lits {
				f.s.Add(l)
			}
		case sat.Unsatisfiable:
			if len(list) == 1 { // broken bundles stay
				broken = append(broken, list[0])
				f.s.Add(f.Literal[p.Universe.Inst[list[0]]])
				return
			}
			admit(list[:len(list)/2])
			admit(list[len(list)/2:])
		}
	}
	admit(counting)
	return broken
}

// AdmittedSet returns a set of bundles that shows that all installed bundles can be admitted which are
// not lenient. The problem must drop the demands that own nothing. The set is empty if the budget is
// exhausted.
func AdmittedSet(p *problem.Problem, observer func(trace.Event)) (set []problem.NodeID) {
	f := Encode(p, GuardCounting, observer)
	var given []sat.Lit
	for i, n := range p.Universe.Inst {
		if n != problem.NoNode {
			given = append(given, f.guardOf(Fact{Kind: FactCounting, A: int32(i)}))
		}
	}
	for d := range p.Active() {
		if d.HeldBack() {
			given = append(given, f.Literal[d.Owned])
		}
	}
	for n, l := range f.Literal {
		if l != 0 && p.Excluded(problem.NodeID(n)) {
			given = append(given, l.Not())
		}
	}
	if f.Solve(given...) != sat.Satisfiable {
		p.Budget.Fail(search.ErrDisagree)
		return nil
	}
	for n := range f.Literal {
		if f.Has(problem.NodeID(n)) {
			set = append(set, problem.NodeID(n))
		}
	}
	return set
}

// AdmitSubscriptions decides, in order, which demands are admitted: each that is satisfiable together
// with those admitted before. The others are dropped, and onDrop is called for each, with those
// dropped so far; opponents returns the demands of an unsatisfiable core. The result marks the
// dropped demands; it is nil if there is no solution even with all demands dropped.
func AdmitSubscriptions(p *problem.Problem, observer func(trace.Event), onDrop func(i int, dropped []bool, opponents func() map[int32]bool) error) ([]bool, error) {
	f := Encode(p, GuardSubscriptions, observer)
	kept := func(i int) sat.Lit { return f.guardOf(Fact{Kind: FactKept, A: int32(i)}) }
	var admitted []sat.Lit
	of := make(map[sat.Lit]int32) // by assumption: its demand
	admit := func(i int, l sat.Lit) { admitted, of[l] = append(admitted, l), int32(i) }
	for i := range p.Demands.List {
		if p.Demands.List[i].Owned != problem.NoNode {
			admit(i, kept(i))
		}
	}
	opponents := func() map[int32]bool {
		failed := make(map[int32]bool)
		for _, l := range f.FailedAssumptions() {
			if i, known := of[l]; known {
				failed[i] = true
			}
		}
		return failed
	}
	if f.Solve(admitted...) != sat.Satisfiable {
		return nil, nil
	}
	dropped := make([]bool, len(p.Demands.List))
	current := true // the latest model satisfies all admitted demands
	for i := range p.Demands.List {
		s := &p.Demands.List[i]
		guard := f.guardOf(Fact{Kind: FactSubscription, A: int32(i)})
		of[guard] = int32(i)
		if current && slices.ContainsFunc(s.Candidates(p.Universe), f.Has) || f.Solve(append(admitted, guard)...) == sat.Satisfiable {
			admit(i, guard)
			current = true
			continue
		}
		if err := onDrop(i, dropped, opponents); err != nil {
			return nil, err
		}
		if dropped[i] = true; s.Owned == problem.NoNode {
			continue
		}
		admitted = slices.DeleteFunc(admitted, func(l sat.Lit) bool { return l == kept(i) })
		if !ownedElse(p, s, dropped) {
			admit(i, f.Literal[s.Owned])
			current = false
		}
	}
	return dropped, nil
}

// ownedElse reports whether another demand, admitted or still undecided, owns the same bundle and
// may move it.
func ownedElse(p *problem.Problem, s *problem.Demand, dropped []bool) bool {
	return slices.ContainsFunc(p.Demands.List, func(o problem.Demand) bool {
		return o.Owned == s.Owned && o.Index != s.Index && (o.Index > s.Index || !dropped[o.Index])
	})
}
