package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// errNoDose reports that dose-debcheck is missing.
var errNoDose = errors.New("dose-debcheck is not installed; Debian and Ubuntu have it in the package dose-distcheck")

// compared runs this program and dose-debcheck on a list and prints the times of both. It returns the number of
// packages that cannot be installed. Different answers are an error.
func compared(ctx context.Context, architecture string, list []byte, w io.Writer) (int, error) {
	dir, err := os.MkdirTemp("", "debian-audit-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "Packages")
	if err := os.WriteFile(file, list, 0o600); err != nil {
		return 0, err
	}
	own, err := os.Executable()
	if err != nil {
		return 0, err
	}
	ours, err := execute(exec.CommandContext(ctx, own, "-dose", file))
	if err != nil {
		return 0, err
	}
	theirs, err := execute(dose(ctx, architecture, file))
	if err != nil {
		return 0, err
	}
	if !slices.Equal(ours.broken, theirs.broken) {
		return 0, fmt.Errorf("the programs disagree on what cannot be installed: %q, but according to dose-debcheck %q", ours.broken, theirs.broken)
	}
	_, err = fmt.Fprintf(w, "%d packages cannot be installed, according to both programs:\n%s\n\ndebian-audit   %v\ndose-debcheck  %v\nratio          %.2f of processor time\n",
		len(ours.broken), strings.Join(ours.broken, "\n"), ours, theirs, ours.cpu.Seconds()/theirs.cpu.Seconds())
	return len(ours.broken), err
}

// dose returns the command that checks a list.
func dose(ctx context.Context, architecture, list string) *exec.Cmd {
	return exec.CommandContext(ctx, "dose-debcheck", "--failures", "--deb-ignore-essential", "--deb-native-arch="+architecture, list)
}

// outcome is what a program found, and the time that the whole process took.
type outcome struct {
	broken    []string // "NAME VERSION", ascending
	wall, cpu time.Duration
}

// String returns the times.
func (o *outcome) String() string {
	return fmt.Sprintf("%.1f s, processor time %.1f s", o.wall.Seconds(), o.cpu.Seconds())
}

// execute runs a program that prints packages in the format of dose-debcheck.
func execute(cmd *exec.Cmd) (*outcome, error) {
	began := time.Now()
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, errNoDose
	case errors.As(err, &exit) && !bytes.Contains(out, []byte("broken-packages:")):
		return nil, fmt.Errorf("%s: %w %s", cmd.Path, err, bytes.TrimSpace(exit.Stderr))
	case err != nil && exit == nil:
		return nil, err
	}
	return &outcome{parse(out), time.Since(began), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
}

// parse returns the packages that a program printed as "NAME VERSION", ascending.
func parse(out []byte) []string {
	var all []string
	name := ""
	for line := range strings.Lines(string(out)) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), ": "); key {
		case "package":
			name = value
		case "version":
			all = append(all, name+" "+strings.Trim(value, `"`))
		}
	}
	slices.Sort(all)
	return all
}
