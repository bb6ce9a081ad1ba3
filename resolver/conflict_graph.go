package resolver

import (
	"fmt"
	"strings"
)

// conflictGraph is a conflict as nodes and edges: facts lead to the candidates by
// which they could be met, candidates to the facts that rule them out.
type conflictGraph struct {
	nodes []graphNode
	edges []graphEdge
}

type graphNode struct {
	id    string
	label string
	fact  bool
	root  bool
}

type graphEdge struct{ from, to, label string }

// graph draws a conflict. Candidates that are ruled out alike share a node.
func (c *Conflict) graph() conflictGraph {
	var g conflictGraph
	for i := range c.Facts {
		f := &c.Facts[i]
		label := f.Text
		if f.Message != "" && f.Kind != FactQuarantined {
			label += " (" + f.Message + ")"
		}
		g.nodes = append(g.nodes, graphNode{id: factID(i), label: clean(label), fact: true, root: isRoot(f.Kind)})
	}
	for i := range c.Facts {
		f := &c.Facts[i]
		list, k := f.Candidates, 0
		for len(list) > 0 {
			n := run(list)
			if !list[0].NearMiss() {
				g.candidates(i, k, list[:n])
				k++
			}
			list = list[n:]
		}
		if k == 0 && f.Kind == FactConstraint {
			id := factID(i) + "_none"
			g.nodes = append(g.nodes, graphNode{id: id, label: "nothing satisfies that"})
			g.edges = append(g.edges, graphEdge{factID(i), id, ""})
		}
		if f.Kind == FactNoCandidate {
			g.noCandidate(c, i)
		}
	}
	return g
}

// candidates adds a run of candidates of a fact.
func (g *conflictGraph) candidates(fact, run int, list []Rejected) {
	id := fmt.Sprintf("%s_c%d", factID(fact), run)
	g.nodes = append(g.nodes, graphNode{id: id, label: clean(names(list))})
	g.edges = append(g.edges, graphEdge{factID(fact), id, ""})
	seen := make(map[int]bool)
	for _, r := range list {
		for _, by := range r.By {
			if !seen[by] {
				seen[by] = true
				g.edges = append(g.edges, graphEdge{id, factID(by), string(r.Reason)})
			}
		}
	}
}

// noCandidate links a subscription to why it has nothing to choose from.
func (g *conflictGraph) noCandidate(c *Conflict, i int) {
	for j := range c.Facts {
		if c.Facts[j].Kind == FactSubscription && c.Facts[j].Subject == c.Facts[i].Subscription {
			g.edges = append(g.edges, graphEdge{factID(j), factID(i), "no candidate"})
		}
	}
}

func factID(i int) string { return fmt.Sprintf("f%d", i) }

// DOT renders the conflict as a graph in the language of Graphviz: facts are
// boxes, the candidates by which they could be met are ellipses, and edges lead on
// to what rules these out. Names and messages are escaped.
func (c *Conflict) DOT() string {
	g := c.graph()
	var b strings.Builder
	b.WriteString("digraph conflict {\n  rankdir=TB;\n  node [fontname=\"sans-serif\"];\n")
	for _, n := range g.nodes {
		shape := "ellipse"
		if n.fact {
			shape = "box"
		}
		if n.root {
			shape = "box, style=bold"
		}
		fmt.Fprintf(&b, "  %s [shape=%s, label=%s];\n", n.id, shape, dotQuote(n.label))
	}
	for _, e := range g.edges {
		fmt.Fprintf(&b, "  %s -> %s", e.from, e.to)
		if e.label != "" {
			fmt.Fprintf(&b, " [label=%s]", dotQuote(e.label))
		}
		b.WriteString(";\n")
	}
	b.WriteString("}\n")
	return b.String()
}

func dotQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// Mermaid renders the conflict as a Mermaid flowchart of the same shape as
// [Conflict.DOT]. Names and messages are escaped.
func (c *Conflict) Mermaid() string {
	g := c.graph()
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for _, n := range g.nodes {
		open, shut := `(["`, `"])`
		if n.fact {
			open, shut = `["`, `"]`
		}
		fmt.Fprintf(&b, "  %s%s%s%s\n", n.id, open, mermaidEscape(n.label), shut)
	}
	for _, e := range g.edges {
		if e.label == "" {
			fmt.Fprintf(&b, "  %s --> %s\n", e.from, e.to)
		} else {
			fmt.Fprintf(&b, "  %s -->|\"%s\"| %s\n", e.from, mermaidEscape(e.label), e.to)
		}
	}
	return b.String()
}

// mermaidEscape writes everything that Mermaid or HTML could take for markup as
// an entity.
func mermaidEscape(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\"#&<>;`{}[]()|\\", r) {
			fmt.Fprintf(&b, "#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
