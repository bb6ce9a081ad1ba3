package upgrade_test

import (
	stdcmp "cmp"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

var community = cache.Key{Namespace: "olm", Name: "community"}

// requestOf makes the request and the options of a case.
func requestOf(t require.TestingT, c testkit.Case) (resolver.Request, upgrade.Options) {
	today := universe.Content(t, c.Part("today").Text())
	req := resolver.Request{Namespace: "operators", Catalogs: []resolver.Catalog{{Key: community, Content: today}}}
	req.Cluster.OpenShiftVersion, req.Cluster.KubernetesVersion = "4.18", "1.31.0"
	for _, line := range c.Rests("installed") {
		words := strings.Fields(line)
		req.Installed = append(req.Installed, resolver.Installed{Name: words[0]})
		if len(words) == 3 {
			req.Extensions = append(req.Extensions, resolver.Extension{Name: words[2], Package: strings.TrimPrefix(words[2], "my-"), InstalledCSV: words[0]})
		} else if len(words) > 1 {
			sub := resolver.Subscription{Name: words[2], Package: words[2], Channels: []string{words[4]}, InstalledCSV: words[0]}
			if len(words) > 5 {
				sub.Hold = "not approved"
			}
			req.Subscriptions = append(req.Subscriptions, sub)
		}
	}
	for _, line := range c.Rests("wanted") {
		words := strings.Fields(line)
		if len(words) == 3 && words[1] == "of" {
			req.Extensions = append(req.Extensions, resolver.Extension{Name: words[2], Package: words[0]})
			continue
		}
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: words[0], Package: words[0], Channels: []string{words[2]}})
	}
	req.Policy.Dependencies = resolver.Dependencies(strings.Join(c.Rests("dependencies"), ""))
	var opts upgrade.Options
	for _, next := range c.All("next") {
		opts.Versions = append(opts.Versions, upgrade.Version{OpenShift: next.Rest,
			Catalogs: []upgrade.NextCatalog{{For: community.String(), Content: universe.Content(t, next.Text())}}})
	}
	return req, opts
}

// stepText is a step as testdata/moves.txt writes it.
func stepText(s upgrade.Step) string {
	if s.When == "upgrade" {
		return "upgrade " + s.OpenShift
	}
	text := fmt.Sprintf("%s %s %s", s.When, s.Action, s.Bundle)
	if s.Replaces != "" {
		text += " replaces " + s.Replaces
	}
	return text
}

func stepTexts(steps []upgrade.Step) (out []string) {
	for _, s := range steps {
		out = append(out, stepText(s))
	}
	return out
}

func TestMoves(t *testing.T) {
	cases := testkit.Cases(t, "testdata/moves.txt", "today", "next", "installed", "wanted", "dependencies", "want", "apart", "road", "order")
	require.Greater(t, len(cases), 20)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			req, opts := requestOf(t, c)
			report := testkit.Must(upgrade.Check(context.Background(), resolver.New(), req, opts))(t)
			var operators, apart []string
			for _, o := range report.NotInstallable {
				apart = append(apart, operatorText(&o))
			}
			require.Equal(t, c.Rests("apart"), apart)
			for _, o := range report.Operators {
				operators = append(operators, operatorText(&o))
				for _, road := range c.All("road") {
					if road.Rest == o.Bundle {
						require.Empty(t, cmp.Diff(road.Lines, stepTexts(o.Path)), "road of %s", o.Bundle)
					}
				}
			}
			require.Empty(t, cmp.Diff(c.Part("want").Lines, operators), "operators (-want +got)")
			require.Empty(t, cmp.Diff(c.Part("order").Lines, stepTexts(report.Order)), "order (-want +got)")
			require.Equal(t, c.Part("want").Rest, string(report.Status))
			if len(req.Extensions) > 0 {
				carryOutExtensions(t, req, opts, report)
			}
		})
	}
}

// operatorText is an operator as testdata/moves.txt writes it.
func operatorText(o *upgrade.Operator) string {
	text := stdcmp.Or(o.Bundle, o.Package) + " " + string(o.Verdict)
	for _, r := range o.Reasons {
		text += " " + r.Code
	}
	return text
}

// carryOutExtensions takes the steps of an order, each with the catalogs of its time: the
// extensions are told the versions of the steps and of what is installed.
func carryOutExtensions(t *testing.T, req resolver.Request, opts upgrade.Options, report *upgrade.Report) {
	t.Helper()
	req.Policy.Failures = resolver.FailuresPartial
	want := make(map[string]bool)
	for i, s := range report.Order {
		if s.When == "upgrade" {
			req.Catalogs = []resolver.Catalog{{Key: community, Content: opts.Versions[0].Catalogs[0].Content}}
			req.Cluster.OpenShiftVersion = s.OpenShift
			opts.Versions = opts.Versions[1:]
			continue
		}
		versions := make(map[string]string) // by package, of the steps that belong together
		for _, later := range report.Order[i:] {
			if later.When != s.When {
				break
			}
			versions[later.Package] = stdcmp.Or(versions[later.Package], later.Version)
		}
		now := req
		now.Extensions = nil
		for _, e := range req.Extensions {
			e.VersionRange = "=" + stdcmp.Or(versions[e.Package], "9999.0.0")
			if versions[e.Package] != "" || e.InstalledCSV != "" {
				if versions[e.Package] == "" {
					e.VersionRange = ""
				}
				now.Extensions = append(now.Extensions, e)
			}
		}
		want[s.Bundle] = true
		sol := testkit.Must(resolver.New().Resolve(t.Context(), now))(t)
		require.Contains(t, strings.Join(text(sol), " "), s.Bundle, "step %d", i+1)
		after := now.Advance(sol)
		for k := range after.Extensions {
			after.Extensions[k].VersionRange = ""
		}
		req.Installed, req.Extensions = after.Installed, after.Extensions
	}
}

// text are the bundles of a solution.
func text(sol *resolver.Solution) (out []string) {
	for i := range sol.Steps {
		out = append(out, sol.Steps[i].Bundle)
	}
	return out
}
