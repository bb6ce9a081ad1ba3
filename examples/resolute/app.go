package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/examples/resolute/internal/pull"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// The exit statuses, worst last.
const (
	exitOK         = 0 // resolved, or clean
	exitNo         = 1 // no solution, or problems found
	exitUnusable   = 2 // unusable input, or usage
	exitIncomplete = 3 // stopped by a time limit or a budget
)

// app is one run of the program.
type app struct {
	args     []string
	in       io.Reader
	out, err *terminal
	progress *progress
	images   *pull.Images
}

// exit ends a command with a status; what there is to say has been said.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// run runs the program and returns its exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{args: args, in: stdin, out: newTerminal(stdout), err: newTerminal(stderr)}
	a.progress = &progress{to: a.err}
	a.images = a.newImages()
	err := a.root().Run(ctx, args)
	var status exit
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &status):
		return int(status)
	}
	a.say(err.Error())
	return exitUnusable
}

// root is the command tree. Each command has a file of its own.
func (a *app) root() *cli.Command {
	return a.quiet(&cli.Command{
		Name:    programName(a.args),
		Usage:   "which operators can be installed together, in which order, and why not",
		Version: version(debug.ReadBuildInfo()),
		// `resolute completion bash`, and zsh, fish and pwsh, print what makes a shell
		// complete commands and flags.
		EnableShellCompletion: true,
		ConfigureShellCompletionCommand: func(cmd *cli.Command) {
			cmd.Hidden, cmd.Usage = false, "a script that completes commands and flags in bash, zsh, fish or pwsh"
			a.quiet(cmd)
		},
		Description: "A scenario is one resolution problem in one file: catalogs, what is installed,\n" +
			"subscriptions, policy. `-` stands for standard input.\n\n" +
			"A catalog is a directory, or one .yaml, .json or .jsonl file, each also with .gz; or a\n" +
			"container image: quay.io/NAME:TAG, HOST/NAME@sha256:DIGEST, docker://NAME, oci:DIRECTORY,\n" +
			"oci-archive:FILE or docker-archive:FILE. A file or directory that exists goes before an\n" +
			"image without such a prefix.\n\n" +
			"Exit status: 0 resolved or clean, 1 no solution or problems found,\n" +
			"2 unusable input or usage, 3 stopped by a time limit or budget.",
		Flags: a.imageFlags(),
		Commands: []*cli.Command{
			a.quiet(a.resolveCommand()),
			a.quiet(a.testCommand()),
			a.quiet(a.whatIfCommand()),
			a.quiet(a.explainCommand()),
			a.quiet(a.convergeCommand()),
			a.quiet(a.auditCommand()),
			a.quiet(a.graphCommand()),
			a.quiet(a.validateCommand()),
			a.quiet(a.readyCommand()),
			a.quiet(a.mirrorCommand()),
			a.quiet(a.serveCommand()),
			a.quiet(a.diffCommand()),
			a.quiet(a.renderCommand()),
			a.quiet(a.imagesCommand()),
			a.quiet(a.captureCommand()),
			a.quiet(a.upgradeCommand()),
			a.quiet(a.needsCommand()),
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if name := cmd.Args().First(); name != "" {
				return fmt.Errorf("there is no command %q, see resolute --help%s", name, text.DidYouMean(name, commandNames(cmd)))
			}
			if err := cli.ShowRootCommandHelp(cmd); err != nil {
				return err
			}
			return exit(exitUnusable)
		},
	})
}

// quiet leaves it to run to report errors, each once and on one stream.
func (a *app) quiet(cmd *cli.Command) *cli.Command {
	cmd.Reader, cmd.Writer, cmd.ErrWriter = a.in, a.out, a.err
	cmd.HideHelpCommand = true
	cmd.ExitErrHandler = func(context.Context, *cli.Command, error) {}
	cmd.OnUsageError = func(_ context.Context, cmd *cli.Command, err error, _ bool) error {
		return fmt.Errorf("%w, see %s --help%s", err, cmd.FullName(), a.flagMeant(cmd))
	}
	return cmd
}

