package lazy_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/lazy"
)

var background = context.Background()

// tiny is a registry: what each version of each package requires, as "PACKAGE RANGE, …".
type tiny map[string]map[string]string

func (r tiny) Packages(ctx context.Context, names []string) ([]*lazy.Package, error) {
	return lazy.Each(ctx, 4, names, r.tags)
}

func (r tiny) Details(ctx context.Context, versions []lazy.Ref) ([]lazy.Details, error) {
	return lazy.Each(ctx, 4, versions, r.pull)
}

func (tiny) Find(_ context.Context, queries []lazy.Query) ([][]lazy.Ref, error) {
	return make([][]lazy.Ref, len(queries)), nil // packages depend on each other by name alone
}

// tags lists the versions of a package, highest first.
func (r tiny) tags(_ context.Context, name string) (*lazy.Package, error) {
	if r[name] == nil {
		return nil, nil
	}
	p := &lazy.Package{}
	for tag := range r[name] {
		v, err := semver.Parse(tag)
		if err != nil {
			return nil, err
		}
		p.Versions = append(p.Versions, lazy.Version{Version: v})
	}
	slices.SortFunc(p.Versions, func(a, b lazy.Version) int { return b.Version.Compare(a.Version) })
	return p, nil
}

// pull returns the contents of a version, as the pull of its image would.
func (r tiny) pull(_ context.Context, of lazy.Ref) (lazy.Details, error) {
	var d lazy.Details
	tag := strings.TrimPrefix(of.Name, of.Package+".v")
	for _, dependency := range strings.Split(r[of.Package][tag], ", ") {
		name, text, ok := strings.Cut(dependency, " ")
		if !ok {
			continue
		}
		within, err := properties.ParseRange(text)
		if err != nil {
			return d, err
		}
		d.Requires = append(d.Requires, &constraints.Package{Name: name, Range: within})
	}
	return d, nil
}

// Only the versions that the answer needs are pulled.
func Example() {
	r := tiny{
		"platform": {"2.0.0": "network >=3.0.0, database >=1.0.0", "1.0.0": ""},
		"network":  {"3.1.0": "", "3.0.0": "", "2.0.0": ""},
		"database": {"1.1.0": "network <3.0.0", "1.0.0": ""},
	}
	s := lazy.NewSession(resolver.New(), lazy.Catalog{Key: cache.Key{Namespace: "example", Name: "registry"}, Provider: r})
	sol, err := s.Resolve(background, resolver.Request{Subscriptions: []resolver.Subscription{{Name: "platform", Package: "platform"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, step := range sol.Steps {
		fmt.Println(step.Action, step.Bundle)
	}
	fmt.Println("pulled", s.Asked().Versions, "of 7 versions")
	// Output:
	// install database.v1.0.0
	// install network.v3.1.0
	// install platform.v2.0.0
	// pulled 4 of 7 versions
}
