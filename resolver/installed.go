package resolver

import (
	"fmt"
	"slices"
	"sync"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

const noInstalled int32 = -1

// inventory indexes the installed bundles of a request and their owners.
type inventory struct {
	req  *Request
	cats []problem.Catalog // usable catalogs, best first

	requested []demand // cache of explicitDemands; nil before the first call

	pkg         []string         // by index of Request.Installed: its package, empty if unknown
	index       map[string]int32 // by name: index of Request.Installed
	last        map[int32]int32  // memo of current: index of the final replacement
	needsOwners bool             // whether a package was derived from an owner
}

// newInventory finds the installed bundles by name, and their packages.
func newInventory(req *Request, cats []problem.Catalog) inventory {
	v := inventory{req: req, cats: cats}
	if len(req.Installed) == 0 {
		return v
	}
	v.indexNames()
	v.pkg = make([]string, len(req.Installed))
	owner := sync.OnceValue(v.ownersByInstalled)
	for i := range req.Installed {
		v.pkg[i] = v.packageOf(int32(i), owner)
	}
	return v
}

func (v *inventory) indexNames() {
	v.index = make(map[string]int32, len(v.req.Installed))
	for i := range v.req.Installed {
		v.index[v.req.Installed[i].Name] = int32(i)
	}
}

// of returns the inventory for a request with the same catalogs and installed bundles. The
// packages must not depend on owners.
func (v inventory) of(req *Request) inventory {
	v.req, v.requested = req, nil
	return v
}

// replaced reports whether an installed bundle is being replaced by another one, and so is
// ignored (section 1).
func (v *inventory) replaced(i int32) bool {
	by := v.req.Installed[i].ReplacedBy
	_, known := v.index[by]
	return known && by != ""
}

// addInstalled adds a node for each installed bundle that is not being replaced.
func (p *resolution) addInstalled() {
	n := len(p.req.Installed)
	if n == 0 {
		return
	}
	p.universe.Inst, p.universe.Channels = make([]problem.NodeID, 0, n), make([]string, 0, n)
	for i := range p.req.Installed {
		in := &p.req.Installed[i]
		if p.installed.replaced(int32(i)) {
			p.universe.Install(nil, false, problem.NoCatalog, "")
			continue
		}
		b, versioned := p.installed.bundle(in, p.installed.pkg[i])
		if in.Properties != nil {
			p.parseInstalled(b)
		}
		if p.refusesDependencies() {
			b.Constraints = nil
		}
		p.universe.Install(b, versioned, p.universe.CatalogIndex(in.Catalog), in.Channel)
	}
}

// refusesDependencies reports whether the request has extensions that must not have dependencies.
// OLM v1 then ignores the constraints of installed bundles.
func (p *resolution) refusesDependencies() bool {
	return len(p.req.Extensions) > 0 && p.req.Policy.Dependencies != DependenciesPlan
}

// packageOf returns the package of an installed bundle, or "" if it is unknown: the declared one,
// or that of its properties, of its owner, or the only package in the catalogs with a bundle of
// this name.
func (v *inventory) packageOf(i int32, owners func() map[int32]string) string {
	in := &v.req.Installed[i]
	if in.Package != "" || in.PackageUnknown {
		return in.Package
	}
	if in.Properties != nil {
		if pkg, ok := in.Properties.Package(); ok {
			return pkg.Name
		}
	}
	v.needsOwners = true
	if owner := owners()[i]; owner != "" {
		return owner
	}
	only := ""
	for _, c := range v.cats {
		for _, id := range c.Content.Named(in.Name) {
			switch pkg := c.Content.Bundle(id).Package; {
			case only == "":
				only = pkg
			case only != pkg:
				return ""
			}
		}
	}
	return only
}

// bundle returns an installed bundle as a graph bundle. Missing fields come from its properties,
// then from the bundle of the same name in a catalog. It also reports whether the version is
// known.
func (v *inventory) bundle(in *Installed, pkg string) (b *graph.Bundle, versioned bool) {
	b = &graph.Bundle{ID: -1, Name: in.Name, Package: pkg}
	known, _ := v.known(in, pkg)
	switch {
	case in.Properties != nil:
		b.Properties = *in.Properties
	case known != nil:
		b.Properties, b.Constraints = known.Properties, known.Constraints
		b.Deprecation, b.Deprecated = known.Deprecation, known.Deprecated
	}
	if b.Payload = in.Payload; b.Payload == nil && known != nil {
		b.Payload = known.Payload
	}
	b.Compatibility = problem.InstalledCompatibility(b, known, in.Properties != nil)
	own, says := b.Properties.Package()
	switch {
	case in.Version != nil:
		v := *in.Version
		b.Version, versioned = &v, true
	case says:
		v := own.Version
		b.Version, versioned = &v, true
	case known != nil: // one that is quarantined may have none
		_, versioned = known.Properties.Package()
		b.Version = known.Version
	}
	if b.Version == nil {
		b.Version = new(semver.Version)
	}
	b.Release = in.Release
	if in.Properties == nil && known == nil && pkg != "" && versioned {
		b.Properties = problem.Identity(b)
	}
	return b, versioned
}

// parseInstalled parses the constraints among the given properties. An invalid constraint is
// ignored with a warning, because the bundle is installed already.
func (p *resolution) parseInstalled(b *graph.Bundle) {
	for prop := range b.Properties.All() {
		c, ok, err := p.config.parser.FromProperty(prop)
		switch {
		case err != nil:
			p.warn(WarningQuarantined, b, Warning{Message: fmt.Sprintf("a constraint of the installed %s %s cannot be read and is ignored: %v", lexicon.Bundle(p.config.Terms), b.Name, err)})
		case ok:
			b.Constraints = append(b.Constraints, graph.Requirement{Constraint: c, Property: prop})
		}
	}
}

// known returns the catalog bundle that corresponds to an installed one, and its catalog: the
// recorded catalog if there is one, else the best catalog that has the bundle. It returns nil if
// there is none.
func (v *inventory) known(in *Installed, pkg string) (*graph.Bundle, cache.Key) {
	if pkg == "" {
		return nil, cache.Key{}
	}
	for _, c := range v.cats {
		if in.Catalog != (cache.Key{}) && c.Key != in.Catalog {
			continue
		}
		if of := c.Content.Package(pkg); of != nil {
			if b := of.Bundle(in.Name); b != nil {
				return b, c.Key
			}
		}
	}
	return nil, cache.Key{}
}

// current resolves the name of an installed bundle through replacedBy to the final replacement;
// noInstalled if no bundle of that name is installed.
func (v *inventory) current(name string) int32 {
	i, ok := v.index[name]
	if !ok || name == "" {
		return noInstalled
	}
	var chain []int32
	for range v.req.Installed {
		if last, known := v.last[i]; known {
			i = last
			break
		}
		next, ok := v.index[v.req.Installed[i].ReplacedBy]
		if !ok {
			break
		}
		chain, i = append(chain, i), next
	}
	if len(chain) > 0 && v.last == nil {
		v.last = make(map[int32]int32)
	}
	for _, on := range chain { // memoize
		v.last[on] = i
	}
	return i
}

// versionOf returns the version of a bundle; nil if it is unknown.
func (p *resolution) versionOf(n problem.NodeID) *semver.Version {
	if p.universe.Nodes[n].Unversioned {
		return nil
	}
	return p.universe.Nodes[n].Bundle.Version
}

// Known returns the request with the packages, properties and versions of installed bundles
// filled in from the catalogs, and with InstalledCSV set for each subscription that owns a
// bundle. Resolving it gives the same answer. Use it before replacing the catalogs by ones that
// may lack the installed bundles.
func (req Request) Known() Request {
	v := newInventory(&req, usableCatalogs(&req))
	out := req
	out.Installed, out.Subscriptions = slices.Clone(req.Installed), slices.Clone(req.Subscriptions)
	for i := range out.Installed {
		in := &out.Installed[i]
		in.Package = v.pkg[i]
		known, _ := v.known(in, in.Package)
		if known == nil {
			continue
		}
		if in.Properties == nil {
			in.Properties = &known.Properties
		}
		if _, said := in.Properties.Package(); in.Version == nil && !said && known.Quarantine == nil {
			in.Version = known.Version
		}
	}
	owned := v.owned()
	for i := range out.Subscriptions {
		s := &out.Subscriptions[i]
		if _, there := v.index[s.InstalledCSV]; !there && owned[s.Name] != "" {
			s.InstalledCSV = owned[s.Name]
		}
	}
	return out
}