// commandNames goes through the names of the commands below one.
func commandNames(cmd *cli.Command) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, c := range cmd.VisibleCommands() {
			if !yield(c.Name) {
				return
			}
		}
	}
}

// flagMeant suggests the flag that was meant by the first argument that looks like
// one and that the command does not have.
func (a *app) flagMeant(cmd *cli.Command) string {
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

// outputFlag is -o.
func outputFlag(forms ...string) cli.Flag {
	return &cli.StringFlag{
		Name: "output", Aliases: []string{"o"}, Value: forms[0],
		Usage: fmt.Sprintf("form of the answer: %v", forms),
		Validator: func(form string) error {
			for _, f := range forms {
				if f == form {
					return nil
				}
			}
			return fmt.Errorf("%q is not one of %v", form, forms)
		},
	}
}

// timeoutFlag is --timeout.
func timeoutFlag() cli.Flag {
	return &cli.DurationFlag{
		Name: "timeout", Usage: "stop after `DURATION`, for example 30s; 0 for never",
		Validator: func(d time.Duration) error {
			if d < 0 {
				return errors.New("a duration cannot be negative")
			}
			return nil
		},
	}
}

// limitFlags bound the work of each resolution, and log it.
func limitFlags() []cli.Flag {
	return []cli.Flag{
		logFlag(),
		&cli.IntFlag{Name: "max-solves", Value: resolver.DefaultSolves, Usage: "stop after `N` solver calls; 0 for the default, negative for no limit"},
		&cli.IntFlag{Name: "max-bundles", Value: resolver.DefaultBundles, Usage: "stop after `N` candidate bundles; 0 for the default, negative for no limit"},
		&cli.Int64Flag{Name: "max-cel-cost", Value: resolver.DefaultCELCost, Usage: "stop after `N` units of CEL cost; 0 for the default, negative for no limit"},
	}
}

// resolver makes a resolver as limitFlags say.
func (a *app) resolver(cmd *cli.Command) *resolver.Resolver {
	return resolver.New(resolver.WithLogger(a.logger(cmd)), resolver.WithLimits(resolver.Limits{
		Solves:  cmd.Int("max-solves"),
		Bundles: cmd.Int("max-bundles"),
		CELCost: cmd.Int64("max-cel-cost"),
	}))
}

// withTimeout applies timeoutFlag.
func withTimeout(ctx context.Context, cmd *cli.Command) (context.Context, context.CancelFunc) {
	if d := cmd.Duration("timeout"); d > 0 {
		return context.WithTimeout(ctx, d)
	}
	return ctx, func() {}
}

// strictFlag is --strict of the commands that resolve.
func strictFlag() cli.Flag {
	return &cli.BoolFlag{Name: "strict", Usage: "refuse catalogs that have any problem"}
}

// noCorrectionsFlag is --no-corrections.
func noCorrectionsFlag() cli.Flag {
	return &cli.BoolFlag{Name: "no-corrections", Usage: "do not look for changes that would resolve a conflict"}
}

// asJSON says whether -o json was given.
func asJSON(cmd *cli.Command) bool { return cmd.String("output") == "json" }

// arguments returns the arguments of a command; there has to be one at least.
func arguments(cmd *cli.Command) ([]string, error) {
	if cmd.Args().Len() == 0 {
		return nil, needs(cmd)
	}
	return cmd.Args().Slice(), nil
}

// statusOf is the exit status for the status of an answer.
func statusOf(s scenario.Status) int {
	switch s {
	case scenario.Resolved:
		return exitOK
	case scenario.Unsatisfiable:
		return exitNo
	case scenario.Incomplete:
		return exitIncomplete
	}
	return exitUnusable
}

// finish returns the error that ends a command with a status.
func finish(status int) error {
	if status == exitOK {
		return nil
	}
	return exit(status)
}
