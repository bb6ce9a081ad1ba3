package resolver_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

func ExampleExtension() {
	req := request()
	req.Extensions = []resolver.Extension{{Name: "collect", Package: "collector", VersionRange: "<3"}, {Name: "trace", Package: "tracing"}}
	_, err := resolver.New().Resolve(context.Background(), req)
	fmt.Println(strings.SplitN(err.Error(), "\n", 2)[0])

	req.Policy.Dependencies = "Plan"
	sol, err := resolver.New().Resolve(context.Background(), req)
	fmt.Println(sol.Set(), err)
	// Output:
	// extension trace cannot be met: tracing.v1 is the best version and requires an operator that provides collector.example.com/v1/Collector, and OLM v1 refuses a bundle that requires anything; narrow the version range, or have its dependencies planned (policy dependencies: Plan)
	// [collector.v2 tracing.v1] <nil>
}

// A conflict calls an extension what it is, in its facts, its headline and its argument,
// also once it was read from JSON; the kind of the fact stays.
func TestExtensionInWords(t *testing.T) {
	req := request()
	req.Extensions = []resolver.Extension{{Name: "trace", Package: "tracing"}}
	_, err := resolver.New().Resolve(t.Context(), req)
	var conflict, again *resolver.Conflict
	require.ErrorAs(t, err, &conflict)
	encoded, err := json.Marshal(conflict)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(encoded, &again))
	for _, c := range []*resolver.Conflict{conflict, again} {
		require.Equal(t, "extension trace cannot be met", c.Headline())
		require.Equal(t, argument.FactSubscription, c.Facts[0].Kind)
		require.Equal(t, "extension trace asks for package tracing", c.Facts[0].Text)
		require.Contains(t, c.Text(), "Extension trace asks for package tracing")
		require.NotContains(t, strings.ToLower(c.Text()), "subscription")
	}
}

// drawnCatalog is a catalog with one package: bundles with minor versions, spread
// over two channels with edges of every kind.
type drawnCatalog struct {
	priority int
	content  *cache.Catalog
	bundles  map[string]drawnBundle
}

type drawnBundle struct {
	minor      int
	deprecated bool
	needs      bool
	channels   []string
	edges      map[string]drawnEdge // by channel
}

type drawnEdge struct {
	replaces string
	skips    string
	below    int // a skipRange: <1.below.0
}

func drawCatalog(t *rapid.T, label string) drawnCatalog {
	c := drawnCatalog{priority: rapid.IntRange(0, 2).Draw(t, label+"priority"), bundles: make(map[string]drawnBundle)}
	count := rapid.IntRange(1, 5).Draw(t, label+"bundles")
	text := "package a x\n"
	newest := map[string]string{} // by channel
	for i := range count {
		name := fmt.Sprintf("a.v%d", i)
		d := drawnBundle{minor: i, edges: map[string]drawnEdge{}}
		d.deprecated = rapid.IntRange(0, 3).Draw(t, label+"deprecated") == 0
		d.needs = rapid.IntRange(0, 3).Draw(t, label+"needs") == 0
		d.channels = rapid.SampledFrom([][]string{{"x"}, {"y"}, {"x", "y"}}).Draw(t, label+"channels")
		if i == 0 && d.channels[0] != "x" {
			d.channels = []string{"x", "y"} // the default channel is there
		}
		for _, ch := range d.channels {
			// One chain a channel, so that none is broken.
			e := drawnEdge{replaces: newest[ch]}
			line := "a/" + ch + " " + name + " replaces=" + e.replaces
			if i > 1 && rapid.Bool().Draw(t, label+"skips") {
				e.skips = fmt.Sprintf("a.v%d", rapid.IntRange(0, i-2).Draw(t, label+"skipped"))
				line += " skips=" + e.skips
			}
			if rapid.IntRange(0, 3).Draw(t, label+"ranged") == 0 {
				e.below = i
				line += fmt.Sprintf(" range=<1.%d.0", i)
			}
			d.edges[ch], newest[ch] = e, name
			text += line + "\n"
		}
		text += fmt.Sprintf("bundle %s version=1.%d.0\n", name, i)
		if d.needs {
			text += "bundle " + name + " needs=g/v1/K\n"
		}
		if d.deprecated {
			text += "deprecated " + name + " m\n"
		}
		c.bundles[name] = d
	}
	c.content = universe.Content(t, text)
	for _, p := range c.content.Problems() { // what opm alone refuses takes nothing away
		require.Empty(t, p.Quarantined, "%s\n%s", p, text)
	}
	return c
}

