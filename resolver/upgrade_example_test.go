package resolver_test

import (
	"context"
	"fmt"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// path loads a scenario and follows its updates to the end.
func path(file string) (*resolver.Path, error) {
	ctx := context.Background()
	s, err := scenario.ReadFile(ctx, file)
	if err != nil {
		return nil, err
	}
	loaded, err := s.Load(ctx)
	if err != nil {
		return nil, err
	}
	return resolver.New().Converge(ctx, loaded.Request, resolver.ConvergeOptions{})
}

// Two operators that each need the other's new API can only move together: they
// do, in one wave.
func ExampleResolver_Converge_versionDeadlock() {
	r, err := path("testdata/upgrades/version-deadlock.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(r.Rounds[0].Mermaid())
	fmt.Println(r.Set())
	// Output:
	// flowchart TD
	//   s0(["subscription aprov"])
	//   s1(["subscription bprov"])
	//   subgraph w0["wave 0"]
	//     b0["aprov.v2<br/>upgrade from aprov.v1"]
	//     b1["bprov.v2<br/>upgrade from bprov.v1"]
	//   end
	//   s0 --> b0
	//   b1 -->|"requires an operator that provides a2s.example.com/v1/A2"| b0
	//   s1 --> b1
	//   b0 -->|"requires an operator that provides b2s.example.com/v1/B2"| b1
	// [aprov.v2 bprov.v2]
}

// An update that would take an API away from a dependent is passed over: nothing
// moves, and the solution says what was not taken.
func ExampleResolver_Converge_deprecatingDependentAPI() {
	r, err := path("testdata/upgrades/deprecating-dependent-api.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(r.Rounds), "rounds")
	fmt.Print(r.Last.Mermaid())
	for _, s := range r.Last.Steps {
		for _, over := range s.PassedOver {
			fmt.Println(s.Bundle, "is kept,", over.Name, "cannot be")
		}
	}
	// Output:
	// 0 rounds
	// flowchart TD
	//   s0(["subscription bprov"])
	//   s1(["subscription aprov"])
	//   subgraph w0["wave 0"]
	//     b0["bprov.v1<br/>keep"]
	//   end
	//   subgraph w1["wave 1"]
	//     b1["aprov.v1<br/>keep"]
	//   end
	//   s0 --> b0
	//   b1 -->|"requires an operator that provides bs.example.com/v1/B"| b0
	//   s1 --> b1
	// bprov.v1 is kept, bprov.v2 cannot be
}
