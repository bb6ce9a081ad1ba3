package scenario_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func ExampleRunner_Run() {
	ctx := context.Background()
	s, err := scenario.ReadFile(ctx, "../../examples/scenarios/kubernetes-version.yaml")
	if err != nil {
		log.Fatal(err)
	}
	answer := new(scenario.Runner).Run(ctx, s)
	fmt.Println(answer.Status)
	for _, step := range answer.Steps {
		fmt.Println(step.Wave, step.Action, step.Bundle, step.Catalog)
	}
	// Output:
	// resolved
	// 0 install prometheusoperator.0.56.3 olm/community
	// 0 install strimzi-cluster-operator.v0.50.1 olm/platform
	// 1 install streamshub-console-operator.v0.10.3 olm/platform
}

func ExampleRunner_Test() {
	ctx := context.Background()
	s, err := scenario.Parse(ctx, "problem.yaml", []byte(`
catalogs: [{name: empty, blobs: []}]
subscriptions: [{name: etcd, package: etcd}]
expect: {status: resolved, set: [etcd.v0.9.4]}
`))
	if err != nil {
		log.Fatal(err)
	}
	_, differences, err := new(scenario.Runner).Test(ctx, s)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range differences {
		fmt.Println(d)
	}
	// Output:
	// status: want "resolved", got "unsatisfiable"
	// set: want ["etcd.v0.9.4"], got nothing
}

func ExampleScenario_Load() {
	ctx := context.Background()
	s, err := scenario.ReadFile(ctx, "../../examples/scenarios/conflict.yaml")
	if err != nil {
		log.Fatal(err)
	}
	loaded, err := s.Load(ctx)
	if err != nil {
		log.Fatal(err)
	}
	req := loaded.Request
	req.Policy.Failures = resolver.FailuresPartial // the request is plain data
	solution, err := resolver.New().Resolve(ctx, req)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(solution.Set())
	fmt.Println("unresolved:", solution.Unresolved[0].Subscription)
	// Output:
	// [authorino-operator.v0.13.0 kuadrant-operator.v0.11.1 limitador-operator.v0.11.0]
	// unresolved: authorization
}

func ExampleParse_mistakes() {
	_, err := scenario.Parse(context.Background(), "problem.yaml", []byte(`
subscriptions:
- name: etcd
  package: etcd
  versionRange: newest
policy:
  goal: Best
`))
	fmt.Println(err)
	// Output:
	// problem.yaml:5: subscriptions[0].versionRange: "newest" is not a version range: Could not get version from string: "newest"; write it like ">=1.2.0 <2.0.0"
	// problem.yaml:7: policy.goal: "Best" is not one of its values; use Newest, MinimalChange, Oldest or Nearest
}

func ExampleScenario_Write() {
	s := &scenario.Scenario{
		Catalogs:      []scenario.Catalog{{Name: "community", Namespace: "olm", Path: "catalogs/community"}},
		Subscriptions: []scenario.Subscription{{Name: "etcd", Package: "etcd", VersionRange: ">=0.9.0"}},
		Policy:        resolver.Policy{Goal: resolver.MinimalChange},
	}
	if err := s.Write(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// catalogs:
	// - {name: community, namespace: olm, path: catalogs/community}
	// subscriptions:
	// - {name: etcd, package: etcd, versionRange: ">=0.9.0"}
	// policy: {goal: MinimalChange}
}
