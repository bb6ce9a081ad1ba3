// Command synthetic writes a synthetic catalog in the file-based format, as
// JSON lines, see package benchmarks/synthetic.
//
//	go run ./benchmarks/cmd/synthetic -preset random -packages 10000 -o catalog.jsonl.gz
//
// A preset comes first, and flags change what they name. The name of the
// package that pulls in the most goes to standard error.
package main

import (
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/seed109e2655/resolute/benchmarks/synthetic"
)

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "synthetic:", err)
		os.Exit(2)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	cfg, err := presetOf(args)
	if err != nil {
		return err
	}
	flags := flag.NewFlagSet("synthetic", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.String("preset", "", "start from these settings: "+strings.Join(synthetic.Presets(), ", "))
	output := flags.String("o", "", "file to write, compressed if it ends in .gz; default standard output")
	catalog := flags.Int("catalog", 0, "which of the catalogs to write, from 0")
	bind(flags, &cfg)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	g, err := synthetic.New(cfg)
	if err != nil {
		return err
	}
	if n := g.Config().Catalogs; *catalog < 0 || *catalog >= n {
		return fmt.Errorf("there is no catalog %d, they are numbered from 0 to %d", *catalog, n-1)
	}
	if err := write(g, *catalog, *output, stdout); err != nil {
		return err
	}
	top := g.Config().Packages - 1
	fmt.Fprintf(stderr, "%s pulls in %d packages\n", synthetic.PackageName(top), len(g.Pulls(top)))
	return nil
}

// presetOf finds the preset among the arguments, for it has to be there before
// the flags that change it.
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
			return cfg, fmt.Errorf("no preset %q; there are %s", value, strings.Join(synthetic.Presets(), ", "))
		}
		return cfg, nil
	}
	return synthetic.Config{}, nil
}

func bind(flags *flag.FlagSet, cfg *synthetic.Config) {
	flags.Uint64Var(&cfg.Seed, "seed", cfg.Seed, "another seed, another catalog")
	flags.IntVar(&cfg.Packages, "packages", cfg.Packages, "packages over all catalogs (default 100)")
	flags.IntVar(&cfg.Versions, "versions", cfg.Versions, "versions of each package (default 5)")
	flags.IntVar(&cfg.Catalogs, "catalogs", cfg.Catalogs, "catalogs to deal the packages to (default 1)")
	flags.IntVar(&cfg.Channels, "channels", cfg.Channels, "channels of each package (default 1)")
	flags.IntVar(&cfg.Fanout, "fanout", cfg.Fanout, "packages that each bundle requires")
	flags.IntVar(&cfg.Window, "window", cfg.Window, "require only from that many packages before; 0 for all")
	flags.IntVar(&cfg.Depth, "depth", cfg.Depth, "longest chain of requirements; 0 for no limit")
	flags.Float64Var(&cfg.RangeShare, "range", cfg.RangeShare, "weight of requirements by version range")
	flags.Float64Var(&cfg.GVKShare, "gvk", cfg.GVKShare, "weight of requirements by GVK")
	flags.Float64Var(&cfg.CELShare, "cel", cfg.CELShare, "weight of requirements by CEL rule")
	flags.Float64Var(&cfg.CompoundShare, "compound", cfg.CompoundShare, "weight of requirements by all and any")
	flags.Float64Var(&cfg.SkipShare, "skips", cfg.SkipShare, "share of channel entries that are skipped")
	flags.Float64Var(&cfg.ConflictDensity, "conflicts", cfg.ConflictDensity, "share of ranges that accept one version only")
}

// write writes one catalog to the named file, or to stdout without a name.
func write(g *synthetic.Generator, catalog int, name string, stdout io.Writer) (err error) {
	if name == "" {
		return g.WriteCatalog(stdout, catalog)
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if !strings.HasSuffix(name, ".gz") {
		return g.WriteCatalog(file, catalog)
	}
	zip := gzip.NewWriter(file)
	return errors.Join(g.WriteCatalog(zip, catalog), zip.Close())
}
