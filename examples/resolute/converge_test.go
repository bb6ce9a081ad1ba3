package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	road     = "../scenarios/upgrade.yaml"
	loop     = "../scenarios/loop.yaml"
	oneEdge  = "../../resolver/scenario/testdata/conformance/upgrade-one-edge.yaml"
	deadlock = "../../resolver/scenario/testdata/conformance/documented-version-deadlock.yaml"
)

func TestConvergeExitStatuses(t *testing.T) {
	invalid := write(t, "invalid.yaml", "subscriptions: [{name: a}]")
	waysOut(t, map[string]wayOut{
		"settled":         {[]string{"converge", road}, 0, ""},
		"documented road": {[]string{"converge", oneEdge}, 0, ""},
		"nothing changes": {[]string{"converge", "../../resolver/scenario/testdata/rules/orphan-at-the-head.yaml"}, 0, ""},
		"a loop":          {[]string{"converge", loop}, 1, ""},
		"a loop, as JSON": {[]string{"converge", "-o", "json", loop}, 1, ""},
		"a loop, as SVG":  {[]string{"converge", "-o", "svg", loop}, 1, ""},
		"a conflict":      {[]string{"converge", conflict}, 1, ""},
		"not a scenario":  {[]string{"converge", invalid}, 2, "package is missing"},
		"missing file":    {[]string{"converge", "nowhere.yaml"}, 2, "nowhere.yaml: no such file"},
		"no file":         {[]string{"converge"}, 2, "converge needs FILE;"},
		"two files":       {[]string{"converge", road, loop}, 2, "converge needs FILE;"},
		"unknown form":    {[]string{"converge", "-o", "jpeg", road}, 2, `"jpeg" is not text, json, html, mermaid, dot or svg`},
		"time over":       {[]string{"converge", "--timeout", "1ns", road}, 3, "deadline exceeded"},
		"budget":          {[]string{"converge", "--max-bundles", "1", road}, 3, "more than 1 candidate bundles"},
	})
}

func TestConvergeAsText(t *testing.T) {
	require.Equal(t, oneEdge+`: settled after 2 rounds
round 1:
  upgrade example.v0.1.1 -> example.v0.1.2
round 2:
  upgrade example.v0.1.2 -> example.v0.1.3
PACKAGE  NOW             ROUND 1         ROUND 2
example  example.v0.1.1  example.v0.1.2  example.v0.1.3
`, resolute(context.Background(), "", "converge", oneEdge).out)

	got := resolute(context.Background(), "", "converge", road)
	require.Regexp(t, `(?m)^grafana-operator +grafana-operator.v5.9.2 +=  +=$`, got.out)
	require.Regexp(t, `(?m)^etcd +etcdoperator.v0.9.1 +etcdoperator.v0.9.2 +etcdoperator.v0.9.4$`, got.out)

	got = resolute(context.Background(), "", "converge", loop)
	require.True(t, strings.HasPrefix(got.out, loop+": the upgrades repeat forever: round 3 leads back to where round 1 ended\n"), got.out)

	got = resolute(context.Background(), "", "converge", conflict)
	require.True(t, strings.HasPrefix(got.out, conflict+": no solution in round 1\nround 1: no solution\n  "), got.out)
	require.Contains(t, got.out, "Any of these would resolve it:")

	got = resolute(context.Background(), "", "converge", "../../resolver/scenario/testdata/rules/orphan-at-the-head.yaml")
	require.Regexp(t, `orphan-at-the-head.yaml: nothing changes\nwarning: orphan: a.v1 .*\n$`, got.out, "the end is told of, and no table of nothing")

	got = resolute(context.Background(), "", "converge", "../scenarios/partial.yaml")
	require.Contains(t, got.out, "PACKAGE     NOW  ROUND 1\nprometheus  -    prometheusoperator.0.56.3\nleft out: subscription gateway\n")

	got = resolute(context.Background(), "", "converge", "--max-bundles", "1", road)
	require.Equal(t, road+": incomplete\n", got.out)
}

// TestConvergeTellsAWarningOnce, in the round that brings it.
func TestConvergeTellsAWarningOnce(t *testing.T) {
	got := resolute(context.Background(), "", "converge", "../scenarios/deprecated.json")
	require.Equal(t, 1, strings.Count(got.out, "warning: deprecated"), got.out)
}

