package olm_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// nextOf returns the bundle of a package in the answer to a scenario: the installed one, if the
// answer lacks the package, and otherwise if there is no answer.
func nextOf(ctx context.Context, t require.TestingT, loader *scenario.Loader, s *scenario.Scenario, pkg, installed, otherwise string) string {
	loaded, err := loader.Load(ctx, s)
	require.NoError(t, err)
	sol, err := new(resolver.Resolver).Resolve(ctx, loaded.Request)
	if err != nil {
		return otherwise
	}
	for i := range sol.Steps {
		if sol.Steps[i].Package == pkg {
			return sol.Steps[i].Bundle
		}
	}
	return installed
}

// checkSides resolves both sides of each migration: the subscription in its namespace, and the
// printed extension on a cluster with the ClusterCatalogs. Unless their next bundles are the
// same, a warning must say so. It returns the number of equal ones.
func checkSides(ctx context.Context, t require.TestingT, captured *olm.Capture, clusterCatalogs string, paths map[string]string) (same int) {
	loader := new(scenario.Loader)
	for i := range captured.Migration {
		m := &captured.Migration[i]
		if m.Object == nil {
			continue
		}
		at := slices.IndexFunc(captured.Namespaces, func(ns olm.Namespace) bool { return ns.Namespace == m.Namespace })
		classic := captured.Namespaces[at].Scenario
		installed, version := m.Extension.InstalledCSV, ""
		for _, in := range classic.Installed {
			if in.Name == installed {
				version = in.Version
			}
		}
		v1 := new(olm.Cluster)
		require.NoError(t, v1.Read(ctx, strings.NewReader(clusterCatalogs+"---\n"+string(m.Object.YAML())+fmt.Sprintf("status: {install: {bundle: {name: %s, version: %q}}}\n", installed, version)), "v1.yaml"))
		require.Empty(t, v1.Problems())
		c, err := v1.Capture(ctx, olm.Options{Catalogs: paths})
		require.NoError(t, err)
		require.Equal(t, *m.Extension, withoutEmpty(c.Extensions.Scenario.Extensions[0]), "the object and the extension are the same")

		was := nextOf(ctx, t, loader, classic, m.Package, installed, installed)
		is := nextOf(ctx, t, loader, c.Extensions.Scenario, m.Package, installed, "none")
		warned := slices.ContainsFunc(m.Warnings, func(w string) bool { return strings.Contains(w, "the next version differs") })
		require.Equal(t, was != is, warned, "%s: the subscription gets %s, the extension %s; the warnings: %q", m.Subscription, was, is, m.Warnings)
		if was == is {
			same++
		}
	}
	return same
}

// withoutEmpty returns an extension with empty fields set to nil, as in a migration.
func withoutEmpty(e resolver.Extension) resolver.Extension {
	if len(e.Catalogs.MatchExpressions) == 0 {
		e.Catalogs.MatchExpressions = nil
	}
	if len(e.Channels) == 0 {
		e.Channels = nil
	}
	return e
}

// drawShop draws a catalog of package db with channels, skips, ranges and deprecations, and a
// subscription with an installed version.
func drawShop(t *rapid.T) (lines, objects string) {
	versions := rapid.IntRange(1, 5).Draw(t, "versions")
	var b strings.Builder
	for _, channel := range []string{"x", "y"} {
		last := 0
		for v := 1; v <= versions; v++ {
			if !rapid.Bool().Draw(t, "listed") && v > 1 {
				continue
			}
			fmt.Fprintf(&b, "db/%s db.v%d", channel, v)
			switch edge := rapid.IntRange(0, 3).Draw(t, "edge"); {
			case last == 0:
			case edge == 0:
				fmt.Fprintf(&b, " range=\"<%d.0.0\"", v)
			case edge == 1 && last > 1:
				fmt.Fprintf(&b, " replaces=db.v%d skips=db.v1", last)
			default:
				fmt.Fprintf(&b, " replaces=db.v%d", last)
			}
			b.WriteString("\n")
			last = v
		}
	}
	if rapid.Bool().Draw(t, "default") {
		b.WriteString("package db y\n")
	}
	if rapid.IntRange(0, 4).Draw(t, "deprecated") == 0 {
		fmt.Fprintf(&b, "deprecated db.v%d use another\n", rapid.IntRange(1, versions).Draw(t, "which"))
	}
	installed := rapid.IntRange(1, versions).Draw(t, "installed")
	if !strings.Contains(b.String(), fmt.Sprintf(" db.v%d", installed)) {
		installed = 1
	}
	more := rapid.SampledFrom([]string{"", ", channel: x", ", channel: y"}).Draw(t, "channel") + rapid.SampledFrom([]string{"", ", installPlanApproval: Manual", ", installPlanApproval: Automatic"}).Draw(t, "approval")
	name := fmt.Sprintf("db.v%d", installed)
	version := fmt.Sprintf("%d.0.0", installed)
	return b.String(), operator(name, version, isPackage("db", version)) + subscribes("db", name, more)
}

func TestMigrationSides(t *testing.T) {
	served := object("ClusterCatalog", "goods", `spec: {source: {image: {ref: "goods:v1"}}}`)
	same := 0
	rapid.Check(t, func(r *rapid.T) {
		lines, objects := drawShop(r)
		path := writeCatalog(t, lines)
		paths := map[string]string{"shop/goods": path, "goods": path}
		c := new(olm.Cluster)
		require.NoError(r, c.Read(t.Context(), strings.NewReader(everywhere+objects), "objects.yaml"))
		captured := testkit.Must(c.Capture(t.Context(), olm.Options{Migration: true, Catalogs: paths}))(t)
		judgeAll(t, captured)
		same += checkSides(t.Context(), r, captured, served, map[string]string{"goods": path})
	})
	require.Positive(t, same)
}

// The operators of the shop, with a catalog that OLM v1 also serves.
func TestMigrationSidesOfShop(t *testing.T) {
	path := testkit.Real(t, "community-v4.19-full.jsonl.gz")
	served := object("ClusterCatalog", "community-operators", "")
	for _, file := range []string{"clusters/shop.list.yaml.gz", "clusters/shop.must-gather.tar.gz"} {
		c := new(olm.Cluster)
		require.NoError(t, c.ReadFile(t.Context(), testkit.Real(t, file)))
		require.NoError(t, c.Read(t.Context(), strings.NewReader(served), "v1.yaml"))
		captured := captureOf(t, c, olm.Options{Migration: true, Catalogs: map[string]string{"openshift-marketplace/community-operators": path, "community-operators": path}})
		judgeAll(t, captured)
		require.Len(t, captured.Migration, 10)
		require.Positive(t, checkSides(t.Context(), t, captured, served, map[string]string{"community-operators": path}))
	}
}
