package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"github.com/seed109e2655/resolute/benchmarks/libsolv"
	"github.com/seed109e2655/resolute/benchmarks/synthetic"
)

// process compares whole processes on one instance.
func (c *comparison) process(ctx context.Context, preset string, cfg synthetic.Config, form string) (*Process, error) {
	path, err := c.writeInstance(fmt.Sprintf("%s-%d", preset, cfg.Bundles()), cfg)
	if err == nil && form == formSpaced {
		path, err = writeSpaced(path)
	}
	if err != nil {
		return nil, err
	}
	p := &Process{Preset: preset, Form: form, Bundles: cfg.Bundles(), Pairs: c.o.repeats}
	if err = c.solve(ctx, path, p); err != nil {
		return nil, err
	}
	ours := func() *exec.Cmd {
		return exec.CommandContext(ctx, c.program, "resolve", "-o", "json", "--no-corrections", path)
	}
	if !c.peer {
		runs, err := alternate(c.o.repeats, ours)
		if err != nil {
			return nil, err
		}
		p.Resolute = median(runs[0])
		p.Resolute.Peak, err = peak(ctx, ours())
		return p, err
	}
	testcase, err := writeTestcase(ctx, path)
	if err != nil {
		return nil, err
	}
	theirs, err := libsolv.Run(ctx, testcase)
	if err != nil {
		return nil, err
	}
	if theirs.Satisfiable != p.Satisfiable {
		return nil, fmt.Errorf("programs disagree on %s: libsolv finds a solution: %v, resolute: %v", path, theirs.Satisfiable, p.Satisfiable)
	}
	peers := func() *exec.Cmd {
		cmd, _ := libsolv.Command(ctx, testcase) // checked before
		return cmd
	}
	runs, err := alternate(c.o.repeats, ours, peers)
	if err != nil {
		return nil, err
	}
	their := median(runs[1])
	p.Resolute, p.Libsolv, p.Ratio = median(runs[0]), &their, ratio(runs[0], runs[1])
	if p.Resolute.Peak, err = peak(ctx, ours()); err != nil {
		return nil, err
	}
	p.Libsolv.Peak, err = peak(ctx, peers())
	return p, err
}

// solve runs resolute once for its answer.
func (c *comparison) solve(ctx context.Context, path string, p *Process) error {
	cmd := exec.CommandContext(ctx, c.program, "resolve", "-o", "json", "--no-corrections", path)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err := cmd.Run()
	var answer struct {
		Status, Error string
		Set           []string
		Stats         struct{ Bundles int }
	}
	if json.Unmarshal(out.Bytes(), &answer) != nil {
		return fmt.Errorf("resolute on %s: %w: %s", path, err, complaint.String())
	}
	p.Satisfiable, p.Set, p.Bundles = answer.Status == "resolved", len(answer.Set), answer.Stats.Bundles
	if !p.Satisfiable && answer.Status != "unsatisfiable" {
		return fmt.Errorf("resolute on %s: %s: %s", path, answer.Status, answer.Error)
	}
	return nil
}

// alternate runs commands alternately, n times, and returns the cost of each
// run, after one warm-up round. Output is discarded by the system.
func alternate(n int, commands ...func() *exec.Cmd) ([][]Usage, error) {
	runs := make([][]Usage, len(commands))
	for round := range n + 1 {
		for i, command := range commands {
			u, err := runOnce(command())
			if err != nil {
				return nil, err
			}
			if round > 0 {
				runs[i] = append(runs[i], u)
			}
		}
	}
	return runs, nil
}

func runOnce(cmd *exec.Cmd) (Usage, error) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return Usage{}, err
	}
	defer func() { _ = null.Close() }()
	cmd.Stdout, cmd.Stderr = null, null
	start := time.Now()
	err = cmd.Run()
	took := time.Since(start)
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) { // 1: no solution
		return Usage{}, fmt.Errorf("%v: %w", cmd.Args, err)
	}
	state := cmd.ProcessState
	return Usage{Seconds: took.Seconds(), CPUSeconds: (state.UserTime() + state.SystemTime()).Seconds()}, nil
}

// median returns the median of each component except memory.
func median(runs []Usage) Usage {
	middle := func(of func(Usage) float64) float64 {
		var all []float64
		for _, r := range runs {
			all = append(all, of(r))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	return Usage{
		Seconds:    middle(func(u Usage) float64 { return u.Seconds }),
		CPUSeconds: middle(func(u Usage) float64 { return u.CPUSeconds }),
	}
}

// ratio returns the median of the pairwise ratios of the times.
func ratio(ours, theirs []Usage) float64 {
	var all []float64
	for i := range ours {
		all = append(all, ours[i].Seconds/theirs[i].Seconds)
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// peak runs a command once for its peak resident memory. The system includes
// the memory of the starting process, so a fresh process of this program
// starts it.
func peak(ctx context.Context, cmd *exec.Cmd) (uint64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	outer := exec.CommandContext(ctx, self, append([]string{"peak"}, cmd.Args...)...)
	outer.Dir = cmd.Dir
	out, err := outer.Output()
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(string(bytes.TrimSpace(out)), 10, 64)
}

// peakOne is the process of peak.
func peakOne(ctx context.Context, args []string, out io.Writer) error {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return err
	}
	_, err = fmt.Fprintln(out, peakOf(cmd.ProcessState))
	return err
}
