// Command synthetic writes a synthetic instance: a file-based catalog, a whole
// request, or the same for other solvers; see package benchmarks/synthetic.
//
//	go run ./benchmarks/cmd/synthetic -preset random -packages 10000 -o catalog.jsonl.gz
//	go run ./benchmarks/cmd/synthetic -preset fleet -format scenario -o folder
//	go run ./benchmarks/cmd/synthetic -preset deep-conflict -seed 3 -format testtags -o folder
//	go run ./benchmarks/cmd/synthetic -preset phase-transition -format dimacs -o formula.cnf.gz
//
// The preset applies first, and flags override its settings. The formats:
//
//	catalog   one catalog as JSON lines, selected by -catalog
//	scenario  all catalogs and scenario.json, the input of "resolute resolve", in a folder
//	testtags  repositories and testcase.t, the input of libsolv's testsolv, in a folder
//	dimacs    the formula of the request, for SAT solvers
//
// The first requested package, and the number of packages that it pulls in,
// are written to standard error.
package main

import (
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/seed109e2655/resolute/benchmarks/libsolv"
	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/resolver"
)

func main() {
	err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "synthetic:", err)
		os.Exit(2)
	}
}

// target is the format and destination of the output.
type target struct {
	format  string
	output  string
	catalog int
	stdout  io.Writer
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	cfg, err := presetOf(args)
	if err != nil {
		return err
	}
	flags := flag.NewFlagSet("synthetic", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.String("preset", "", "initial settings: "+strings.Join(synthetic.Presets(), ", "))
	to := target{stdout: stdout}
	flags.StringVar(&to.format, "format", "catalog", "output format: catalog, scenario, testtags or dimacs")
	flags.StringVar(&to.output, "o", "", "output file, compressed if it ends in .gz (default: standard output); for scenario and testtags a folder")
	flags.IntVar(&to.catalog, "catalog", 0, "index of the catalog to write, from 0")
	bundles := flags.Int("bundles", 0, "approximate number of bundles; overrides -packages")
	bind(flags, &cfg)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if *bundles > 0 {
		cfg = cfg.Sized(*bundles)
	}
	g, err := synthetic.New(cfg)
	if err != nil {
		return err
	}
	if n := g.Config().Catalogs; to.catalog < 0 || to.catalog >= n {
		return fmt.Errorf("there is no catalog %d: indexes are 0 to %d", to.catalog, n-1)
	}
	if err := to.write(ctx, g); err != nil {
		return err
	}
	top := g.Roots()[0]
	fmt.Fprintf(stderr, "%s pulls in %d packages\n", synthetic.PackageName(top), len(g.Pulls(top)))
	return nil
}

// presetOf finds the preset among the arguments, because it must apply before
// the flags that override it.
func presetOf(args []string) (synthetic.Config, error) {
	for i, arg := range args {
		name, value, joined := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if name = strings.TrimPrefix(name, "-"); name != "preset" || !strings.HasPrefix(arg, "-") {
			continue
		}
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		cfg, ok := synthetic.Preset(value)
		if !ok {
			return cfg, fmt.Errorf("unknown preset %q; presets: %s", value, strings.Join(synthetic.Presets(), ", "))
		}
		return cfg, nil
	}
	return synthetic.Config{}, nil
}

func bind(flags *flag.FlagSet, cfg *synthetic.Config) {
	flags.StringVar((*string)(&cfg.Shape), "shape", string(cfg.Shape), fmt.Sprintf("structure of the requirements: %v (default: graph)", synthetic.Shapes()))
	flags.Uint64Var(&cfg.Seed, "seed", cfg.Seed, "random seed")
	for _, f := range []struct {
		field       *int
		name, usage string
	}{
		{&cfg.Packages, "packages", "packages of all catalogs (default 100)"},
		{&cfg.Versions, "versions", "versions of each package (default 5)"},
		{&cfg.Catalogs, "catalogs", "number of catalogs (default 1)"},
		{&cfg.Channels, "channels", "channels of each package (default 1)"},
		{&cfg.Fanout, "fanout", "packages that each bundle requires"},
		{&cfg.Window, "window", "require only from this many preceding packages; 0: all"},
		{&cfg.Depth, "depth", "longest chain of requirements; 0: unlimited"},
		{&cfg.AnyWidth, "any-width", "alternatives of each any (default 2)"},
		{&cfg.Contenders, "contenders", "packages that share each API; 0: none"},
		{&cfg.Subscriptions, "subscriptions", "subscriptions of the request (default 1)"},
		{&cfg.Installed, "installed", "number of installed subscriptions"},
		{&cfg.Reach, "reach", "subscribe only to the first packages; 0: all"},
	} {
		flags.IntVar(f.field, f.name, *f.field, f.usage)
	}
	flags.BoolVar(&cfg.Cyclic, "cyclic", cfg.Cyclic, "require later packages as well")
	for _, f := range []struct {
		field       *float64
		name, usage string
	}{
		{&cfg.RangeShare, "range", "weight of requirements by version range"},
		{&cfg.GVKShare, "gvk", "weight of requirements by GVK"},
		{&cfg.CELShare, "cel", "weight of requirements by CEL rule"},
		{&cfg.CompoundShare, "compound", "weight of requirements by all and any"},
		{&cfg.AnyShare, "any", "weight of requirements by any"},
		{&cfg.SkipShare, "skips", "share of channel entries that are skipped"},
		{&cfg.ConflictDensity, "conflicts", "share of ranges that accept a single version"},
	} {
		flags.Float64Var(f.field, f.name, *f.field, f.usage)
	}
}

func (t *target) write(ctx context.Context, g *synthetic.Generator) error {
	switch t.format {
	case "catalog":
		return t.file(func(w io.Writer) error { return g.WriteCatalog(w, t.catalog) })
	case "scenario":
		if err := t.folder(); err != nil {
			return err
		}
		return g.WriteFiles(t.output)
	case "testtags":
		if err := t.folder(); err != nil {
			return err
		}
		req, err := g.Request(ctx)
		if err != nil {
			return err
		}
		test, err := libsolv.Translate(ctx, req)
		if err != nil {
			return err
		}
		_, err = test.Write(t.output)
		return err
	case "dimacs":
		req, err := g.Request(ctx)
		if err != nil {
			return err
		}
		return t.file(func(w io.Writer) error { return resolver.New().WriteDIMACS(ctx, w, req) })
	}
	return fmt.Errorf("unknown format %q; formats: catalog, scenario, testtags, dimacs", t.format)
}

// folder creates the folder for a format of several files.
func (t *target) folder() error {
	if t.output == "" {
		return fmt.Errorf("%s needs a folder: set it with -o", t.format)
	}
	return os.MkdirAll(t.output, 0o777)
}

// file writes to the named file, or to standard output.
func (t *target) file(write func(io.Writer) error) (err error) {
	if t.output == "" {
		return write(t.stdout)
	}
	file, err := os.Create(t.output)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if !strings.HasSuffix(t.output, ".gz") {
		return write(file)
	}
	zip := gzip.NewWriter(file)
	return errors.Join(write(zip), zip.Close())
}
