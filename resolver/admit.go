package resolver

import (
	"slices"

	"github.com/seed109e2655/resolute/internal/sat"
)

// admitInstalled finds the installed bundles that cannot hold together with those
// before them, in their order (section 8 of the semantics).
func admitInstalled(p *problem, observer formulaObserver) []int32 {
	f := encode(p, guardInstalled, observer)
	a := installedAdmission{f: f}
	var counting []int32
	for i, n := range p.inst {
		if n != noNode {
			f.unadmitted(n) // has a literal from now on
			counting = append(counting, int32(i))
		}
	}
	a.admit(counting)
	return a.found
}

// installedAdmission admits installed bundles as far as they can hold together.
type installedAdmission struct {
	f     *formula
	given []sat.Lit // that those admitted count, and that the broken ones stay
	found []int32   // the broken ones in order
}

// admit goes through some installed bundles in order: all at once where that is
// possible, else the first half and then the second.
func (a *installedAdmission) admit(list []int32) {
	if len(list) == 0 || a.f.p.stopped() {
		return
	}
	lits := make([]sat.Lit, len(list))
	for k, i := range list {
		lits[k] = a.f.admit[i]
	}
	switch a.f.solve(append(slices.Clip(a.given), lits...)...) {
	case sat.Satisfiable:
		a.given = append(a.given, lits...)
	case sat.Unsatisfiable:
		if len(list) == 1 {
			a.found = append(a.found, list[0])
			a.given = append(a.given, a.f.lits[a.f.p.inst[list[0]]])
			return
		}
		a.admit(list[:len(list)/2])
		a.admit(list[len(list)/2:])
	}
}

// admitSubscriptions decides which subscriptions take part: in order, each that does
// not make the problem impossible with those before it. The others are left, and
// leftOut is called for each, with those before it as they are. It reports false if
// even with none of them there is no solution.
func admitSubscriptions(p *problem, observer formulaObserver, leftOut func(i int) error) (bool, error) {
	f := encode(p, guardSubscriptions, observer)
	var admitted []sat.Lit
	for i := range p.subs {
		if pending, ok := f.pending[i]; ok {
			admitted = append(admitted, pending)
		}
	}
	if f.solve(admitted...) != sat.Satisfiable {
		for i := range p.subs {
			p.subs[i].left = p.subs[i].owned == noNode
		}
		return false, nil
	}
	for i := range p.subs {
		p.subs[i].left = true
	}
	current := true // the latest model has all that was admitted
	for i := range p.subs {
		s := &p.subs[i]
		s.left = false
		guard := f.guardOf(fact{kind: factSubscription, a: int32(i)})
		if current && f.modelMeets(s) || f.solve(append(admitted, guard)...) == sat.Satisfiable {
			admitted, current = append(admitted, guard), true
			continue
		}
		if err := leftOut(i); err != nil {
			return true, err
		}
		s.left = true
		admitted = slices.DeleteFunc(admitted, func(l sat.Lit) bool { return l == f.pending[i] })
		if s.owned != noNode && !ownedElse(p, s) {
			admitted, current = append(admitted, f.lits[s.owned]), false
		}
	}
	return true, nil
}

// ownedElse reports whether another subscription, admitted or still to be looked
// at, owns what a subscription owns, and may move it.
func ownedElse(p *problem, s *subscription) bool {
	return slices.ContainsFunc(p.subs, func(o subscription) bool {
		return o.owned == s.owned && o.index != s.index && (o.index > s.index || !o.left)
	})
}

// modelMeets reports whether the current model has a candidate of a
// subscription.
func (f *formula) modelMeets(s *subscription) bool {
	for _, n := range f.p.allCandidates(s) {
		if f.s.Value(f.lits[n]) {
			return true
		}
	}
	return false
}
