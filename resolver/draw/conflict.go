package draw

import (
	"context"
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/draw/internal/picture"
)

// maxSentence is the maximum number of characters of a sentence in a picture.
const maxSentence = 600

// Conflict draws the argument of a conflict, and the further ones. Statements point to their
// reasons; a dashed edge points to a statement whose reasons are shared, or to the other side
// of a clash. The last statement points to the corrections, if any. The SVG folds the deepest
// of more than 200 statements.
func Conflict(a *argument.Argument) Picture {
	return Picture{diagram: func(ctx context.Context) *picture.Diagram { return conflict(ctx, a) }}
}

// conflict draws an argument and groups for further ones.
func conflict(ctx context.Context, a *argument.Argument) *picture.Diagram {
	d := &picture.Diagram{Name: "conflict", Title: "Why there is no solution"}
	d.Loose = statements(ctx, d, a, "s")
	for i, f := range a.Further {
		id := fmt.Sprintf("c%d", i+1)
		d.Groups = append(d.Groups, picture.Group{ID: id, Title: f.Headline, Nodes: statements(ctx, d, f, id+"_")})
	}
	if len(a.Corrections) > 0 {
		n := picture.Node{ID: "corrections", Lines: []string{"Any of these would resolve it:"}, Shape: picture.Round}
		for i, c := range a.Corrections {
			n.Lines = append(n.Lines, fmt.Sprintf("%d. %s", i+1, text.Middle(c, maxSentence)))
		}
		if last := len(d.Loose) - 1; last >= 0 {
			d.Edges = append(d.Edges, picture.Edge{From: d.Loose[last].ID, To: n.ID})
		}
		d.Loose = append(d.Loose, n)
	}
	return d
}

// statements draws the statements of an argument.
func statements(ctx context.Context, d *picture.Diagram, a *argument.Argument, prefix string) []picture.Node {
	var nodes []picture.Node
	ids := make(map[*argument.Statement]string)
	states := make(map[int]*argument.Statement) // by fact
	numbered := make(map[int]*argument.Statement)
	ended := false
	a.Walk(func(depth int, s *argument.Statement) {
		if ended = ended || len(nodes)%32 == 0 && ctx.Err() != nil; ended {
			return
		}
		ids[s] = fmt.Sprintf("%s%d", prefix, len(ids))
		n := picture.Node{ID: ids[s], Lines: []string{text.Middle(s.Sentence(), maxSentence)}, Fold: depth}
		switch s.Kind {
		case argument.StatementAsked:
			n.Shape = picture.Bold
		case argument.StatementCandidates, argument.StatementNearMiss, argument.StatementMore:
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
	if ended {
		return nil
	}
	a.Walk(func(_ int, s *argument.Statement) {
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
