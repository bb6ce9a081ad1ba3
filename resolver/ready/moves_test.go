package ready_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/ready"
)

var community = cache.Key{Namespace: "olm", Name: "community"}

// moveCase is a case of testdata/moves.txt.
type moveCase struct {
	name         string
	today        []string
	next         [][]string
	versions     []string
	installed    []string
	wanted       []string
	status       string
	operators    []string
	roads        map[string][]string
	order        []string
	currentLines *[]string
}

// readMoves reads testdata/moves.txt, whose head says what stands in it.
func readMoves(t *testing.T) []*moveCase {
	t.Helper()
	data, err := os.ReadFile("testdata/moves.txt")
	require.NoError(t, err)
	var cases []*moveCase
	var c *moveCase
	var ignored []string
	for _, line := range strings.Split(string(data), "\n") {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		if strings.HasPrefix(line, "  ") {
			*c.currentLines = append(*c.currentLines, trimmed)
			continue
		}
		verb, rest, _ := strings.Cut(trimmed, " ")
		switch verb {
		case "case":
			name, _, _ := strings.Cut(rest, ":")
			c = &moveCase{name: name, roads: make(map[string][]string), currentLines: &ignored}
			cases = append(cases, c)
		case "today":
			c.currentLines = &c.today
		case "next":
			c.next, c.versions = append(c.next, nil), append(c.versions, rest)
			c.currentLines = &c.next[len(c.next)-1]
		case "installed":
			c.installed = append(c.installed, rest)
		case "wanted":
			c.wanted = append(c.wanted, rest)
		case "want":
			c.status, c.currentLines = rest, &c.operators
		case "road":
			lines := []string{}
			c.currentLines = &lines
			defer func(c *moveCase) { c.roads[rest] = lines }(c)
		case "order":
			c.currentLines = &c.order
		default:
			t.Fatalf("%q: no such line", line)
		}
	}
	return cases
}

// catalog makes a catalog of lines of a universe.
func catalog(t *testing.T, lines []string) *cache.Catalog {
	t.Helper()
	return universe.Content(t, strings.Join(lines, "\n"))
}

// request makes the request and the options of a case.
func (c *moveCase) request(t *testing.T) (resolver.Request, ready.Options) {
	t.Helper()
	req := resolver.Request{Namespace: "operators", Catalogs: []resolver.Catalog{{Key: community, Content: catalog(t, c.today)}}}
	req.Cluster.OpenShiftVersion, req.Cluster.KubernetesVersion = "4.18", "1.31.0"
	for _, line := range c.installed {
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
	for _, line := range c.wanted {
		words := strings.Fields(line)
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: words[0], Package: words[0], Channels: []string{words[2]}})
	}
	var opts ready.Options
	for i, lines := range c.next {
		opts.Versions = append(opts.Versions, ready.Version{OpenShift: c.versions[i],
			Catalogs: []resolver.Catalog{{Key: community, Content: catalog(t, lines)}}})
	}
	return req, opts
}

// stepText is a step as testdata/moves.txt writes it.
func stepText(s ready.Step) string {
	if s.When == ready.StepUpgrade {
		return "upgrade " + s.OpenShift
	}
	text := fmt.Sprintf("%s %s %s", s.When, s.Action, s.Bundle)
	if s.Replaces != "" {
		text += " replaces " + s.Replaces
	}
	return text
}

func stepTexts(steps []ready.Step) (out []string) {
	for _, s := range steps {
		out = append(out, stepText(s))
	}
	return out
}

func TestMoves(t *testing.T) {
	cases := readMoves(t)
	require.Greater(t, len(cases), 20)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			req, opts := c.request(t)
			report, err := ready.Check(context.Background(), resolver.New(), req, opts)
			require.NoError(t, err)
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
				if want, ok := c.roads[o.Bundle]; ok {
					require.Empty(t, cmp.Diff(want, stepTexts(o.Road)), "road of %s", o.Bundle)
				}
			}
			if diff := cmp.Diff(c.operators, operators); diff != "" {
				t.Errorf("operators (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.order, stepTexts(report.Order)); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
			require.Equal(t, c.status, string(report.Status))
		})
	}
}
