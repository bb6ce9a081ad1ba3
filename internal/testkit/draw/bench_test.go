package draw_test

import (
	"testing"

	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
)

// The property tests of package resolver draw and solve thousands of problems.
const drawn = 500

func BenchmarkSolve(b *testing.B) {
	var ps []*oracle.Problem
	g := draw.Problem()
	for seed := range drawn {
		ps = append(ps, g.Example(seed))
	}
	for b.Loop() {
		for _, p := range ps {
			if _, err := oracle.Solve(p); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	g := draw.Problem()
	for b.Loop() {
		for seed := range drawn {
			g.Example(seed)
		}
	}
}
