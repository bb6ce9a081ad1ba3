package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/benchmarks/internal/measure"
	"github.com/seed109e2655/resolute/benchmarks/libsolv"
	"github.com/seed109e2655/resolute/benchmarks/synthetic"
)

// comparison is one run of the command.
type comparison struct {
	o       *options
	log     io.Writer
	module  string // root of the module
	work    string
	program string // path of resolute
	peer    bool   // whether testsolv is installed
	results *Results
	close   func()
}

func newComparison(ctx context.Context, o *options, log io.Writer) (*comparison, error) {
	c := &comparison{o: o, log: log, close: func() {}}
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return nil, fmt.Errorf("run this inside the module: %w", err)
	}
	c.module = strings.TrimSpace(string(out))
	if o.out == "" {
		o.out = filepath.Join(c.module, "benchmarks", "results")
	}
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return nil, err
	}
	if c.results, err = readResults(o.out); err != nil {
		return nil, err
	}
	if c.work = o.work; c.work == "" {
		if c.work, err = os.MkdirTemp("", "resolute-compare"); err != nil {
			return nil, err
		}
		c.close = func() { _ = os.RemoveAll(c.work) }
	}
	if c.work, err = filepath.Abs(c.work); err != nil {
		return nil, err
	}
	_, err = libsolv.Find()
	if c.peer = err == nil; !c.peer {
		fmt.Fprintln(log, err, "- measuring resolute alone")
	}
	return c, c.build(ctx)
}

// build builds the program for whole-process measurements, without cgo as in
// README.md.
func (c *comparison) build(ctx context.Context) error {
	if err := os.MkdirAll(c.work, 0o777); err != nil {
		return err
	}
	c.program = filepath.Join(c.work, "resolute")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", c.program, "./cmd/resolute")
	cmd.Dir, cmd.Stderr, cmd.Env = c.module, c.log, append(os.Environ(), "CGO_ENABLED=0")
	return cmd.Run()
}

// run executes the stages and writes the results after each.
func (c *comparison) run(ctx context.Context) error {
	measured := c.o.only
	if len(measured) == 0 {
		measured = stageNames()
	}
	c.results.begin(Run{c.o.date, describe(ctx)}, measured)
	stages := map[string]func(context.Context) error{
		"process": c.processes, "warm": c.warm, "same": c.same, "community": c.community, "hard": c.hard,
	}
	for _, name := range stageNames() {
		if !slices.Contains(measured, name) {
			continue
		}
		start := time.Now()
		if err := stages[name](ctx); err != nil {
			return fmt.Errorf("stage %s: %w", name, err)
		}
		if err := c.results.write(c.o.out); err != nil {
			return err
		}
		fmt.Fprintf(c.log, "-- stage %s: %.0f s\n", name, time.Since(start).Seconds())
	}
	if c.o.plot {
		return c.plot(ctx)
	}
	return nil
}

// plot runs the drawing module, which has dependencies of its own.
func (c *comparison) plot(ctx context.Context) error {
	out, err := filepath.Abs(c.o.out)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "run", ".", out)
	cmd.Dir, cmd.Stdout, cmd.Stderr = filepath.Join(c.module, "benchmarks", "plot"), c.log, c.log
	return cmd.Run()
}

// seed is the seed of every synthetic instance except the hard ones, which use
// many.
const seed = 1

// sized returns a preset of a given size.
func sized(preset string, bundles int) (synthetic.Config, error) {
	cfg, ok := synthetic.Preset(preset)
	if !ok {
		return cfg, fmt.Errorf("unknown preset %q; presets: %s", preset, strings.Join(synthetic.Presets(), ", "))
	}
	cfg.Seed = seed
	return cfg.Sized(bundles), nil
}

func (c *comparison) processes(ctx context.Context) error {
	var all []Process
	for _, preset := range c.o.presets {
		for _, size := range c.o.peerSizes {
			cfg, err := sized(preset, size)
			if err != nil {
				return err
			}
			for _, form := range []string{formCompact, formSpaced} {
				p, err := c.process(ctx, preset, cfg, form)
				if err != nil {
					return err
				}
				all = append(all, *p)
				fmt.Fprintf(c.log, "%s %d, %s: %.3f s", preset, p.Bundles, form, p.Resolute.Seconds)
				if p.Libsolv != nil {
					fmt.Fprintf(c.log, ", libsolv %.3f s, ratio %.2f", p.Libsolv.Seconds, p.Ratio)
				}
				fmt.Fprintln(c.log)
			}
		}
	}
	c.results.Process = merge(c.results.Process, all, func(p Process) string { return fmt.Sprint(p.Preset, p.Bundles, p.Form) })
	return nil
}

// warm measures each instance in a separate process, so that its peak memory
// is meaningful.
func (c *comparison) warm(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var all []Warm
	for i, preset := range c.o.presets {
		for _, size := range c.o.sizes {
			if i > 0 && size > 100_000 { // once suffices for the largest
				continue
			}
			cfg, err := sized(preset, size)
			if err != nil {
				return err
			}
			path, err := c.writeInstance(fmt.Sprintf("%s-%d", preset, cfg.Bundles()), cfg)
			if err != nil {
				return err
			}
			cmd := exec.CommandContext(ctx, self, "measure", path)
			cmd.Env = append(os.Environ(), eachVariable+"="+c.o.each.String())
			cmd.Stderr = c.log
			out, err := cmd.Output()
			if err != nil {
				return fmt.Errorf("measuring %s: %w", path, err)
			}
			w := Warm{Preset: preset, Size: size}
			if err := json.Unmarshal(out, &w.Warm); err != nil {
				return err
			}
			all = append(all, w)
			fmt.Fprintf(c.log, "%s %d: load %.3f s, resolve %.6f s, peak %d MB\n",
				preset, w.Bundles, w.Load.Seconds, w.Resolve.Seconds, w.Peak>>20)
		}
	}
	c.results.Warm = merge(c.results.Warm, all, func(w Warm) string { return fmt.Sprint(w.Preset, w.Size) })
	return nil
}

// eachVariable passes the time limit of a question to the process of stage
// warm.
const eachVariable = "RESOLUTE_COMPARE_EACH"

// measureOne is the process of stage warm.
func measureOne(ctx context.Context, path string, out io.Writer) error {
	each, err := time.ParseDuration(os.Getenv(eachVariable))
	if err != nil {
		return err
	}
	m, err := measure.Scenario(ctx, path, each)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(m)
}

// merge replaces old results by new ones of the same key and appends the
// others.
func merge[T any](old, fresh []T, key func(T) string) []T {
	for _, f := range fresh {
		i := slices.IndexFunc(old, func(o T) bool { return key(o) == key(f) })
		if i < 0 {
			old = append(old, f)
		} else {
			old[i] = f
		}
	}
	return old
}
