package draw_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	drawn "github.com/seed109e2655/resolute/internal/testkit/draw"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// channel returns a channel as plain data.
func channel(t require.TestingT, p *graph.Package, name string) draw.Channel {
	channels := testkit.Must(draw.Data(context.Background(), p, draw.Options{Channels: []string{name}}))(t)
	require.Len(t, channels, 1)
	return channels[0]
}

// names returns the names of entries.
func names(entries []*graph.Entry) []string {
	out := []string{}
	for _, e := range entries {
		out = append(out, e.Name)
	}
	return out
}

func TestData(t *testing.T) {
	p := universe.Written(t, `
op/stable op.v1.0.0
op/stable op.v1.1.0 replaces=op.v1.0.0 virtual
op/stable op.v1.2.0 replaces=op.v1.1.0
op/stable op.v1.3.0 replaces=op.v1.2.0
op/stable op.v1.1.9
op/stable op.v1.2.5 op.v1.2.6
op/stable op.v1.4.0 replaces=op.v1.3.0 skips=op.v1.1.9,op.v1.2.6 range=">=1.2.0 <1.4.0"
deprecated op.v1.2.5 has a leak
bundle op.v1.3.0 barred
bundle op.v1.1.9 flawed
op/other op.v1.0.0
op/other op.v1.0.1`)
	p.Deprecated, p.Deprecation = true, "use op2"
	p.Channel("stable").Deprecated = true
	data := testkit.Must(json.Marshal(channel(t, p, "stable")))(t)
	var problems []graph.Problem
	for _, x := range p.Problems {
		if x.Channel != "other" {
			problems = append(problems, x)
		}
	}
	require.Len(t, problems, 3, "1.1.0 is virtual, 1.1.9 quarantined, 1.2.5 stranded")
	quoted := testkit.Must(json.Marshal(problems))(t)
	require.JSONEq(t, `{"package":"op","channel":"stable","head":"op.v1.4.0","entries":[
		{"bundle":"op.v1.4.0","version":"1.4.0","position":0,"successors":[]},
		{"bundle":"op.v1.3.0","version":"1.3.0","position":1,"barred":true,"successors":["op.v1.4.0"],"edges":[{"to":"op.v1.4.0","reasons":["replaces","skipRange"]}]},
		{"bundle":"op.v1.2.0","version":"1.2.0","position":2,"successors":["op.v1.4.0","op.v1.3.0"],
			"edges":[{"to":"op.v1.4.0","reasons":["skipRange"]},{"to":"op.v1.3.0","reasons":["replaces"]}]},
		{"bundle":"op.v1.1.0","version":"","position":3,"virtual":true,"successors":["op.v1.2.0"],"edges":[{"to":"op.v1.2.0","reasons":["replaces"]}]},
		{"bundle":"op.v1.0.0","version":"1.0.0","position":4,"deadEnd":true,"successors":[]},
		{"bundle":"op.v1.2.6","version":"1.2.6","skipped":true,"skippedBy":"op.v1.4.0","successors":["op.v1.4.0"],"edges":[{"to":"op.v1.4.0","reasons":["skips","skipRange"]}]},
		{"bundle":"op.v1.2.5","version":"1.2.5","deprecated":true,"stranded":true,"successors":["op.v1.4.0"],"edges":[{"to":"op.v1.4.0","reasons":["skipRange"]}]},
		{"bundle":"op.v1.1.9","version":"","skipped":true,"skippedBy":"op.v1.4.0","quarantined":true,"successors":["op.v1.4.0"],"edges":[{"to":"op.v1.4.0","reasons":["skips"]}]}
	],"problems":`+string(quoted)+`,"deprecations":[
		{"schema":"olm.package","name":"op","message":"use op2"},{"schema":"olm.channel","name":"stable"},{"schema":"olm.bundle","name":"op.v1.2.5","message":"has a leak"}
	]}`, string(data))

	broken := channel(t, p, "other")
	require.Empty(t, broken.Head)
	require.Equal(t, []string{"op.v1.0.1", "op.v1.0.0"}, []string{broken.Entries[0].Bundle, broken.Entries[1].Bundle})
	require.Nil(t, broken.Entries[0].Position)
	data = testkit.Must(json.Marshal(channel(t, &graph.Package{Channels: []*graph.Channel{{Name: "bare"}}}, "bare")))(t)
	require.JSONEq(t, `{"package":"","channel":"bare","head":"","entries":[],"problems":[]}`, string(data))
}

