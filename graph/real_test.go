package graph_test

import (
	"context"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/draw"
)

var svgSize = regexp.MustCompile(`^<svg [^>]*width="([\d.]+)" height="([\d.]+)"`)

// TestRealCatalogs asks everything of real catalogs: every package can be
// drawn, and what is said of upgrades agrees with a walk along
// [graph.Channel.Successors].
func TestRealCatalogs(t *testing.T) {
	const name = "community-all.jsonl.gz"
	content := testkit.Must(fbc.Load(t.Context(), testkit.Data(t, name), fbc.Options{File: name}))(t)
	packages := slices.Collect(content.Packages())
	require.Greater(t, len(packages), 300)
	every := testkit.Times(10, 1)
	for i, p := range packages {
		if i%every != 0 {
			continue
		}
		for _, write := range []func(context.Context, io.Writer, *graph.Package, draw.Options) error{draw.Text, draw.DOT, draw.Mermaid, draw.SVG} {
			var drawn strings.Builder
			require.NoError(t, write(t.Context(), &drawn, p, draw.Options{}))
			for _, c := range p.Channels {
				require.Contains(t, drawn.String(), c.Name)
			}
			if size := svgSize.FindStringSubmatch(drawn.String()); size != nil && len(p.Channels) <= 26 {
				width, height := testkit.Must(strconv.ParseFloat(size[1], 64))(t), testkit.Must(strconv.ParseFloat(size[2], 64))(t)
				require.True(t, width <= 1280 && height <= 800, "%s is %v × %v and does not fit a screen", p.Name, width, height)
			}
		}
		for _, c := range p.Channels {
			if c.Head() == nil {
				continue
			}
			dead := make(map[string]bool)
			for _, d := range deadEnds(t, c) {
				dead[d.Bundle] = true
			}
			for i := range c.Entries {
				e := &c.Entries[i]
				if e.Bundle != nil && e.Bundle.Quarantine == nil {
					require.Equal(t, !reachesHead(c, e), dead[e.Name], "%s in %s", e.Name, c.Name)
				}
			}
		}
	}
}

// reachesHead goes from an entry to its successors until it is at the head.
func reachesHead(c *graph.Channel, e *graph.Entry) bool {
	seen := map[*graph.Entry]bool{}
	queue := []*graph.Entry{e}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if at == c.Head() {
			return true
		}
		if !seen[at] {
			seen[at] = true
			queue = append(queue, c.Successors(at.Name, *at.Bundle.Version)...)
		}
	}
	return false
}
