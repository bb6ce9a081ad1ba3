package crossplane_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/examples/ecosystems/crossplane"
	"github.com/seed109e2655/resolute/examples/ecosystems/internal/upstream"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/lazy"
)

// registry has dependencies by package and tag.
type registry map[string]map[string][]crossplane.Dependency

func (r registry) Tags(_ context.Context, source string) ([]string, error) {
	if r[source] == nil {
		return nil, errors.New("no such repository")
	}
	return slices.Collect(maps.Keys(r[source])), nil
}

func (r registry) Dependencies(_ context.Context, source, version string) ([]crossplane.Dependency, error) {
	return r[source][version], nil
}

// changes lists what is to be done.
func changes(solution *resolver.Solution) (out []string) {
	for _, s := range solution.Steps {
		if s.Action != resolver.Keep {
			out = append(out, fmt.Sprint(s.Action, " ", s.Package, " ", s.Payload))
		}
	}
	return out
}

// TestFindDependencyVersion runs the project's cases of the version that an installed dependency moves
// to: each constraint is that of an installed parent.
func TestFindDependencyVersion(t *testing.T) {
	const image = "xpkg.crossplane.io/cool-repo/cool-image"
	file := upstream.Dir(t, "github.com/crossplane/crossplane/v2@v2.0.2") + "/internal/controller/pkg/resolver/reconciler_test.go"
	cases := upstream.Tables(t, file, "TestReconcilerFindDependencyVersionToUpgrade", "cases")[0].(map[string]any)
	require.Len(t, cases, 7)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := registry{image: {}}
			manager := crossplane.Manager{Registry: r}
			lock := []crossplane.Package{{Source: image, Version: upstream.Get(c, "args", "insVer").(string)}}
			options, _ := upstream.Get(c, "args", "rec").([]any)
			for _, option := range options {
				call := option.(upstream.Call)
				manager.Downgrades = manager.Downgrades || call.Name == "WithDowngradesEnabled"
				if call.Name == "WithFetcher" {
					for _, tag := range upstream.Strings(upstream.Get(call.Args[0], "MockTags").(upstream.Call).Args[0]) {
						r[image][tag] = nil
					}
				}
			}
			digest := strings.NewReplacer("digest1", "sha256:ecc25c121431dfc7058754427f97c034ecde26d4aafa0da16d258090e0443904")
			for i, text := range upstream.Strings(upstream.Get(c, "args", "dep", "ParentConstraints")) {
				parent := fmt.Sprintf("xpkg.crossplane.io/cool-repo/parent-%d", i)
				requires := []crossplane.Dependency{{Package: image, Constraints: digest.Replace(text)}}
				r[parent] = map[string][]crossplane.Dependency{"v1.0.0": requires}
				lock = append(lock, crossplane.Package{Source: parent, Version: "v1.0.0", Requested: true, Dependencies: requires})
			}
			solution, err := manager.Resolve(t.Context(), lock)
			want := upstream.Get(c, "want", "version")
			if id, ok := want.(upstream.Ident); ok {
				want = digest.Replace(string(id))
			}
			if want == nil {
				var conflict *resolver.Conflict
				require.ErrorAs(t, err, &conflict)
				require.NotRegexp(t, "(?i)olm|operator|bundle|subscription", conflict.Text())
				return
			}
			require.NoError(t, err)
			moved := changes(solution)
			require.Len(t, moved, 1)
			require.True(t, strings.HasSuffix(moved[0], " "+image+" "+want.(string)), moved)
		})
	}
}

