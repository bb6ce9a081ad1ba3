package problem

import (
	"iter"
	"slices"
)

// Terms are what differs between one run on a problem and another. The zero value leaves
// everything as it is asked for.
type Terms struct {
	// Left are the subscriptions that ask for nothing.
	Left []bool
	// Lenient are the installed bundles that policy Partial tolerates on a cluster that
	// is broken already, for they cannot hold together with those before them (section 8
	// of the semantics): nothing that they ask for counts, their clashes with other
	// installed bundles do not either, nor do the prohibitions of installed
	// bundles against them. In everything else they are members of the set like all others.
	Lenient []bool
	// Broken are those of them that stay in any case.
	Broken []bool
}

// View is a problem as one run sees it.
type View struct {
	*Problem
	Terms
	Subs  []Subscription // by number, those of the problem unless the terms say otherwise
	Owned []bool         // by installed bundle: a subscription that takes part owns it
}

// Under returns a problem as a run under some terms sees it.
func (p *Problem) Under(t Terms) *View {
	v := &View{Problem: p, Terms: t, Subs: p.subs}
	if t.Broken != nil { // what stays in any case is the only candidate
		v.Subs = slices.Clone(p.subs)
		for i := range v.Subs {
			if s := &v.Subs[i]; s.Owned != NoNode && v.IsBroken(s.Owned) {
				s.Cands, s.List, s.Group, s.Shared = []Candidate{{ID: -1}}, new(Listed), NoGroup, false
			}
		}
	}
	if len(p.Inst) > 0 {
		v.Owned = make([]bool, len(p.Inst))
	}
	for s := range v.Asking() {
		if s.Owned != NoNode {
			v.Owned[p.Nodes[s.Owned].Inst] = true
		}
	}
	return v
}

// Asking goes through the subscriptions that ask for something.
func (v *View) Asking() iter.Seq[*Subscription] {
	return func(yield func(*Subscription) bool) {
		for i := range v.Subs {
			if v.TakesPart(i) && !yield(&v.Subs[i]) {
				return
			}
		}
	}
}

// TakesPart reports whether a subscription asks for something.
func (v *View) TakesPart(sub int) bool { return v.Left == nil || !v.Left[sub] }

// MustStay reports whether an installed bundle must stay: nobody owns it, or it is
// broken.
func (v *View) MustStay(inst int) bool {
	n := v.Inst[inst]
	return n != NoNode && (v.free == nil || !v.free[inst]) && (!v.Owned[inst] || v.IsBroken(n))
}

// IsLenient reports whether a node is an installed bundle that is treated so.
func (v *View) IsLenient(n NodeID) bool { return v.isOf(v.Lenient, n) }

// IsBroken reports whether a node is an installed bundle that stays in any case.
func (v *View) IsBroken(n NodeID) bool { return v.isOf(v.Broken, n) }

func (v *View) isOf(list []bool, n NodeID) bool {
	return list != nil && v.Nodes[n].Inst >= 0 && list[v.Nodes[n].Inst]
}

// Barred reports whether a node can never be newly chosen.
func (v *View) Barred(n NodeID) bool { return v.Nodes[n].Ban != BanNone && !v.IsBroken(n) }

// Requirements returns what a node requires, as far as it counts.
func (v *View) Requirements(n NodeID) []Requirement {
	if v.IsLenient(n) {
		return nil
	}
	return v.Problem.Requirements(n)
}

// Excused reports whether two bundles may be in the same place: both are installed,
// and one of them is broken.
func (v *View) Excused(a, b NodeID) bool {
	return v.Lenient != nil && v.Nodes[a].Inst >= 0 && v.Nodes[b].Inst >= 0 && (v.IsLenient(a) || v.IsLenient(b))
}

// InForce reports whether a group excludes anything: its subscription takes part, and
// may move what it owns.
func (v *View) InForce(g int32) bool {
	of := v.groupOf[g]
	return v.TakesPart(int(of)) && v.Subs[of].Group == g
}

// Tolerant reports whether prohibitions that a bundle declares, if it is one, do not count
// against lenient ones.
func (v *View) Tolerant(declares NodeID) bool {
	return v.Lenient != nil && declares != NoNode && v.Nodes[declares].Inst >= 0
}

// Crowded reports whether more bundles are in one place than can be, of those that
// are in a set.
func (v *View) Crowded(nodes []NodeID, in func(NodeID) bool) bool {
	strict, catalog, lenient := 0, 0, 0
	for _, n := range nodes {
		switch {
		case !in(n):
		case v.IsLenient(n):
			lenient++
		default:
			strict++
			if v.Nodes[n].Inst < 0 {
				catalog++
			}
		}
	}
	return strict > 1 || lenient > 0 && catalog > 0
}
