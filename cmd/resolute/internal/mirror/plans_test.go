package mirror_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/mirror"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

const indexRef = "example.com/index:v1"

// cluster is what lines "B by P in C" say is installed.
func cluster(lines []string) []resolver.Request {
	if len(lines) == 0 {
		return nil
	}
	var req resolver.Request
	for _, line := range lines {
		words := strings.Fields(line)
		in := resolver.Installed{Name: words[0], Package: words[2]}
		if _, version, ok := strings.Cut(words[0], ".v"); ok {
			v := semver.MustParse(version)
			in.Version = &v
		}
		req.Installed = append(req.Installed, in)
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: words[2], Package: words[2], Channels: []string{words[4]},
			Catalog: cache.Key{Namespace: "olm", Name: "elsewhere"}, InstalledCSV: words[0]})
	}
	return []resolver.Request{req}
}

func TestPlans(t *testing.T) {
	cases := testkit.Cases(t, "testdata/plans.txt", "catalog", "mirror", "installed", "added", "completed", "unresolved", "stuck")
	require.Greater(t, len(cases), 15)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			content := universe.Content(t, c.Part("catalog").Text())
			opts := mirror.Options{Catalogs: []mirror.Catalog{{Ref: indexRef, Content: content}}, Installed: cluster(c.Rests("installed"))}
			plan, err := mirror.Make(context.Background(), resolver.New(), configuration(t, c.Part("mirror").Rest == "full", c.Part("mirror").Lines), opts)
			require.NoError(t, err)
			var added, unresolved, stuck, final []string
			for _, a := range plan.Added {
				added = append(added, a.Package+"/"+a.Channel+" "+a.Bundle)
				require.NotEmpty(t, a.Because)
			}
			for _, u := range plan.Unresolved {
				unresolved = append(unresolved, u.Bundle)
				require.NotEmpty(t, u.Conflict.Text())
			}
			for _, s := range plan.Stuck {
				stuck = append(stuck, s.Bundle)
				require.NotEmpty(t, s.Conflict.Text())
			}
			for _, p := range plan.Configuration.Operators[0].Packages {
				if len(p.Bundles) > 0 {
					final = append(final, p.Name+" bundles "+strings.Join(p.Bundles, " "))
				}
				for _, ch := range p.Channels {
					line := strings.TrimSpace(p.Name + "/" + ch.Name + " " + strings.TrimSpace(ch.MinVersion+" "+ch.MaxVersion))
					if p.DefaultChannel != "" {
						line += " default " + p.DefaultChannel
					}
					final = append(final, line)
				}
			}
			require.Empty(t, cmp.Diff(c.Part("added").Lines, added), "added")
			require.Empty(t, cmp.Diff(c.Rests("unresolved"), unresolved), "unresolved")
			require.Empty(t, cmp.Diff(c.Rests("stuck"), stuck), "stuck")
			require.Empty(t, cmp.Diff(c.Part("completed").Lines, final), "completed")
			writtenAgain(t, plan, content)
			selectsNoMore(t, plan, content)
		})
	}
}

// writtenAgain: the completed configuration as it is written selects what the plan was
// made for.
func writtenAgain(t *testing.T, plan *mirror.Plan, content *cache.Catalog) {
	var text bytes.Buffer
	require.NoError(t, plan.WriteConfiguration(&text))
	again, err := mirror.Parse(context.Background(), "completed.yaml", text.Bytes())
	require.NoError(t, err, text.String())
	require.Empty(t, again.Warnings)
	sel, err := mirror.Select(t.Context(), content, again.Operators[0])
	require.NoError(t, err, text.String())
	require.Empty(t, cmp.Diff(plan.Selections[0].Packages, sel.Packages), text.String())
}