// TestDowngrade is the example of the design document on automatic dependency downgrades
// (design/one-pager-automatic-dependency-downgrades.md).
func TestDowngrade(t *testing.T) {
	const a, x, y = "example.org/a", "example.org/x", "example.org/y"
	manager := crossplane.Manager{Registry: registry{
		a: {"v1.0.0": {{Package: x, Constraints: ">=v0.0.0"}}},
		x: {"v1.0.0": nil, "v2.0.0": nil, "v3.0.0": nil},
		y: {"v1.0.0": {{Package: x, Constraints: "<=v2.0.0"}}},
	}}
	solution, err := manager.Resolve(t.Context(), nil, crossplane.Dependency{Package: a, Constraints: "v1.0.0"})
	require.NoError(t, err)
	require.Equal(t, []string{"install " + x + " v3.0.0", "install " + a + " v1.0.0"}, changes(solution))
	lock := []crossplane.Package{{Source: a, Version: "v1.0.0", Requested: true}, {Source: x, Version: "v3.0.0"}}
	_, err = manager.Resolve(t.Context(), lock, crossplane.Dependency{Package: y, Constraints: "v1.0.0"})
	var conflict *resolver.Conflict
	require.ErrorAs(t, err, &conflict)
	require.Equal(t, `Packages example.org/x and example.org/y cannot both be met:
`, conflict.Text()[:strings.Index(conflict.Text(), "\n")+1])
	manager.Downgrades = true
	solution, err = manager.Resolve(t.Context(), lock, crossplane.Dependency{Package: y, Constraints: "v1.0.0"})
	require.NoError(t, err)
	require.Equal(t, []string{"downgrade " + x + " v2.0.0", "install " + y + " v1.0.0"}, changes(solution))
}

// Crossplane resolves one package at a time and takes the newest: it gets stuck where this does not.
func TestNewestIsNotAlwaysPossible(t *testing.T) {
	const platform, aws, family = "example.org/platform", "example.org/aws", "example.org/family"
	manager := crossplane.Manager{Registry: registry{
		platform: {"v1.0.0": {{Package: aws, Constraints: ">=v1.0.0"}, {Package: family, Constraints: "<v2.0.0"}}},
		aws:      {"v1.0.0": {{Package: family, Constraints: ">=v1.0.0"}}, "v2.0.0": {{Package: family, Constraints: ">=v2.0.0"}}, "latest": nil},
		family:   {"v1.0.0": nil, "v1.1.0": nil, "v2.0.0": nil},
	}}
	solution, err := manager.Resolve(t.Context(), nil, crossplane.Dependency{Package: platform, Constraints: "*"})
	require.NoError(t, err)
	require.Equal(t, []string{"install " + family + " v1.1.0", "install " + aws + " v1.0.0", "install " + platform + " v1.0.0"}, changes(solution))
}

func TestErrors(t *testing.T) {
	manager := crossplane.Manager{Registry: registry{"example.org/a": {"v1.0.0": {{Package: "example.org/b", Constraints: "*"}}}}}
	_, err := manager.Resolve(t.Context(), nil, crossplane.Dependency{Package: "example.org/a", Constraints: "*"})
	var failed *lazy.ProviderError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, "example.org/b", failed.Package)
	_, err = manager.Resolve(t.Context(), nil, crossplane.Dependency{Package: "example.org/a", Constraints: ">>1"})
	require.ErrorContains(t, err, `version range ">>1"`)
	_, err = manager.Resolve(t.Context(), []crossplane.Package{{Source: "example.org/a", Version: "latest"}})
	require.Error(t, err)
}

// BenchmarkResolve resolves 200 packages with 50 versions each, of which the newest fit together only in
// part, from a registry in memory: its time includes reading the tags and the dependencies.
func BenchmarkResolve(b *testing.B) {
	r := make(registry)
	name := func(i int) string { return fmt.Sprintf("example.org/package-%d", i) }
	for i := range 200 {
		r[name(i)] = make(map[string][]crossplane.Dependency)
		for v := range 50 {
			var requires []crossplane.Dependency
			for _, k := range []int{2*i + 1, 2*i + 2, i + 50} {
				if k < 200 { // the next fifty need a lower version than the others do
					requires = append(requires, crossplane.Dependency{Package: name(k), Constraints: fmt.Sprintf("<=v1.%d.0", min(v+5*(k%3), 49))})
				}
			}
			r[name(i)][fmt.Sprintf("v1.%d.0", v)] = requires
		}
	}
	manager := crossplane.Manager{Registry: r}
	var solution *resolver.Solution
	for b.Loop() {
		var err error
		if solution, err = manager.Resolve(b.Context(), nil, crossplane.Dependency{Package: name(0), Constraints: "*"}); err != nil {
			b.Fatal(err)
		}
	}
	if len(solution.Steps) != 200 {
		b.Fatal(len(solution.Steps))
	}
}