// TestDataAgrees: the data of a channel agrees with the channel.
func TestDataAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn.NewConverter().Package(drawn.Package().Draw(t, "package"))
		for _, c := range p.Channels {
			v := channel(t, p, c.Name)
			require.Len(t, v.Entries, len(c.Entries))
			on := 0
			for i, e := range v.Entries {
				entry := c.Entry(e.Bundle)
				if e.Position != nil {
					require.Equal(t, i, *e.Position)
					require.Equal(t, entry.Position, *e.Position)
					on++
				}
				require.Equal(t, entry.SkippedBy(), e.SkippedBy)
				require.Equal(t, entry.Bundle == nil, e.Virtual)
				if version := universe.Version(p, e.Bundle); version != nil {
					require.Equal(t, names(c.Successors(e.Bundle, *version)), e.Successors)
					require.Equal(t, version.String(), e.Version)
					declared, _ := p.Bundle(e.Bundle).Properties.Package()
					require.Equal(t, string(declared.Release), e.Release)
				} else {
					require.Empty(t, e.Version)
				}
				for _, edge := range e.Edges {
					require.NotEmpty(t, edge.Reasons)
				}
				require.Len(t, e.Edges, len(e.Successors))
			}
			require.Len(t, c.Chain(), on)
		}
	})
}

// chain is a channel of n versions, each replacing the previous one.
func chain(n int) string {
	var b strings.Builder
	b.WriteString("op/c op.v1.1.0\n")
	for i := 2; i <= n; i++ {
		fmt.Fprintf(&b, "op/c op.v1.%d.0 replaces=op.v1.%d.0", i, i-1)
		if i%100 == 0 {
			fmt.Fprintf(&b, ` range=">=1.%d.0 <1.%d.0"`, i-99, i)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestSVGFolds: a long channel shows the important versions and counts the others.
func TestSVGFolds(t *testing.T) {
	const n = 1234
	p := universe.Written(t, chain(n))
	svg := picture(t, draw.SVG, p, draw.Options{Installed: []graph.Installed{{Name: "op.v1.321.0", Version: semver.MustParse("1.321.0")}}})
	shown := make(map[string]bool)
	for _, m := range regexp.MustCompile(`(?m)>(1\.\d+\.0)</text>`).FindAllStringSubmatch(svg, -1) {
		require.False(t, shown[m[1]], "%s is shown twice", m[1])
		shown[m[1]] = true
	}
	require.InDelta(t, 64, len(shown), 6, "about as many as fit a screen")
	folded := 0
	for _, m := range regexp.MustCompile(`>(\d+) versions, 1\.`).FindAllStringSubmatch(svg, -1) {
		count := testkit.Must(strconv.Atoi(m[1]))(t)
		folded += count
	}
	require.Equal(t, n, len(shown)+folded, "each version is shown or counted")
	// The installed version, its path by ranges (400, 500, … 1200), then single steps.
	for _, v := range []int{1, 321, 400, 500, 1100, 1200, 1201, n} {
		require.Contains(t, shown, fmt.Sprintf("1.%d.0", v))
	}
	u := testkit.Must(graph.NewUpdates(t.Context(), p, graph.UpdateOptions{}))(t)
	path := testkit.Must(u.ShortestPath("op.v1.321.0", fmt.Sprintf("op.v1.%d.0", n)))(t)
	require.Equal(t, len(path.Bundles()), strings.Count(svg, `r="8"`), "versions on the upgrade path have a ring")

	for count, all := range map[int]bool{64: false, 200: true} {
		require.NotRegexp(t, `\d versions, 1`, picture(t, draw.SVG, universe.Written(t, chain(count)), draw.Options{AllEdges: all}))
	}
	few := picture(t, draw.SVG, universe.Written(t, chain(20)), draw.Options{})
	require.NotContains(t, few, `r="8"`, "no version is installed")
}

// TestSVGIsLightAndDark: no colour of the picture depends on the mode.
func TestSVGIsLightAndDark(t *testing.T) {
	svg := picture(t, draw.SVG, universe.Written(t, headed), draw.Options{AllEdges: true})
	require.Contains(t, svg, "@media (prefers-color-scheme:dark)")
	require.Contains(t, svg, `aria-label="Updates of package op"`)
	require.Contains(t, svg, "<desc>channel stable (default): ")
	drawn := svg[strings.Index(svg, `class="paper"`):]
	drawn = drawn[strings.Index(drawn, "<text"):]
	for _, black := range []string{"#fff", "#000", "#1d2329"} {
		require.NotContains(t, drawn, black)
	}
}
