package formula

import (
	"slices"

	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Components partition the roots of a request: no rule and no constraint connects two components, so
// a minimal unsatisfiable core lies within one. Within a component, roots that reach the same bundles
// form a group: removing the bundles of a group does not change the order of the others.
type Components struct {
	p          *problem.Problem
	components unionFind
	groups     unionFind
	occupied   []bool // by package and API: some bundle is of it, or provides it
	contested  []bool // by package and API: a bundle of a catalog is of it or provides it, or a prohibition names it
	packages   int32  // the first package element; bundles come before
	apis       int32  // the first API element
	roots      int32  // the first root element
	atoms      map[*problem.Atom]int32
	joined     bool // all packages are connected

	packageNames []string         // by number; built on first use
	apiNames     []properties.GVK // by number; built on first use
	marks        []int32          // by element: the latest part that contains it
	parts        int32
}

// Connect reaches everything that a request can need, excluded bundles too, and finds the
// components.
func Connect(p *problem.Problem) *Components {
	reach(p, true)
	c := &Components{p: p, packages: int32(len(p.Universe.Nodes)), atoms: make(map[*problem.Atom]int32)}
	c.apis = c.packages + int32(len(p.Universe.Pkgs))
	c.roots = c.apis + int32(len(p.Universe.GVKs))
	elements := int(c.roots) + len(p.Demands.List) + len(p.Universe.Inst) + len(p.Demands.Forced)
	c.components, c.groups = newUnionFind(elements), newUnionFind(elements)
	if !p.Budget.Stopped() {
		c.connectPlaces()
		c.connectRequirements()
		c.connectRoots()
	}
	return c
}

// connectPlaces connects bundles with their package and APIs, and the versions of an API with each
// other, since they share a CRD.
func (c *Components) connectPlaces() {
	c.occupied, c.contested = make([]bool, c.roots-c.packages), make([]bool, c.roots-c.packages)
	for n := range c.p.Universe.Nodes {
		c.occupy(int32(n), c.packages+c.p.Universe.Nodes[n].Pkg)
		for _, g := range c.p.Universe.Nodes[n].GVKs {
			c.occupy(int32(n), c.apis+g)
		}
	}
	type api struct{ group, kind string }
	first := make(map[api]int32)
	for g, id := range c.p.Universe.GVKs { // the order makes no difference to the components
		if same, known := first[api{g.Group, g.Kind}]; known {
			c.components.union(c.apis+same, c.apis+id)
		} else {
			first[api{g.Group, g.Kind}] = id
		}
	}
}

func (c *Components) occupy(node, place int32) {
	c.occupied[place-c.packages] = true
	if c.p.Universe.Nodes[node].Inst < 0 {
		c.contested[place-c.packages] = true
	}
	c.components.union(node, place)
}

// connectRequirements connects bundles with the bundles that they require or prohibit.
func (c *Components) connectRequirements() {
	for n := 0; n < len(c.p.Universe.Nodes) && !c.p.Budget.Step(); n++ {
		for _, r := range c.p.Requirements(problem.NodeID(n)) {
			for a, banned := range r.Goal.Atoms() {
				if banned {
					c.connectBanned(int32(n), a)
				} else {
					c.connectAtom(int32(n), a)
				}
			}
		}
	}
}

// connectAtom connects a bundle with the matches of an atom, and with the place of the atom if that
// is occupied.
func (c *Components) connectAtom(n int32, a *problem.Atom) {
	if same, known := c.atoms[a]; known {
		c.group(n, same)
		return
	}
	matches := c.p.Universe.AllMatches(a)
	for _, m := range matches {
		c.group(n, int32(m))
	}
	if c.connectPlace(n, a); len(matches) > 0 {
		c.atoms[a] = n
	}
}

// connectPlace connects a bundle with the place of an atom, if that is occupied.
func (c *Components) connectPlace(n int32, a *problem.Atom) {
	if place, known := c.place(a); known && c.occupied[place-c.packages] {
		c.components.union(n, place)
	}
}

// place returns the element of the package or API that an atom requires.
func (c *Components) place(a *problem.Atom) (element int32, known bool) {
	switch a.Kind {
	case problem.AtomPackage:
		return c.packages + a.Pkg, true
	case problem.AtomGVK:
		return c.apis + a.GVK, true
	default:
		return 0, false
	}
}

// Uncontested reports whether no bundle of a catalog can have the package or an API of an installed
// bundle, and nothing prohibits it. Then a lenient bundle makes no difference to others, except to
// those that require it.
func (c *Components) Uncontested(n problem.NodeID) bool {
	nd := &c.p.Universe.Nodes[n]
	return !c.joined && !c.contested[nd.Pkg] && !slices.ContainsFunc(nd.GVKs, func(g int32) bool { return c.contested[c.apis-c.packages+g] })
}

// connectBanned connects a bundle with the bundles that it may prohibit. The matches of a rule or a
// label are not indexed, so these connect it with all bundles.
func (c *Components) connectBanned(n int32, a *problem.Atom) {
	if place, known := c.place(a); known {
		c.contested[place-c.packages] = true
		c.connectPlace(n, a)
		return
	}
	if c.joined {
		return
	}
	c.joined = true
	for other := range c.packages {
		c.components.union(n, other)
	}
}

// connectRoots connects roots with the bundles that satisfy them.
func (c *Components) connectRoots() {
	lists := make(map[*problem.Listed]int32)
	for i := range c.p.Demands.List {
		s, root := &c.p.Demands.List[i], c.element(Fact{Kind: FactSubscription, A: int32(i)})
		if pkg, known := c.p.Universe.Pkgs[s.Package]; known && c.occupied[pkg] {
			c.components.union(root, c.packages+pkg)
		}
		c.groupNodes(root, s.Owned)
		if same, known := lists[s.List]; known {
			c.group(root, same)
			continue
		}
		lists[s.List] = root
		c.groupNodes(root, s.Candidates(c.p.Universe)...)
	}
	for i, n := range c.p.Universe.Inst {
		c.groupNodes(c.element(Fact{Kind: FactInstalled, A: int32(i)}), n)
	}
	for i := range c.p.Demands.Forced {
		c.groupNodes(c.element(Fact{Kind: FactForced, A: int32(i)}), c.p.Universe.NodesFor(c.p.Demands.Forced[i])...)
	}
}

// Numbering returns the numbering of everything reachable from some roots, so that a problem with
// these roots alone has the same order.
func (c *Components) Numbering(roots []Fact) *problem.Numbering {
	c.nameNumbers()
	u := c.p.Universe
	c.parts++
	var nodes, pkgs, apis []int32
	add := func(list []int32, element int32) []int32 {
		if c.marks[element] == c.parts {
			return list
		}
		c.marks[element] = c.parts
		return append(list, element)
	}
	reach := func(list []problem.NodeID) {
		for _, n := range list {
			if n != problem.NoNode {
				nodes = add(nodes, int32(n))
			}
		}
	}
	for _, root := range roots {
		reach(NodesOf(c.p, root))
		if root.Kind == FactSubscription {
			for _, pkg := range c.p.Demands.List[root.A].Pkgs {
				pkgs = add(pkgs, c.packages+pkg)
			}
		}
	}
	for i := 0; i < len(nodes) && !c.p.Budget.Step(); i++ {
		n := problem.NodeID(nodes[i])
		pkgs = add(pkgs, c.packages+u.Nodes[n].Pkg)
		for _, g := range u.Nodes[n].GVKs {
			apis = add(apis, c.apis+g)
		}
		for _, r := range c.p.Requirements(n) {
			for a, banned := range r.Goal.Atoms() {
				switch a.Kind {
				case problem.AtomPackage:
					pkgs = add(pkgs, c.packages+a.Pkg)
				case problem.AtomGVK:
					apis = add(apis, c.apis+a.GVK)
				default:
					for _, pkg := range a.Tested.Within {
						pkgs = add(pkgs, c.packages+pkg)
					}
				}
				if !banned {
					reach(u.AllMatches(a))
				}
			}
		}
	}
	for _, list := range [][]int32{nodes, pkgs, apis} {
		slices.Sort(list)
	}
	o := new(problem.Numbering)
	for _, n := range nodes {
		if nd := &u.Nodes[n]; nd.Inst < 0 {
			o.Bundles = append(o.Bundles, problem.Candidate{Cat: nd.Cat, ID: nd.Bundle.ID})
		}
	}
	for _, pkg := range pkgs {
		o.Packages = append(o.Packages, c.packageNames[pkg-c.packages])
	}
	for _, g := range apis {
		o.APIs = append(o.APIs, c.apiNames[g-c.apis])
	}
	return o
}

// nameNumbers lists packages and APIs by their numbers.
func (c *Components) nameNumbers() {
	if c.marks != nil {
		return
	}
	c.marks = make([]int32, c.roots)
	c.packageNames, c.apiNames = make([]string, c.apis-c.packages), make([]properties.GVK, c.roots-c.apis)
	for name, id := range c.p.Universe.Pkgs { // in any order
		c.packageNames[id] = name
	}
	for g, id := range c.p.Universe.GVKs {
		c.apiNames[id] = g
	}
}

// groupNodes adds bundles to the group of a root.
func (c *Components) groupNodes(root int32, nodes ...problem.NodeID) {
	for _, n := range nodes {
		if n != problem.NoNode {
			c.group(root, int32(n))
		}
	}
}

func (c *Components) group(a, b int32) {
	c.groups.union(a, b)
	c.components.union(a, b)
}

// Join merges the groups of two roots.
func (c *Components) Join(a, b Fact) { c.group(c.element(a), c.element(b)) }

// Of returns the numbers of the component and the group of a root.
func (c *Components) Of(root Fact) (component, group int32) {
	at := c.element(root)
	return c.components.find(at), c.groups.find(at)
}

// element is the element of a root.
func (c *Components) element(root Fact) int32 {
	first := c.roots
	if root.Kind != FactSubscription {
		first += int32(len(c.p.Demands.List))
	}
	if root.Kind == FactForced {
		first += int32(len(c.p.Universe.Inst))
	}
	return first + root.A
}

// unionFind is a disjoint-set forest: the parent of each element.
type unionFind []int32

func newUnionFind(elements int) unionFind {
	u := make(unionFind, elements)
	for i := range u {
		u[i] = int32(i)
	}
	return u
}

func (u unionFind) find(i int32) int32 {
	for u[i] != i {
		u[i] = u[u[i]]
		i = u[i]
	}
	return i
}

func (u unionFind) union(a, b int32) { u[u.find(a)] = u.find(b) }
