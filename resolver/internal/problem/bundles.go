package problem

import (
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// NodeID identifies a bundle of the problem, of a catalog or installed. IDs are dense, in the
// order in which bundles are reached.
type NodeID int32

// NoNode means no bundle.
const NoNode NodeID = -1

// NoCatalog means that the catalog of an installed bundle is unknown.
const NoCatalog int32 = -1

// Ban is the reason why a bundle is excluded: it can never be newly selected.
type Ban uint8

// The reasons for exclusion.
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
	subject  *constraints.Subject // made when the first rule is evaluated on it
	reqs     []Requirement        // compiled on demand
	GVKs     []int32
	Cat      int32 // index of the catalog, or NoCatalog
	Inst     int32 // index of the installed bundle, or -1
	Pkg      int32
	Ban      Ban
	compiled bool
	// Unversioned marks an installed bundle whose version is unknown.
	Unversioned bool
}

// nodeKey identifies a bundle of a catalog.
type nodeKey struct{ cat, ID int32 }

// Catalog is a catalog of candidates.
type Catalog struct {
	Key      cache.Key
	Priority int // higher is better
	Content  *cache.Catalog
}

// CatalogIndex returns the index of the catalog with a key, or NoCatalog.
func (u *Universe) CatalogIndex(k cache.Key) int32 {
	return int32(slices.IndexFunc(u.Cats, func(c Catalog) bool { return c.Key == k }))
}

// prohibit sets the bundles that the request forbids.
func (u *Universe) prohibit(list []Forbidden) {
	barred := len(u.Forbid)+len(list) > 0 || u.vetoing()
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

// NodeOf returns the node of a catalog's bundle. It adds the node when the bundle is first reached.
func (u *Universe) NodeOf(cat, id int32) NodeID {
	key := nodeKey{cat, id}
	if n, ok := u.index[key]; ok {
		return n
	}
	n := u.addNode(u.Cats[cat].Content.Bundle(id), cat, -1)
	u.index[key] = n
	return n
}

// Install adds the node of the next installed bundle, with the catalog and the channel that it
// was installed from. The bundle is nil if another installed bundle replaces it. Installed bundles
// are added before any bundle of a catalog, so that their nodes come first.
func (u *Universe) Install(b *graph.Bundle, versioned bool, cat int32, channel string) {
	n := NoNode
	if b != nil {
		n = u.addNode(b, cat, int32(len(u.Inst)))
		u.Nodes[n].Unversioned = !versioned
		if b.Package == "" { // exempt from the rules about packages
			u.Nodes[n].Pkg = u.pkgID("\x00" + b.Name)
		}
	}
	u.Inst, u.Channels = append(u.Inst, n), append(u.Channels, channel)
}

// NumInstalled returns the number of nodes of installed bundles, which come first.
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
	if limit := u.Budget.Limits.Bundles; limit >= 0 && u.Reached() >= limit {
		u.Budget.Exhaust(ResourceBundles, uint64(limit))
	}
	u.Budget.Step()
	nd := Node{Bundle: b, Cat: cat, Inst: inst, Pkg: u.pkgID(b.Package)}
	nd.GVKs = u.gvksOf(b)
	u.bar(&nd)
	u.Nodes = Push(u.Nodes, nd)
	return n
}

// Name returns the name of a bundle.
func (u *Universe) Name(n NodeID) string { return u.Nodes[n].Bundle.Name }

// Reached returns the number of bundles reached for this answer.
func (u *Universe) Reached() int { return len(u.Nodes) - int(u.earlier) }

// gvksOf returns the numbers of the APIs that a bundle provides.
func (u *Universe) gvksOf(b *graph.Bundle) []int32 {
	first := len(u.gvkList)
	if u.GVKs == nil { // the first bundle usually provides the most
		n := min(b.Properties.Len(), 64)
		u.GVKs, u.gvkList = make(map[properties.GVK]int32, n), make([]int32, 0, n)
	}
	for g := range b.Properties.GVKs() {
		u.gvkList = Push(u.gvkList, u.gvkID(g))
	}
	return slices.Clip(u.gvkList[first:])
}

// bar sets the reason why a node is excluded, if it is.
func (u *Universe) bar(nd *Node) {
	nd.Ban = BanNone
	if u.vetoing() && nd.Inst < 0 {
		u.askVeto(nd)
	}
	if len(u.ForbiddenBy(nd)) > 0 {
		nd.Ban = BanForbidden
	}
	switch { // quarantine overrides the other reasons
	case nd.Inst < 0 && !u.choosable(nd.Bundle):
		nd.Ban = BanQuarantined
	case nd.Inst < 0 && nd.Bundle.Barred && nd.Ban == BanNone:
		nd.Ban = BanDeprecated
	case nd.Ban == BanNone && u.Incompatible(nd):
		nd.Ban = BanIncompatible
	}
}

