package main

import (
	"bytes"
	"cmp"
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

	"github.com/seed109e2655/resolute/cmd/resolute/internal/kubectl"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/report"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// The exit statuses, worst last.
const (
	exitOK         = 0 // resolved or clean
	exitNo         = 1 // no solution, or problems found
	exitUnusable   = 2 // invalid input or usage
	exitIncomplete = 3 // stopped by a time limit or a budget
)

// app holds the state of one run of the program.
type app struct {
	args     []string
	in       io.Reader
	out, err *terminal.Stream
	progress *terminal.Progress
	images   *pull.Images

	// now is the time from --now, which replaces that of each scenario.
	now string

	// metadata reports whether catalogs are read with annotations and labels, because rules of a
	// policy may refer to them.
	metadata bool

	// adHoc is the scenario that the try command builds, and adHocLoader the loader with its
	// catalogs. Both are nil for other commands.
	adHoc       *scenario.Scenario
	adHocLoader *scenario.Loader

	// inDirectory maps the path of each scenario file found in a directory to its location.
	inDirectory map[string]location
}

// exit is the exit status of a command that has already reported its outcome.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// stopped returns the error for input whose reading was canceled.
func stopped(ctx context.Context, what string) error {
	return fmt.Errorf("%s: reading stopped: %w", what, ctx.Err())
}

// run executes the program and returns its exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	args = rewriteHelp(args)
	a := &app{args: args, in: stdin, out: terminal.New(stdout), err: terminal.New(stderr)}
	a.progress = terminal.NewProgress(a.err)
	a.images = a.newImages()
	root := a.root()
	err := a.checkHelpCommand(root)
	if err == nil {
		err = root.Run(ctx, args)
	}
	a.progress.Done()
	var status exit
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &status):
		return int(status)
	}
	a.say(err.Error())
	return statusOf(failedStatus(err))
}

// root returns the command tree. Each command has its own file.
func (a *app) root() *cli.Command {
	return a.quiet(&cli.Command{
		Name:    a.name(),
		Usage:   "resolve dependencies between Kubernetes operators",
		Version: version(debug.ReadBuildInfo()),
		// The completion command prints shell completion scripts for bash, zsh, fish and pwsh.
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: a.completionCommand,
		Description: "A scenario is a file with one resolution problem: catalogs, installed operators,\n" +
			"subscriptions and policy. `-` reads it from standard input.\n\n" +
			"A catalog is a directory, a .yaml, .json or .jsonl file (optionally with .gz), or a\n" +
			"container image: quay.io/NAME:TAG, HOST/NAME@sha256:DIGEST, docker://NAME, oci:DIRECTORY,\n" +
			"oci-archive:FILE or docker-archive:FILE. A file or directory takes precedence over an\n" +
			"image of the same name.\n\n" +
			"Exit status: 0 resolved or clean, 1 no solution or problems found,\n" +
			"2 invalid input or usage, 3 stopped by a time limit or budget.",
		Flags:    append(a.imageFlags(), colorFlag()),
		Commands: a.commands(a.commandName()),
		Action: func(_ context.Context, cmd *cli.Command) error {
			if name := cmd.Args().First(); name != "" {
				return a.unknown(name, cmd)
			}
			if err := cli.ShowRootCommandHelp(cmd); err != nil {
				return err
			}
			return exit(exitUnusable)
		},
	})
}

// commands returns the command with the given name, or all commands, grouped by category, if
// none matches. Preparing the flags of every command dominates startup time.
func (a *app) commands(name string) []*cli.Command {
	type entry struct {
		about, name string
		make        func() *cli.Command
	}
	table := []entry{
		{"Scenarios", "try", a.tryCommand},
		{"Scenarios", "resolve", a.resolveCommand},
		{"Scenarios", "test", a.testCommand},
		{"Scenarios", "whatif", a.whatIfCommand},
		{"Scenarios", "explain", a.explainCommand},
		{"Scenarios", "converge", a.convergeCommand},
		{"Scenarios", "upgrade", a.upgradeCommand},
		{"Scenarios", "needs", a.needsCommand},
		{"Scenarios", "lock", a.lockCommand},
		{"Scenarios", "channels", a.channelsCommand},
		{"Scenarios", "verify", a.verifyCommand},
		{"Scenarios", "serve", a.serveCommand},
		{"Clusters", "capture", a.captureCommand},
		{"Clusters", "ready", a.readyCommand},
		{"Catalogs", "list", a.listCommand},
		{"Catalogs", "audit", a.auditCommand},
		{"Catalogs", "graph", a.graphCommand},
		{"Catalogs", "validate", a.validateCommand},
		{"Catalogs", "diff", a.diffCommand},
		{"Catalogs", "render", a.renderCommand},
		{"Catalogs", "mirror", a.mirrorCommand},
		{"Catalogs", "images", a.imagesCommand},
		{"Help", "help", a.helpCommand},
		{"Help", "version", a.versionCommand},
		{"Help", "man", a.manCommand},
	}
	if i := slices.IndexFunc(table, func(e entry) bool { return e.name == name }); i >= 0 {
		table = table[i : i+1]
	}
	var all []*cli.Command
	for _, e := range table {
		c := e.make()
		c.Name, c.Category, c.CustomHelpTemplate = e.name, e.about, commandHelp
		if slices.Contains(completable, c.Name) {
			c.ShellComplete = a.complete
		}
		if c.Name != "serve" { // its --timeout applies to each request
			a.command(c)
		}
		a.withColor(c)
		all = append(all, a.quiet(c))
	}
	return all
}

