package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/internal/text"
)

// withColor applies --color before a command runs.
func (a *app) withColor(cmd *cli.Command) {
	do := cmd.Action
	cmd.Action = func(ctx context.Context, cmd *cli.Command) error {
		for _, stream := range []*terminal.Stream{a.out, a.err} {
			stream.Colours(terminal.When(cmd.String("color")))
		}
		return do(ctx, cmd)
	}
}

// colorFlag is --color.
func colorFlag() cli.Flag {
	values := []string{string(terminal.Auto), string(terminal.Always), string(terminal.Never)}
	return &cli.StringFlag{
		Name: "color", Value: values[0], Validator: oneOf(values...),
		Usage: "color the output `WHEN`: auto (on a terminal, unless NO_COLOR is set), always or never",
	}
}

// usageText rewords the error for a flag.
func usageText(err error, cmd *cli.Command) string {
	m := regexp.MustCompile(`^invalid value "(.*)" for flag -(\S+): (.*)$`).FindStringSubmatch(err.Error())
	if m == nil {
		return strings.Replace(err.Error(), "flag provided but not defined: -", "unknown flag --", 1)
	}
	value, name, reason := m[1], m[2], m[3]
	for _, f := range slices.Concat(cmd.Flags, cmd.Root().Flags) {
		if slices.Contains(f.Names(), name) {
			name = f.Names()[0]
		}
	}
	switch {
	case strings.Contains(reason, "strconv.") && strings.Contains(reason, "out of range"):
		reason = "number is too large"
	case strings.Contains(reason, "strconv."):
		reason = "not a whole number"
	case strings.HasPrefix(reason, "time: "):
		reason = "not a duration such as 30s or 5m"
	case reason == "parse error": // of a boolean flag
		reason = "must be true or false"
	case strings.HasPrefix(reason, strconv.Quote(value)): // already quotes the value
		return "--" + name + ": " + reason
	}
	return fmt.Sprintf("--%s %s: %s", name, strconv.Quote(value), reason)
}

// ofFlag attributes an error to a flag.
func ofFlag(name string, err error) error {
	if err == nil || strings.HasPrefix(err.Error(), "--") {
		return err
	}
	return fmt.Errorf("--%s: %w", name, err)
}

// requireFlag rejects flags that require another one: with names it.
func requireFlag(cmd *cli.Command, with string, flags ...string) error {
	for _, name := range flags {
		if cmd.IsSet(name) {
			return fmt.Errorf("--%s requires %s; see %s --help", name, with, cmd.FullName())
		}
	}
	return nil
}

// flagMeant suggests known flags for the first unknown one among the arguments.
func (a *app) suggestFlag(cmd *cli.Command) string {
	var known []string
	for _, f := range slices.Concat(cmd.Flags, cmd.Root().Flags) {
		known = append(known, f.Names()...)
	}
	for _, arg := range a.args {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !strings.HasPrefix(arg, "-") || name == "" || slices.Contains(known, name) {
			continue
		}
		near := text.Near(name, slices.Values(known), 3)
		for i := range near {
			near[i] = "--" + near[i]
		}
		if len(near) > 0 {
			return "; did you mean " + text.Or(near) + "?"
		}
		return ""
	}
	return ""
}
