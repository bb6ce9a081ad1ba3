// Package debian installs Debian packages from the package lists of an archive: alternatives, versioned
// relations, provided names, conflicts and breaks, with the newest versions that fit together.
//
// The n-th version of a package, from 1, is n.0.0. What does not fit: several architectures, and
// recommendations. Essential packages are treated like others.
package debian

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"pault.ag/go/debian/control"
	"pault.ag/go/debian/dependency"
	"pault.ag/go/debian/version"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/examples/ecosystems/internal/versions"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/lazy"
)

// Package is a version of a package.
type Package struct {
	Name                         string
	Version                      version.Version
	depends, conflicts, provides [][]dependency.Possibility
	allowed                      bool // "Multi-Arch: allowed": "NAME:any" matches it
}

// Archive has the packages of a list.
type Archive struct {
	versions.ByName
	packages  map[string][]*Package // ascending
	providers map[string][]*Package // by what they provide, their own names included
	native    string                // architecture
}

// Read reads a list of packages, as apt-get update downloads them.
func Read(r io.Reader) (*Archive, error) {
	a := &Archive{packages: map[string][]*Package{}, providers: map[string][]*Package{}}
	list, err := control.NewParagraphReader(r, nil)
	if err != nil {
		return nil, err
	}
	paragraphs, err := list.All()
	for _, in := range paragraphs {
		parse := func(fields ...string) (out [][]dependency.Possibility) {
			for _, field := range fields {
				d, invalid := dependency.Parse(in.Values[field])
				for _, r := range d.Relations {
					out = append(out, r.Possibilities)
				}
				err = errors.Join(err, invalid)
			}
			return out
		}
		p := &Package{Name: in.Values["Package"], allowed: in.Values["Multi-Arch"] == "allowed",
			depends: parse("Pre-Depends", "Depends"), conflicts: parse("Conflicts", "Breaks"), provides: parse("Provides")}
		p.provides = append(p.provides, []dependency.Possibility{{Name: p.Name, Version: &dependency.VersionRelation{Number: in.Values["Version"]}}})
		v, malformed := version.Parse(in.Values["Version"])
		if p.Version, err = v, errors.Join(err, malformed); err != nil {
			return nil, fmt.Errorf("package %s: %w", p.Name, err)
		}
		a.native = cmp.Or(strings.TrimSuffix(in.Values["Architecture"], "all"), a.native)
		a.packages[p.Name] = append(a.packages[p.Name], p)
		for _, as := range p.provides {
			a.providers[as[0].Name] = append(a.providers[as[0].Name], p)
		}
	}
	for _, list := range a.packages {
		slices.SortFunc(list, func(p, q *Package) int { return version.Compare(p.Version, q.Version) })
	}
	return a, err
}

// Install returns the packages to install for some names, dependencies first; the payload of a step is a
// *Package. The error is a *resolver.Conflict if they cannot be installed together.
func (a *Archive) Install(ctx context.Context, names ...string) (*resolver.Solution, error) {
	var req resolver.Request
	for _, name := range names {
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: name, Package: name})
	}
	r := resolver.New(resolver.WithTerms(graph.Terms{Operator: "package", Bundle: "version", Subscription: "request"}))
	return lazy.NewSession(r, lazy.Catalog{Key: cache.Key{Namespace: "debian", Name: "archive"}, Provider: a}).Resolve(ctx, req)
}

// Packages implements [lazy.Provider].
func (a *Archive) Packages(_ context.Context, names []string) ([]*lazy.Package, error) {
	out := make([]*lazy.Package, len(names))
	for i, name := range names {
		var list []lazy.Version
		for rank, p := range a.packages[name] {
			list = append(list, lazy.Version{Name: name + " " + p.Version.String(), Version: semver.Version{Major: uint64(rank) + 1}, Payload: p})
		}
		out[i] = versions.HighestFirst(list)
	}
	return out, nil
}

// Details implements [lazy.Provider].
func (a *Archive) Details(_ context.Context, refs []lazy.Ref) ([]lazy.Details, error) {
	out := make([]lazy.Details, len(refs))
	for i, ref := range refs {
		all := a.packages[ref.Package]
		p := all[slices.IndexFunc(all, func(p *Package) bool { return ref.Name == p.Name+" "+p.Version.String() })]
		for _, clause := range p.depends {
			out[i].Requires = append(out[i].Requires, constraints.NewAny(a.matches(clause, "")...))
		}
		for _, clause := range p.conflicts { // a package never conflicts with itself
			out[i].Requires = append(out[i].Requires, constraints.NewNot(a.matches(clause, p.Name)...))
		}
	}
	return out, nil
}

// matches returns the packages that match one of some relations, but one.
func (a *Archive) matches(clause []dependency.Possibility, except string) (out []constraints.Constraint) {
	for _, r := range clause {
		anyArch, ranks := r.Arch != nil && r.Arch.CPU == "any", make(map[string][]uint64)
		foreign := r.Arch != nil && !anyArch && r.Arch.String() != a.native
		for _, p := range a.providers[r.Name] {
			for _, as := range p.provides {
				if foreign || as[0].Name != r.Name || anyArch && !p.allowed && as[0].Name != p.Name {
					continue
				}
				v, err := version.Parse(cmp.Or(as[0].Version, new(dependency.VersionRelation)).Number)
				if r.Version == nil || err == nil && as[0].Version != nil && r.Version.SatisfiedBy(v) {
					ranks[p.Name] = append(ranks[p.Name], uint64(slices.Index(a.packages[p.Name], p))+1)
				}
			}
		}
		delete(ranks, except)
		for _, name := range slices.Sorted(maps.Keys(ranks)) {
			in := func(v semver.Version) bool { return slices.Contains(ranks[name], v.Major) }
			out = append(out, &constraints.Package{Name: name, Range: properties.NewRange(fmt.Sprint("the versions ", ranks[name]), in)})
		}
	}
	return out
}
