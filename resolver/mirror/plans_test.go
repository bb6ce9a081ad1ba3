package mirror_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/mirror"
)

const indexRef = "example.com/index:v1"

// planCase is a case of testdata/plans.txt.
type planCase struct {
	name                                       string
	catalog, packages, installed, added, final []string
	unresolved, stuck                          []string
	full                                       bool
}

// readPlans reads testdata/plans.txt, whose head says what stands in it.
func readPlans(t *testing.T) []*planCase {
	t.Helper()
	data, err := os.ReadFile("testdata/plans.txt")
	require.NoError(t, err)
	var cases []*planCase
	var c *planCase
	var lines *[]string
	for _, line := range strings.Split(string(data), "\n") {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		if strings.HasPrefix(line, "  ") {
			*lines = append(*lines, trimmed)
			continue
		}
		verb, rest, _ := strings.Cut(trimmed, " ")
		switch verb {
		case "case":
			name, _, _ := strings.Cut(rest, ":")
			c = &planCase{name: name}
			cases = append(cases, c)
		case "catalog":
			lines = &c.catalog
		case "mirror":
			c.full = rest == "full"
			lines = &c.packages
		case "installed":
			c.installed = append(c.installed, rest)
		case "added":
			lines = &c.added
		case "completed":
			lines = &c.final
		case "unresolved":
			c.unresolved = append(c.unresolved, rest)
		case "stuck":
			c.stuck = append(c.stuck, rest)
		default:
			t.Fatalf("%q: no such line", line)
		}
	}
	return cases
}

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
			v := semverOf(version)
			in.Version = &v
		}
		req.Installed = append(req.Installed, in)
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: words[2], Package: words[2], Channels: []string{words[4]},
			Catalog: cache.Key{Namespace: "olm", Name: "elsewhere"}, InstalledCSV: words[0]})
	}
	return []resolver.Request{req}
}

func TestPlans(t *testing.T) {
	cases := readPlans(t)
	require.Greater(t, len(cases), 15)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			content := catalogOf(t, c.catalog)
			opts := mirror.Options{Catalogs: []mirror.Catalog{{Ref: indexRef, Content: content}}, Installed: cluster(c.installed)}
			plan, err := mirror.Make(context.Background(), resolver.New(), configuration(t, c.full, c.packages), opts)
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
				for _, ch := range p.Channels {
					line := strings.TrimSpace(p.Name + "/" + ch.Name + " " + strings.TrimSpace(ch.MinVersion+" "+ch.MaxVersion))
					if p.DefaultChannel != "" {
						line += " default " + p.DefaultChannel
					}
					final = append(final, line)
				}
			}
			require.Empty(t, cmp.Diff(c.added, added), "added")
			require.Empty(t, cmp.Diff(c.unresolved, unresolved), "unresolved")
			require.Empty(t, cmp.Diff(c.stuck, stuck), "stuck")
			require.Empty(t, cmp.Diff(c.final, final), "completed")
			writtenAgain(t, plan, content)
		})
	}
}

// writtenAgain: the completed configuration as it is written selects what the plan was
// made for.
func writtenAgain(t *testing.T, plan *mirror.Plan, content *cache.Catalog) {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, plan.WriteConfiguration(&text))
	again, err := mirror.Parse(context.Background(), "completed.yaml", text.Bytes())
	require.NoError(t, err, text.String())
	require.Empty(t, again.Warnings)
	sel, err := mirror.Select(content, again.Operators[0])
	require.NoError(t, err, text.String())
	require.Empty(t, cmp.Diff(plan.Selections[0].Packages, sel.Packages), text.String())
}

func semverOf(s string) semver.Version { return semver.MustParse(s) }
