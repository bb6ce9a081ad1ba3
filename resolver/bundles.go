package resolver

import (
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// nodeID names a bundle of the problem: one of a catalog, or an installed one.
// They are dense and given out in the order in which bundles are reached.
type nodeID int32

// noNode stands for no bundle.
const noNode nodeID = -1

// noCatalog stands for the origin of an installed bundle that is not recorded.
const noCatalog int32 = -1

// ban says that a bundle can never be newly chosen, and why.
type ban uint8

// The bans, in the order in which they are looked for.
const (
	banNone ban = iota
	banForbidden
	banDeprecated
	banIncompatible
	banQuarantined
)

// node is one bundle of the problem.
type node struct {
	bundle   *graph.Bundle
	subject  *constraints.Subject // made when a rule is first held against it
	reqs     []requirement        // compiled when first asked for
	gvks     []int32
	cat      int32 // index of the catalog, or noCatalog
	inst     int32 // index of the installed bundle, or -1
	pkg      int32
	ban      ban
	compiled bool
	// unversioned marks an installed bundle whose version is not known.
	unversioned bool
	exclusive   []int32 // groups of problem.groups that it is a member of
}

// nodeKey finds the node of a catalog's bundle.
type nodeKey struct{ cat, id int32 }

// catalog is a catalog to choose from.
type catalog struct {
	Key     cache.Key
	Content *cache.Catalog
}

// ref means the bundles of a name, of one catalog or, if the key is zero, wherever
// they are.
type ref struct {
	Catalog cache.Key
	Name    string
}

// bundles are the bundles that a request has reached so far, by number: their
// packages and APIs, and which of them can never be newly chosen. A bundle becomes
// a node when it is reached for the first time, so that the cost of a problem grows
// with what the request reaches and not with the catalogs.
type bundles struct {
	work
	rules rules
	cats  []catalog // best first

	nodes []node
	index map[nodeKey]nodeID
	pkgs  map[string]int32
	gvks  map[properties.GVK]int32
	inst  []nodeID // by installed bundle: its node, noNode if another one replaces it
	// channels are the channels that installed bundles are recorded to be from.
	channels []string
	lenient  []bool // by installed bundle, see lenient.go; nil mostly
	broken   []bool // those of lenient that stay in any case

	forbid  []ref
	forbids map[string][]int32 // bundle name to forbid
	around  *surroundings      // what bundles have to fit, nil for nothing
	gvkList []int32            // what the gvks of all nodes are parts of

	// explaining has what is barred or set aside be there like all others.
	explaining bool
}

// catalogIndex returns the index of a catalog, noCatalog if there is none of that
// key.
func (p *bundles) catalogIndex(k cache.Key) int32 {
	return int32(slices.IndexFunc(p.cats, func(c catalog) bool { return c.Key == k }))
}

// prohibit sets what the request forbids.
func (p *bundles) prohibit(list []ref) {
	barred := len(p.forbid)+len(list) > 0
	p.forbid, p.forbids = list, byName(len(list), func(i int) string { return list[i].Name })
	for i := range p.nodes {
		if barred {
			p.bar(&p.nodes[i])
		}
	}
}

// byName indexes a list by the names of its n items; nil if it is empty.
func byName(n int, name func(int) string) map[string][]int32 {
	if n == 0 {
		return nil
	}
	out := make(map[string][]int32, n)
	for i := range n {
		out[name(i)] = append(out[name(i)], int32(i))
	}
	return out
}

// node returns the node of a catalog's bundle, making it when it is reached for
// the first time.
func (p *bundles) node(cat, id int32) nodeID {
	key := nodeKey{cat, id}
	if n, ok := p.index[key]; ok {
		return n
	}
	n := p.addNode(p.cats[cat].Content.Bundle(id), cat, -1)
	p.index[key] = n
	return n
}

// install makes the node of the next installed bundle, which was recorded to be of a
// catalog and a channel. A nil bundle stands for one that another replaces.
func (p *bundles) install(b *graph.Bundle, versioned bool, cat int32, channel string) {
	n := noNode
	if b != nil {
		n = p.addNode(b, cat, int32(len(p.inst)))
		p.nodes[n].unversioned = !versioned
		if b.Package == "" { // no rule about packages is to hold for it
			p.nodes[n].pkg = p.pkgID("\x00" + b.Name)
		}
	}
	p.inst, p.channels = append(p.inst, n), append(p.channels, channel)
}

// addNode appends a node for a bundle.
func (p *bundles) addNode(b *graph.Bundle, cat, inst int32) nodeID {
	n := nodeID(len(p.nodes))
	if most := p.limits.Bundles; most >= 0 && len(p.nodes) >= most {
		p.exceed(resourceBundles, uint64(most))
	}
	p.tick()
	nd := node{bundle: b, cat: cat, inst: inst, pkg: p.pkgID(b.Package)}
	nd.gvks = p.gvksOf(b)
	p.bar(&nd)
	p.nodes = push(p.nodes, nd)
	return n
}

// gvksOf numbers the APIs that a bundle provides.
func (p *bundles) gvksOf(b *graph.Bundle) []int32 {
	first := len(p.gvkList)
	if p.gvks == nil { // mostly, what comes first has the most
		n := min(b.Properties.Len(), 64)
		p.gvks, p.gvkList = make(map[properties.GVK]int32, n), make([]int32, 0, n)
	}
	for g := range b.Properties.GVKs() {
		p.gvkList = push(p.gvkList, p.gvkID(g))
	}
	return slices.Clip(p.gvkList[first:])
}

// bar notes what keeps a node from ever being newly chosen.
func (p *bundles) bar(nd *node) {
	nd.ban = banNone
	if len(p.forbiddenBy(nd)) > 0 {
		nd.ban = banForbidden
	}
	switch { // what is set aside is no candidate at all, whatever else bars it
	case nd.inst < 0 && len(nd.bundle.Places) == 0:
		nd.ban = banQuarantined
	case nd.inst < 0 && nd.bundle.Barred && nd.ban == banNone:
		nd.ban = banDeprecated
	case nd.ban == banNone && p.unfit(nd):
		nd.ban = banIncompatible
	}
}

// forbiddenBy lists the prohibitions of the request that mean a node.
func (p *bundles) forbiddenBy(nd *node) []int32 {
	var by []int32
	for _, f := range p.forbids[nd.bundle.Name] {
		if p.refersTo(p.forbid[f], nd.cat) {
			by = append(by, f)
		}
	}
	return by
}

// refersTo reports whether a reference with the right name means a bundle of the
// given catalog.
func (p *bundles) refersTo(r ref, cat int32) bool {
	return r.Catalog == cache.Key{} || cat != noCatalog && p.cats[cat].Key == r.Catalog
}

// pkgID numbers a package.
func (p *bundles) pkgID(name string) int32 {
	id, ok := p.pkgs[name]
	if !ok {
		id = int32(len(p.pkgs))
		p.pkgs[name] = id
	}
	return id
}

// gvkID numbers an API.
func (p *bundles) gvkID(g properties.GVK) int32 {
	id, ok := p.gvks[g]
	if !ok {
		if p.gvks == nil {
			p.gvks = make(map[properties.GVK]int32)
		}
		id = int32(len(p.gvks))
		p.gvks[g] = id
	}
	return id
}

// gvkOf is the API of a number.
func (p *bundles) gvkOf(id int32) properties.GVK {
	for g, i := range p.gvks { // in any order
		if i == id {
			return g
		}
	}
	return properties.GVK{}
}

// packageName is the name of the package of a number.
func (p *bundles) packageName(id int32) string {
	for name, i := range p.pkgs { // in any order
		if i == id {
			return name
		}
	}
	return ""
}

// quarantineOf returns the problem that keeps a bundle without a place in any
// channel from having one, or nil if something else does.
func (p *bundles) quarantineOf(cat int32, b *graph.Bundle) *graph.Problem {
	if len(b.Places) > 0 {
		return nil
	}
	if b.Quarantine != nil {
		return b.Quarantine
	}
	pkg := p.cats[cat].Content.Package(b.Package)
	if pkg == nil {
		return nil
	}
	for _, ch := range pkg.Channels {
		if q := ch.Quarantined(); q != nil && ch.Entry(b.Name) != nil {
			return q
		}
	}
	return nil
}

// upgrades reports whether an entry of a channel has an edge from an installed
// bundle.
func (p *bundles) upgrades(e *graph.Entry, from nodeID) bool {
	nd := &p.nodes[from]
	if nd.unversioned {
		return e.Replaces == nd.bundle.Name || slices.Contains(e.Skips, nd.bundle.Name)
	}
	return e.Upgrades(nd.bundle.Name, nd.bundle.Version)
}
