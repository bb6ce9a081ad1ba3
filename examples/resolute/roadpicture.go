package main

import (
	"fmt"
	"html"
	"strings"
	"unicode"

	"github.com/seed109e2655/resolute/resolver/scenario"
)

// roadMermaid draws a road as a Mermaid flowchart: a subgraph for each round,
// with what it installs and upgrades.
func roadMermaid(road *scenario.Road) string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	node := make(map[string]string) // of each package, the last one drawn
	n := 0
	var edges []string
	for i, r := range road.Rounds {
		fmt.Fprintf(&b, "  subgraph r%d[\"round %d\"]\n", i+1, i+1)
		for _, s := range r.Steps {
			if s.Action == "keep" && node[s.Package] != "" {
				continue
			}
			id := fmt.Sprintf("n%d", n)
			n++
			fmt.Fprintf(&b, "    %s[\"%s\"]\n", id, mermaidText(s.Action+" "+s.Bundle))
			if before := node[s.Package]; before != "" {
				edges = append(edges, fmt.Sprintf("  %s --> %s\n", before, id))
			}
			node[s.Package] = id
		}
		b.WriteString("  end\n")
	}
	for _, e := range edges {
		b.WriteString(e)
	}
	if road.Loop {
		b.WriteString("  loop((\"and round again\"))\n")
	}
	return b.String()
}

// mermaidText writes everything that could be taken for markup as an entity.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case unicode.IsControl(r):
			b.WriteRune(unicode.ReplacementChar)
		case strings.ContainsRune("\"#&<>;`{}[]()|\\", r):
			fmt.Fprintf(&b, "#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// The measures of the picture of a road, in pixels.
const (
	roadLeft   = 200
	roadColumn = 220
	roadLine   = 26
	roadTop    = 34
)

// roadSVG draws a road as a chart: a row for each package, a bar for each bundle
// from the round that brings it to the one that takes it away.
func roadSVG(road *scenario.Road) string {
	rows := roadRows(road)
	rounds := max(len(road.Rounds), 1)
	width, height := roadLeft+rounds*roadColumn+10, roadTop+len(rows)*roadLine+10
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n",
		width, height, width, height)
	b.WriteString(`<rect width="100%" height="100%" fill="#ffffff"/>` + "\n")
	for i := range road.Rounds {
		fmt.Fprintf(&b, `<text x="%d" y="20" fill="#555555">round %d</text>`+"\n", roadLeft+i*roadColumn+4, i+1)
	}
	for k, row := range rows {
		y := roadTop + k*roadLine
		fmt.Fprintf(&b, `<text x="4" y="%d">%s</text>`+"\n", y+17, svgText(row.name, 30))
		for i := 0; i < len(row.cells); {
			j := i + 1
			for j < len(row.cells) && row.cells[j] == row.cells[i] {
				j++
			}
			if row.cells[i] != "" {
				fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" rx="4" fill="#cfe3f7" stroke="#5b8fc4"/>`+"\n",
					roadLeft+i*roadColumn, y+2, (j-i)*roadColumn-6, roadLine-6)
				fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`+"\n", roadLeft+i*roadColumn+6, y+17, svgText(row.cells[i], 32))
			}
			i = j
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// svgText makes a name inert and short enough for its place.
func svgText(s string, most int) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s))
	if len(runes) > most {
		runes = append(runes[:most-1], '…')
	}
	return html.EscapeString(string(runes))
}
