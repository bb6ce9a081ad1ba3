package audit_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/shards"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// A line with many empty facts is rejected before they take memory: each would take a hundred
// times its three bytes. So is a line with many levels, each of which would be read again for
// each level around it.
func TestLineOfNothing(t *testing.T) {
	const bundle = `{"catalog":"ns/c","package":"a","bundle":"a.v1","installable":false,"conflict":`
	empty := "[" + strings.Repeat("{},", 2*shards.MaxItems) + "{}]"
	for name, line := range map[string]string{
		"facts":      bundle + `{"facts":` + empty + `}}`,
		"candidates": bundle + `{"facts":[{"candidates":` + empty + `}]}}`,
		"further":    bundle + `{"further":` + empty + `}}`,
		"orphans":    bundle + `{},"orphans":[` + strings.Repeat(`"",`, 2*shards.MaxItems) + `""]}`,
		"levels":     bundle + strings.Repeat(`{"further":[`, 3000) + strings.Repeat("]}", 3000) + `}`,
		"clashes":    `{"summary":{"clashes":` + empty + `}}`,
		"apart":      `{"summary":{"neverTogether":` + strings.ReplaceAll(empty, "{}", "[]") + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			before := testkit.Allocated()
			_, err := audit.Merge(ignore, strings.NewReader(line+"\n"))
			allocated := testkit.Allocated() - before
			bad := testkit.As[*shards.FormatError](t, err)
			require.Equal(t, 1, bad.Line)
			require.Contains(t, bad.Message, "more than 1000000 lists, objects and items of lists, or more than 64 levels")
			require.Less(t, allocated, uint64(4*len(line)+1<<20), "the line, as its buffer grows")
		})
	}
}

// crowd returns a catalog of packages whose first versions all provide one API, and whose second
// versions all provide another, so that no API alone keeps two of them apart.
func crowd(t *testing.T, n int) []resolver.Catalog {
	t.Helper()
	var u strings.Builder
	for i := range n {
		fmt.Fprintf(&u, "p%[1]d/c p%[1]d.v1 provides=A\np%[1]d/c p%[1]d.v2 replaces=p%[1]d.v1 provides=B\n", i)
	}
	return universe.Catalogs(t, u.String())
}

// An audit compares a limited number of pairs of packages, and counts the others.
func TestPairsAreBounded(t *testing.T) {
	const few, many = 100, 1500 // 1,124,250 pairs for each of the two APIs
	opts := audit.Options{Packages: []string{"p0"}}
	sum := testkit.Must(audit.Run(t.Context(), resolver.New(), crowd(t, few), opts))(t)
	require.Zero(t, sum.NotCompared)
	sum = testkit.Must(audit.Run(t.Context(), resolver.New(), crowd(t, many), opts))(t)
	require.Equal(t, many*(many-1), sum.NotCompared)
}

// The comparison checks its context every few thousand steps, even for few pairs.
func TestComparisonHeedsItsContext(t *testing.T) {
	catalogs, ctx := crowd(t, 1000), &testkit.CountingContext{Context: t.Context()}
	_, err := audit.Run(ctx, resolver.New(), catalogs, audit.Options{Workers: 1})
	require.NoError(t, err)
	looks := ctx.Count.Load()
	require.Greater(t, looks, int64(2*1000*999/2/4096), "a look for each 4,096 pairs at least")
	_, err = audit.Run(&testkit.CountingContext{Context: t.Context(), Ends: looks / 2}, resolver.New(), catalogs, audit.Options{Workers: 1})
	testkit.As[*resolver.IncompleteError](t, err)
}

// A path beyond the limit costs no more than one within it: its end is known without following
// it.
func TestPathsBeyondTheLimit(t *testing.T) {
	var line strings.Builder
	line.WriteString("p/stable p.v1")
	for i := 2; i <= 1200; i++ {
		fmt.Fprintf(&line, " p.v%d", i)
	}
	catalogs, before := universe.Catalogs(t, line.String()), testkit.Allocated()
	beyond := 0
	_, err := audit.Run(t.Context(), resolver.New(), catalogs, audit.Options{Workers: 1, MaxRounds: 1000, Each: func(b *audit.Bundle) error {
		if b.Incomplete != "" {
			require.Equal(t, "more than 1000 rounds needed; raise the limit to find out", b.Incomplete)
			beyond++
		}
		return nil
	}})
	require.NoError(t, err)
	require.Equal(t, 199, beyond, "p.v1 to p.v199 are more than 1,000 rounds from p.v1200")
	require.Less(t, testkit.Allocated()-before, uint64(10<<20), "to follow them takes 380 MB")
}

