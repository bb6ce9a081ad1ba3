package lock_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/lock"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// A lock keeps the answer to a scenario. Later it tells whether that is still right: here after
// the policy of the scenario changed.
func Example() {
	ctx := context.Background()
	ask := func(policy string) (*scenario.Scenario, resolver.Request) {
		text := "catalogs: [{name: community, namespace: olm, path: ../../examples/catalogs/community}]\n" +
			"subscriptions: [{name: etcd, package: etcd}]\n" + policy
		question, err := scenario.Parse(ctx, "question.yaml", []byte(text))
		if err != nil {
			log.Fatal(err)
		}
		loaded, err := question.Load(ctx)
		if err != nil {
			log.Fatal(err)
		}
		return question, loaded.Request
	}

	r := resolver.New()
	question, request := ask("")
	locked, err := lock.Make(ctx, r, question, request.Catalogs)
	if err != nil {
		log.Fatal(err) // a *resolver.Conflict says why there is no solution
	}
	for _, b := range locked.Bundles {
		fmt.Println(b.Name, b.Version, b.Channel)
	}

	_, now := ask("policy: {goal: Oldest}\n")
	v, err := lock.Verify(ctx, r, locked, now)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("valid:", v.Valid, "best:", v.Best)
	for _, d := range v.Drift {
		fmt.Println(d.Kind, "-", d.Text)
	}
	// Output:
	// etcdoperator.v0.9.4 0.9.4 singlenamespace-alpha
	// valid: true best: false
	// policy - policy.goal is "Oldest", and was not set
	// policy - etcdoperator.v0.9.0 of catalog olm/community would be selected instead of etcdoperator.v0.9.4
}

// Compare shows what the next lock changes.
func ExampleCompare() {
	before := []lock.Bundle{{Name: "etcd.v0.9.2", Package: "etcd", Version: "0.9.2"}}
	after := []lock.Bundle{{Name: "etcd.v0.9.4", Package: "etcd", Version: "0.9.4"}, {Name: "backup.v1.0.0", Package: "backup", Version: "1.0.0"}}
	for _, c := range lock.Compare(before, after) {
		fmt.Println(c.Action, c.Package, c.To.Version)
	}
	// Output:
	// add backup 1.0.0
	// upgrade etcd 0.9.4
}

// Read reads a lock from a file, and WriteFile writes one in a single rename.
func ExampleRead() {
	f, err := os.Open("testdata/etcd.lock")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	locked, err := lock.Read(context.Background(), f, "testdata/etcd.lock")
	if err != nil {
		log.Fatal(err) // a *lock.Error says what is wrong with it
	}
	fmt.Println(locked.Bundles[0].Name, locked.Certificate.Status)
	// Output:
	// etcdoperator.v0.9.4 resolved
}
