package draw_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// ruled returns candidates that one fact rules out.
func ruled(reason argument.Rejection, by int, bundles ...string) (list []argument.Rejected) {
	for _, b := range bundles {
		list = append(list, argument.Rejected{Bundle: b, Reason: reason, By: []int{by}})
	}
	return list
}

// gateways has two demands that meet at an operator of which there can be one version, as in
// README.md.
func gateways() []argument.Fact {
	return []argument.Fact{
		{Kind: argument.FactSubscription, Subject: "gateway", Text: "subscription gateway asks for package kuadrant",
			Candidates: append(ruled(argument.RejectedByConstraint, 3, "kuadrant.v2.0.0", "kuadrant.v1.9.0"), ruled(argument.RejectedByConstraint, 4, "kuadrant.v1.0.0")...)},
		{Kind: argument.FactSubscription, Subject: "auth", Text: "subscription auth asks for package <authorino>",
			Candidates: ruled(argument.RejectedByPackage, 2, "authorino.v3.0.0", "authorino.v2.9.0")},
		{Kind: argument.FactPackage, Subject: "authorino", Text: "only one version of package authorino can be installed at a time"},
		{Kind: argument.FactConstraint, Subject: "kuadrant.v2.0.0", Bundle: "kuadrant.v2.0.0", Text: "kuadrant.v2.0.0 requires authorino 2", Candidates: ruled(argument.RejectedByPackage, 2, "authorino.v2.0.0")},
		{Kind: argument.FactConstraint, Subject: "kuadrant.v1.0.0", Bundle: "kuadrant.v1.0.0", Text: "kuadrant.v1.0.0 requires authorino 1", Candidates: ruled(argument.RejectedByPackage, 2, "authorino.v1.0.0")},
		{Kind: argument.FactConstraint, Subject: "kuadrant.v1.9.0", Bundle: "kuadrant.v1.9.0", Text: "kuadrant.v1.9.0 requires authorino 2", Candidates: ruled(argument.RejectedByPackage, 2, "authorino.v2.0.0")},
	}
}

// Versions with the same requirement share a box, the clash is a box of its own, and the ways out
// come after it.
func TestConflict(t *testing.T) {
	facts := gateways()
	facts[0].Candidates[1].By = []int{5}
	a := argument.Of(facts)
	a.Corrections = []string{"drop <a>", "drop b"}
	a.Further = []*argument.Argument{argument.Of([]argument.Fact{
		{Kind: argument.FactSubscription, Subject: "c", Text: "subscription c asks for package c"},
		{Kind: argument.FactNoCandidate, Subject: "c", Subscription: "c", Text: "package c not found"}})}
	require.Equal(t, `flowchart LR
  n0["gateway<br/>subscription asks for package kuadrant"]
  n1["auth<br/>subscription asks for package #60;authorino#62;"]
  n2["kuadrant<br/>2.0.0, 1.9.0"]
  n3["kuadrant 1.0.0"]
  n4["authorino<br/>3.0.0, 2.9.0"]
  n5{{"✕ only one version of authorino at a time"}}
  n6["authorino 2.0.0"]
  n7["authorino 1.0.0"]
  corrections(["Ways out:<br/>1. drop #60;a#62;<br/>2. drop b"])
  subgraph c1["Subscription c cannot be met"]
    c1_0["c<br/>subscription asks for package c"]
    c1_1{{"✕ package c not found"}}
  end
  n0 --> n2
  n0 --> n3
  n1 --> n4
  n4 -.- n5
  n2 -->|"requires authorino 2"| n6
  n6 -.- n5
  n3 -->|"requires authorino 1"| n7
  n7 -.- n5
  c1_0 -.- c1_1
  n5 --> corrections
  classDef demand fill:#eaf2ff,stroke:#1f6feb,color:#000000
  class n0,n1,c1_0 demand
  classDef clash fill:#fdeeee,stroke:#c62f2f,color:#000000
  class n5,c1_1 clash
  classDef ways fill:#e9f7ef,stroke:#1a7f4b,color:#000000
  class corrections ways
  linkStyle 3,5,7,8 stroke:#c62f2f
`, testkit.Written(t, draw.Conflict(a).WriteMermaid))
	dot := testkit.Written(t, draw.Conflict(a).WriteDOT)
	require.Contains(t, dot, `  n4 -> n5 [style=dashed, arrowhead=none, color="#c62f2f"];`)
	require.Contains(t, dot, `  n5 [shape=octagon, fillcolor="#fdeeee", color="#c62f2f", style="rounded,filled", label="✕ only one version of authorino at a time"];`)
	require.Contains(t, dot, "  subgraph cluster_c1 {\n    label=\"Subscription c cannot be met\";\n")
	svg := testkit.Written(t, draw.Conflict(a).WriteSVG)
	require.Contains(t, svg, "<title>✕ only one version of authorino at a time</title>")
	require.Contains(t, svg, "<title>requires authorino 2</title>")
	require.NotContains(t, svg, "<a>")
}

// However many candidates and requirements there are, boxes are counted, not lost.
func TestLargeConflict(t *testing.T) {
	facts := []argument.Fact{{Kind: argument.FactSubscription, Subject: "a", Text: "subscription a asks for package a", Omitted: 7},
		{Kind: argument.FactDeprecated, Subject: "a", Text: "deprecated"}}
	for i := range 3000 {
		name := fmt.Sprintf("a.v1.%d.0", i)
		facts[0].Candidates = append(facts[0].Candidates, argument.Rejected{Bundle: name, Reason: argument.RejectedByConstraint, By: []int{i + 2}})
		facts = append(facts, argument.Fact{Kind: argument.FactConstraint, Subject: name, Bundle: name, Text: fmt.Sprintf("%s requires b %d", name, i), Candidates: ruled(argument.RejectedByPackage, 1, fmt.Sprintf("b.v%d.0.0", i))})
	}
	mermaid := testkit.Written(t, draw.Conflict(argument.Of(facts)).WriteMermaid)
	require.Contains(t, mermaid, `["a<br/>1.7.0, 1.8.0, 1.9.0, 1.10.0 and 2996 more<br/>ruled out as well, not drawn"]`)
	// A long chain.
	for i := range 3000 {
		facts[i+2].Candidates = ruled(argument.RejectedByConstraint, i+3, fmt.Sprintf("a.v1.%d.0", i+1))
	}
	facts[0].Candidates = facts[0].Candidates[:1]
	mermaid = testkit.Written(t, draw.Conflict(argument.Of(facts)).WriteMermaid)
	require.Contains(t, mermaid, "… more boxes are not drawn")
	require.Equal(t, 1000, strings.Count(mermaid, "]\n")+strings.Count(mermaid, "}\n"))
	require.Contains(t, testkit.Written(t, draw.Conflict(argument.Of(facts)).WriteSVG), "more are folded")
}

// An argument without facts has its headline.
func TestConflictWithoutFacts(t *testing.T) {
	require.Contains(t, testkit.Written(t, draw.Conflict(&argument.Argument{Headline: "Nothing fits"}).WriteMermaid), `n0{{"Nothing fits"}}`)
}
