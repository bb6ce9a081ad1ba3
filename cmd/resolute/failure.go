package main

import (
	"context"
	"errors"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// failure is what a command prints as JSON where it has no answer.
type failure struct {
	// File is the input that cannot be used, if it is one.
	File string `json:"file,omitempty"`
	// Status is invalid for input that cannot be used, and incomplete for work that was stopped.
	Status scenario.Status `json:"status"`
	// Error says what is wrong, or what stopped the work. It is not stable.
	Error string `json:"error"`
}

// failedStatus is the status of a command that ends with an error.
func failedStatus(err error) scenario.Status {
	var incomplete *resolver.IncompleteError
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &incomplete) {
		return scenario.Incomplete
	}
	return scenario.Invalid
}

// failed writes the error of a command as JSON, if that is the form of its output. It returns
// the error, which is reported on standard error as well.
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

// writeFailure writes an error as JSON. That it cannot be written is less than the error.
func (a *app) writeFailure(file string, err error) {
	_ = view.JSON(a.out, failure{file, failedStatus(err), inWords(err.Error())})
}

// asksJSON reports whether a command has -o json, and the arguments have it.
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

// inWords is a message in the words of the command line.
func inWords(message string) string {
	return pull.Words(strings.ReplaceAll(message, context.Canceled.Error(), "interrupted"))
}
