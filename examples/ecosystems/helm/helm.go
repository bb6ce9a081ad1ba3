// Package helm locks the dependencies of a Helm chart: the highest version of each that its
// constraint allows, as `helm dependency update` does, all at once and with an explanation of what
// cannot be locked.
//
// A subchart is locked once for each alias, because it is installed once for each. What does not fit:
// subcharts of subcharts, which Helm unpacks within their parent without comparing their versions
// with others, and conditions and tags, which are decided when a chart is rendered.
package helm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/examples/ecosystems/internal/versions"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/lazy"
)

// Dependency is an entry of the dependencies of a chart. An empty version allows all.
type Dependency struct{ Name, Alias, Repository, Version string }

// Repositories lists the versions of the chart of a dependency, nil for an unknown chart. Others than
// semantic versions are ignored.
type Repositories interface {
	Versions(ctx context.Context, d Dependency) ([]string, error)
}

// Lock returns the dependencies of a chart with their versions. The error is a *resolver.Conflict if
// charts are unknown or have no version that their constraint allows.
func Lock(ctx context.Context, from Repositories, list []Dependency) ([]Dependency, error) {
	p := provider{versions.Flat{}, from, make(map[string]Dependency)}
	var req resolver.Request
	for _, d := range list {
		name := cmp.Or(d.Alias, d.Name)
		within, err := versions.ParseRange(cmp.Or(d.Version, "*"))
		if _, twice := p.charts[name]; twice {
			err = errors.New("there are two of this name: give one an alias")
		}
		if err != nil {
			return nil, fmt.Errorf("dependency %s: %w", name, err)
		}
		p.charts[name] = d
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: name, Package: name, VersionRange: within})
	}
	r := resolver.New(resolver.WithTerms(graph.Terms{Operator: "chart", Bundle: "chart", Subscription: "dependency"}))
	solution, err := lazy.NewSession(r, lazy.Catalog{Key: cache.Key{Namespace: "helm", Name: "repositories"}, Provider: p}).Resolve(ctx, req)
	if err != nil {
		return nil, err
	}
	locked := slices.Clone(list)
	for _, step := range solution.Steps {
		i := slices.IndexFunc(req.Subscriptions, func(s resolver.Subscription) bool { return s.Name == step.Package })
		locked[i].Version = step.Payload.(string)
	}
	return locked, nil
}

// provider provides the dependencies, by alias or name.
type provider struct {
	versions.Flat
	Repositories
	charts map[string]Dependency
}

// Packages implements [lazy.Provider].
func (p provider) Packages(ctx context.Context, names []string) ([]*lazy.Package, error) {
	return lazy.Each(ctx, 8, names, func(ctx context.Context, name string) (*lazy.Package, error) {
		all, err := p.Versions(ctx, p.charts[name])
		if err != nil || all == nil {
			return nil, err
		}
		var out []lazy.Version
		for _, text := range all {
			if v, err := semver.ParseTolerant(text); err == nil {
				out = append(out, lazy.Version{Name: name + "-" + text, Version: v, Payload: text})
			}
		}
		return versions.HighestFirst(out), nil
	})
}
