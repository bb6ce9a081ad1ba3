package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// outcome is what came of a change.
type outcome int

const (
	killed   outcome = iota // a test failed
	timedOut                // the tests did not end
	survived                // every test passed
	invalid                 // it does not compile
)

// tester runs the tests of a package.
type tester struct {
	root    string
	run     string
	also    []string
	timeout time.Duration
	except  []string // changes that make no difference
}

// mostMemory is what the tests of one change may take, in KiB: a loop that was
// made endless must not take all there is.
const mostMemory = 12 << 20

// try runs the tests with a change, or with none.
func (t tester) try(ctx context.Context, pkg string, c *change) (outcome, error) {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	args := []string{}
	if c != nil {
		overlay, err := c.overlay(dir)
		if err != nil {
			return 0, err
		}
		args = append(args, "-overlay", overlay)
	}
	packages := append([]string{pkg}, t.also...)
	if c != nil && t.command(ctx, nil, "go", append(append([]string{"build"}, args...), pkg)...) != nil {
		return invalid, ctx.Err()
	}
	test := append([]string{"test", "-short", "-failfast", "-vet=off", "-timeout", t.timeout.String(), "-run", t.run}, args...)
	limited, cancel := context.WithTimeout(ctx, 2*t.timeout)
	defer cancel()
	err = t.command(limited, nil, "sh", append([]string{"-c", fmt.Sprintf(`ulimit -v %d; exec go "$@"`, mostMemory), "go"}, append(test, packages...)...)...)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case err == nil:
		return survived, nil
	case limited.Err() != nil:
		return timedOut, nil
	case errors.As(err, &exit):
		return killed, nil
	default:
		return 0, err
	}
}

// command runs a command in the module, with all that it starts in a group of
// processes that ends with it.
func (t tester) command(ctx context.Context, errOut io.Writer, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stderr = t.root, errOut
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd.Run()
}

// overlay writes the changed file, and the file that makes the compiler use it.
func (c *change) overlay(dir string) (string, error) {
	src, err := os.ReadFile(c.file)
	if err != nil {
		return "", err
	}
	changed := filepath.Join(dir, "changed.go")
	text := string(src[:c.from]) + c.text + string(src[c.to:])
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {c.file: changed}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, list, 0o600)
}
