package main

import (
	"context"
	"errors"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// failure is the JSON of a command that has no answer.
type failure struct {
	// File is the invalid input file, if any.
	File string `json:"file,omitempty"`
	// Status is invalid for unusable input and incomplete for stopped work.
	Status scenario.Status `json:"status"`
	// Error describes the fault or the reason for stopping. Its text is not stable.
	Error string `json:"error"`
}

// failedStatus returns the status for an error.
func failedStatus(err error) scenario.Status {
	var incomplete *resolver.IncompleteError
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &incomplete) {
		return scenario.Incomplete
	}
	return scenario.Invalid
}

// failed writes an error as JSON if that is the output format. It returns the error, which is
// also reported on standard error.
func (a *app) failed(cmd *cli.Command, err error) error {
	var status exit
	if err == nil || errors.As(err, &status) || cmd.String("output") != "json" || cmd.Name == "render" {
		return err
	}
	file := ""
	switch input, _, _ := strings.Cut(cmd.ArgsUsage, " "); input {
	case "FILE", "SCENARIO", "CONFIGURATION", "CATALOG":
		file = a.fileOf(cmd.Args().First(), false)
	}
	a.writeFailure(file, err)
	return err
}

// writeFailure writes an error as JSON. A write error is ignored in favor of the reported one.
func (a *app) writeFailure(file string, err error) {
	_ = view.JSON(a.out, failure{file, failedStatus(err), cliMessage(err.Error())})
}

// asksJSON reports whether the arguments select JSON output and the command supports it.
func asksJSON(cmd *cli.Command, args []string) bool {
	for _, f := range cmd.Flags {
		if o, ok := f.(*cli.StringFlag); !ok || o.Name != "output" || o.Validator == nil || o.Validator("json") != nil {
			continue
		}
		for i, arg := range args {
			name, value, joined := strings.Cut(strings.TrimLeft(arg, "-"), "=")
			if !joined && i+1 < len(args) {
				value = args[i+1]
			}
			if strings.HasPrefix(arg, "-") && (name == "o" || name == "output") && value == "json" {
				return cmd.Name != "render"
			}
		}
	}
	return false
}

// cliMessage calls a canceled command interrupted.
func cliMessage(message string) string {
	return strings.ReplaceAll(message, context.Canceled.Error(), "interrupted")
}
