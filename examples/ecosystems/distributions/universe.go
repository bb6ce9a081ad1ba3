// Package distributions decides whether requests to package managers of Linux distributions can be
// satisfied: CUDF documents and testcases of libsolv. Unlike bundles, several versions of their packages
// can be installed together, so each version is a package of its own here; what rules that out is a
// conflict.
package distributions

import (
	"context"
	"errors"
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

// Relation names versions of a package: all if Op is empty, else those for which "version Op Version" holds.
type Relation struct{ Name, Op, Version string }

// Package is a version of a package. Each clause of Requires needs one match of its relations; no match of
// Conflicts may be installed beside it. Replaces are conflicts with packages by their own names.
type Package struct {
	Name, Version                 string
	Requires                      [][]Relation
	Conflicts, Provides, Replaces []Relation
	Installed                     bool
	Keep                          string // of CUDF
}

// Universe is all packages.
type Universe struct {
	Packages []*Package
	Compare  func(a, b string) int
	// AllVersions reports whether a name that is provided without a version has all versions.
	AllVersions bool
}

func (u *Universe) holds(version string, r Relation) bool {
	c := 0
	if r.Op != "" {
		c = u.Compare(version, r.Version)
	}
	return map[string]bool{"": true, "=": c == 0, "!=": c != 0, "<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0}[r.Op]
}

// named returns the packages with a name of their own, and matches those that provide it as well.
func (u *Universe) named(r Relation) (out []*Package) {
	for _, p := range u.Packages {
		if p.Name == r.Name && u.holds(p.Version, r) {
			out = append(out, p)
		}
	}
	return out
}

func (u *Universe) matches(r Relation) []*Package {
	out := u.named(r)
	for _, p := range u.Packages {
		if !slices.Contains(out, p) && slices.ContainsFunc(p.Provides, func(as Relation) bool {
			return as.Name == r.Name && (r.Op == "" || as.Version == "" && u.AllVersions || as.Version != "" && u.holds(as.Version, r))
		}) {
			out = append(out, p)
		}
	}
	return out
}

// Solve returns the packages that are installed with a package of the given requirements and conflicts.
// The error is a *resolver.Conflict if it cannot be installed.
func (u *Universe) Solve(ctx context.Context, request Package) ([]*Package, error) {
	request.Name = "the request"
	d := door{all: &Universe{Packages: append(slices.Clip(u.Packages), &request), Compare: u.Compare, AllVersions: u.AllVersions},
		id: make(map[*Package]string), byID: make(map[string]*Package)}
	for _, p := range d.all.Packages {
		name := strings.TrimSpace(p.Name + " " + p.Version)
		for d.byID[name] != nil {
			name += "'"
		}
		d.id[p], d.byID[name] = name, p
	}
	r := resolver.New(resolver.WithTerms(graph.Terms{Operator: "package", Bundle: "package", Subscription: "demand"}))
	solution, err := lazy.NewSession(r, lazy.Catalog{Key: cache.Key{Namespace: "distribution", Name: "packages"}, Provider: d}).
		Resolve(ctx, resolver.Request{Subscriptions: []resolver.Subscription{{Name: request.Name, Package: request.Name}}})
	if err != nil {
		return nil, err
	}
	var out []*Package
	for _, step := range solution.Steps {
		if p := d.byID[step.Package]; p != &request {
			out = append(out, p)
		}
	}
	return out, nil
}

// door provides each package, under a name that includes the version.
type door struct {
	versions.ByName
	all  *Universe
	id   map[*Package]string
	byID map[string]*Package
}

// Packages implements [lazy.Provider].
func (d door) Packages(_ context.Context, names []string) ([]*lazy.Package, error) {
	out := make([]*lazy.Package, len(names))
	for i, name := range names {
		if d.byID[name] != nil {
			out[i] = &lazy.Package{Versions: []lazy.Version{{Name: name}}}
		}
	}
	return out, nil
}

// Details implements [lazy.Provider].
func (d door) Details(_ context.Context, refs []lazy.Ref) ([]lazy.Details, error) {
	out := make([]lazy.Details, len(refs))
	for i, ref := range refs {
		p := d.byID[ref.Package]
		for _, clause := range p.Requires {
			var found []*Package
			for _, r := range clause {
				found = append(found, d.all.matches(r)...)
			}
			if !slices.Contains(found, p) { // else it satisfies itself
				out[i].Requires = append(out[i].Requires, constraints.NewAny(d.atoms(found)...))
			}
		}
		var conflicts []*Package
		for _, r := range p.Conflicts {
			conflicts = append(conflicts, d.all.matches(r)...)
		}
		for _, r := range p.Replaces {
			conflicts = append(conflicts, d.all.named(r)...)
		}
		conflicts = slices.DeleteFunc(conflicts, func(q *Package) bool { return q == p })
		out[i].Requires = append(out[i].Requires, constraints.NewNot(d.atoms(conflicts)...))
	}
	return out, nil
}

func (d door) atoms(list []*Package) (out []constraints.Constraint) {
	for _, p := range list {
		out = append(out, &constraints.Package{Name: d.id[p], Range: properties.NewRange("any version", func(semver.Version) bool { return true })})
	}
	return out
}

// Solvable reports whether a request can be satisfied.
func (u *Universe) Solvable(ctx context.Context, request Package) (bool, error) {
	_, err := u.Solve(ctx, request)
	if conflict := (*resolver.Conflict)(nil); errors.As(err, &conflict) {
		return false, nil
	}
	return err == nil, err
}