// commandName returns the command name among the arguments, or an empty string.
func (a *app) commandName() string {
	if len(a.args) < 2 {
		return ""
	}
	return a.args[1]
}

// name returns the program name for help texts.
func (a *app) name() string {
	if kubectl.IsPlugin(a.args) {
		return "kubectl resolute"
	}
	return "resolute"
}

// command adds argument checks and the --timeout deadline to a command.
func (a *app) command(cmd *cli.Command) *cli.Command {
	do := cmd.Action
	cmd.Action = func(ctx context.Context, cmd *cli.Command) error {
		if err := cmp.Or(checkArguments(cmd), a.setNow(cmd)); err != nil {
			return a.failed(cmd, err)
		}
		if d := cmd.Duration("timeout"); d > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, d)
			defer cancel()
		}
		return a.within(ctx, func() error { return a.failed(cmd, do(ctx, cmd)) })
	}
	return cmd
}

// checkArguments checks the number of arguments against ArgsUsage, where brackets mark optional
// arguments and dots repeated ones.
func checkArguments(cmd *cli.Command) error {
	if cmd.Bool("across") { // graph --across has arguments of its own
		return nil
	}
	minArgs, maxArgs := 0, 0
	for _, word := range strings.Fields(cmd.ArgsUsage) {
		if !strings.HasPrefix(word, "[") {
			minArgs++
		}
		if maxArgs++; strings.HasSuffix(strings.TrimSuffix(word, "]"), "...") {
			maxArgs = cmd.Args().Len()
		}
	}
	switch n := cmd.Args().Len(); {
	case n > 0 && maxArgs == 0:
		return fmt.Errorf("%s takes no arguments; see %s --help", cmd.Name, cmd.FullName())
	case n < minArgs || n > maxArgs:
		return needs(cmd)
	}
	return nil
}

// needs returns the error for a wrong number of arguments.
func needs(cmd *cli.Command) error {
	return fmt.Errorf("%s needs %s; see %s --help", cmd.Name, cmd.ArgsUsage, cmd.FullName())
}

// quiet lets run report errors, each once and on one stream.
func (a *app) quiet(cmd *cli.Command) *cli.Command {
	cmd.Reader, cmd.Writer, cmd.ErrWriter = a.in, a.out.Help(), a.err
	cmd.HideHelpCommand = true
	cmd.ExitErrHandler = func(context.Context, *cli.Command, error) {}
	cmd.OnUsageError = func(_ context.Context, cmd *cli.Command, err error, _ bool) error {
		err = fmt.Errorf("%s, see %s --help%s", usageText(err, cmd), cmd.FullName(), a.suggestFlag(cmd))
		if asksJSON(cmd, a.args) { // the flag may follow the invalid one
			a.writeFailure("", err)
		}
		return err
	}
	return cmd
}

// commandNames returns the names of the visible subcommands.
func commandNames(cmd *cli.Command) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, c := range cmd.VisibleCommands() {
			if !yield(c.Name) {
				return
			}
		}
	}
}

// stringFlag takes a string, listFlag a repeatable string, boolFlag a boolean. Backquotes in the
// usage mark the name of the value.
func stringFlag(name, usage string) cli.Flag { return &cli.StringFlag{Name: name, Usage: usage} }
func listFlag(name, usage string) cli.Flag   { return &cli.StringSliceFlag{Name: name, Usage: usage} }
func boolFlag(name, usage string) cli.Flag   { return &cli.BoolFlag{Name: name, Usage: usage} }

// outputFlag is --output (-o).
func outputFlag(forms ...string) cli.Flag {
	return &cli.StringFlag{
		Name: "output", Aliases: []string{"o"}, Value: forms[0],
		Usage:     "output `FORMAT`: " + text.Or(forms),
		Validator: oneOf(forms...),
	}
}

// reportFlag is --output with the command's own formats and the report formats.
func reportFlag(forms ...string) cli.Flag { return outputFlag(append(forms, report.Formats()...)...) }

// oneOf returns a validator that accepts only the given values.
func oneOf(values ...string) func(string) error {
	return func(v string) error {
		if !slices.Contains(values, v) {
			return fmt.Errorf("%q is not %s", v, text.Or(values))
		}
		return nil
	}
}

func notNegative(n int) error {
	if n < 0 {
		return errors.New("must not be negative")
	}
	return nil
}