// TestConvergeAsJSON holds the shape against the format, of every way a road ends.
func TestConvergeAsJSON(t *testing.T) {
	for file, want := range map[string][]string{
		oneEdge:                                {"status", "rounds", "loop", "set"},
		loop:                                   {"status", "rounds", "loop", "set"},
		conflict:                               {"status", "rounds", "loop"},
		"nowhere.yaml":                         {"status", "error", "rounds", "loop"},
		"../scenarios/partial.yaml":            {"status", "rounds", "loop", "set", "unresolved"},
		"../scenarios/deprecated.json":         {"status", "rounds", "loop", "set", "warnings"},
		write(t, "empty.yaml", "namespace: a"): {"status", "rounds", "loop"},
	} {
		got := resolute(context.Background(), "", "converge", "-o", "json", file)
		require.Equal(t, want, keys(t, got.out), file)
	}
	var parsed struct {
		Status string
		Rounds []struct{ Set []string }
		Loop   bool
		Set    []string
	}
	require.NoError(t, json.Unmarshal([]byte(resolute(context.Background(), "", "converge", "-o", "json", oneEdge).out), &parsed))
	require.Equal(t, "resolved", parsed.Status)
	require.False(t, parsed.Loop)
	require.Len(t, parsed.Rounds, 2)
	require.Equal(t, []string{"example.v0.1.2"}, parsed.Rounds[0].Set)
	require.Equal(t, []string{"example.v0.1.3"}, parsed.Set)
	require.NoError(t, json.Unmarshal([]byte(resolute(context.Background(), "", "converge", "-o", "json", loop).out), &parsed))
	require.True(t, parsed.Loop)
}

func TestConvergeAsMermaid(t *testing.T) {
	require.Equal(t, `flowchart LR
  subgraph r0["now"]
    n0_0["example.v0.1.1"]
  end
  subgraph r1["round 1"]
    n1_0["example.v0.1.2"]
  end
  subgraph r2["round 2"]
    n2_0["example.v0.1.3"]
  end
  n0_0 --> n1_0
  n1_0 --> n2_0
`, resolute(context.Background(), "", "converge", "-o", "mermaid", oneEdge).out)
	require.Contains(t, resolute(context.Background(), "", "converge", "-o", "mermaid", loop).out, `  r3 -.->|"and again"| r2`)
	require.Contains(t, resolute(context.Background(), "", "converge", "-o", "mermaid", conflict).out,
		`["no solution in round 1: subscriptions gateway and authorization cannot both be met"]`)

	// Two operators that move together are in one round.
	got := resolute(context.Background(), "", "converge", "-o", "mermaid", deadlock)
	require.Contains(t, got.out, "  subgraph r1[\"round 1\"]\n    n1_0[\"aprov.v2\"]\n    n1_1[\"bprov.v2\"]\n  end\n")
	require.NotContains(t, got.out, "round 2")
}

// TestNoPictureOfWhatCannotBegin.
func TestNoPictureOfWhatCannotBegin(t *testing.T) {
	for _, form := range []string{"mermaid", "svg"} {
		require.Empty(t, resolute(context.Background(), "", "converge", "-o", form, "nowhere.yaml").out)
	}
}

// texts reads a picture as XML, which has to be well formed, and returns all texts
// in it and the names of its elements.
func texts(t *testing.T, picture string) (text, elements []string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(picture))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return text, elements
		}
		require.NoError(t, err, picture)
		switch token := token.(type) {
		case xml.StartElement:
			elements = append(elements, token.Name.Local)
			for _, a := range token.Attr {
				require.False(t, strings.HasPrefix(a.Name.Local, "on"), "no handlers")
				require.NotContains(t, a.Value, "javascript")
			}
		case xml.CharData:
			if s := strings.TrimSpace(string(token)); s != "" && !slices.Contains([]string{"style", "desc"}, elements[len(elements)-1]) {
				text = append(text, s)
			}
		}
	}
}

func TestConvergeAsSVG(t *testing.T) {
	text, elements := texts(t, resolute(context.Background(), "", "converge", "-o", "svg", oneEdge).out)
	require.Equal(t, []string{"Upgrade path", "now", "round 1", "round 2", "example", "example.v0.1.1", "example.v0.1.2", "example.v0.1.3"}, text)
	require.Subset(t, []string{"svg", "title", "desc", "style", "rect", "g", "text"}, elements)

	text, _ = texts(t, resolute(context.Background(), "", "converge", "-o", "svg", loop).out)
	require.Equal(t, "the upgrades repeat forever: round 3 leads back to where round 1 ended", text[len(text)-1])
	text, _ = texts(t, resolute(context.Background(), "", "converge", "-o", "svg", conflict).out)
	require.Equal(t, []string{"Upgrade path", "no solution in round 1: subscriptions gateway and authorization cannot both be met"}, text)
	text, _ = texts(t, resolute(context.Background(), "", "converge", "-o", "svg", write(t, "empty.yaml", "namespace: a")).out)
	require.Equal(t, []string{"Upgrade path", "nothing changes"}, text)
}