// Vetoes has the prohibition of each bundle that was judged; it has no name if the bundle is allowed.
// It must be made, and must not be used concurrently.
type Vetoes map[nodeKey]Forbidden

// vetoing reports whether a veto or a rule of the policy may forbid bundles.
func (u *Universe) vetoing() bool { return u.Veto != nil || u.Policy }

// askVeto forbids a bundle that the veto or the policy of the request rejects, unless it is
// forbidden already.
func (u *Universe) askVeto(nd *Node) {
	if nd.Bundle.Unread || len(u.ForbiddenBy(nd)) > 0 {
		return
	}
	key := nodeKey{nd.Cat, nd.Bundle.ID}
	veto, asked := u.Vetoes[key]
	if !asked {
		if u.Budget.Check(); u.Budget.Stopped() {
			return
		}
		var err error
		if veto, err = u.judge(nd); err != nil {
			u.Budget.Fail(err)
			return
		}
		u.Vetoes[key] = veto
	}
	name := veto.Bundle.Name
	if name == "" {
		return
	}
	if u.forbids == nil {
		u.forbids = make(map[string][]int32)
	}
	u.forbids[name] = append(u.forbids[name], int32(len(u.Forbid)))
	u.Forbid = append(u.Forbid, veto)
}

// judge asks the veto, then the rules of the policy.
func (u *Universe) judge(nd *Node) (Forbidden, error) {
	catalog := &u.Cats[nd.Cat]
	if u.Veto != nil {
		why, err := u.Veto(u.Budget.Context(), catalog.Key, nd.Bundle)
		if err != nil {
			return Forbidden{}, err
		}
		if why != "" {
			return Forbidden{Bundle: cache.BundleRef{Catalog: catalog.Key, Name: nd.Bundle.Name}, Message: why}, nil
		}
	}
	if !u.Policy {
		return Forbidden{}, nil
	}
	return u.Cluster.Judge(u.evaluator(), catalog.Key, catalog.Content.Package(nd.Bundle.Package), nd.Bundle)
}

// ForbiddenBy lists the indexes into Forbid of the entries that refer to a node.
func (u *Universe) ForbiddenBy(nd *Node) []int32 {
	var by []int32
	for _, f := range u.forbids[nd.Bundle.Name] {
		if u.RefersTo(u.Forbid[f].Bundle, nd.Cat) {
			by = append(by, f)
		}
	}
	return by
}

// RefersTo reports whether a reference includes bundles of a catalog.
func (u *Universe) RefersTo(r cache.BundleRef, cat int32) bool {
	return r.Catalog == cache.Key{} || cat != NoCatalog && u.Cats[cat].Key == r.Catalog
}

// Origin returns a reference to a bundle, with its catalog if that is known.
func (u *Universe) Origin(n NodeID) cache.BundleRef {
	ref := cache.BundleRef{Name: u.Name(n)}
	if cat := u.Nodes[n].Cat; cat != NoCatalog {
		ref.Catalog = u.Cats[cat].Key
	}
	return ref
}

// RefOf returns a reference to a bundle, without the catalog if it is installed.
func (u *Universe) RefOf(n NodeID) cache.BundleRef {
	ref := u.Origin(n)
	if u.Nodes[n].Inst >= 0 {
		ref.Catalog = cache.Key{}
	}
	return ref
}

// pkgID returns the number of a package.
func (u *Universe) pkgID(name string) int32 { return number(u.Pkgs, name) }

// gvkID returns the number of an API.
func (u *Universe) gvkID(g properties.GVK) int32 {
	if u.GVKs == nil {
		u.GVKs = make(map[properties.GVK]int32)
	}
	return number(u.GVKs, g)
}

// number returns the number of a key, and assigns the next one to a new key.
func number[K comparable](numbers map[K]int32, k K) int32 {
	id, ok := numbers[k]
	if !ok {
		id = int32(len(numbers))
		numbers[k] = id
	}
	return id
}

// GVKOf returns the API with a number.
func (u *Universe) GVKOf(id int32) properties.GVK {
	for g, i := range u.GVKs { // in any order
		if i == id {
			return g
		}
	}
	return properties.GVK{}
}

// choosable reports whether a catalog offers a bundle at all: a channel does, or all declared
// bundles count and it is not quarantined.
func (u *Universe) choosable(b *graph.Bundle) bool {
	return len(b.Places) > 0 || u.Rules.AllDeclared && b.Quarantine == nil
}

// QuarantineOf returns the problem that keeps a bundle from being offered. It is nil if the bundle
// is offered, or is in no channel for another reason.
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
