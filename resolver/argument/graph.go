package argument

import (
	"fmt"

	"github.com/seed109e2655/resolute/internal/picture"
	"github.com/seed109e2655/resolute/internal/text"
)

// mostShown bounds the letters of a sentence in a picture.
const mostShown = 600

// DOT renders an argument, and the further ones, as a graph in the language of
// Graphviz: statements lead to their reasons, and a dashed edge leads to the
// statement that gives the reasons of another one, or that a clash is with. The last
// statement leads to the corrections, where there are any.
func (a *Argument) DOT() string { return a.diagram().DOT() }

// Mermaid renders the graph of [Argument.DOT] as a Mermaid flowchart.
func (a *Argument) Mermaid() string { return a.diagram().Mermaid() }

// SVG renders the graph of [Argument.DOT] as an SVG picture that needs nothing else to be
// shown, light or dark, and can be put inline into a page. Of more than 200 statements
// the deepest are folded.
func (a *Argument) SVG() string { return a.diagram().SVG() }

// diagram draws an argument; further ones are groups beside it.
func (a *Argument) diagram() *picture.Diagram {
	d := &picture.Diagram{Name: "conflict", Title: "Why there is no solution"}
	d.Loose = a.nodes(d, "s")
	for i, f := range a.Further {
		id := fmt.Sprintf("c%d", i+1)
		d.Groups = append(d.Groups, picture.Group{ID: id, Title: f.Headline, Nodes: f.nodes(d, id+"_")})
	}
	if len(a.Corrections) > 0 {
		n := picture.Node{ID: "corrections", Lines: []string{"Any of these would resolve it:"}, Shape: picture.Round}
		for i, c := range a.Corrections {
			n.Lines = append(n.Lines, fmt.Sprintf("%d. %s", i+1, text.Middle(c, mostShown)))
		}
		if last := len(d.Loose) - 1; last >= 0 {
			d.Edges = append(d.Edges, picture.Edge{From: d.Loose[last].ID, To: n.ID})
		}
		d.Loose = append(d.Loose, n)
	}
	return d
}

func (a *Argument) nodes(d *picture.Diagram, prefix string) []picture.Node {
	var nodes []picture.Node
	ids := make(map[*Statement]string)
	states := make(map[int]*Statement) // by fact
	numbered := make(map[int]*Statement)
	a.Walk(func(depth int, s *Statement) {
		ids[s] = fmt.Sprintf("%s%d", prefix, len(ids))
		n := picture.Node{ID: ids[s], Lines: []string{text.Middle(s.Sentence(), mostShown)}, Fold: depth}
		switch s.Kind {
		case saysAsked:
			n.Shape = picture.Bold
		case saysCandidates, saysNearMiss, saysMore:
			n.Shape = picture.Round
		}
		nodes = append(nodes, n)
		numbered[s.Number] = s
		for _, f := range s.Facts {
			if states[f] == nil {
				states[f] = s
			}
		}
	})
	a.Walk(func(_ int, s *Statement) {
		for _, c := range s.Children {
			d.Edges = append(d.Edges, picture.Edge{From: ids[s], To: ids[c]})
		}
		if s.See > 0 {
			d.Edges = append(d.Edges, picture.Edge{From: ids[s], To: ids[numbered[s.See]], Faint: true})
			return
		}
		for _, f := range s.Because {
			if to := states[f]; to != nil && to != s {
				d.Edges = append(d.Edges, picture.Edge{From: ids[s], To: ids[to], Faint: true})
			}
		}
	})
	return nodes
}
