package debian

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// Dose is the program that finds the packages of a list that are not
// installable, from Debian's package dose-distcheck.
const Dose = "dose-debcheck"

// ErrNotInstalled reports that dose-debcheck is missing.
var ErrNotInstalled = errors.New("dose-debcheck is not installed; Debian and Ubuntu have it in the package dose-distcheck")

// DoseCommand returns the command that checks a list.
func (a *Archive) DoseCommand(ctx context.Context, list string) (*exec.Cmd, error) {
	program, err := exec.LookPath(Dose)
	if err != nil {
		return nil, ErrNotInstalled
	}
	return exec.CommandContext(ctx, program, "--failures", "--deb-ignore-essential", "--deb-native-arch="+a.native, list), nil
}

// Broken runs dose-debcheck and returns the packages of a list that are not
// installable, as bundles of the catalog, in ascending order. The error is
// ErrNotInstalled or that of dose-debcheck.
func (a *Archive) Broken(ctx context.Context, list string) ([]string, error) {
	cmd, err := a.DoseCommand(ctx, list)
	if err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !(errors.As(err, &exit) && strings.Contains(stdout.String(), "broken-packages:")) {
		return nil, fmt.Errorf("%s: %w %s", Dose, err, strings.TrimSpace(stderr.String()))
	}
	var broken []string
	name := ""
	for line := range strings.Lines(stdout.String()) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), ": "); key {
		case "package":
			name = value
		case "version":
			broken = append(broken, name+"_"+strings.Trim(value, `"`))
		}
	}
	slices.Sort(broken)
	return broken, nil
}
