package main

import (
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// roadMermaid draws a road as a Mermaid flowchart: a subgraph for what there is
// now and for each round, with what it installs and upgrades, and an arrow from
// each bundle of a package to the one that takes its place.
func roadMermaid(road *scenario.Road) string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	rows := roadRows(road)
	last := make([]string, len(rows)) // of each package, the node drawn last
	var edges []string
	for i := range len(rounds(road)) + 1 {
		title := fmt.Sprintf("round %d", i)
		if i == 0 {
			title = "now"
		}
		var nodes []string
		for k, row := range rows {
			if row.cells[i] == "" || i > 0 && row.cells[i] == row.cells[i-1] {
				continue
			}
			id := fmt.Sprintf("n%d_%d", i, k)
			nodes = append(nodes, fmt.Sprintf("    %s[\"%s\"]\n", id, text.Mermaid(row.cells[i])))
			if last[k] != "" {
				edges = append(edges, fmt.Sprintf("  %s --> %s\n", last[k], id))
			}
			last[k] = id
		}
		if len(nodes) > 0 { // nothing need be there now
			fmt.Fprintf(&b, "  subgraph r%d[\"%s\"]\n%s  end\n", i, title, strings.Join(nodes, ""))
		}
	}
	b.WriteString(strings.Join(edges, ""))
	roadEnd(&b, road)
	return b.String()
}

// roadEnd draws what is at the end of a road that does not just settle.
func roadEnd(b *strings.Builder, road *scenario.Road) {
	n := len(rounds(road))
	switch {
	case road.Loop:
		fmt.Fprintf(b, "  r%d -.->|\"and again\"| r%d\n", n, road.LoopStart+1)
	case road.Status == scenario.Unsatisfiable:
		fmt.Fprintf(b, "  over[\"%s\"]\n", text.Mermaid(roadConflict(road)))
		if n > 0 {
			fmt.Fprintf(b, "  r%d --> over\n", n)
		}
	}
}

// roadConflict is the conflict in which a road ends, in one line.
func roadConflict(road *scenario.Road) string {
	last := road.Rounds[len(road.Rounds)-1].Conflict
	return fmt.Sprintf("no solution in round %d: %s", len(road.Rounds), last.Headline())
}
