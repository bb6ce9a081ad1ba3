package resolver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/event"
)

// TestAlgorithmTraces: what ALGORITHM.md shows of searches is what happens. Each
// problem there is a block of "problem", followed by the "trace" of its resolution.
func TestAlgorithmTraces(t *testing.T) {
	doc, err := os.ReadFile("ALGORITHM.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```problem\n(.*?)```.*?```trace\n(.*?)```").FindAllStringSubmatch(string(doc), -1)
	require.Len(t, blocks, 2)
	for i, b := range blocks {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			require.Equal(t, b[2], events(t, readProblem(t, b[1])))
		})
	}
}

// events resolves a request and writes down what happens, a line for each decision.
func events(t *testing.T, req resolver.Request) string {
	t.Helper()
	var out, line strings.Builder
	solves := make(map[event.Purpose]int)
	_, err := resolver.New(resolver.WithHooks(event.Hooks{
		Decide: func(_ context.Context, d event.Decision) {
			line.Reset()
			fmt.Fprintf(&line, "%d. %s %s:", d.Index+1, d.Kind, d.Subject)
		},
		Candidate: func(_ context.Context, _ event.Decision, c event.Candidate) {
			if c.Verdict != event.Chosen {
				fmt.Fprintf(&line, " not %s (%s),", c.Bundle, c.Verdict)
			}
		},
		Decided: func(_ context.Context, d event.Decision) {
			fmt.Fprintf(&out, "%s %s\n", line.String(), strings.TrimSpace(fmt.Sprintf("%s %s", d.Result, d.Choice.Bundle)))
		},
		Back: func(_ context.Context, b event.Back) {
			fmt.Fprintf(&out, "back to %d, %d undone\n", b.Index+1, b.Undone)
		},
		Solve: func(_ context.Context, s event.Solve) { solves[s.Purpose]++ },
		ResolveEnded: func(_ context.Context, e event.Ended) {
			var conflict *resolver.Conflict
			if errors.As(e.Err, &conflict) {
				for i := range conflict.Facts {
					fmt.Fprintf(&out, "fact: %s %s\n", conflict.Facts[i].Kind, conflict.Facts[i].Subject)
				}
			}
			fmt.Fprintf(&out, "%s, solver calls: %v\n", e.Outcome, solves)
		},
	})).Resolve(context.Background(), req)
	var conflict *resolver.Conflict
	if err != nil {
		require.ErrorAs(t, err, &conflict)
	}
	return out.String()
}

// readProblem reads lines like
//
//	web.v2 requires cache >=1.0.0, disk >=1.0.0
//	kernel.v2 is installed
//	web, log are subscribed to
//
// The versions of a package replace each other in ascending order.
func readProblem(t *testing.T, text string) resolver.Request {
	t.Helper()
	req := resolver.Request{Namespace: "ns"}
	requires := make(map[string]string)
	versions := make(map[string][]string)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if names, ok := strings.CutSuffix(line, " are subscribed to"); ok {
			for _, name := range strings.Split(names, ", ") {
				req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: name, Package: name})
			}
			continue
		}
		if name, ok := strings.CutSuffix(line, " is installed"); ok {
			req.Installed = append(req.Installed, resolver.Installed{Name: name})
			continue
		}
		bundle, wants, _ := strings.Cut(line, " requires ")
		pkg, version, ok := strings.Cut(bundle, ".v")
		require.True(t, ok, line)
		requires[bundle] = wants
		versions[pkg] = append(versions[pkg], version)
	}
	var blobs bytes.Buffer
	for pkg, list := range versions { // in any order
		slices.Sort(list)
		fmt.Fprintf(&blobs, `{"schema":"olm.package","name":%q,"defaultChannel":"stable"}`, pkg)
		var entries []string
		for i, v := range list {
			entry := fmt.Sprintf(`{"name":"%s.v%s"}`, pkg, v)
			if i > 0 {
				entry = fmt.Sprintf(`{"name":"%s.v%s","replaces":"%s.v%s"}`, pkg, v, pkg, list[i-1])
			}
			entries = append(entries, entry)
			properties := fmt.Sprintf(`{"type":"olm.package","value":{"packageName":%q,"version":"%s.0.0"}}`, pkg, v)
			for _, want := range strings.Split(requires[pkg+".v"+v], ", ") {
				if name, bounds, ok := strings.Cut(want, " "); ok {
					properties += fmt.Sprintf(`,{"type":"olm.package.required","value":{"packageName":%q,"versionRange":%q}}`, name, bounds)
				}
			}
			fmt.Fprintf(&blobs, `{"schema":"olm.bundle","package":%q,"name":"%s.v%s","image":"i","properties":[%s]}`, pkg, pkg, v, properties)
		}
		fmt.Fprintf(&blobs, `{"schema":"olm.channel","package":%q,"name":"stable","entries":[%s]}`, pkg, strings.Join(entries, ","))
	}
	content, err := fbc.Read(context.Background(), &blobs, "catalog.json", fbc.Options{})
	require.NoError(t, err)
	req.Catalogs = []resolver.Catalog{{Key: cache.Key{Namespace: "ns", Name: "c"}, Content: content}}
	return req
}
