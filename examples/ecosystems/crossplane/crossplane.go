// Package crossplane resolves the dependencies of Crossplane packages over the tags of a registry,
// all at once, with the versions that Crossplane prefers: what is installed stays if it fits, else
// moves to the lowest higher version that does, and downgrades only where that is enabled.
package crossplane

import (
	"context"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/examples/ecosystems/internal/versions"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/lazy"
)

// Dependency is an entry of dependsOn: a package and its versions, as a constraint or a digest.
type Dependency struct{ Package, Constraints string }

// Package is a package of the lock. Its version is a tag or a digest.
type Package struct {
	Source, Version string
	Dependencies    []Dependency
	Requested       bool // by a user, at this version
}

// Registry has the tags of packages, and the dependencies of one tag or digest.
type Registry interface {
	Tags(ctx context.Context, source string) ([]string, error)
	Dependencies(ctx context.Context, source, version string) ([]Dependency, error)
}

// Manager resolves. With Downgrades, dependencies may move to lower versions.
type Manager struct {
	Registry   Registry
	Downgrades bool
}

// Resolve returns the packages, in their order, with which the dependencies of all packages of the
// lock and of new packages are satisfied; the payload of a step is its tag or digest. The error is a
// *resolver.Conflict if there are none.
func (m *Manager) Resolve(ctx context.Context, lock []Package, add ...Dependency) (*resolver.Solution, error) {
	source, req := registry{versions.ByName{}, m.Registry, map[string][]string{}}, resolver.Request{Policy: resolver.Policy{Upgrades: resolver.UpgradesSelfCertified, Goal: resolver.Nearest}}
	for _, p := range lock {
		v, err := source.version(p.Source, p.Version)
		if err != nil {
			return nil, err
		}
		for _, d := range p.Dependencies {
			if _, err := source.within(d); err != nil { // digests become known
				return nil, err
			}
		}
		s := resolver.Subscription{Name: p.Source, Package: p.Source, InstalledCSV: v.Name}
		if p.Requested {
			s.Pin = v.Name
		} else if !m.Downgrades {
			s.VersionRange = properties.NewRange(">="+p.Version, func(to semver.Version) bool { return to.GTE(v.Version) || to.LT(lowestTag) })
		}
		req.Subscriptions = append(req.Subscriptions, s)
		req.Installed = append(req.Installed, resolver.Installed{Name: v.Name, Package: p.Source, Version: &v.Version})
	}
	for _, d := range add {
		within, err := source.within(d)
		if err != nil {
			return nil, err
		}
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: d.Package, Package: d.Package, VersionRange: within})
	}
	r := resolver.New(resolver.WithTerms(graph.Terms{Operator: "package", Bundle: "version", Subscription: "package"}))
	return lazy.NewSession(r, lazy.Catalog{Provider: source, Key: cache.Key{Namespace: "crossplane", Name: "registry"}}).Resolve(ctx, req)
}

// registry adds the digests that constraints name, which a registry does not list.
type registry struct {
	versions.ByName
	Registry
	digests map[string][]string
}

const digestPrefix = "sha256:"

var lowestTag = semver.MustParse("0.0.0-1") // higher than every digest
// version returns a tag or a digest as a version.
func (r registry) version(source, text string) (lazy.Version, error) {
	plain := strings.TrimPrefix(text, "v")
	if hex, ok := strings.CutPrefix(text, digestPrefix); ok {
		plain = "0.0.0-0.sha256-" + hex
		if !slices.Contains(r.digests[source], text) {
			r.digests[source] = append(r.digests[source], text)
		}
	}
	v, err := semver.ParseTolerant(plain)
	return lazy.Version{Name: source + "@" + text, Version: v, Payload: text}, err
}

// within returns the range of a dependency.
func (r registry) within(d Dependency) (properties.Range, error) {
	if strings.HasPrefix(d.Constraints, digestPrefix) {
		v, err := r.version(d.Package, d.Constraints)
		return properties.NewRange(d.Constraints, v.Version.EQ), err
	}
	return versions.ParseRange(d.Constraints)
}

// Packages implements [lazy.Provider].
func (r registry) Packages(ctx context.Context, names []string) ([]*lazy.Package, error) {
	return lazy.Each(ctx, 8, names, func(ctx context.Context, name string) (*lazy.Package, error) {
		tags, err := r.Tags(ctx, name)
		if err != nil {
			return nil, err
		}
		var out []lazy.Version
		for _, tag := range slices.Concat(tags, r.digests[name]) {
			if v, err := r.version(name, tag); err == nil { // other tags are no versions
				out = append(out, v)
			}
		}
		return versions.HighestFirst(out), nil
	})
}

// Details implements [lazy.Provider].
func (r registry) Details(ctx context.Context, refs []lazy.Ref) ([]lazy.Details, error) {
	return lazy.Each(ctx, 8, refs, func(ctx context.Context, v lazy.Ref) (lazy.Details, error) {
		list, err := r.Dependencies(ctx, v.Package, strings.TrimPrefix(v.Name, v.Package+"@"))
		if err != nil {
			return lazy.Details{}, err
		}
		var out lazy.Details
		for _, d := range list {
			within, err := r.within(d)
			if err != nil {
				return out, err
			}
			out.Requires = append(out.Requires, &constraints.Package{Name: d.Package, Range: within})
		}
		return out, nil
	})
}
