package resolver

import (
	"fmt"
	"slices"
	"strings"
)

// Mermaid renders the solution as a Mermaid flowchart: the waves in their order,
// with what happens to each bundle, and an edge from each bundle to what depends
// on it. Names are escaped.
func (s *Solution) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	wave := -1
	for i := range s.Steps {
		step := &s.Steps[i]
		if step.Wave != wave {
			if wave >= 0 {
				b.WriteString("  end\n")
			}
			wave = step.Wave
			fmt.Fprintf(&b, "  subgraph w%d[\"wave %d\"]\n", wave, wave)
		}
		fmt.Fprintf(&b, "    b%d[\"%s\"]\n", i, mermaidEscape(clean(stepWords(step))))
	}
	if wave >= 0 {
		b.WriteString("  end\n")
	}
	for _, e := range s.edges() {
		fmt.Fprintf(&b, "  b%d --> b%d\n", e[0], e[1])
	}
	return b.String()
}

// DOT renders the solution like [Solution.Mermaid], in the language of Graphviz.
func (s *Solution) DOT() string {
	var b strings.Builder
	b.WriteString("digraph solution {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n")
	for i := range s.Steps {
		step := &s.Steps[i]
		fmt.Fprintf(&b, "  b%d [label=%s];\n", i, dotQuote(clean(fmt.Sprintf("%d: %s", step.Wave, stepWords(step)))))
	}
	for _, e := range s.edges() {
		fmt.Fprintf(&b, "  b%d -> b%d;\n", e[0], e[1])
	}
	b.WriteString("}\n")
	return b.String()
}

// edges lists the pairs of steps of which the second depends on the first, as
// indexes.
func (s *Solution) edges() [][2]int {
	at := make(map[string]int, len(s.Steps))
	for i := range s.Steps {
		at[s.Steps[i].Bundle] = i
	}
	var out [][2]int
	for i := range s.Steps {
		for _, r := range s.Steps[i].Because {
			to, ok := at[r.Bundle]
			if e := [2]int{i, to}; ok && !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	return out
}

// stepWords says what happens to a bundle.
func stepWords(s *Step) string {
	if s.Action == Upgrade {
		return fmt.Sprintf("upgrade %s to %s", strings.Join(s.Replaces, ", "), s.Bundle)
	}
	return string(s.Action) + " " + s.Bundle
}