// archive draws a catalog like a distribution: alternatives and conflicts, and mostly one version
// of each package, or with upgrades several, each with its own requirements. Some packages cannot
// be installed, and a few are off the default channel.
func archive(t *rapid.T, upgrades int) string {
	var u strings.Builder
	n := rapid.IntRange(3, 12).Draw(t, "packages")
	some := func(what string, percent int) bool { return rapid.IntRange(0, 99).Draw(t, what) < percent }
	other := func() string {
		name := fmt.Sprintf("p%d", rapid.IntRange(0, n).Draw(t, "other")) // the last one is not there
		if some("kind", 10) {
			return "K" + name
		}
		return name + rapid.SampledFrom([]string{"@>=0.0.0", "@>=0.0.0", "@>=0.0.0", "@<2.0.0", "@>=2.0.0"}).Draw(t, "range")
	}
	for i := range n {
		name, before := fmt.Sprintf("p%d", i), ""
		for v := 1; v == 1 || v < 4 && some("upgrade", upgrades); v++ {
			fmt.Fprintf(&u, "%s/stable %s.v%d%s", name, name, v, before)
			if some("provides", 30) {
				fmt.Fprintf(&u, " provides=Kp%d", rapid.IntRange(0, n).Draw(t, "api"))
			}
			u.WriteString("\n")
			for range rapid.IntRange(0, 3).Draw(t, "constraints") {
				form := rapid.SampledFrom([]string{"any(%s, %s)", "any(%s, %s)", "not(%s, %s)", "not(%s, %s)", "all(%s, any(%s))", "any(all(%s), not(%s))"}).Draw(t, "form")
				if some("plain", 30+upgrades/2) {
					fmt.Fprintf(&u, "require %s.v%d %s\n", name, v, other())
				} else {
					fmt.Fprintf(&u, "require %s.v%d "+form+"\n", name, v, other(), other())
				}
			}
			before = fmt.Sprintf(" replaces=%s.v%d", name, v)
		}
		if some("default", 8) {
			fmt.Fprintf(&u, "package %s -\n", name)
		}
	}
	return u.String()
}

// TestPropertyAtRest compares the findings about catalogs in which most packages do not change,
// or most first choices hold, with those of separate requests for each bundle, and with the bytes
// of an audit with an observed resolver, which resolves everything.
func TestPropertyAtRest(t *testing.T) {
	r := resolver.New()
	watched := r.With(resolver.WithHooks(trace.Hooks{Solver: func(context.Context, trace.Event) {}}))
	rapid.Check(t, func(t *rapid.T) {
		catalogs := universe.Catalogs(t, archive(t, rapid.SampledFrom([]int{8, 8, 70}).Draw(t, "upgrades")))
		opts := audit.Options{Workers: 1, Policy: resolver.Policy{
			Compounds: rapid.SampledFrom([]resolver.Compounds{"", "", "", resolver.CompoundsPerBundle}).Draw(t, "compounds")}}
		var got []*audit.Bundle
		lines := linesOf(t, r, catalogs, opts, &got)
		want := naiveAudit{r, catalogs, opts}.all(t)
		if d := gocmp.Diff(want, likeNaive(t, got, want)); d != "" {
			t.Fatalf("findings (- naive, + audit):\n%s", d)
		}
		require.Equal(t, timeless(linesOf(t, watched, catalogs, opts, nil)), timeless(lines))
	})
}

// TestOrphanAtRest: z selects b before it finds out that it does not need b. So there is an
// orphan, although nothing changes after the installation.
func TestOrphanAtRest(t *testing.T) {
	catalogs := universe.Catalogs(t, `
		b/stable b.v1
		q/stable q.v1
		z/stable z.v1 provides=Z
		require z.v1 any(b@>=0.0.0, all(Z, not(q@>=0.0.0)))`)
	var got []*audit.Bundle
	linesOf(t, resolver.New(), catalogs, audit.Options{}, &got)
	require.Len(t, got, 3)
	require.Equal(t, []string{"b.v1"}, got[2].Orphans)
	require.Equal(t, &audit.Reach{Channel: "stable", Reaches: true}, got[2].ReachesHead)
}
