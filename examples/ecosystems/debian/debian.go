// Package debian installs the newest Debian packages of an archive that fit together. The n-th version of a package,
// from 1, is n.0.0. What does not fit: several architectures, recommendations, essential packages.
package debian

import (
	"cmp"
	"context"
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
	Name               string
	Version            version.Version
	depends, conflicts *dependency.Dependency
	allowed            bool // "Multi-Arch: allowed": "NAME:any" matches it
}

// provided is a version of a package as it provides a name, its own included.
type provided struct {
	*Package
	as version.Version // zero if it provides the name without a version
}

// Archive has the packages of a list.
type Archive struct {
	versions.ByName
	Architecture string
	packages     map[string][]*Package // ascending
	providers    map[string][]provided
}

// Read reads a list of packages, as apt-get update downloads them. Of equal versions the first counts.
func Read(r io.Reader) (*Archive, error) {
	a := &Archive{packages: map[string][]*Package{}, providers: map[string][]provided{}}
	list, err := control.NewParagraphReader(r, nil)
	for in := (*control.Paragraph)(nil); err == nil; {
		if in, err = list.Next(); err == nil {
			err = a.add(in.Values)
		}
	}
	if err != io.EOF {
		return nil, err
	}
	return a, nil
}

// add adds the package of a paragraph.
func (a *Archive) add(fields map[string]string) error {
	v, err := version.Parse(fields["Version"])
	parse := func(list string) *dependency.Dependency {
		d, invalid := dependency.Parse(list)
		err = cmp.Or(err, invalid)
		return d
	}
	p := &Package{Name: fields["Package"], Version: v, allowed: fields["Multi-Arch"] == "allowed",
		depends: parse(fields["Pre-Depends"] + "," + fields["Depends"]), conflicts: parse(fields["Conflicts"] + "," + fields["Breaks"])}
	provides := parse(fmt.Sprintf("%s (= %s), %s", p.Name, fields["Version"], fields["Provides"]))
	if err != nil {
		return fmt.Errorf("package %s: %w", p.Name, err)
	}
	a.Architecture = cmp.Or(strings.TrimSuffix(fields["Architecture"], "all"), a.Architecture)
	if i, listed := slices.BinarySearchFunc(a.packages[p.Name], v, func(q *Package, v version.Version) int { return version.Compare(q.Version, v) }); !listed {
		a.packages[p.Name] = slices.Insert(a.packages[p.Name], i, p)
		for _, r := range provides.GetAllPossibilities() {
			as, _ := version.Parse(cmp.Or(r.Version, &dependency.VersionRelation{}).Number)
			a.providers[r.Name] = append(a.providers[r.Name], provided{p, as})
		}
	}
	return nil
}

// Names returns the names of the packages, ascending.
func (a *Archive) Names() []string { return slices.Sorted(maps.Keys(a.packages)) }

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
		for i, p := range a.packages[name] {
			list = append(list, lazy.Version{Name: name + " " + p.Version.String(), Version: semver.Version{Major: uint64(i) + 1}, Payload: p})
		}
		out[i] = versions.HighestFirst(list)
	}
	return out, nil
}

// Details implements [lazy.Provider].
func (a *Archive) Details(_ context.Context, refs []lazy.Ref) ([]lazy.Details, error) {
	out := make([]lazy.Details, len(refs))
	for i, ref := range refs {
		named := func(p *Package) bool { return ref.Name == p.Name+" "+p.Version.String() }
		p := a.packages[ref.Package][slices.IndexFunc(a.packages[ref.Package], named)]
		for _, clause := range p.depends.Relations {
			out[i].Requires = append(out[i].Requires, constraints.WithMessage(constraints.NewAny(a.matches(clause, "")...), "depends on "+clause.String()))
		}
		for _, clause := range p.conflicts.Relations { // a package never conflicts with itself
			out[i].Requires = append(out[i].Requires, constraints.WithMessage(constraints.NewNot(a.matches(clause, p.Name)...), "conflicts with "+clause.String()))
		}
	}
	return out, nil
}

// matches returns the packages that match an alternative of a relation, but one.
func (a *Archive) matches(alternatives dependency.Relation, except string) (out []constraints.Constraint) {
	for _, r := range alternatives.Possibilities {
		ranks := make(map[string][]uint64)
		for _, p := range a.providers[r.Name] {
			arch := r.Arch == nil || r.Arch.String() == a.Architecture || r.Arch.CPU == "any" && (p.allowed || p.Name == r.Name)
			if arch && p.Name != except && (r.Version == nil || p.as.Version != "" && r.Version.SatisfiedBy(p.as)) {
				ranks[p.Name] = append(ranks[p.Name], uint64(slices.Index(a.packages[p.Name], p.Package))+1)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(ranks)) {
			list := ranks[name] // without the map, so that it can be freed
			in := func(v semver.Version) bool { return slices.Contains(list, v.Major) }
			out = append(out, &constraints.Package{Name: name, Range: properties.NewRange(fmt.Sprint("the versions ", list), in)})
		}
	}
	return out
}
