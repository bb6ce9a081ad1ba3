// Command compare measures resolute and libsolv on the same instances in one
// run, checks that they agree, and writes the results with a description of
// the machine.
//
//	go run ./benchmarks/cmd/compare -date 2026-01-31
//
// It builds cmd/resolute, generates the instances, and runs these stages:
//
//	process    whole processes, resolute and testsolv alternating: start, load, resolve,
//	           print; they must agree on whether there is a solution. resolute reads
//	           compact JSON, and JSON with a space after colons and commas
//	warm       loading, resolving, explaining, what-if and audit in a separate process
//	           for each instance, with its peak memory
//	same       the same request on a catalog and on one ten times larger
//	community  each package of a real catalog, if available
//	hard       many seeds of the hard presets, each within a time limit; libsolv and
//	           the SAT solvers cadical, minisat and clasp solve some of them, if
//	           installed
//
// Results are written to results.json and results.md in the output folder
// after each stage. A stage replaces its previous results, so that -only and
// -sizes can complete a run. Finally, the plots are drawn, see
// benchmarks/plot. Without testsolv, only resolute is measured, with a
// message.
//
// The largest size, 1,000,000 bundles, needs 2 GB of memory and of disk.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

type options struct {
	date      string
	out       string
	work      string
	only      []string
	sizes     []int
	peerSizes []int
	presets   []string
	hard      []string
	repeats   int
	seeds     int
	peerSeeds int
	limit     time.Duration
	each      time.Duration
	community string
	plot      bool
}

func stageNames() []string { return []string{"process", "warm", "same", "community", "hard"} }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) == 2 && args[0] == "measure" { // started by stage warm
		return measureOne(ctx, args[1], stdout)
	}
	if len(args) > 1 && args[0] == "peak" { // started by stage process
		return peakOne(ctx, args[1:], stdout)
	}
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	c, err := newComparison(ctx, o, stderr)
	if err != nil {
		return err
	}
	defer c.close()
	return c.run(ctx)
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.date, "date", "", "date of the measurement for the results; required")
	flags.StringVar(&o.out, "o", "", "folder of the results (default benchmarks/results of the module)")
	flags.StringVar(&o.work, "work", "", "folder for instances, kept for later runs (default: a temporary one)")
	flags.Var(listFlag{&o.only}, "only", "stages to run: "+strings.Join(stageNames(), ","))
	o.sizes = []int{1000, 10_000, 100_000, 1_000_000}
	flags.Var(sizesFlag{&o.sizes}, "sizes", "sizes of the instances of stage warm, in bundles")
	o.peerSizes = []int{1000, 3000, 10_000, 30_000, 100_000}
	flags.Var(sizesFlag{&o.peerSizes}, "peer-sizes", "sizes of the instances of stage process, in bundles")
	o.presets = []string{"random", "real-like", "fleet"}
	flags.Var(listFlag{&o.presets}, "presets", "presets of stages process and warm")
	o.hard = []string{"phase-transition", "deep-conflict", "gvk-contention"}
	flags.Var(listFlag{&o.hard}, "hard", "presets of stage hard")
	flags.IntVar(&o.repeats, "n", 5, "pairs of processes for each instance")
	flags.IntVar(&o.seeds, "seeds", 200, "seeds of each hard preset")
	flags.IntVar(&o.peerSeeds, "peer-seeds", 10, "number of these seeds that libsolv and the SAT solvers solve as well")
	flags.DurationVar(&o.limit, "limit", time.Second, "time limit of each hard seed")
	flags.DurationVar(&o.each, "each", 8*time.Second, "time limit of each question of stage warm")
	flags.StringVar(&o.community, "community", "", "file of a real catalog (default ../shared/data/community-all.jsonl.gz of the module, if it is there)")
	flags.BoolVar(&o.plot, "plot", true, "draw the plots, which needs the module benchmarks/plot")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	return o, o.check(flags.Args())
}

func (o *options) check(rest []string) error {
	if len(rest) > 0 {
		return fmt.Errorf("unexpected argument %q", rest[0])
	}
	if o.date == "" {
		return errors.New("set the date of the measurement with -date")
	}
	for _, name := range o.only {
		if !slices.Contains(stageNames(), name) {
			return fmt.Errorf("unknown stage %q; stages: %s", name, strings.Join(stageNames(), ", "))
		}
	}
	if o.repeats < 1 || o.seeds < 1 || o.peerSeeds < 0 || o.limit <= 0 || o.each <= 0 {
		return errors.New("-n, -seeds, -limit and -each must be positive")
	}
	return nil
}

// listFlag is a comma-separated list of words.
type listFlag struct{ list *[]string }

func (f listFlag) String() string {
	if f.list == nil {
		return ""
	}
	return strings.Join(*f.list, ",")
}

func (f listFlag) Set(s string) error {
	*f.list = nil
	if s != "" {
		*f.list = strings.Split(s, ",")
	}
	return nil
}

// sizesFlag is a comma-separated list of numbers of bundles.
type sizesFlag struct{ list *[]int }

func (f sizesFlag) String() string {
	if f.list == nil {
		return ""
	}
	words := make([]string, len(*f.list))
	for i, n := range *f.list {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

func (f sizesFlag) Set(s string) error {
	*f.list = nil
	for word := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > 1_000_000 {
			return fmt.Errorf("%q is not a number of bundles from 1 to 1000000", word)
		}
		*f.list = append(*f.list, n)
	}
	return nil
}
