package graph_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed109e2655/resolute/graph"
)

// TestCompareProblems: the file counts most, then the line, package, channel,
// bundle, code and at last the message, in whatever order they come.
func TestCompareProblems(t *testing.T) {
	want := []graph.Problem{
		{File: "a", Line: 1, Package: "z", Code: "z"},
		{File: "a", Line: 2, Package: "a", Channel: "z", Bundle: "z", Code: "z", Message: "z"},
		{File: "a", Line: 2, Package: "b", Channel: "", Bundle: "z", Code: "z", Message: "z"},
		{File: "a", Line: 2, Package: "b", Channel: "b", Bundle: "a", Code: "z", Message: "z"},
		{File: "a", Line: 2, Package: "b", Channel: "b", Bundle: "b", Code: "a", Message: "z"},
		{File: "a", Line: 2, Package: "b", Channel: "b", Bundle: "b", Code: "b", Message: "a"},
		{File: "a", Line: 2, Package: "b", Channel: "b", Bundle: "b", Code: "b", Message: "b"},
		{File: "a", Line: 10},
		{File: "b", Line: 1},
	}
	for seed := range uint64(20) {
		got := slices.Clone(want)
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		slices.SortFunc(got, graph.CompareProblems)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	}
}
