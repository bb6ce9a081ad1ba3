package upgrade_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/upgrade"
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
		if len(words) > 1 {
			sub := resolver.Subscription{Name: words[2], Package: words[2], Channels: []string{words[4]}, InstalledCSV: words[0]}
			if len(words) > 5 {
				sub.Hold = "not approved"
			}
			req.Subscriptions = append(req.Subscriptions, sub)
		}
	}
	for _, line := range c.Rests("wanted") {
		words := strings.Fields(line)
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: words[0], Package: words[0], Channels: []string{words[2]}})
	}
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
	cases := testkit.Cases(t, "testdata/moves.txt", "today", "next", "installed", "wanted", "want", "road", "order")
	require.Greater(t, len(cases), 20)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			req, opts := requestOf(t, c)
			report := testkit.Must(upgrade.Check(context.Background(), resolver.New(), req, opts))(t)
			var operators []string
			for _, o := range report.Operators {
				name := o.Bundle
				if name == "" {
					name = o.Package
				}
				text := name + " " + string(o.Verdict)
				for _, r := range o.Reasons {
					text += " " + string(r.Code)
				}
				operators = append(operators, text)
				for _, road := range c.All("road") {
					if road.Rest == o.Bundle {
						require.Empty(t, cmp.Diff(road.Lines, stepTexts(o.Path)), "road of %s", o.Bundle)
					}
				}
			}
			require.Empty(t, cmp.Diff(c.Part("want").Lines, operators), "operators (-want +got)")
			require.Empty(t, cmp.Diff(c.Part("order").Lines, stepTexts(report.Order)), "order (-want +got)")
			require.Equal(t, c.Part("want").Rest, string(report.Status))
		})
	}
}
