package libsolv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Program is the program that runs testcases, from Debian's package
// libsolv-tools.
const Program = "testsolv"

// ErrNotInstalled reports that testsolv is missing.
var ErrNotInstalled = errors.New("testsolv is not installed; Debian and Ubuntu have it in the package libsolv-tools")

// Find returns the path of testsolv, or ErrNotInstalled.
func Find() (string, error) {
	path, err := exec.LookPath(Program)
	if err != nil {
		return "", ErrNotInstalled
	}
	return path, nil
}

// Answer is libsolv's answer to a testcase.
type Answer struct {
	Satisfiable bool
	// Packages are the newly installed packages as "name-version-release", in
	// ascending order; empty if there is no solution.
	Packages []string
}

// Command returns the command that runs a testcase and prints its answer.
func Command(ctx context.Context, testcase string) (*exec.Cmd, error) {
	program, err := Find()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, "-r", filepath.Base(testcase))
	cmd.Dir = filepath.Dir(testcase)
	return cmd, nil
}

// Run runs testsolv on a testcase. The error is ErrNotInstalled, that of the
// context, or that of testsolv.
func Run(ctx context.Context, testcase string) (*Answer, error) {
	if _, err := os.Stat(testcase); err != nil {
		return nil, err // testsolv would report it as solved
	}
	cmd, err := Command(ctx, testcase)
	if err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil || stderr.Len() > 0:
		return nil, fmt.Errorf("testsolv cannot solve %s: %w %s", testcase, err, strings.TrimSpace(stderr.String()))
	}
	return ReadAnswer(stdout.Bytes()), nil
}

// ReadAnswer parses the output of Command.
func ReadAnswer(output []byte) *Answer {
	a := &Answer{Satisfiable: true}
	for line := range strings.Lines(string(output)) {
		words := strings.Fields(line)
		switch {
		case len(words) > 0 && words[0] == "problem":
			return &Answer{}
		case len(words) > 1 && (words[0] == "install" || words[0] == "upgrade"):
			name, _, _ := strings.Cut(words[len(words)-1], ".noarch@")
			a.Packages = append(a.Packages, name)
		}
	}
	slices.Sort(a.Packages)
	return a
}
