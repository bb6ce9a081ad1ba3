package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/growth"
)

// commandLines are every command in every form. The words in capitals are the files and
// names of a world.
func commandLines() map[string][]string {
	out := make(map[string][]string)
	add := func(command string, forms string, args ...string) {
		for form := range strings.FieldsSeq(forms) {
			name := strings.TrimSpace(command + " " + form)
			out[name] = append([]string{strings.Fields(command)[0], "-o", form}, args...)
		}
	}
	add("resolve", "text json html svg mermaid dot dimacs certificate installplan manifests", "SCENARIO")
	add("lock", "yaml json", "SCENARIO")
	add("try", "text json scenario", "CATALOG", "PACKAGE")
	add("resolve traced", "text json", "--trace", "SCENARIO")
	add("whatif", "text json html", "WHATIFS")
	add("explain", "text json html", "SCENARIO", "BUNDLE")
	add("upgrade", "text json html manifests", "SCENARIO", "SUBSCRIBED")
	add("needs", "text json html", "SCENARIO")
	add("channels", "text json html", "SCENARIO", "SUBSCRIBED")
	add("needs dropped", "text json html", "--drop", "SUBSCRIBED", "SCENARIO")
	add("converge", "text json html mermaid dot svg", "SCENARIO")
	add("audit", "text json html markdown sarif junit github", "--max-rounds", "3", "--workers", "1", "--package", "PACKAGE", "CATALOG")
	add("validate", "text json html markdown sarif junit github", "CATALOG")
	add("graph", "text dot mermaid svg html json", "CATALOG", "PACKAGE")
	add("graph of all edges", "text dot mermaid svg", "--all-edges", "CATALOG", "PACKAGE")
	add("graph from installed", "text json", "--installed", "BUNDLE", "CATALOG", "PACKAGE")
	add("graph across", "text json html", "--across", "a=CATALOG", "PACKAGE")
	add("diff", "text json html markdown sarif junit github", "--workers", "1", "PREVIOUS", "CATALOG")
	add("mirror", "text json html isc catalog images", "--catalog", "registry.example/c=CATALOG", "MIRROR")
	add("ready", "text json html markdown sarif junit github", "--workers", "1", "--max-rounds", "3", "--kubernetes", "1.33.0", "--next", "c=CATALOG", "SCENARIO")
	add("capture", "text json html markdown", "--catalog", "c/c=CATALOG", "DUMP")
	add("render", "json yaml", "CATALOG")
	add("test", "text json html markdown sarif junit github", "SCENARIO")
	return out
}

// eachBundle are the commands that answer for each bundle, which get smaller shapes.
var eachBundle = []string{"audit", "diff", "mirror", "ready"}

// writers are the formats with a renderer of their own, which a short run tests.
var writers = []string{"text", "json", "html", "svg", "sarif", "isc", "dimacs", "installplan"}

// commands makes an operation of each command line that is, or is not, for each bundle.
func commands(each bool) map[string]growth.Operation {
	out := make(map[string]growth.Operation)
	for name, line := range commandLines() {
		if slices.Contains(eachBundle, line[0]) == each && (testkit.Long() || slices.Contains(writers, formOf(name))) {
			out[name] = func(ctx context.Context, w *growth.World) error { return command(ctx, w, line) }
		}
	}
	return out
}

// command runs a command line. Stopping before it has an answer is an error.
func command(ctx context.Context, w *growth.World, line []string) error {
	f := w.Files
	names := strings.NewReplacer("SCENARIO", f.Scenario, "WHATIFS", f.WhatIfs, "CATALOG", f.Catalog, "PREVIOUS", f.Previous,
		"MIRROR", f.Mirror, "DUMP", f.Dump, "PACKAGE", f.Package, "BUNDLE", f.Bundle, "SUBSCRIBED", f.Subscribed)
	args := []string{"resolute"}
	for _, arg := range line {
		args = append(args, names.Replace(arg))
	}
	var said bytes.Buffer
	status := run(ctx, args, strings.NewReader(""), io.Discard, &said)
	if status == exitIncomplete && ctx.Err() != nil || strings.Contains(said.String(), "--help") { // or it does not know the command line
		return fmt.Errorf("%v: %s", args, said.String())
	}
	return ctx.Err()
}

// growing are the commands that may take more of a shape than n log n.
var growing = []growth.Exception{
	{Shape: "a range for each subscription", Why: "each subscription has a list of candidates of its own; all lists together are bounded by resolver.Limits.Bundles"},
	{Shape: "skipRange everywhere", Operations: []string{"graph"}, Why: "each version has up to 100 edges"},
	{Shape: "rules about the same properties", Why: "each rule is evaluated on each bundle that has the property; resolver.Limits.CELCost bounds the cost of all of them"},
	{Shape: "many channels", Operations: []string{"converge", "explain", "needs", "resolve", "whatif"}, Why: "each other channel is tried as a correction, and each try resolves: 300 at most"},
	{Shape: "a subscription to many channels", Operations: []string{"channels"}, Why: "each channel is followed by resolutions of its own"},
	{Shape: "hostile rules", Operations: []string{"upgrade", "whatif", "resolve"}, Why: "corrections are tried, and each try resolves: 300 at most"},
	{Shape: "subscriptions to rivals", Operations: []string{"converge", "needs"}, Why: "as above: corrections are tried"},
	{Shape: "many subscriptions to one package", Operations: []string{"explain"}, Why: "the SAT solver is asked for each candidate that is worse than the forced one"},
	{Shape: "deep", Operations: []string{"diff", "mirror", "upgrade"}, Why: "each of the bundles is answered for, and needs all behind it"},
	{Shape: "deep, the last missing", Operations: []string{"diff", "mirror"}, Why: "each of the bundles is answered for, and needs all behind it"},
	{Shape: "many installed", Operations: []string{"diff", "mirror"}, Why: "each of the bundles is answered for, and needs all others"},
	{Shape: "installed rivals", Operations: []string{"diff"}, Why: "two packages that clash are a finding: a pair each, 100,000 at most"},
	{Shape: "many providers", Operations: []string{"diff"}, Why: "two packages that clash are a finding: a pair each, 100,000 at most"},
	{Shape: "subscriptions to rivals", Operations: []string{"diff"}, Why: "as above: two packages that clash are a finding"},
}

// commandTables makes tables of two sizes: of commands with one answer, and of others.
func commandTables(t *testing.T, once, each int) []*growth.Table {
	return []*growth.Table{
		{Size: once, Operations: commands(false), Grows: growing, Dir: t.TempDir()},
		{Size: each, Operations: commands(true), Grows: growing, Dir: t.TempDir()},
	}
}

// TestGrowth: eight times as much takes each command in each form little more than eight
// times as much. What no command does is in the test of that name in internal/testkit/growth.
func TestGrowth(t *testing.T) {
	for _, b := range commandTables(t, 32, 8) {
		b.Growth(t)
	}
}

// TestEndsAnywhere: each command ends soon after its context, wherever that ends.
func TestEndsAnywhere(t *testing.T) {
	for _, b := range commandTables(t, testkit.Times(2, 4), testkit.Times(1, 2)) {
		b.Ends(t)
	}
}
