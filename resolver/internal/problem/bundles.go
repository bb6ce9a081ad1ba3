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
func (u *Universe) CatalogIndex(k cache.Key) int32 {
	return int32(slices.IndexFunc(u.Cats, func(c Catalog) bool { return c.Key == k }))
}

// prohibit sets what the request forbids.
func (u *Universe) prohibit(list []Forbidden) {
	barred := len(u.Forbid)+len(list) > 0 || u.Veto != nil
	u.Forbid, u.forbids = slices.Clip(list), byName(len(list), func(i int) string { return list[i].Bundle.Name })
	for i := 0; barred && i < len(u.Nodes); i++ {
		u.bar(&u.Nodes[i])
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
func (u *Universe) NodeOf(cat, id int32) NodeID {
	key := nodeKey{cat, id}
	if n, ok := u.index[key]; ok {
		return n
	}
	n := u.addNode(u.Cats[cat].Content.Bundle(id), cat, -1)
	u.index[key] = n
	return n
}

// Install makes the node of the next installed bundle, which is recorded to be from a catalog
// and a channel. It is nil if another one replaces it. All are installed before a bundle of a
// catalog is reached, so that their nodes come first.
func (u *Universe) Install(b *graph.Bundle, versioned bool, cat int32, channel string) {
	n := NoNode
	if b != nil {
		n = u.addNode(b, cat, int32(len(u.Inst)))
		u.Nodes[n].Unversioned = !versioned
		if b.Package == "" { // no rule about packages is to hold for it
			u.Nodes[n].Pkg = u.pkgID("\x00" + b.Name)
		}
	}
	u.Inst, u.Channels = append(u.Inst, n), append(u.Channels, channel)
}

// NumInstalled is how many installed bundles have a node, which are the first nodes.
func (u *Universe) NumInstalled() int {
	for _, n := range slices.Backward(u.Inst) {
		if n != NoNode {
			return int(n) + 1
		}
	}
	return 0
}

// addNode appends a node for a bundle.
func (u *Universe) addNode(b *graph.Bundle, cat, inst int32) NodeID {
	n := NodeID(len(u.Nodes))
	if most := u.Budget.Limits.Bundles; most >= 0 && u.Reached() >= most {
		u.Budget.Exhaust(ResourceBundles, uint64(most))
	}
	u.Budget.Step()
	nd := Node{Bundle: b, Cat: cat, Inst: inst, Pkg: u.pkgID(b.Package)}
	nd.GVKs = u.gvksOf(b)
	u.bar(&nd)
	u.Nodes = Push(u.Nodes, nd)
	return n
}

// Name is the name of a bundle.
func (u *Universe) Name(n NodeID) string { return u.Nodes[n].Bundle.Name }

// Reached is how many bundles were reached for this answer.
func (u *Universe) Reached() int { return len(u.Nodes) - int(u.earlier) }

// gvksOf numbers the APIs that a bundle provides.
func (u *Universe) gvksOf(b *graph.Bundle) []int32 {
	first := len(u.gvkList)
	if u.GVKs == nil { // mostly, what comes first has the most
		n := min(b.Properties.Len(), 64)
		u.GVKs, u.gvkList = make(map[properties.GVK]int32, n), make([]int32, 0, n)
	}
	for g := range b.Properties.GVKs() {
		u.gvkList = Push(u.gvkList, u.gvkID(g))
	}
	return slices.Clip(u.gvkList[first:])
}

// bar notes what keeps a node from ever being newly chosen.
func (u *Universe) bar(nd *Node) {
	nd.Ban = BanNone
	if u.Veto != nil && nd.Inst < 0 {
		u.askVeto(nd)
	}
	if len(u.ForbiddenBy(nd)) > 0 {
		nd.Ban = BanForbidden
	}
	switch { // what is set aside is no candidate at all, whatever else bars it
	case nd.Inst < 0 && !u.choosable(nd.Bundle):
		nd.Ban = BanQuarantined
	case nd.Inst < 0 && nd.Bundle.Barred && nd.Ban == BanNone:
		nd.Ban = BanDeprecated
	case nd.Ban == BanNone && u.Incompatible(nd):
		nd.Ban = BanIncompatible
	}
}

// askVeto forbids a bundle that the request has a veto against, unless it does already.
func (u *Universe) askVeto(nd *Node) {
	key := nodeKey{nd.Cat, nd.Bundle.ID}
	why, asked := u.vetoes[key]
	if !asked {
		if u.vetoes == nil {
			u.vetoes = make(map[nodeKey]string)
		}
		why = u.Veto(u.Cats[nd.Cat].Key, nd.Bundle)
		u.vetoes[key] = why
	}
	if why == "" || len(u.ForbiddenBy(nd)) > 0 {
		return
	}
	if u.forbids == nil {
		u.forbids = make(map[string][]int32)
	}
	name := nd.Bundle.Name
	u.forbids[name] = append(u.forbids[name], int32(len(u.Forbid)))
	u.Forbid = append(u.Forbid, Forbidden{cache.BundleRef{Catalog: u.Cats[nd.Cat].Key, Name: name}, why})
}

// ForbiddenBy lists the prohibitions of the request that mean a node.
func (u *Universe) ForbiddenBy(nd *Node) []int32 {
	var by []int32
	for _, f := range u.forbids[nd.Bundle.Name] {
		if u.RefersTo(u.Forbid[f].Bundle, nd.Cat) {
			by = append(by, f)
		}
	}
	return by
}

// RefersTo reports whether a reference with the right name means a bundle of the
// given catalog.
func (u *Universe) RefersTo(r cache.BundleRef, cat int32) bool {
	return r.Catalog == cache.Key{} || cat != NoCatalog && u.Cats[cat].Key == r.Catalog
}

// Origin names a bundle and the catalog that it is of, as far as that is known.
func (u *Universe) Origin(n NodeID) cache.BundleRef {
	ref := cache.BundleRef{Name: u.Name(n)}
	if cat := u.Nodes[n].Cat; cat != NoCatalog {
		ref.Catalog = u.Cats[cat].Key
	}
	return ref
}

// RefOf names a bundle, of its catalog unless it is installed.
func (u *Universe) RefOf(n NodeID) cache.BundleRef {
	ref := u.Origin(n)
	if u.Nodes[n].Inst >= 0 {
		ref.Catalog = cache.Key{}
	}
	return ref
}

// pkgID numbers a package.
func (u *Universe) pkgID(name string) int32 { return number(u.Pkgs, name) }

// gvkID numbers an API.
func (u *Universe) gvkID(g properties.GVK) int32 {
	if u.GVKs == nil {
		u.GVKs = make(map[properties.GVK]int32)
	}
	return number(u.GVKs, g)
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
func (u *Universe) GVKOf(id int32) properties.GVK {
	for g, i := range u.GVKs { // in any order
		if i == id {
			return g
		}
	}
	return properties.GVK{}
}

// choosable reports whether a catalog offers a bundle at all: a channel does, or all that
// is declared counts and it can be read.
func (u *Universe) choosable(b *graph.Bundle) bool {
	return len(b.Places) > 0 || u.Rules.AllDeclared && b.Quarantine == nil
}

// QuarantineOf returns the problem for which a bundle that is not offered is not, or nil
// if something else keeps it from having a place in a channel.
func (u *Universe) QuarantineOf(cat int32, b *graph.Bundle) *graph.Problem {
	switch {
	case u.choosable(b):
		return nil
	case b.Quarantine != nil:
		return b.Quarantine
	}
	pkg := u.Cats[cat].Content.Package(b.Package)
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
func (u *Universe) Upgrades(e *graph.Entry, from NodeID) bool {
	nd := &u.Nodes[from]
	if nd.Unversioned {
		return e.Replaces == nd.Bundle.Name || slices.Contains(e.Skips(), nd.Bundle.Name)
	}
	return e.Upgrades(nd.Bundle.Name, *nd.Bundle.Version)
}
