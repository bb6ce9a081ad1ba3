package sat_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed109e2655/resolute/internal/sat"
)

// Three wishes, of which the last two clash. Each is assumed, so that it can be
// blamed and dropped.
func ExampleMinimize() {
	ctx := context.Background()
	s := sat.New(sat.Options{})
	tea, coffee, milk := s.NewVar(), s.NewVar(), s.NewVar()
	wish1, wish2, wish3 := s.NewVar(), s.NewVar(), s.NewVar()
	s.Add(wish1.Not(), milk)
	s.Add(wish2.Not(), tea)
	s.Add(wish3.Not(), coffee)
	s.AtMostOne([]sat.Lit{tea, coffee}, 0)

	wishes := []sat.Lit{wish1, wish2, wish3}
	status, err := s.Solve(ctx, wishes...)
	if err != nil {
		log.Fatal(err)
	}
	core, err := sat.Minimize(ctx, s, wishes, sat.MinimizeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(status, core)

	status, err = s.Solve(ctx, wish1, wish2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(status, s.Value(tea), s.Value(milk), s.Value(coffee))
	// Output:
	// unsatisfiable [5 6]
	// satisfiable true true false
}
