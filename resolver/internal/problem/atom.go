package problem

import (
	"encoding/json"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// CELCost returns the CEL cost of all rules evaluated so far.
func (u *Universe) CELCost() uint64 {
	if u.eval == nil {
		return 0
	}
	return u.eval.Cost()
}

// Requirement is one declared constraint of a bundle, compiled.
type Requirement struct {
	Constraint constraints.Constraint
	Goal       *Goal
}

// Words renders the constraint as [constraints.Describe] does.
func (r *Requirement) Words(operator string) string {
	return constraints.Describe(r.Constraint, operator)
}

// Requirements returns the compiled constraints of a node: its own in declared order, then those
// that the request adds.
func (u *Universe) Requirements(n NodeID) []Requirement {
	if u.Nodes[n].compiled {
		return u.Nodes[n].reqs
	}
	b, cat := u.Nodes[n].Bundle, u.Nodes[n].Cat
	added := u.addedTo[b.Name]
	reqs := make([]Requirement, 0, len(b.Constraints)+len(added))
	for _, r := range b.Constraints {
		reqs = u.require(reqs, b.Name, cat, r.Constraint)
	}
	for _, i := range added {
		if u.RefersTo(u.Constraints[i].Bundle, cat) {
			reqs = u.require(reqs, b.Name, cat, u.Constraints[i].Constraint)
		}
	}
	if !u.Budget.Stopped() { // otherwise the goals may be incomplete
		u.Nodes[n].reqs, u.Nodes[n].compiled = reqs, true
	}
	return reqs
}

// require compiles a constraint of a bundle, unless the request relaxes it.
func (u *Universe) require(reqs []Requirement, name string, cat int32, c constraints.Constraint) []Requirement {
	for _, i := range u.relaxedOf[name] {
		r := u.Relax[i]
		if u.RefersTo(r.Bundle, cat) && (r.Constraint == nil || r.Constraint.Key() == c.Key()) {
			return reqs
		}
	}
	return append(reqs, Requirement{c, u.compile(c)})
}

// AtomKind is how an atom is matched.
type AtomKind uint8

const (
	AtomGVK     AtomKind = iota // provides a GVK
	AtomPackage                 // a version of a package inside a range
	AtomTested                  // evaluated per bundle
)

// Atom is a constraint that a single bundle satisfies.
type Atom struct {
	goal   Goal // the GoalAtom of this atom
	Kind   AtomKind
	Always bool // the cluster satisfies it
	GVK    int32
	Pkg    int32
	lists  *Candidates // linked list, one for each own catalog

	Constraint constraints.Constraint
	API        *properties.GVK      // of AtomGVK
	Want       *constraints.Package // of AtomPackage
	Tested     *Tested              // of AtomTested
}

// Tested caches results for a constraint that is evaluated per bundle.
type Tested struct {
	// Within are the packages that matches are of, except installed ones; nil if the constraint
	// names none.
	Within []int32
	Memo   map[NodeID]bool // results by bundle
	keys   []Key           // see Atom.Keys
	banned bool            // within a prohibition
}

// atomKey identifies equal constraints: an API by its number, a package and a range by the number
// of the package and the text of the range, anything else by its key.
type atomKey struct {
	kind AtomKind
	// banned is set within a prohibition, if the constraint is evaluated: see Universe.Matches.
	banned bool
	id     int32
	text   string
}

// AtomOf returns the atom of a constraint; equal constraints share one.
func (u *Universe) AtomOf(c constraints.Constraint) *Atom {
	key := atomKey{kind: AtomTested, banned: u.banning}
	switch c := c.(type) {
	case *constraints.GVK:
		key = atomKey{kind: AtomGVK, id: u.gvkID(c.GVK)}
	case *constraints.Package:
		key = atomKey{kind: AtomPackage, id: u.pkgID(c.Name), text: c.Range.String()}
	default:
		key.text = c.Key()
	}
	var a *Atom
	if key.kind == AtomGVK {
		for len(u.apiAtoms) <= int(key.id) {
			u.apiAtoms = Push(u.apiAtoms, nil)
		}
		a = u.apiAtoms[key.id]
	} else {
		a = u.atoms[key]
	}
	if a != nil {
		return a
	}
	a = &Atom{Kind: key.kind, Constraint: c}
	a.goal = Goal{Kind: GoalAtom, Atom: a}
	switch c := c.(type) {
	case *constraints.GVK:
		a.API, a.GVK, a.Always = &c.GVK, key.id, u.apis[c.GVK]
	case *constraints.Package:
		a.Want, a.Pkg = c, key.id
	default:
		a.Tested = &Tested{Within: u.packagesOf(c), Memo: make(map[NodeID]bool), banned: u.banning}
		if !u.Budget.Stopped() {
			a.Tested.keys = keysOf(c)
		}
	}
	switch {
	case key.kind == AtomGVK:
		u.apiAtoms[key.id] = a
		return a
	case u.Budget.Stopped(): // the packages may be incomplete
		return a
	case u.atoms == nil:
		u.atoms = make(map[atomKey]*Atom)
	}
	u.atoms[key] = a
	return a
}

// packagesOf lists the packages that a rule confines its matches to, nil if it does not. They are
// declared names; the request may know an installed bundle by another package name.
func (u *Universe) packagesOf(c constraints.Constraint) []int32 {
	rule, ok := c.(*constraints.CEL)
	if !ok {
		return nil
	}
	if u.Budget.Check(); u.Budget.Stopped() { // before the rule is planned
		return nil
	}
	needs := rule.Program.Needs()
	if needs.Packages == nil {
		return nil
	}
	ids := make([]int32, len(needs.Packages))
	for i, name := range needs.Packages {
		ids[i] = u.pkgID(name)
	}
	return ids
}

// Installed returns the installed bundles that may match an atom, in order. The result may include
// bundles that do not match, and NoNode.
func (u *Universe) Installed(a *Atom) []NodeID {
	if a.Tested == nil || a.Tested.Within == nil || len(u.Inst) == 0 {
		return u.Inst
	}
	within := a.Tested.Within
	if u.byOwnName == nil {
		u.indexInstalled()
	}
	if len(within) == 1 {
		return u.byOwnName[within[0]]
	}
	var out []NodeID
	for _, pkg := range within {
		out = append(out, u.byOwnName[pkg]...)
	}
	slices.SortFunc(out, func(a, b NodeID) int { return int(u.Nodes[a].Inst - u.Nodes[b].Inst) })
	return slices.Compact(out)
}

// indexInstalled indexes the installed bundles by the package names that they declare.
func (u *Universe) indexInstalled() {
	u.byOwnName = make(map[int32][]NodeID)
	for _, n := range u.Inst {
		if n == NoNode {
			continue
		}
		for prop := range u.Nodes[n].Bundle.Properties.All() {
			if v, ok := prop.Value().(properties.Package); ok {
				pkg := u.pkgID(v.Name)
				if list := u.byOwnName[pkg]; len(list) == 0 || list[len(list)-1] != n {
					u.byOwnName[pkg] = append(list, n)
				}
			}
		}
	}
}

// Matches reports whether a bundle matches an atom. A bundle that was not read matches what
// the catalog knows of it and what it may satisfy, but nothing that is evaluated for a prohibition: so
// the problem is a relaxation of the one with all bundles read. Once the budget is exhausted, it is false for
// tests that were not evaluated before.
func (u *Universe) Matches(a *Atom, n NodeID) bool {
	nd := &u.Nodes[n]
	switch a.Kind {
	case AtomGVK:
		return slices.Contains(nd.GVKs, a.GVK)
	case AtomPackage:
		return nd.Pkg == a.Pkg && !nd.Unversioned && a.Want.Range.Contains(*nd.Bundle.Version)
	default:
		if label, ok := a.Constraint.(*constraints.Label); ok {
			return nd.Bundle.Properties.HasLabel(label.Label)
		}
		m, ok := a.Tested.Memo[n]
		if ok || u.Budget.Stopped() || !canMatch(a.Constraint, nd.Bundle) {
			return m
		}
		if m = u.satisfies(a, n); u.Budget.Stopped() { // the evaluation may be incomplete
			return false
		}
		a.Tested.Memo[n] = m
		return m
	}
}

// canMatch reports whether evaluating a rule on a bundle, and caching the result, is worthwhile. It
// is not if the bundle lacks every property that the rule tests.
func canMatch(c constraints.Constraint, b *graph.Bundle) bool {
	rule, ok := c.(*constraints.CEL)
	return !ok || rule.Program != nil && (b.Unread || rule.Program.Needs().Maybe(b.Properties))
}

// mayMatch reports whether a bundle that was not read may satisfy a rule: it is of a package that the
// rule names, or the catalog says so.
func mayMatch(a *Atom, b *graph.Bundle) bool {
	rule, ok := a.Constraint.(*constraints.CEL)
	if a.Tested.banned || !ok {
		return false
	}
	if of := rule.Program.Needs().Packages; of != nil {
		return slices.Contains(of, b.Package)
	}
	for p := range b.Properties.All() {
		var key string
		if p.Type() == graph.TypeMayMatch && json.Unmarshal([]byte(p.Raw()), &key) == nil && key == rule.Key() {
			return true
		}
	}
	return false
}

// satisfies reports whether a single bundle satisfies a constraint, including all parts of a
// compound.
func (u *Universe) satisfies(a *Atom, n NodeID) bool {
	if _, which, _ := Compound(a.Constraint); which == GoalAtom {
		if u.Nodes[n].Bundle.Unread {
			return mayMatch(a, u.Nodes[n].Bundle)
		}
		return u.test(a.Constraint, n)
	}
	match := func(part *Atom) bool { return u.Matches(part, n) }
	return u.compileCompound(a.Constraint).Holds(match, func(ban *Goal) bool { return !ban.Kids[0].Holds(match, nil) })
}

// test evaluates a rule or a label on one bundle.
func (u *Universe) test(c constraints.Constraint, n NodeID) bool {
	if u.Budget.Stopped() {
		return false
	}
	eval, nd := u.evaluator(), &u.Nodes[n]
	if nd.subject == nil {
		nd.subject = constraints.NewSubject(nd.Bundle.Properties)
	}
	m, err := eval.Match(u.Budget.Context(), c, nd.subject)
	u.Budget.Fail(err)
	return m
}

// evaluator returns the evaluator of this answer.
func (u *Universe) evaluator() *constraints.Evaluator {
	if u.eval == nil {
		u.eval = u.Cluster.Evaluator()
	}
	return u.eval
}

// source is a superset of the matches of an atom in one catalog: a list of bundle IDs in order of
// preference, or every bundle of the catalog if all is set.
type source struct {
	ids []int32
	all bool
}

// at returns the i-th bundle of a source in a catalog of n bundles.
func (s source) at(i, n int) (int32, bool) {
	if s.all {
		return int32(i), i < n
	}
	if i < len(s.ids) {
		return s.ids[i], true
	}
	return 0, false
}

// narrower uses the indexes of a catalog to find the bundles that may match a constraint, each on
// its own. The result may include bundles that do not match.
type narrower struct {
	content *cache.Catalog
	apis    map[properties.GVK]bool
}

func (w narrower) narrow(c constraints.Constraint) source {
	switch c := c.(type) {
	case *constraints.GVK:
		return source{ids: w.content.Providers(c.GVK), all: w.apis[c.GVK]}
	case *constraints.Package:
		return source{ids: w.content.InPackage(c.Name)}
	case *constraints.Label:
		return source{ids: w.content.Labelled(c.Label)}
	case *constraints.CEL:
		return w.rule(c)
	case *constraints.Any:
		return w.anyOf(c.Constraints)
	case *constraints.All:
		return w.allOf(c.Constraints)
	default:
		return source{all: true}
	}
}

// anyOf returns the union of the bundles of all children.
func (w narrower) anyOf(kids []constraints.Constraint) source {
	var out source
	for _, k := range kids {
		s := w.narrow(k)
		if s.all {
			return s
		}
		out.ids = union(out.ids, s.ids)
	}
	return out
}

// allOf returns the bundles of the child with the fewest.
func (w narrower) allOf(kids []constraints.Constraint) source {
	best := source{all: true}
	for _, k := range kids {
		if s := w.narrow(k); best.all || !s.all && len(s.ids) < len(best.ids) {
			best = s
		}
	}
	return best
}

// rule uses the packages or property types that a rule needs.
func (w narrower) rule(c *constraints.CEL) source {
	needs := c.Program.Needs()
	var out source
	switch {
	case needs.Never:
		return out
	case needs.Anything || needs.ClusterOnly:
		return source{all: true}
	case needs.Packages != nil:
		for _, name := range needs.Packages {
			out.ids = union(out.ids, w.content.InPackage(name))
		}
	default:
		out.ids = w.content.WithType(graph.TypeMayMatch)
		for _, typ := range needs.Types {
			out.ids = union(out.ids, w.content.WithType(typ))
		}
	}
	return out
}

// union merges two ascending lists.
func union(a, b []int32) []int32 {
	if len(a) == 0 {
		return b
	}
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
