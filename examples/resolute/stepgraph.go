package main

import (
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/resolver/scenario"
)

// stepGraph is an answer as nodes and edges: subscriptions lead to the bundles that
// meet them, bundles to those that they require, and each wave is a group.
type stepGraph struct {
	waves [][]stepNode
	loose []stepNode // in no wave: subscriptions, and who was left out
	edges []stepEdge
}

// stepNode is a node; its lines are not escaped yet.
type stepNode struct {
	id    string
	lines []string
	kind  nodeKind
}

type nodeKind int

const (
	nodeBundle nodeKind = iota
	nodeKept
	nodeSubscription
	nodeLeftOut
)

type stepEdge struct{ from, to, label string }

// newStepGraph makes the graph of an answer that has a solution.
func newStepGraph(answer *scenario.Answer) *stepGraph {
	g := new(stepGraph)
	bundles, subscriptions := make(map[string]string), make(map[string]string)
	for i, s := range answer.Steps {
		bundles[s.Bundle] = fmt.Sprintf("b%d", i)
	}
	for i, s := range answer.Steps {
		for len(g.waves) <= s.Wave {
			g.waves = append(g.waves, nil)
		}
		n := stepNode{id: bundles[s.Bundle], lines: []string{s.Bundle, s.Action}}
		switch {
		case s.Replaces != "":
			n.lines[1] += " from " + replaced(answer.Steps[i])
		case s.Action == "keep":
			n.kind = nodeKept
		}
		g.waves[s.Wave] = append(g.waves[s.Wave], n)
		for _, r := range s.Because {
			switch {
			case r.Subscription != "":
				from, known := subscriptions[r.Subscription]
				if !known {
					from = fmt.Sprintf("s%d", len(subscriptions))
					subscriptions[r.Subscription] = from
					g.loose = append(g.loose, stepNode{id: from, lines: []string{"subscription " + r.Subscription}, kind: nodeSubscription})
				}
				g.edges = append(g.edges, stepEdge{from, n.id, ""})
			case r.Bundle != "":
				g.edges = append(g.edges, stepEdge{bundles[r.Bundle], n.id, cut(plain("requires "+r.Constraint), 60)})
			}
		}
	}
	for i, u := range answer.Unresolved {
		n := stepNode{id: fmt.Sprintf("u%d", i), lines: []string{"left out: subscription " + u.Subscription}, kind: nodeLeftOut}
		if u.Conflict != nil && u.Conflict.Source != nil {
			n.lines = append(n.lines, u.Conflict.Source.Headline())
		}
		g.loose = append(g.loose, n)
	}
	return g
}

// mermaid writes the graph as a Mermaid flowchart.
func (g *stepGraph) mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	node := func(indent string, n stepNode) {
		open, shut := `["`, `"]`
		switch n.kind {
		case nodeSubscription:
			open, shut = `(["`, `"])`
		case nodeLeftOut:
			open, shut = `{{"`, `"}}`
		}
		lines := make([]string, len(n.lines))
		for i, l := range n.lines {
			lines[i] = mermaidText(l)
		}
		fmt.Fprintf(&b, "%s%s%s%s%s\n", indent, n.id, open, strings.Join(lines, "<br/>"), shut)
	}
	for _, n := range g.loose {
		node("  ", n)
	}
	for i, wave := range g.waves {
		fmt.Fprintf(&b, "  subgraph w%d[\"wave %d\"]\n", i, i)
		for _, n := range wave {
			node("    ", n)
		}
		b.WriteString("  end\n")
	}
	for _, e := range g.edges {
		if e.label == "" {
			fmt.Fprintf(&b, "  %s --> %s\n", e.from, e.to)
		} else {
			fmt.Fprintf(&b, "  %s -->|\"%s\"| %s\n", e.from, mermaidText(e.label), e.to)
		}
	}
	return b.String()
}

// dot writes the graph in the language of Graphviz.
func (g *stepGraph) dot() string {
	var b strings.Builder
	b.WriteString("digraph solution {\n  rankdir=TB;\n  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];\n")
	node := func(indent string, n stepNode) {
		style := ""
		switch n.kind {
		case nodeKept:
			style = ", style=dashed"
		case nodeSubscription:
			style = ", shape=ellipse"
		case nodeLeftOut:
			style = ", shape=octagon"
		}
		lines := make([]string, len(n.lines))
		for i, l := range n.lines {
			lines[i] = dotText(l)
		}
		fmt.Fprintf(&b, "%s%s [label=\"%s\"%s];\n", indent, n.id, strings.Join(lines, `\n`), style)
	}
	for _, n := range g.loose {
		node("  ", n)
	}
	for i, wave := range g.waves {
		fmt.Fprintf(&b, "  subgraph cluster_w%d {\n    label=\"wave %d\";\n", i, i)
		for _, n := range wave {
			node("    ", n)
		}
		b.WriteString("  }\n")
	}
	for _, e := range g.edges {
		fmt.Fprintf(&b, "  %s -> %s", e.from, e.to)
		if e.label != "" {
			fmt.Fprintf(&b, " [label=\"%s\"]", dotText(e.label))
		}
		b.WriteString(";\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// dotText escapes what means something inside a quoted string of DOT: quotes,
// escapes such as \N, and entities.
func dotText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;").Replace(plain(s))
}
