package draw_test

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/seed109e2655/resolute/internal/testkit/growth"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/draw"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Each form of each picture stops with its context, wherever that ends.
func TestPicturesEnd(t *testing.T) {
	var steps []resolver.Step
	var rows []draw.Row
	facts := []argument.Fact{{Kind: argument.FactSubscription, Subject: "s", Text: "s", Candidates: ruled(argument.RejectedByConstraint, 1, "p0.v1")}}
	for i := range 500 {
		name := fmt.Sprintf("p%d.v1", i)
		steps = append(steps, resolver.Step{Bundle: name, Package: fmt.Sprint("p", i), Action: resolver.Install, Because: []resolver.Reason{{Subscription: fmt.Sprint("s", i)}}})
		rows = append(rows, draw.Row{Name: name, Cells: []string{"", name}})
		facts = append(facts, argument.Fact{Kind: argument.FactConstraint, Bundle: name, Text: name, Candidates: ruled(argument.RejectedByConstraint, i+2, fmt.Sprintf("p%d.v1", i+1))})
	}
	for name, p := range map[string]draw.Picture{
		"solution": draw.Solution(&resolver.Solution{Steps: steps}),
		"conflict": draw.Conflict(&argument.Argument{Facts: facts}),
		"path":     draw.Path(&scenario.Path{Rounds: []*scenario.Answer{{Status: scenario.Resolved, Steps: steps}}}),
		"chart":    draw.Chart("Installed", []string{"now", "then"}, rows, ""),
	} {
		for form, write := range map[string]func(context.Context, io.Writer) error{"SVG": p.WriteSVG, "Mermaid": p.WriteMermaid, "DOT": p.WriteDOT} {
			if name == "chart" && form != "SVG" {
				continue // it has no such form
			}
			t.Run(name+" "+form, func(t *testing.T) {
				growth.StopsAnywhere(t, func(ctx context.Context) error { return write(ctx, io.Discard) })
			})
		}
	}
}
