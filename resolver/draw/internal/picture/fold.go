package picture

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// The limits of an SVG picture. If there are more nodes, the least important
// ones are folded: in each group, one placeholder gives the number of omitted
// nodes and names the first. If there are more edges, the last are omitted,
// which the picture notes.
const (
	MaxNodes = 200
	MaxEdges = 1000
)

// named is how many folded nodes are named.
const named = 3

// folded returns the diagram with at most [MaxNodes] nodes, plus one
// placeholder per group, and at most [MaxEdges] edges within groups or from
// group to group, and the number of omitted edges.
func (d *Diagram) folded() (small *Diagram, left int) {
	f := folder{keep: d.kept(), drawn: make(map[string]bool), into: make(map[string]string), group: make(map[string]string)}
	small = &Diagram{Name: d.Name, Title: d.Title, Way: d.Way, Loose: f.fold("loose", d.Loose)}
	var rest []Node // of groups without kept nodes
	hidden := 0
	for _, g := range d.Groups {
		switch nodes := f.fold(g.ID, g.Nodes); {
		case len(g.Nodes) == 0:
		case len(nodes) == 1 && !f.keep[nodes[0].ID]:
			rest = append(rest, g.Nodes...)
			f.into[g.ID] = "folded"
			hidden++
		default:
			small.Groups = append(small.Groups, Group{ID: g.ID, Title: g.Title, Nodes: nodes})
			f.drawn[g.ID] = true
		}
	}
	if len(rest) > 0 {
		f.drawn["folded"] = true
		small.Groups = append(small.Groups, Group{ID: "folded", Title: text.Count(hidden, "more group", "more groups"), Nodes: []Node{placeholder("rest", rest)}})
	}
	drawn := make(map[Edge]bool)
	for _, e := range d.Edges {
		e.From, e.To = f.end(e.From), f.end(e.To)
		if e.From == e.To || !f.drawn[e.From] || !f.drawn[e.To] || f.group[e.From] != f.group[e.To] {
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

// kept returns the nodes that are not folded.
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
	keep  map[string]bool   // nodes that are not folded
	drawn map[string]bool   // nodes and groups of the folded diagram
	into  map[string]string // the placeholder of a node or group
	group map[string]string // the group of a drawn node
}

// fold returns the kept nodes and a placeholder for the others.
func (f *folder) fold(id string, nodes []Node) []Node {
	var kept, others []Node
	for _, n := range nodes {
		if f.keep[n.ID] {
			kept = append(kept, n)
			f.drawn[n.ID], f.group[n.ID] = true, id
		} else {
			others = append(others, n)
			f.into[n.ID] = id + "_more"
		}
	}
	if len(others) > 0 {
		kept = append(kept, placeholder(id+"_more", others))
		f.drawn[id+"_more"], f.group[id+"_more"] = true, id
	}
	return kept
}

// end returns the drawn node at the end of an edge.
func (f *folder) end(id string) string { return cmp.Or(f.into[id], id) }

// placeholder returns the node that represents folded ones.
func placeholder(id string, others []Node) Node {
	var names []string
	for _, n := range others[:min(named, len(others))] {
		names = append(names, text.Middle(text.Inert(strings.Join(n.Lines[:min(1, len(n.Lines))], "")), wrapAt))
	}
	if len(others) > named {
		names = append(names, "…")
	}
	return Node{ID: id, Shape: Dashed, Lines: append([]string{text.Count(len(others), "more is folded:", "more are folded:")}, names...)}
}
