// Command debian-audit finds the packages of Debian's package lists that cannot be installed, as dose-debcheck
// does, and checks their upgrades:
//
//	go run ./debian-audit              the lists of apt-get update on this machine
//	go run ./debian-audit LIST...      other lists, compressed or not
//	go run ./debian-audit -compare     also run dose-debcheck, and compare answers and times
//
// It exits with 1 if there are such packages and with 2 after an error, or if the programs disagree.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/examples/ecosystems/debian"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/lazy"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	debug.SetGCPercent(200) // the process is short
	found, err := run(ctx, os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "debian-audit:", err)
		os.Exit(2)
	case found > 0:
		os.Exit(1)
	}
}

// run returns the number of packages that cannot be installed.
func run(ctx context.Context, args []string, w io.Writer) (int, error) {
	flags := flag.NewFlagSet("debian-audit", flag.ContinueOnError)
	asDose := flags.Bool("dose", false, "print the packages in the format of dose-debcheck")
	compare := flags.Bool("compare", false, "run dose-debcheck on the same lists, and compare answers and times of both")
	if err := flags.Parse(args); err != nil {
		return 0, err
	}
	list, err := read(ctx, flags.Args())
	if err != nil {
		return 0, err
	}
	a, err := debian.Read(bytes.NewReader(list))
	if err != nil {
		return 0, err
	}
	if *compare {
		return compared(ctx, a.Architecture, list, w)
	}
	form := "%s %s: %s\n"
	if *asDose {
		form = " -\n  package: %s\n  version: %s\n  status: broken\n%.0s"
	}
	sum, err := check(ctx, a, func(version string, c *resolver.Conflict) error {
		name, version, _ := strings.Cut(version, " ")
		_, err := fmt.Fprintf(w, form, name, version, c.Text())
		return err
	})
	if err != nil {
		return 0, err
	}
	broken := sum.Bundles - sum.Installable
	_, err = fmt.Fprintf(w, "total-packages: %d\nbroken-packages: %d\n", sum.Bundles, broken)
	return broken, err
}

// read returns the packages of some lists, by default those of apt-get update.
func read(ctx context.Context, files []string) ([]byte, error) {
	if len(files) == 0 {
		if files, _ = filepath.Glob("/var/lib/apt/lists/*_Packages*"); len(files) == 0 {
			return nil, errors.New("no package lists in /var/lib/apt/lists; run apt-get update, on Debian or one of its derivatives")
		}
	}
	var all []byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		switch filepath.Ext(file) {
		case ".lz4", ".gz", ".xz", ".zst":
			text, err = exec.CommandContext(ctx, "/usr/lib/apt/apt-helper", "cat-file", file).Output()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(append(all, text...), "\n\n"...)
	}
	return all, nil
}

// check audits all packages of an archive and calls found with each "NAME VERSION" that cannot be installed.
func check(ctx context.Context, a *debian.Archive, found func(string, *resolver.Conflict) error) (*audit.Summary, error) {
	catalog, err := whole(ctx, a, a.Names())
	if err != nil {
		return nil, err
	}
	terms := graph.Terms{Operator: "package", Bundle: "version", Subscription: "request"}
	catalogs := []resolver.Catalog{{Key: cache.Key{Namespace: "debian", Name: "archive"}, Content: catalog}}
	return audit.Run(ctx, resolver.New(resolver.WithTerms(terms)), catalogs, audit.Options{Each: func(b *audit.Bundle) error {
		switch {
		case b.Incomplete != "":
			return fmt.Errorf("%s: %s", b.Bundle, b.Incomplete)
		case b.Installable:
			return nil
		}
		return found(b.Bundle, b.Conflict)
	}})
}

// whole returns a catalog of all contents of some packages of a provider.
func whole(ctx context.Context, from lazy.Provider, names []string) (*cache.Catalog, error) {
	b := cache.Builder{Options: graph.Options{PackageName: func(string) error { return nil }, Parser: constraints.NewParser()}}
	packages, err := from.Packages(ctx, names)
	if err != nil {
		return nil, err
	}
	for i, p := range packages {
		var refs []lazy.Ref
		for _, v := range p.Versions {
			refs = append(refs, lazy.Ref{Package: names[i], Name: v.Name})
		}
		details, err := from.Details(ctx, refs)
		if err != nil {
			return nil, err
		}
		for k, v := range p.Versions {
			entry := graph.EntryDecl{Name: v.Name}
			if k+1 < len(refs) {
				entry.Replaces = refs[k+1].Name
			}
			property, err := properties.NewPackage(names[i], &v.Version)
			if err != nil {
				return nil, err
			}
			b.Add(names[i], lazy.DefaultChannel, true, entry, graph.BundleDecl{Name: v.Name, Properties: properties.NewSet(property), Requires: details[k].Requires})
		}
	}
	return b.Build(), nil
}
