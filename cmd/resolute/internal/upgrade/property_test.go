package upgrade_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
)

// drawCatalog draws the lines of a catalog: packages whose versions have limits now and
// then, need each other, and are not all there.
func drawCatalog(t *rapid.T, packages int, drop string) []string {
	var lines []string
	for p := range packages {
		name := string(rune('a' + p))
		for v := 5; v >= 1; v-- {
			line := fmt.Sprintf("%s/stable %s.v%d.0.0", name, name, v)
			if v > 1 {
				line += fmt.Sprintf(" replaces=%s.v%d.0.0", name, v-1)
			}
			if rapid.IntRange(0, 2).Draw(t, "max") == 0 {
				line += fmt.Sprintf(" max=4.%d", rapid.IntRange(18, 20).Draw(t, "minor"))
			}
			if rapid.IntRange(0, 3).Draw(t, "needs") == 0 && packages > 1 {
				other := rapid.IntRange(0, packages-1).Draw(t, "other")
				if other != p {
					line += fmt.Sprintf(" needs=%s@%s%d.0.0", string(rune('a'+other)), rapid.SampledFrom([]string{">=", "<="}).Draw(t, "op"), rapid.IntRange(1, 5).Draw(t, "at"))
				}
			}
			if rapid.IntRange(0, 5).Draw(t, drop) > 0 || len(lines) == 0 {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// drawCluster draws a cluster with subscriptions or extensions, and the catalogs of today and of its
// next version.
func drawCluster(t *rapid.T) (resolver.Request, upgrade.Options) {
	packages := rapid.IntRange(1, 3).Draw(t, "packages")
	owner := "%[1]s.v%[2]d.0.0 by %[1]s in stable"
	var policy []testkit.Part
	if rapid.Bool().Draw(t, "extensions") {
		owner = "%[1]s.v%[2]d.0.0 of %[1]s"
		policy = []testkit.Part{{Verb: "dependencies", Rest: rapid.SampledFrom([]string{"Plan", "Refuse"}).Draw(t, "dependencies")}}
	}
	c := testkit.Case{Parts: []testkit.Part{{Verb: "today", Lines: drawCatalog(t, packages, "today")},
		{Verb: "next", Rest: "4.19", Lines: drawCatalog(t, packages, "next")}}}
	c.Parts = append(c.Parts, policy...)
	for p := range packages {
		name := string(rune('a' + p))
		if rapid.Bool().Draw(t, "installed") {
			line := fmt.Sprintf(owner, name, rapid.IntRange(1, 5).Draw(t, "version"))
			c.Parts = append(c.Parts, testkit.Part{Verb: "installed", Rest: line})
		}
	}
	return requestOf(t, c)
}

// TestOrderLeadsThere: once the steps of the order are carried out, each operator whose
// verdict is not that it has no way on can stay in the next version: a check of the end
// against the same catalogs finds nothing to do about it. What is fine has no road.
func TestOrderLeadsThere(t *testing.T) {
	r := resolver.New()
	verdicts := make(map[upgrade.Verdict]int)
	rapid.Check(t, func(t *rapid.T) {
		req, opts := drawCluster(t)
		report := testkit.Must(upgrade.Check(context.Background(), r, req, opts))(t)
		require.Equal(t, report, testkit.Must(upgrade.Check(context.Background(), r, req, opts))(t))

		installed := make(map[string]bool)
		for _, in := range req.Installed {
			installed[in.Name] = true
		}
		for _, s := range report.Order {
			if s.When == "upgrade" {
				continue
			}
			if s.Action == "upgrade" {
				require.True(t, installed[s.Replaces], "%s replaces what is not there", s.Bundle)
				delete(installed, s.Replaces)
			}
			installed[s.Bundle] = true
		}
		for i := range report.Operators {
			o := &report.Operators[i]
			verdicts[o.Verdict]++
			switch o.Verdict {
			case upgrade.Fine, upgrade.NoWay, upgrade.Gone:
				require.Empty(t, o.Path)
				continue
			}
			require.NotEmpty(t, o.Path)
			require.NotEmpty(t, o.Reasons)
		}
		checkEnd(t, r, req, opts, report, installed)
	})
	if testing.Short() {
		return // which draws too few to be sure of each verdict
	}
	require.NotEmpty(t, verdicts[upgrade.UpdateBefore])
	require.NotEmpty(t, verdicts[upgrade.UpdateAfter])
	require.NotEmpty(t, verdicts[upgrade.NoWay])
	t.Logf("%v", verdicts)
}

// checkEnd: what the order leads to can stay in the next version, but for what has no way
// on.
func checkEnd(t *rapid.T, r *resolver.Resolver, req resolver.Request, opts upgrade.Options, report *upgrade.Report, installed map[string]bool) {
	end := req
	end.Catalogs = []resolver.Catalog{{Key: community, Content: opts.Versions[0].Catalogs[0].Content}}
	end.Cluster.OpenShiftVersion, end.Cluster.KubernetesVersion = "4.18", "1.31.0"
	end.Installed, end.Subscriptions, end.Extensions = nil, nil, nil
	dead := make(map[string]bool)
	for _, o := range report.Operators {
		if o.Verdict == upgrade.NoWay || o.Verdict == upgrade.Gone {
			dead[o.Package] = true
		}
	}
	before := make(map[string]bool) // what comes from today's catalogs
	for _, in := range req.Installed {
		before[in.Name] = true
	}
	for _, s := range report.Order {
		if s.When == "before" {
			before[s.Bundle] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(installed)) {
		pkg, _, _ := strings.Cut(name, ".")
		in := resolver.Installed{Name: name, Package: pkg}
		content := end.Catalogs[0].Content
		if before[name] {
			content = req.Catalogs[0].Content
		}
		if ids := content.Named(name); len(ids) > 0 {
			b := content.Bundle(ids[0])
			in.Properties, in.Version = &b.Properties, b.Version
		}
		end.Installed = append(end.Installed, in)
		if len(req.Extensions) > 0 {
			end.Extensions = append(end.Extensions, resolver.Extension{Name: pkg, Package: pkg, InstalledCSV: name})
			continue
		}
		end.Subscriptions = append(end.Subscriptions, resolver.Subscription{Name: pkg, Package: pkg, Channels: []string{"stable"}, InstalledCSV: name})
	}
	last := testkit.Must(upgrade.Check(context.Background(), r, end, opts))(t)
	for _, o := range last.Operators {
		if !dead[o.Package] {
			require.Equal(t, upgrade.Fine, o.Verdict, "%+v\nbefore: %+v", o, report)
		}
	}
}
