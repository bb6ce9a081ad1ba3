// Embed is a program with operators in its own store. It makes a catalog from
// rows, resolves a subscription, and prints the solution as rows or the error
// in the words of OLM Classic.
//
//	go run ./examples/embed shop
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// row is one version of an operator.
type row struct {
	ID                      int
	Package, Name, Replaces string
	Version                 semver.Version
	Provides, Needs         properties.GVK
	Withdrawn               string // the reason not to install it, or empty
}

var queue = properties.GVK{Group: "example.com", Version: "v1", Kind: "Queue"}

var store = []row{
	{ID: 11, Package: "queue", Name: "queue.v1", Version: semver.MustParse("1.0.0"), Provides: queue},
	{ID: 12, Package: "queue", Name: "queue.v2", Replaces: "queue.v1", Version: semver.MustParse("2.0.0"), Provides: queue, Withdrawn: "loses messages"},
	{ID: 13, Package: "rabbit", Name: "rabbit.v3", Version: semver.MustParse("3.0.0"), Provides: queue},
	{ID: 14, Package: "shop", Name: "shop.v1", Version: semver.MustParse("1.0.0"), Needs: queue},
}

func main() {
	var asked []resolver.Subscription
	for _, name := range os.Args[1:] {
		asked = append(asked, resolver.Subscription{Name: name, Package: name})
	}
	if err := install(context.Background(), os.Stdout, store, asked...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// install prints the rows to install, in order.
func install(ctx context.Context, out io.Writer, rows []row, asked ...resolver.Subscription) error {
	content, err := catalog(rows)
	if err != nil {
		return err
	}
	solution, err := resolver.New().Resolve(ctx, resolver.Request{
		Catalogs:      []resolver.Catalog{{Key: cache.Key{Namespace: "olm", Name: "store"}, Content: content}},
		Subscriptions: asked,
		Veto: func(_ context.Context, _ cache.Key, b *graph.Bundle) (string, error) {
			return b.Payload.(row).Withdrawn, nil
		},
	})
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		return errors.New(inOtherWords(conflict))
	}
	if err != nil {
		return err
	}
	for _, step := range solution.Steps {
		fmt.Fprintf(out, "wave %d: row %d, %s\n", step.Wave, step.Payload.(row).ID, step.Bundle)
	}
	return nil
}

// catalog makes a catalog of rows, with a channel for each package.
func catalog(rows []row) (*cache.Catalog, error) {
	var b cache.Builder
	for _, r := range rows {
		data, err := r.properties()
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", r.ID, err)
		}
		bundle := graph.BundleDecl{Name: r.Name, Payload: r}
		bundle.Properties, bundle.Flaws = b.Properties(data)
		if r.Needs != (properties.GVK{}) {
			bundle.Requires = []constraints.Constraint{&constraints.GVK{GVK: r.Needs}}
		}
		b.Add(r.Package, "stable", true, graph.EntryDecl{Name: r.Name, Replaces: r.Replaces}, bundle)
	}
	content := b.Build()
	for _, p := range content.Problems() {
		if p.Severity == graph.SeverityError {
			return nil, &p
		}
	}
	return content, nil
}

// properties returns the properties of the row's bundle as JSON.
func (r row) properties() ([]byte, error) {
	type property struct {
		Type  string `json:"type"`
		Value any    `json:"value"`
	}
	all := []property{{properties.TypePackage, properties.Package{Name: r.Package, Version: r.Version}}}
	if r.Provides != (properties.GVK{}) {
		all = append(all, property{properties.TypeGVK, r.Provides})
	}
	return json.Marshal(all)
}

// inOtherWords describes a conflict from the codes and names of its facts,
// without their text.
func inOtherWords(c *resolver.Conflict) string {
	var said []string
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	for _, f := range slices.Backward(c.Facts) {
		names := strings.Join(f.Names, ", ")
		switch {
		case f.Cause == argument.CausePackage:
			say("no operators found in package %s in the catalog referenced by subscription %s", names, f.Subscription)
		case f.Cause == argument.CauseChannel:
			say("no operators found in channel %s of package %s in the catalog referenced by subscription %s", names, f.Package, f.Subscription)
		case f.Cause != "":
			say("no operators found for %s %s of package %s in the catalog referenced by subscription %s", f.Cause, names, f.Package, f.Subscription)
		case f.Kind == argument.FactSubscription:
			for _, r := range f.Candidates {
				if own, ok := r.Payload.(row); ok {
					say("subscription %s requires %s/%s/%s (row %d)", f.Subject, r.Catalog, r.Channel, r.Bundle, own.ID)
				}
			}
			say("subscription %s exists", f.Subject)
		case f.Kind == argument.FactPackage, f.Kind == argument.FactGVK:
			var both []string
			for _, p := range f.Participants {
				both = append(both, p.Bundle.Name)
			}
			say("only one of %s is allowed for %s %s", strings.Join(both, " and "), f.Kind, f.Subject)
		case f.Kind == argument.FactConstraint:
			say("bundle %s requires %s", f.Bundle, f.Constraint)
		default:
			say("%s %s %s", f.Kind, f.Subject, f.Message)
		}
	}
	return "constraints not satisfiable: " + strings.Join(said, ", ")
}
