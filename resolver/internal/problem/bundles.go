package problem

import (
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// NodeID names a bundle of the problem: one of a catalog, or an installed one.
// They are dense and given out in the order in which bundles are reached.
type NodeID int32

// NoNode stands for no bundle.
const NoNode NodeID = -1

// NoCatalog stands for the origin of an installed bundle that is not recorded.
const NoCatalog int32 = -1

// Ban says that a bundle can never be newly chosen, and why.
type Ban uint8

// The bans, in the order in which they are looked for.
const (
	BanNone Ban = iota
	BanForbidden
	BanDeprecated
	BanIncompatible
	BanQuarantined
)

// Node is one bundle of the problem.
type Node struct {
	Bundle   *graph.Bundle
	subject  *constraints.Subject // made when a rule is first held against it
	reqs     []Requirement        // compiled when first asked for
	GVKs     []int32
	Cat      int32 // index of the catalog, or noCatalog
	Inst     int32 // index of the installed bundle, or -1
	Pkg      int32
	Ban      Ban
	compiled bool
	// unversioned marks an installed bundle whose version is not known.
	Unversioned bool
	Exclusive   []int32 // groups of Problem.Groups that it is a member of
}

// nodeKey finds the node of a catalog's bundle.
type nodeKey struct{ cat, ID int32 }

// Catalog is a catalog to choose from.
type Catalog struct {
	Key      cache.Key
	Priority int // higher is better
	Content  *cache.Catalog
}

// CatalogIndex returns the index of a catalog, noCatalog if there is none of that
// key.
func (p *Problem) CatalogIndex(k cache.Key) int32 {
	return int32(slices.IndexFunc(p.Cats, func(c Catalog) bool { return c.Key == k }))
}

// prohibit sets what the request forbids.
func (p *Problem) prohibit(list []Forbidden) {
	barred := len(p.Forbid)+len(list) > 0 || p.Veto != nil
	p.Forbid, p.forbids = slices.Clip(list), byName(len(list), func(i int) string { return list[i].Bundle.Name })
	for i := 0; barred && i < len(p.Nodes); i++ {
		p.bar(&p.Nodes[i])
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

// NodeOf returns the node of a catalog's bundle, making it when it is reached for
// the first time.
func (p *Problem) NodeOf(cat, id int32) NodeID {
	key := nodeKey{cat, id}
	if n, ok := p.index[key]; ok {
		return n
	}
	n := p.addNode(p.Cats[cat].Content.Bundle(id), cat, -1)
	p.index[key] = n
	return n
}

// Install makes the node of the next installed bundle, which was recorded to be of a
// catalog and a channel. A nil bundle stands for one that another replaces.
func (p *Problem) Install(b *graph.Bundle, versioned bool, cat int32, channel string) {
	n := NoNode
	if b != nil {
		n = p.addNode(b, cat, int32(len(p.Inst)))
		p.Nodes[n].Unversioned = !versioned
		if b.Package == "" { // no rule about packages is to hold for it
			p.Nodes[n].Pkg = p.pkgID("\x00" + b.Name)
		}
	}
	p.Inst, p.Channels = append(p.Inst, n), append(p.Channels, channel)
}

// addNode appends a node for a bundle.
func (p *Problem) addNode(b *graph.Bundle, cat, inst int32) NodeID {
	n := NodeID(len(p.Nodes))
	if most := p.Limits.Bundles; most >= 0 && p.Reached() >= most {
		p.Exceed(SpentBundles, uint64(most))
	}
	p.Tick()
	nd := Node{Bundle: b, Cat: cat, Inst: inst, Pkg: p.pkgID(b.Package)}
	nd.GVKs = p.gvksOf(b)
	p.bar(&nd)
	p.Nodes = Push(p.Nodes, nd)
	return n
}

// Name is the name of a bundle.
func (p *Problem) Name(n NodeID) string { return p.Nodes[n].Bundle.Name }

// Reached is how many bundles were reached for this answer.
func (p *Problem) Reached() int { return len(p.Nodes) - int(p.earlier) }

// gvksOf numbers the APIs that a bundle provides.
func (p *Problem) gvksOf(b *graph.Bundle) []int32 {
	first := len(p.gvkList)
	if p.GVKs == nil { // mostly, what comes first has the most
		n := min(b.Properties.Len(), 64)
		p.GVKs, p.gvkList = make(map[properties.GVK]int32, n), make([]int32, 0, n)
	}
	for g := range b.Properties.GVKs() {
		p.gvkList = Push(p.gvkList, p.gvkID(g))
	}
	return slices.Clip(p.gvkList[first:])
}

// bar notes what keeps a node from ever being newly chosen.
func (p *Problem) bar(nd *Node) {
	nd.Ban = BanNone
	if p.Veto != nil && nd.Inst < 0 {
		p.askVeto(nd)
	}
	if len(p.ForbiddenBy(nd)) > 0 {
		nd.Ban = BanForbidden
	}
	switch { // what is set aside is no candidate at all, whatever else bars it
	case nd.Inst < 0 && !p.choosable(nd.Bundle):
		nd.Ban = BanQuarantined
	case nd.Inst < 0 && nd.Bundle.Barred && nd.Ban == BanNone:
		nd.Ban = BanDeprecated
	case nd.Ban == BanNone && p.Unfit(nd):
		nd.Ban = BanIncompatible
	}
}

// askVeto forbids a bundle that the request has a veto against, unless it does already.
func (p *Problem) askVeto(nd *Node) {
	key := nodeKey{nd.Cat, nd.Bundle.ID}
	why, asked := p.vetoes[key]
	if !asked {
		if p.vetoes == nil {
			p.vetoes = make(map[nodeKey]string)
		}
		why = p.Veto(p.Cats[nd.Cat].Key, nd.Bundle)
		p.vetoes[key] = why
	}
	if why == "" || len(p.ForbiddenBy(nd)) > 0 {
		return
	}
	if p.forbids == nil {
		p.forbids = make(map[string][]int32)
	}
	name := nd.Bundle.Name
	p.forbids[name] = append(p.forbids[name], int32(len(p.Forbid)))
	p.Forbid = append(p.Forbid, Forbidden{cache.BundleRef{Catalog: p.Cats[nd.Cat].Key, Name: name}, why})
}

// ForbiddenBy lists the prohibitions of the request that mean a node.
func (p *Problem) ForbiddenBy(nd *Node) []int32 {
	var by []int32
	for _, f := range p.forbids[nd.Bundle.Name] {
		if p.RefersTo(p.Forbid[f].Bundle, nd.Cat) {
			by = append(by, f)
		}
	}
	return by
}

// RefersTo reports whether a reference with the right name means a bundle of the
// given catalog.
func (p *Problem) RefersTo(r cache.BundleRef, cat int32) bool {
	return r.Catalog == cache.Key{} || cat != NoCatalog && p.Cats[cat].Key == r.Catalog
}

// Origin names a bundle and the catalog that it is of, as far as that is known.
func (p *Problem) Origin(n NodeID) cache.BundleRef {
	ref := cache.BundleRef{Name: p.Name(n)}
	if cat := p.Nodes[n].Cat; cat != NoCatalog {
		ref.Catalog = p.Cats[cat].Key
	}
	return ref
}

// RefOf names a bundle, of its catalog unless it is installed.
func (p *Problem) RefOf(n NodeID) cache.BundleRef {
	ref := p.Origin(n)
	if p.Nodes[n].Inst >= 0 {
		ref.Catalog = cache.Key{}
	}
	return ref
}

// pkgID numbers a package.
func (p *Problem) pkgID(name string) int32 { return number(p.Pkgs, name) }

// gvkID numbers an API.
func (p *Problem) gvkID(g properties.GVK) int32 {
	if p.GVKs == nil {
		p.GVKs = make(map[properties.GVK]int32)
	}
	return number(p.GVKs, g)
}

// number is the number of something, the next one if it has none yet.
func number[K comparable](numbers map[K]int32, k K) int32 {
	id, ok := numbers[k]
	if !ok {
		id = int32(len(numbers))
		numbers[k] = id
	}
	return id
}

// GVKOf is the API of a number.
func (p *Problem) GVKOf(id int32) properties.GVK {
	for g, i := range p.GVKs { // in any order
		if i == id {
			return g
		}
	}
	return properties.GVK{}
}

// choosable reports whether a catalog offers a bundle at all: a channel does, or all that
// is declared counts and it can be read.
func (p *Problem) choosable(b *graph.Bundle) bool {
	return len(b.Places) > 0 || p.Rules.AllDeclared && b.Quarantine == nil
}

// QuarantineOf returns the problem for which a bundle that is not offered is not, or nil
// if something else keeps it from having a place in a channel.
func (p *Problem) QuarantineOf(cat int32, b *graph.Bundle) *graph.Problem {
	switch {
	case p.choosable(b):
		return nil
	case b.Quarantine != nil:
		return b.Quarantine
	}
	pkg := p.Cats[cat].Content.Package(b.Package)
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

// Upgrades reports whether an entry of a channel has an edge from an installed
// bundle.
func (p *Problem) Upgrades(e *graph.Entry, from NodeID) bool {
	nd := &p.Nodes[from]
	if nd.Unversioned {
		return e.Replaces == nd.Bundle.Name || slices.Contains(e.Skips, nd.Bundle.Name)
	}
	return e.Upgrades(nd.Bundle.Name, *nd.Bundle.Version)
}
