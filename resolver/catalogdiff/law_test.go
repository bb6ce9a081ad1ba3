package catalogdiff_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

var key = cache.Key{Namespace: "olm", Name: "one"}

// audited audits a complete catalog, and returns the facts about each bundle that users can
// notice.
func audited(t require.TestingT, content *cache.Catalog) map[[2]string][3]any {
	out := make(map[[2]string][3]any)
	_, err := audit.Run(context.Background(), resolver.New(), []resolver.Catalog{{Key: key, Content: content}}, audit.Options{
		Each: func(b *audit.Bundle) error {
			reaches, at := true, ""
			if b.ReachesHead != nil {
				reaches, at = b.ReachesHead.Reaches, b.ReachesHead.StuckAt
			}
			out[[2]string{b.Package, b.Bundle}] = [3]any{b.Installable, reaches, at}
			return nil
		},
	})
	require.NoError(t, err)
	return out
}

// drawn draws a catalog.
func drawn(t *rapid.T, name string) *oracle.Catalog {
	return &draw.Problem().Draw(t, name).Catalogs[0]
}

// TestNothingElseIsReached: the facts about packages out of scope do not change, by a complete
// audit.
func TestNothingElseIsReached(t *testing.T) {
	converter := draw.NewConverter()
	rapid.Check(t, func(t *rapid.T) {
		c, other := drawn(t, "catalog"), drawn(t, "other")
		old := converter.Catalog(c)
		at := rapid.IntRange(0, len(c.Packages)-1).Draw(t, "changed")
		i := slices.IndexFunc(other.Packages, func(p oracle.Package) bool { return p.Name == c.Packages[at].Name })
		if i < 0 {
			c.Packages = slices.Delete(c.Packages, at, at+1)
		} else {
			c.Packages[at] = other.Packages[i]
		}
		now := converter.Catalog(c)
		r := testkit.Must(catalogdiff.Compare(context.Background(), old, now, catalogdiff.Options{Key: key}))(t)
		before, after := audited(t, old), audited(t, now)
		for b, was := range before {
			is, there := after[b]
			require.True(t, slices.Contains(r.Audited, b[0]) || there && is == was, "%v was %v and is %v, and was not audited", b, was, is)
		}
		for _, f := range r.Worse {
			require.True(t, f.Package == "" || slices.Contains(r.Audited, f.Package), "about what was not audited: %+v", f)
		}
		complete(t, r, before, after)
	})
}

// complete checks the findings against complete audits: every existing bundle that is no longer
// installable has a finding, or is quarantined or skipped on purpose.
func complete(t *rapid.T, r *catalogdiff.Report, before, after map[[2]string][3]any) {
	reported := make(map[string]bool)
	for _, f := range r.Worse {
		reported[f.Package+" "+f.Bundle] = true
		for _, b := range f.Bundles {
			reported[f.Package+" "+b] = true
		}
		if f.Bundle == "" {
			reported[f.Package+" "] = true // a channel or the package as a whole
		}
	}
	skipped := make(map[string]bool)
	for _, c := range r.Changes {
		if c.Kind == "entryAdded" || c.Kind == "entryChanged" {
			skipped[c.Package] = true
		}
	}
	for b, was := range before {
		is, there := after[b]
		if there && was[0] == true && is[0] == false && !reported[b[0]+" "+b[1]] && !reported[b[0]+" "] && !skipped[b[0]] {
			t.Fatalf("%v can no longer be installed, but there is no finding: %+v", b, r.Worse)
		}
	}
}

// TestSame: a catalog equals itself with its blobs in any order.
func TestSame(t *testing.T) {
	converter := draw.NewConverter()
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t, "catalog")
		old := converter.Catalog(c)
		for i := range c.Packages {
			turn(c.Packages[i].Bundles, func(b oracle.Bundle) string { return b.Name })
			turn(c.Packages[i].Channels, func(ch oracle.Channel) string { return ch.Name })
		}
		turn(c.Packages, func(p oracle.Package) string { return p.Name })
		now := converter.Catalog(c)
		r := testkit.Must(catalogdiff.Compare(context.Background(), old, now, catalogdiff.Options{Key: key}))(t)
		require.Empty(t, r.Worse)
		require.Empty(t, r.Better)
		require.Empty(t, r.Changes)
	})
}

// turn reverses a list, unless a name occurs twice, since the first one counts.
func turn[T any](list []T, name func(T) string) {
	seen := make(map[string]bool)
	for _, x := range list {
		seen[name(x)] = true
	}
	if len(seen) == len(list) {
		slices.Reverse(list)
	}
}
