package argument_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver/argument"
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
