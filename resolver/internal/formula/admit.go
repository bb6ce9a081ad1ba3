package formula

import (
	"slices"

	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// AdmitInstalled finds the installed bundles that cannot hold together with those
// before them, in their order (section 8 of the semantics). By its terms the problem
// leaves out the subscriptions that own nothing, and can be lenient with installed bundles.
func AdmitInstalled(p *problem.Problem, observer func(trace.Event)) (broken []int32) {
	f := Encode(p, GuardCounting, observer)
	var counting []int32
	for i, n := range p.Universe.Inst {
		if n != problem.NoNode {
			counting = append(counting, int32(i))
		}
	}
	var given []sat.Lit // that those admitted count, and that the broken ones stay
	// All at once where that is possible, else the first half and then the second.
	var admit func(list []int32)
	admit = func(list []int32) {
		if len(list) == 0 || p.Budget.Stopped() {
			return
		}
		lits := make([]sat.Lit, len(list))
		for k, i := range list {
			lits[k] = f.guardOf(Fact{Kind: FactCounting, A: i})
		}
		switch f.Solve(append(slices.Clip(given), lits...)...) {
		case sat.Satisfiable:
			given = append(given, lits...)
		case sat.Unsatisfiable:
			if len(list) == 1 {
				broken, given = append(broken, list[0]), append(given, f.Literal[p.Universe.Inst[list[0]]])
				return
			}
			admit(list[:len(list)/2])
			admit(list[len(list)/2:])
		}
	}
	admit(counting)
	return broken
}

// AdmitSubscriptions decides which subscriptions take part: in order, each that does
// not make the problem impossible with those before it. The others are left, and
// leftOut is called for each, with those before it as they are. The result says of each
// whether it is left; it is nil if even with none of them there is no solution.
func AdmitSubscriptions(p *problem.Problem, observer func(trace.Event), leftOut func(i int, left []bool) error) ([]bool, error) {
	f := Encode(p, GuardSubscriptions, observer)
	kept := func(i int) sat.Lit { return f.guardOf(Fact{Kind: FactKept, A: int32(i)}) }
	var admitted []sat.Lit
	for i := range p.Demands.List {
		if p.Demands.List[i].Owned != problem.NoNode {
			admitted = append(admitted, kept(i))
		}
	}
	if f.Solve(admitted...) != sat.Satisfiable {
		return nil, nil
	}
	left := make([]bool, len(p.Demands.List))
	current := true // the latest model has all that was admitted
	for i := range p.Demands.List {
		s := &p.Demands.List[i]
		guard := f.guardOf(Fact{Kind: FactSubscription, A: int32(i)})
		if current && slices.ContainsFunc(s.Candidates(p.Universe), f.Has) || f.Solve(append(admitted, guard)...) == sat.Satisfiable {
			admitted, current = append(admitted, guard), true
			continue
		}
		if err := leftOut(i, left); err != nil {
			return nil, err
		}
		if left[i] = true; s.Owned == problem.NoNode {
			continue
		}
		admitted = slices.DeleteFunc(admitted, func(l sat.Lit) bool { return l == kept(i) })
		if !ownedElse(p, s, left) {
			admitted, current = append(admitted, f.Literal[s.Owned]), false
		}
	}
	return left, nil
}

// ownedElse reports whether another subscription, admitted or still to be looked
// at, owns what a subscription owns, and may move it.
func ownedElse(p *problem.Problem, s *problem.Demand, left []bool) bool {
	return slices.ContainsFunc(p.Demands.List, func(o problem.Demand) bool {
		return o.Owned == s.Owned && o.Index != s.Index && (o.Index > s.Index || !left[o.Index])
	})
}
