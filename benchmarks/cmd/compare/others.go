package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/benchmarks/internal/measure"
	"github.com/seed109e2655/resolute/benchmarks/libsolv"
	"github.com/seed109e2655/resolute/resolver"
)

// Other is the result of another program on the seeds of a hard preset, each
// in a process with the same time limit. The program only decides whether
// there is a solution: libsolv from a testcase, a SAT solver from the exported
// formula.
type Other struct {
	Preset        string  `json:"preset"`
	Program       string  `json:"program"`
	Seeds         int     `json:"seeds"`
	Satisfiable   int     `json:"satisfiable"`
	Unsatisfiable int     `json:"unsatisfiable"`
	MedianSeconds float64 `json:"medianSeconds"`
	WorstSeconds  float64 `json:"worstSeconds"`

	times []time.Duration
	run   func(ctx context.Context, dir string) (satisfiable bool, err error)
}

// satSolvers are SAT solvers of Debian, used if installed: each prints little
// and exits with 10 or 20.
var satSolvers = []struct {
	name string
	args []string
}{{"cadical", []string{"-q", "-n"}}, {"minisat", []string{"-verb=0"}}, {"clasp", []string{"-q"}}}

const formulaFile = "formula.cnf"

// others returns the installed programs, for one preset.
func (c *comparison) others(preset string) []*Other {
	if c.o.peerSeeds == 0 {
		return nil
	}
	var all []*Other
	if c.peer {
		all = append(all, &Other{Preset: preset, Program: libsolv.Program, run: askLibsolv})
	}
	for _, s := range satSolvers {
		program, err := exec.LookPath(s.name)
		if err != nil {
			fmt.Fprintf(c.log, "%s is not installed - skipped\n", s.name)
			continue
		}
		all = append(all, &Other{Preset: preset, Program: s.name, run: func(ctx context.Context, dir string) (bool, error) {
			return askSolver(ctx, program, append(slices.Clone(s.args), filepath.Join(dir, formulaFile)))
		}})
	}
	return all
}

func askLibsolv(ctx context.Context, dir string) (bool, error) {
	theirs, err := libsolv.Run(ctx, filepath.Join(dir, libsolv.TestcaseFile))
	if err != nil {
		return false, err
	}
	return theirs.Satisfiable, nil
}

func askSolver(ctx context.Context, program string, args []string) (bool, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.As(err, &exit) && (exit.ExitCode() == 10 || exit.ExitCode() == 20):
		return exit.ExitCode() == 10, nil
	}
	return false, fmt.Errorf("%v: %w", cmd.Args, err)
}

// writeProblem writes a request as a testcase, if libsolv is installed, and as a
// formula.
func (c *comparison) writeProblem(ctx context.Context, dir string, req resolver.Request) error {
	f, err := os.Create(filepath.Join(dir, formulaFile))
	if err != nil {
		return err
	}
	if err := errors.Join(resolver.New().WriteDIMACS(ctx, f, req), f.Close()); err != nil || !c.peer {
		return err
	}
	test, err := libsolv.Translate(ctx, req)
	if err == nil {
		_, err = test.Write(dir)
	}
	return err
}

// solve runs the program on the posed request. It must agree with resolute's
// result, if known.
func (o *Other) solve(ctx context.Context, dir string, limit time.Duration, seed uint64, satisfiable, known bool) error {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	start := time.Now()
	theirs, err := o.run(bounded, dir)
	o.Seeds++
	o.times = append(o.times, time.Since(start))
	o.MedianSeconds, o.WorstSeconds = measure.Median(o.times).Seconds(), slices.Max(o.times).Seconds()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case bounded.Err() != nil:
		return nil
	case err != nil:
		return err
	case known && theirs != satisfiable:
		return fmt.Errorf("programs disagree on %s, seed %d: %s finds a solution: %v, resolute: %v", o.Preset, seed, o.Program, theirs, satisfiable)
	case theirs:
		o.Satisfiable++
	default:
		o.Unsatisfiable++
	}
	return nil
}
