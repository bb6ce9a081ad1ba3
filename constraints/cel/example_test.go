package cel_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed109e2655/resolute/constraints/cel"
	"github.com/seed109e2655/resolute/properties"
)

// A rule is compiled once and evaluated for each candidate bundle.
func ExampleCompiler() {
	compiler := cel.NewCompiler(cel.Options{})
	rule, err := compiler.Compile(`properties.exists(p, p.type == "certified" && p.value == "yes")`)
	if err != nil {
		log.Fatal(err)
	}

	bundle, err := properties.Parse([]byte(`[{"type": "certified", "value": "yes"}]`))
	if err != nil {
		log.Fatal(err)
	}
	match, cost, err := rule.Eval(context.Background(), bundle, properties.Set{})
	fmt.Println(match, cost > 0, err)
	// Output: true true <nil>
}

// Needs narrows the search for bundles before any rule runs.
func ExampleProgram_Needs() {
	compiler := cel.NewCompiler(cel.Options{})
	for _, text := range []string{
		`properties.exists(p, p.type == "certified")`,
		`properties.exists(p, p.type == "olm.package" && p.value.packageName == "blue")`,
		`cluster.exists(c, c.type == "olm.kubeversion")`,
		`!properties.exists(p, p.type == "certified")`,
	} {
		rule, err := compiler.Compile(text)
		if err != nil {
			log.Fatal(err)
		}
		n := rule.Needs()
		fmt.Println(n.Types, n.Packages, n.ClusterOnly, n.Anything)
	}
	// Output:
	// [certified] [] false false
	// [olm.package] [blue] false false
	// [] [] true true
	// [] [] false true
}

// A rule must be a boolean.
func ExampleCompileError() {
	_, err := cel.NewCompiler(cel.Options{}).Compile("properties.size() > 0 &&\n  nothing")
	fmt.Println(err)
	_, err = cel.NewCompiler(cel.Options{}).Compile("properties.size()")
	fmt.Println(err)
	// Output:
	// line 2, column 3: undeclared reference to 'nothing' (in container '')
	// line 1, column 1: the rule must be a boolean, but is of type int
}
