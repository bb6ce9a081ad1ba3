package sat

import (
	"context"
	"fmt"
	"testing"
)

// chain returns a solver in which n packages of ten versions each require the
// next, and the literals of the first package's versions.
func chain(n int) (*Solver, []Lit) {
	s := New(Options{})
	versions := make([][]Lit, n)
	for i := range versions {
		versions[i] = s.newVars(10)
		s.AtMostOne(versions[i], 0)
		if i > 0 {
			for _, l := range versions[i-1] {
				s.Add(append([]Lit{l.Not()}, versions[i]...)...)
			}
		}
	}
	return s, versions[0]
}

// BenchmarkSolve is the cost of one more solve on formulas of growing size.
func BenchmarkSolve(b *testing.B) {
	cancellable, cancel := context.WithCancel(context.Background())
	defer cancel()
	contexts := []struct {
		name string
		ctx  context.Context
	}{{"endless", context.Background()}, {"cancellable", cancellable}}
	for _, n := range []int{1, 10, 100, 1000} {
		for _, c := range contexts {
			b.Run(fmt.Sprintf("packages=%d/%s", n, c.name), func(b *testing.B) {
				s, first := chain(n)
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if status, _ := s.Solve(c.ctx, first[i%10]); status != Satisfiable {
						b.Fatal(status)
					}
				}
			})
		}
	}
}

// BenchmarkBuild is the cost of a formula with its first solve.
func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprintf("packages=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s, first := chain(n)
				if status, _ := s.Solve(context.Background(), first[0]); status != Satisfiable {
					b.Fatal(status)
				}
			}
		})
	}
}