func timeoutFlag() cli.Flag {
	return &cli.DurationFlag{
		Name: "timeout", Category: limits, Usage: "stop after `DURATION`, for example 30s; 0 disables the limit",
		Validator: func(d time.Duration) error {
			if d < 0 {
				return errors.New("must not be negative")
			}
			return nil
		},
	}
}

// limits is the help category of flags that bound the work.
const limits = "LIMITS"

// limitFlags bound and log each resolution.
func limitFlags() []cli.Flag {
	return []cli.Flag{
		logFlag(),
		&cli.IntFlag{Name: "max-solves", Category: limits, Value: 100_000, Usage: "stop after `N` solver calls; 0 means the default, a negative number no limit"},
		&cli.IntFlag{Name: "max-bundles", Category: limits, Value: 2_000_000, Usage: "stop after `N` candidate bundles; 0 means the default, a negative number no limit"},
		&cli.Int64Flag{Name: "max-cel-cost", Category: limits, Value: 1_000_000_000, Usage: "stop after `N` units of CEL cost; 0 means the default, a negative number no limit"},
	}
}

// resolver returns a resolver configured by limitFlags.
func (a *app) resolver(cmd *cli.Command) *resolver.Resolver {
	return resolver.New(resolver.WithLogger(a.logger(cmd)), resolver.WithLimits(resolver.Limits{
		Solves:  cmd.Int("max-solves"),
		Bundles: cmd.Int("max-bundles"),
		CELCost: cmd.Int64("max-cel-cost"),
	}), resolver.WithLimitNames(func(l resolver.Limit) string {
		return map[resolver.Limit]string{resolver.LimitSolves: "--max-solves", resolver.LimitBundles: "--max-bundles", resolver.LimitCELCost: "--max-cel-cost"}[l]
	}))
}

// strictFlag is --strict for commands that resolve.
func strictFlag() cli.Flag {
	return boolFlag("strict", "reject catalogs with any problem")
}

func noCorrectionsFlag() cli.Flag {
	return boolFlag("no-corrections", "do not search for corrections of a conflict")
}

// answerFlags are the flags of commands that answer scenarios.
func answerFlags(forms ...string) []cli.Flag {
	return append([]cli.Flag{outputFlag(forms...), timeoutFlag(), strictFlag(), noCorrectionsFlag()}, limitFlags()...)
}

// show writes a value as JSON, HTML or text.
func (a *app) show(cmd *cli.Command, value any, page func(io.Writer) error, write func(*view.Text)) error {
	switch cmd.String("output") {
	case "json":
		return view.JSON(a.out, value)
	case "html":
		return page(a.out)
	}
	t := view.NewText(a.out)
	t.NoCluster = a.adHoc != nil
	write(t)
	return t.Flush()
}

// showAnswer writes the answer to a scenario, reports its error on standard error, and returns
// the exit status.
func (a *app) showAnswer(ctx context.Context, cmd *cli.Command, file string, answer *scenario.Answer) error {
	a.withoutCluster(answer)
	a.complain(label(file), answer.Error)
	err := a.show(cmd, answerOf{a.fileOf(file, false), answer}, func(w io.Writer) error { return view.NewPage(ctx).Add(label(file), answer).Write(w) },
		func(t *view.Text) { t.Answer(label(file), answer) })
	if err != nil {
		return err
	}
	return exitError(statusOf(answer.Status))
}

// refused reports why a scenario has no answer, and returns the exit status.
func (a *app) refused(cmd *cli.Command, file string, err error) error {
	a.complain(label(file), err.Error())
	status := failedStatus(err)
	if cmd.String("output") == "json" {
		if err := view.JSON(a.out, failure{a.fileOf(file, false), status, cliMessage(err.Error())}); err != nil {
			return err
		}
	}
	return exitError(statusOf(status))
}

// writeReport writes a complete report in one format, or nothing if rendering fails.
func (a *app) writeReport(r *report.Report, form string) error {
	var b bytes.Buffer
	if err := r.Write(&b, form); err != nil {
		return err
	}
	_, err := b.WriteTo(a.out)
	return err
}

// complain reports an error about a file on standard error.
func (a *app) complain(file, message string) {
	if message == "" {
		return
	}
	if !strings.HasPrefix(message, file+":") {
		message = file + ": " + message
	}
	a.say(message)
}

// say writes a message to standard error.
func (a *app) say(message string) {
	fmt.Fprintln(a.err.Wrapped(), text.Block(strings.TrimRight("resolute: "+cliMessage(message), "\n")))
}

// statusOf returns the exit status for an answer status.
func statusOf(s scenario.Status) int {
	switch s {
	case scenario.Resolved, pathStatus:
		return exitOK
	case scenario.Unsatisfiable:
		return exitNo
	case scenario.Incomplete:
		return exitIncomplete
	}
	return exitUnusable
}

// exitError returns the error that ends a command with an exit status, or nil for exitOK.
func exitError(status int) error {
	if status == exitOK {
		return nil
	}
	return exit(status)
}