// best is the rule of section 13 for one catalog, as plainly as it can be said.
func (c drawnCatalog) best(channels []string, installed string, least int) (string, bool) {
	var list []string
	for name, b := range c.bundles {
		wanted := slices.ContainsFunc(b.channels, func(ch string) bool { return len(channels) == 0 || slices.Contains(channels, ch) })
		follows := installed == "" || name == installed
		for ch, e := range b.edges {
			if len(channels) == 0 || slices.Contains(channels, ch) {
				var minor int
				_, _ = fmt.Sscanf(installed, "a.v%d", &minor)
				follows = follows || e.replaces == installed || e.skips == installed || installed != "" && minor < e.below
			}
		}
		if wanted && follows && b.minor >= least {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return "", false
	}
	return slices.MinFunc(list, func(x, y string) int {
		a, b := c.bundles[x], c.bundles[y]
		if a.deprecated != b.deprecated {
			return map[bool]int{true: 1, false: -1}[a.deprecated]
		}
		return cmp.Compare(b.minor, a.minor)
	}), true
}

// An extension is met by what section 13 says, or not at all.
func TestExtensionTakesTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		catalogs := []drawnCatalog{drawCatalog(t, "one "), drawCatalog(t, "two ")}
		e := resolver.Extension{Name: "e", Package: "a"}
		e.Channels = rapid.SampledFrom([][]string{nil, {"x"}, {"y"}, {"y", "x"}}).Draw(t, "channels")
		least := rapid.IntRange(0, 3).Draw(t, "least")
		e.VersionRange = fmt.Sprintf(">=1.%d, <2", least)
		req := resolver.Request{Namespace: "n", Extensions: []resolver.Extension{e}}
		installed := rapid.SampledFrom([]string{"", "a.v0", "a.v1", "a.v2"}).Draw(t, "installed")
		if installed != "" {
			req.Extensions[0].InstalledCSV = installed
			v := semver.MustParse("1." + installed[3:] + ".0")
			req.Installed = []resolver.Installed{{Name: installed, Package: "a", Version: &v, Properties: new(properties.Set)}} // which requires nothing
		}
		type found struct {
			name     string
			catalog  int
			deprec   bool
			priority int
		}
		var all []found
		for i, c := range catalogs {
			req.Catalogs = append(req.Catalogs, resolver.Catalog{Key: cache.Key{Namespace: "n", Name: fmt.Sprint(i)}, Priority: c.priority, Content: c.content})
			if name, ok := c.best(e.Channels, installed, least); ok {
				all = append(all, found{name, i, c.bundles[name].deprecated, c.priority})
			}
		}
		slices.SortStableFunc(all, func(a, b found) int {
			if a.deprec != b.deprec {
				return map[bool]int{true: 1, false: -1}[a.deprec]
			}
			return cmp.Compare(b.priority, a.priority)
		})
		var want []string
		tie := len(all) > 1 && all[0].deprec == all[1].deprec && all[0].priority == all[1].priority
		if len(all) > 0 && !tie && !catalogs[all[0].catalog].bundles[all[0].name].needs {
			want = []string{all[0].name}
		}
		sol, err := resolver.New().Resolve(t.Context(), req)
		if want == nil {
			var conflict *resolver.Conflict
			require.ErrorAs(t, err, &conflict)
			return
		}
		require.NoError(t, err)
		require.Equal(t, want, sol.Set())
	})
}

// A path of extensions goes edge by edge, and what a plan brings goes with it.
func TestExtensionRoad(t *testing.T) {
	req := request()
	req.Extensions = []resolver.Extension{{Name: "trace", Package: "tracing"}}
	req.Policy.Dependencies = "Plan"
	path, err := resolver.New().Converge(t.Context(), req, resolver.ConvergeOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"collector.v3", "tracing.v1"}, path.Set())
	require.Len(t, path.Final.Extensions, 2)
	require.Equal(t, "collector", path.Final.Extensions[1].Package)
	require.Equal(t, "collector.v3", path.Final.Extensions[1].InstalledCSV)
}

// Changes and corrections reach extensions as they reach subscriptions.
func TestExtensionChanges(t *testing.T) {
	req := request()
	req.Extensions = []resolver.Extension{{Name: "collect", Package: "collector", VersionRange: ">=7"}}
	_, err := resolver.New().Resolve(t.Context(), req)
	var conflict *resolver.Conflict
	require.ErrorAs(t, err, &conflict)
	require.NoError(t, whatif.FindCorrections(t.Context(), resolver.New(), req, conflict, whatif.FindOptions{}))
	require.NotEmpty(t, conflict.Corrections)
	released := conflict.Corrections[0].Changes[0]
	require.Equal(t, []string{"releasePin", "collect", ">=7", "administrator"}, []string{released.Kind, released.Subject, released.VersionRange, released.Who})
	require.Equal(t, []string{"collector.v3"}, conflict.Corrections[0].Result)

	session, err := resolver.New().Session(t.Context(), req)
	require.NoError(t, err)
	sol, err := session.Resolve(t.Context(), whatif.ReleasePin("collect"), whatif.PinSubscription("collect", "collector.v3"))
	require.NoError(t, err)
	require.Equal(t, []string{"collector.v3"}, sol.Set())
	_, err = session.Resolve(t.Context(), whatif.DropSubscription("other"))
	require.Error(t, err)

	req.Subscriptions = []resolver.Subscription{{Name: "s", Package: "collector"}}
	_, err = resolver.New().Resolve(t.Context(), req)
	require.ErrorContains(t, err, "extensions and subscriptions")
}
