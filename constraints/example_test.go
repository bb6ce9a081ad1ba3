package constraints_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/seed109e2655/resolute/constraints"
	_ "github.com/seed109e2655/resolute/constraints/cel" // for rules
	"github.com/seed109e2655/resolute/properties"
)

// The value of a property olm.constraint, in words.
func Example() {
	c, err := constraints.Parse([]byte(`{"any": {"constraints": [
		{"package": {"packageName": "etcd", "versionRange": ">=0.9.0 <1.0.0"}},
		{"gvk": {"group": "example.com", "version": "v1", "kind": "Database"}}
	]}}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("requires", c)
	// Output:
	// requires any of (package etcd in range >=0.9.0 <1.0.0; an operator that provides example.com/v1/Database)
}

// A constraint prints itself in words.
func ExampleParse() {
	c, err := constraints.Parse([]byte(`{
		"failureMessage": "needs a database",
		"any": {"constraints": [
			{"package": {"packageName": "etcd", "versionRange": ">=0.9.0 <1.0.0"}},
			{"gvk": {"group": "example.com", "version": "v1", "kind": "Database"}},
			{"not": {"constraints": [{"cel": {"rule": "cluster.exists(c, c.type == 'serverless')"}}]}}
		]}
	}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("requires", c)
	fmt.Println(c.Message())
	// Output:
	// requires any of (package etcd in range >=0.9.0 <1.0.0; an operator that provides example.com/v1/Database; none of (an operator for which the rule 'cluster.exists(c, c.type == 'serverless')' holds))
	// needs a database
}

// An error says where in the constraint it is.
func ExampleParse_error() {
	_, err := constraints.Parse([]byte(`{"all": {"constraints": [{"package": {"packageName": "etcd", "version": ">=0.9.0"}}]}}`))
	fmt.Println(err)
	var e *constraints.Error
	if errors.As(err, &e) {
		fmt.Println(e.Code, "at", e.Path)
	}
	// Output:
	// constraint: all.constraints[0].package.version: unknown key "version"; known are packageName, versionRange
	// unknownKey at all.constraints[0].package.version
}

// The simpler requiring properties become atoms.
func ExampleParser_FromProperty() {
	parser := constraints.NewParser()
	p, err := properties.New("olm.package.required", []byte(`{"packageName": "cert-manager", "versionRange": ">=1.12.2"}`))
	if err != nil {
		log.Fatal(err)
	}
	c, ok, err := parser.FromProperty(p)
	fmt.Println(c, ok, err)
	// Output: package cert-manager in range >=1.12.2 true <nil>
}

// An Evaluator tests single bundles.
func ExampleEvaluator() {
	bundle, err := properties.Parse([]byte(`[
		{"type": "olm.package", "value": {"packageName": "etcd", "version": "0.9.4"}},
		{"type": "certified", "value": "yes"}
	]`))
	if err != nil {
		log.Fatal(err)
	}
	evaluator := constraints.NewEvaluator(constraints.EvaluatorOptions{})
	subject := constraints.NewSubject(bundle)
	for _, raw := range []string{
		`{"package": {"packageName": "etcd", "versionRange": ">=0.9.0"}}`,
		`{"cel": {"rule": "properties.exists(p, p.type == 'certified' && p.value == 'yes')"}}`,
		`{"gvk": {"group": "example.com", "version": "v1", "kind": "Database"}}`,
	} {
		c, err := constraints.Parse([]byte(raw))
		if err != nil {
			log.Fatal(err)
		}
		match, err := evaluator.Match(context.Background(), c, subject)
		fmt.Println(match, err)
	}
	// Output:
	// true <nil>
	// true <nil>
	// false <nil>
}

// Keys compare formulas, whatever their messages say.
func ExampleConstraint() {
	database := &constraints.GVK{GVK: properties.GVK{Group: "example.com", Version: "v1", Kind: "Database"}}
	loud := constraints.WithMessage(database, "a database, please")
	fmt.Println(loud.Key() == database.Key(), loud.Message())
	// Output: true a database, please
}

// Compounds without children are allowed, but seldom meant.
func ExampleWarnings() {
	for _, w := range constraints.Warnings(constraints.NewAll(constraints.NewAny())) {
		fmt.Println(w)
	}
	// Output: all.constraints[0].any: any without constraints never holds
}
