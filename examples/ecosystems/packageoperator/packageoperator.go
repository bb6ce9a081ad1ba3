// Package packageoperator locks the dependencies of Package Operator's packages: for each the highest
// version in the repositories that its range allows and that supports every platform of the package.
package packageoperator

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/examples/ecosystems/internal/versions"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/lazy"
)

// Constraint is an entry of spec.constraints: platforms that are supported, or one in a range of versions.
type Constraint struct {
	Platforms       []string
	Platform, Range string
}

// Dependency is an entry of spec.dependencies: "PACKAGE.REPOSITORY", and a range or nothing.
type Dependency struct{ Name, Package, Range string }

// Entry is a package of a repository: an image, which has some versions.
type Entry struct {
	Repository, Name, Image, Digest string
	Versions                        []string
	Constraints                     []Constraint
}

// Locked is a dependency of the lock file.
type Locked struct{ Name, Image, Digest, Version string }

// Lock locks the dependencies of a package with some constraints. The error is a *resolver.Conflict if
// that is impossible.
func Lock(ctx context.Context, list []Constraint, dependencies []Dependency, entries []Entry) ([]Locked, error) {
	required, err := platformsOf(list)
	if err != nil {
		return nil, err
	}
	var req resolver.Request
	req.Veto = func(_ context.Context, _ cache.Key, b *graph.Bundle) (string, error) {
		supported, err := platformsOf(b.Payload.(Entry).Constraints)
		for _, name := range slices.Sorted(maps.Keys(required)) {
			switch has, ok := supported[name]; {
			case err != nil:
			case !ok:
				return "it does not support platform " + name, nil
			case !contains(has, required[name]):
				return fmt.Sprintf("it supports platform %s %s, and %s is required", name, has, required[name]), nil
			}
		}
		return "", err
	}
	for _, d := range dependencies {
		within, err := versions.ParseRange(cmp.Or(d.Range, "*"))
		if err != nil {
			return nil, fmt.Errorf("dependency %s: %w", d.Name, err)
		}
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: d.Name, Package: d.Package, VersionRange: within})
	}
	r := resolver.New(resolver.WithTerms(graph.Terms{Operator: "package", Bundle: "version", Subscription: "dependency"}))
	from := lazy.Catalog{Key: cache.Key{Namespace: "pko", Name: "repositories"}, Provider: repositories{entries: entries}}
	solution, err := lazy.NewSession(r, from).Resolve(ctx, req)
	if err != nil {
		return nil, err
	}
	var out []Locked
	for _, d := range dependencies {
		step := solution.Steps[slices.IndexFunc(solution.Steps, func(s resolver.Step) bool { return s.Package == d.Package })]
		e := step.Payload.(Entry)
		out = append(out, Locked{d.Name, e.Image, e.Digest, step.Version.String()})
	}
	return out, nil
}

// repositories provides the versions of their entries.
type repositories struct {
	versions.Flat
	entries []Entry
}

// Packages implements [lazy.Provider].
func (r repositories) Packages(_ context.Context, names []string) ([]*lazy.Package, error) {
	out := make([]*lazy.Package, len(names))
	for i, name := range names {
		var list []lazy.Version
		for _, e := range r.entries {
			if e.Name+"."+e.Repository != name {
				continue
			}
			for _, text := range e.Versions {
				v, err := semver.ParseTolerant(text)
				if err != nil {
					return nil, fmt.Errorf("version %s of package %s: %w", text, name, err)
				}
				list = append(list, lazy.Version{Version: v, Payload: e})
			}
		}
		out[i] = versions.HighestFirst(list)
	}
	return out, nil
}

// platformsOf returns the versions of each platform that the constraints support.
func platformsOf(list []Constraint) (map[string]properties.Range, error) {
	out, err := make(map[string]properties.Range), error(nil)
	for _, c := range list {
		for _, name := range c.Platforms {
			missing := func(other Constraint) bool { return other.Platforms != nil && !slices.Contains(other.Platforms, name) }
			if !slices.ContainsFunc(list, missing) {
				out[name], _ = versions.ParseRange("*")
			}
		}
	}
	for _, c := range list {
		if c.Platform != "" && err == nil {
			out[c.Platform], err = versions.ParseRange(c.Range)
		}
	}
	return out, err
}

var number = regexp.MustCompile(`\d+(\.\d+)*`)

// contains reports whether a range has all versions of another: it compares them at, before and
// behind each version that either names.
func contains(whole, part properties.Range) bool {
	const size = 1 << 20 // of minor and patch versions
	points := []uint64{0, size * size * size}
	for _, text := range number.FindAllString(whole.String()+" "+part.String(), -1) {
		v, _ := semver.ParseTolerant(text)
		n := (v.Major%size*size+v.Minor)*size + v.Patch
		points = append(points, max(n, 1)-1, n, n+1)
	}
	return !slices.ContainsFunc(points, func(n uint64) bool {
		v := semver.Version{Major: n / size / size, Minor: n / size % size, Patch: n % size}
		return part.Contains(v) && !whole.Contains(v)
	})
}
