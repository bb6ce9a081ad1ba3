package catalogdiff_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

// A release lacks its replaces field.
func ExampleCompare() {
	ctx := context.Background()
	dir := os.DirFS("testdata/edgeLost")
	old, err := fbc.Load(ctx, dir, fbc.Options{File: "old.yaml"})
	if err != nil {
		log.Fatal(err)
	}
	now, err := fbc.Load(ctx, dir, fbc.Options{File: "new.yaml"})
	if err != nil {
		log.Fatal(err)
	}
	report, err := catalogdiff.Compare(ctx, old, now, catalogdiff.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range report.Worse {
		fmt.Printf("%s:%d: %s %s: %s\n", f.File, f.Line, f.Severity, f.Code, f.Text)
	}
	// Output:
	// new.yaml:4: error bundleRemoved: a.v1 was removed from the catalog and can no longer be installed; clusters on it (channel stable) cannot upgrade
	// new.yaml:4: error edgeLost: clusters on a.v1 (channel stable) cannot upgrade: no entry replaces or skips a.v1 any more; before, it had an upgrade edge to a.v2
}

// What would a new version change? Without replaces or skips its version determines its position;
// that two bundles have the same version is a regression, for opm rejects it.
func ExampleAdd() {
	ctx := context.Background()
	catalog, err := fbc.Load(ctx, os.DirFS("testdata/edgeLost"), fbc.Options{File: "old.yaml"})
	if err != nil {
		log.Fatal(err)
	}
	bundle := *catalog.Package("a").Bundle("a.v2")
	bundle.Name = "a.v2-hotfix"
	old, now, err := catalogdiff.Add(catalog, catalogdiff.Addition{Package: "a", Bundle: &bundle, Channels: []string{"hotfix"}})
	if err != nil {
		log.Fatal(err)
	}
	report, err := catalogdiff.Compare(ctx, old, now, catalogdiff.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range report.Changes {
		fmt.Println(c.Kind, c.Channel, c.Bundle, c.Is)
	}
	fmt.Println(len(report.Worse), "worse")
	// Output:
	// channelAdded hotfix  1 entry
	// bundleAdded  a.v2-hotfix 2.0.0
	// 1 worse
}
