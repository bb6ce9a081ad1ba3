package picture

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// The most that an SVG picture draws one by one. Of more nodes, those that matter less
// are folded: one node stands for all that are left out of a group, and says how many
// there are and which are the first. Of more edges, the last are left out, which the
// picture says.
const (
	MaxNodes = 200
	MaxEdges = 1000
)

// named is how many folded nodes are named.
const named = 3

// folded is the diagram with at most [MaxNodes] nodes, and besides one for each group
// that had more, and with at most [MaxEdges] edges. It says how many edges are left out.
func (d *Diagram) folded() (small *Diagram, left int) {
	f := folder{keep: d.kept(), drawn: make(map[string]bool), into: make(map[string]string)}
	small = &Diagram{Name: d.Name, Title: d.Title, Way: d.Way, Loose: f.fold("loose", d.Loose)}
	var rest []Node // of groups of which nothing is kept
	hidden := 0
	for _, g := range d.Groups {
		switch nodes := f.fold(g.ID, g.Nodes); {
		case len(g.Nodes) == 0:
		case len(nodes) == 1 && !f.keep[nodes[0].ID]:
			rest = append(rest, g.Nodes...)
			f.into[g.ID] = "rest"
			hidden++
		default:
			small.Groups = append(small.Groups, Group{ID: g.ID, Title: g.Title, Nodes: nodes})
			f.into[g.ID] = nodes[0].ID // where edges to the group end
		}
	}
	if len(rest) > 0 {
		for _, n := range rest {
			f.into[n.ID] = "rest"
		}
		small.Groups = append(small.Groups, Group{ID: "folded", Title: text.Count(hidden, "more group", "more groups"), Nodes: []Node{standIn("rest", rest)}})
	}
	drawn := make(map[Edge]bool)
	for _, e := range d.Edges {
		e.From, e.To = f.end(e.From), f.end(e.To)
		if e.From == e.To || !f.drawn[e.From] && e.From != "rest" || !f.drawn[e.To] && e.To != "rest" {
			continue
		}
		if !f.keep[e.From] || !f.keep[e.To] {
			e.Label = ""
		}
		switch {
		case drawn[e]:
		case len(small.Edges) < MaxEdges:
			drawn[e] = true
			small.Edges = append(small.Edges, e)
		default:
			left++
		}
	}
	return small, left
}

// kept are the nodes that are drawn one by one.
func (d *Diagram) kept() map[string]bool {
	all := slices.Clone(d.Loose)
	for _, g := range d.Groups {
		all = append(all, g.Nodes...)
	}
	slices.SortStableFunc(all, func(a, b Node) int { return cmp.Compare(a.Fold, b.Fold) })
	keep := make(map[string]bool, MaxNodes)
	for _, n := range all[:min(MaxNodes, len(all))] {
		keep[n.ID] = true
	}
	return keep
}

// folder folds nodes.
type folder struct {
	keep  map[string]bool   // nodes that are drawn one by one
	drawn map[string]bool   // the nodes of the small diagram
	into  map[string]string // what stands for a node or group
}

// fold returns the nodes that are kept, and one that stands for the others.
func (f *folder) fold(id string, nodes []Node) []Node {
	var kept, others []Node
	for _, n := range nodes {
		if f.keep[n.ID] {
			kept = append(kept, n)
			f.drawn[n.ID] = true
		} else {
			others = append(others, n)
			f.into[n.ID] = id + "_more"
		}
	}
	if len(others) > 0 {
		kept = append(kept, standIn(id+"_more", others))
		f.drawn[id+"_more"] = true
	}
	return kept
}

// end is the node at which an edge to a node or group ends.
func (f *folder) end(id string) string { return cmp.Or(f.into[id], id) }

// standIn is the node that stands for others.
func standIn(id string, others []Node) Node {
	var names []string
	for _, n := range others[:min(named, len(others))] {
		names = append(names, text.Middle(text.Inert(strings.Join(n.Lines[:min(1, len(n.Lines))], "")), wrapAt))
	}
	if len(others) > named {
		names = append(names, "…")
	}
	return Node{ID: id, Shape: Dashed, Lines: append([]string{text.Count(len(others), "more is folded:", "more are folded:")}, names...)}
}
