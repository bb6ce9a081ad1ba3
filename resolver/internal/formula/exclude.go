package formula

import (
	"slices"

	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// excludeAll writes that at most one of some nodes is chosen while a guard holds; 0
// means always. Lenient ones exclude those of catalogs only.
func (f encoder) excludeAll(nodes []problem.NodeID, guard sat.Lit) {
	lenient := f.p.LenientOf(nodes)
	if len(lenient) == 0 {
		f.s.AtMostOne(f.literals(nodes), guard)
		return
	}
	strict := slices.DeleteFunc(slices.Clone(nodes), f.p.IsLenient)
	f.s.AtMostOne(f.literals(strict), guard)
	some := f.someOfCatalogs(nodes)
	for _, n := range lenient {
		f.s.Add(guard.Not(), some.Not(), f.lits[n].Not())
	}
}

// excludeAdmitted writes that at most one of some nodes is chosen, where installed
// ones exclude each other only as far as they are admitted.
func (f encoder) excludeAdmitted(nodes []problem.NodeID) {
	catalog := slices.DeleteFunc(slices.Clone(nodes), func(n problem.NodeID) bool { return f.p.Nodes[n].Inst >= 0 })
	f.s.AtMostOne(f.literals(catalog), 0)
	some := f.someOfCatalogs(nodes)
	var counting []sat.Lit
	for _, n := range nodes {
		if f.p.Nodes[n].Inst < 0 {
			continue
		}
		f.s.Add(some.Not(), f.lits[n].Not())
		counts := f.s.NewVar()
		f.s.Add(f.unadmitted(n), f.lits[n].Not(), counts)
		counting = append(counting, counts)
	}
	f.s.AtMostOne(counting, 0)
}

// someOfCatalogs returns a literal that holds if a bundle of a catalog, of some
// nodes, is chosen.
func (f encoder) someOfCatalogs(nodes []problem.NodeID) sat.Lit {
	some := f.s.NewVar()
	for _, n := range nodes {
		if f.p.Nodes[n].Inst < 0 && f.lits[n] != 0 {
			f.s.Add(f.lits[n].Not(), some)
		}
	}
	return some
}

// unadmitted returns a literal that is true unless an installed bundle is admitted;
// 0, which never holds, for all other bundles and on all other levels.
func (f *Formula) unadmitted(n problem.NodeID) sat.Lit {
	i := f.p.Nodes[n].Inst
	if f.level != ForInstalled || i < 0 {
		return 0
	}
	if f.admit == nil {
		f.admit = make([]sat.Lit, len(f.p.Inst))
	}
	if f.admit[i] == 0 {
		f.admit[i] = f.s.NewVar()
	}
	return f.admit[i].Not()
}

// Tolerant reports whether prohibitions that a bundle declares do not count against
// each installed bundle.
func (f *Formula) Tolerant(from problem.NodeID) bool {
	return f.p.Tolerant(from) || f.level == ForInstalled && from != problem.NoNode && f.p.Nodes[from].Inst >= 0
}
