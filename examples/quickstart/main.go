// Quickstart is the shortest useful program: it reads a catalog, resolves one
// operator, and prints the install steps in order.
//
//	go run ./examples/quickstart examples/catalogs/community rabbitmq-messaging-topology-operator
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: quickstart CATALOG-DIRECTORY PACKAGE")
		os.Exit(2)
	}
	if err := install(context.Background(), os.Stdout, os.Args[1], os.Args[2]); err != nil {
		var conflict *resolver.Conflict
		if errors.As(err, &conflict) {
			fmt.Fprint(os.Stderr, conflict.Text()) // the full argument; the error is a single line
		} else {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
}

// install prints the steps that install a package from a catalog. If it cannot
// be installed, the error is a *resolver.Conflict with the reason.
func install(ctx context.Context, out io.Writer, dir, pkg string) error {
	key := resolver.Key{Namespace: "olm", Name: "community"}
	catalog, err := fbc.Load(ctx, os.DirFS(dir), fbc.Options{Catalog: key})
	if err != nil {
		return err
	}
	solution, err := resolver.New().Resolve(ctx, resolver.Request{
		Catalogs:      []resolver.Catalog{{Key: key, Content: catalog}},
		Subscriptions: []resolver.Subscription{{Name: "mine", Package: pkg}},
	})
	if err != nil {
		return err
	}
	for _, step := range solution.Steps {
		fmt.Fprintf(out, "wave %d: %s %s\n", step.Wave, step.Action, step.Bundle)
	}
	return nil
}
