package argument_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// two is an argument in which one statement refers to another, with a further one
// beside it, and names that try to be something else.
func two() *argument.Argument {
	return &argument.Argument{
		Headline: "Subscriptions a and b cannot both be met",
		Statements: []*argument.Statement{
			{Kind: argument.StatementAsked, Facts: []int{0}, Text: "Subscription a asks for package a", Children: []*argument.Statement{
				{Kind: argument.StatementRequires, Facts: []int{2}, Bundles: []string{"a.v1"}, Number: 1, Text: "a.v1 requires <b>", Message: `say "please"`,
					Children: []*argument.Statement{{Kind: argument.StatementNothing, Text: "Nothing provides <b>; did you mean c?"}}},
			}},
			{Kind: argument.StatementAsked, Facts: []int{1}, Text: "Subscription b asks for package b", Children: []*argument.Statement{
				{Kind: argument.StatementRequires, Facts: []int{3}, Bundles: []string{"b.v1"}, Text: "b.v1 requires <b>", For: "a database", See: 1},
				{Kind: argument.StatementClash, Because: []int{2}, Bundles: []string{"b.v2"}, Text: "b.v2 cannot be installed beside a.v1"},
			}},
		},
		Omitted: 1,
		Further: []*argument.Argument{{Headline: "Subscription c cannot be met",
			Statements: []*argument.Statement{{Kind: argument.StatementAsked, Facts: []int{0}, Text: "Subscription c asks for package c"}}}},
	}
}

func TestText(t *testing.T) {
	require.Equal(t, `Subscriptions a and b cannot both be met:
Subscription a asks for package a.
- [1] a.v1 requires <b> ("say \"please\"").
  - Nothing provides <b>; did you mean c?
Subscription b asks for package b.
- b.v1 requires <b> [for "a database"], see [1].
- b.v2 cannot be installed beside a.v1.
… and 1 line more.
`, two().Text())
}

func TestHTML(t *testing.T) {
	page := two().HTML()
	require.Equal(t, strings.Count(page, "<li "), strings.Count(page, "</li>"))
	require.Contains(t, page, `<ul class="argument">`+"\n"+`<li class="asked">Subscription a asks for package a.<ul>`)
	require.Contains(t, page, `<li class="requires">[1] a.v1 requires &lt;b&gt; (&#34;say \&#34;please\&#34;&#34;).<ul>`)
	require.NotContains(t, page, "<b>")
	require.Contains(t, page, "<p>… and 1 line more.</p>")
}

// Further arguments are groups of their own; a reference is a dashed edge.
func TestGraphs(t *testing.T) {
	require.Equal(t, `flowchart TD
  s0["Subscription a asks for package a."]
  s1["#91;1#93; a.v1 requires #60;b#62; (#34;say #92;#34;please#92;#34;#34;)."]
  s2["Nothing provides #60;b#62;#59; did you mean c?"]
  s3["Subscription b asks for package b."]
  s4["b.v1 requires #60;b#62; #91;for #34;a database#34;#93;, see #91;1#93;."]
  s5["b.v2 cannot be installed beside a.v1."]
  subgraph c1["Subscription c cannot be met"]
    c1_0["Subscription c asks for package c."]
  end
  s0 --> s1
  s1 --> s2
  s3 --> s4
  s3 --> s5
  s4 -.-> s1
  s5 -.-> s1
`, testkit.Written(t, draw.Conflict(two()).WriteMermaid))
	dot := testkit.Written(t, draw.Conflict(two()).WriteDOT)
	require.Contains(t, dot, "  s4 -> s1 [style=dashed];\n")
	require.Contains(t, dot, "  s0 [shape=box, style=bold, label=\"Subscription a asks for package a.\"];\n")
	require.Contains(t, dot, "  subgraph cluster_c1 {\n    label=\"Subscription c cannot be met\";\n")
}

// A picture leads from the last statement to what would help.
func TestGraphEndsInCorrections(t *testing.T) {
	a := two()
	a.Corrections = []string{"drop <a>", "drop b"}
	mermaid := testkit.Written(t, draw.Conflict(a).WriteMermaid)
	require.Contains(t, mermaid, `  corrections(["Any of these would resolve it:<br/>1. drop #60;a#62;<br/>2. drop b"])`+"\n")
	require.Contains(t, mermaid, "  s5 --> corrections\n")
	require.NotContains(t, a.Text(), "drop b", "the text lists them by itself")
}

// The tree is there for programs: this one lists which bundles fall by what.
func ExampleArgument_Walk() {
	two().Walk(func(depth int, s *argument.Statement) {
		if len(s.Bundles) > 0 {
			fmt.Printf("%d %s %v\n", depth, s.Kind, s.Bundles)
		}
	})
	// Output:
	// 1 requires [a.v1]
	// 1 requires [b.v1]
	// 1 clash [b.v2]
}
