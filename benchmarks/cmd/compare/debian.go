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
	"path/filepath"
	"slices"

	"github.com/seed109e2655/resolute/benchmarks/debian"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// Part is an audit of a part of Debian's package lists, with the cost of
// dose-debcheck for the same question.
type Part struct {
	Packages int     `json:"packages"`
	Broken   int     `json:"broken"` // not installable, according to both
	Pairs    int     `json:"pairs"`
	Resolute Usage   `json:"resolute"`
	Dose     *Usage  `json:"dose,omitempty"`
	Ratio    float64 `json:"ratio,omitempty"` // of processor times
}

// debian audits growing parts of the machine's package lists.
func (c *comparison) debian(ctx context.Context) error {
	whole, err := debian.Load(ctx, c.o.lists)
	if errors.Is(err, debian.ErrNoLists) {
		fmt.Fprintln(c.log, err, "- skipped")
		return nil
	}
	if err != nil {
		return err
	}
	var all []Part
	for _, n := range c.o.parts {
		p, err := c.part(ctx, whole.Part(n))
		if err != nil {
			return err
		}
		all = append(all, *p)
		fmt.Fprintf(c.log, "debian %d: %.3f s of processor time, ratio %.2f\n", p.Packages, p.Resolute.CPUSeconds, p.Ratio)
	}
	c.results.Debian = all
	return nil
}

// part measures one part. Both programs must agree.
func (c *comparison) part(ctx context.Context, a *debian.Archive) (*Part, error) {
	catalog, list := filepath.Join(c.work, "debian.jsonl"), filepath.Join(c.work, "debian_Packages")
	for file, write := range map[string]func(io.Writer) error{catalog: a.WriteCatalog, list: a.WriteList} {
		var b bytes.Buffer
		if err := errors.Join(write(&b), os.WriteFile(file, b.Bytes(), 0o666)); err != nil {
			return nil, err
		}
	}
	ours := func() *exec.Cmd { return exec.CommandContext(ctx, c.program, "audit", "-o", "json", catalog) }
	broken, err := uninstallable(ours())
	if err != nil {
		return nil, err
	}
	p := &Part{Packages: a.Len(), Broken: len(broken), Pairs: c.o.repeats}
	theirs := func() *exec.Cmd {
		cmd, _ := a.DoseCommand(ctx, list) // checked before
		return cmd
	}
	commands := []func() *exec.Cmd{ours, theirs}
	found, err := a.Broken(ctx, list)
	switch {
	case errors.Is(err, debian.ErrNotInstalled):
		fmt.Fprintln(c.log, err, "- measuring resolute alone")
		commands = commands[:1]
	case err != nil:
		return nil, err
	case !slices.Equal(broken, found):
		return nil, fmt.Errorf("programs disagree on %s: not installable according to %s: %v, according to resolute: %v", list, debian.Dose, found, broken)
	}
	runs, err := alternate(c.o.repeats, commands...)
	if err != nil {
		return nil, err
	}
	p.Resolute = median(runs[0])
	if p.Resolute.Peak, err = peak(ctx, ours()); err != nil || len(commands) == 1 {
		return p, err
	}
	their := median(runs[1])
	p.Dose, p.Ratio = &their, p.Resolute.CPUSeconds/their.CPUSeconds
	p.Dose.Peak, err = peak(ctx, theirs())
	return p, err
}

// uninstallable returns the bundles that an audit reports as not installable,
// in ascending order.
func uninstallable(cmd *exec.Cmd) ([]string, error) {
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		return nil, err
	}
	var names []string
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var b audit.Bundle
		if err := dec.Decode(&b); err != nil {
			return nil, err
		}
		if b.Bundle != "" && !b.Installable {
			names = append(names, b.Bundle)
		}
	}
	slices.Sort(names)
	return names, nil
}
