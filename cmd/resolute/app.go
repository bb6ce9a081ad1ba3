package main

import (
	"bytes"
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
	exitOK         = 0 // resolved, or clean
	exitNo         = 1 // no solution, or problems found
	exitUnusable   = 2 // unusable input, or usage
	exitIncomplete = 3 // stopped by a time limit or a budget
)

// app is one run of the program.
type app struct {
	args     []string
	in       io.Reader
	out, err *terminal.Stream
	progress *terminal.Progress
	images   *pull.Images

	// made is the scenario that try made, read in the place of any file, and shared has
	// its catalogs; nil for the other commands.
	made   *scenario.Scenario
	shared *scenario.Loader

	// below has where the files lie that directories stand for, by their paths.
	below map[string]place
}

// exit ends a command with a status; what there is to say has been said.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// stopped says that a time limit or an interrupt ended the work on something.
func stopped(ctx context.Context, what string) error {
	return fmt.Errorf("%s: stopped while it was read: %w", what, ctx.Err())
}

// run runs the program and returns its exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	args = helped(args)
	a := &app{args: args, in: stdin, out: terminal.New(stdout), err: terminal.New(stderr)}
	a.progress = terminal.NewProgress(a.err)
	a.images = a.newImages()
	root := a.root()
	err := a.knows(root)
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

// root is the command tree. Each command has a file of its own.
func (a *app) root() *cli.Command {
	return a.quiet(&cli.Command{
		Name:    a.name(),
		Usage:   "which operators can be installed together, in which order, and why not",
		Version: version(debug.ReadBuildInfo()),
		// `resolute completion bash`, and zsh, fish and pwsh, print what makes a shell
		// complete commands and flags.
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: a.completionCommand,
		Description: "A scenario is one resolution problem in one file: catalogs, what is installed,\n" +
			"subscriptions, policy. `-` stands for standard input.\n\n" +
			"A catalog is a directory, or one .yaml, .json or .jsonl file, each also with .gz; or a\n" +
			"container image: quay.io/NAME:TAG, HOST/NAME@sha256:DIGEST, docker://NAME, oci:DIRECTORY,\n" +
			"oci-archive:FILE or docker-archive:FILE. If a file or directory has the name of an\n" +
			"image, the file is read.\n\n" +
			"Exit status: 0 resolved or clean, 1 no solution or problems found,\n" +
			"2 unusable input or usage, 3 stopped by a time limit or budget.",
		Flags:    append(a.imageFlags(), colorFlag()),
		Commands: a.commands(a.asked()),
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

// commands are the commands below root, by what they are about: the one of a name, or all if
// none has it. To prepare the flags of all takes a good part of the start of the program.
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
		if slices.Contains(completed, c.Name) {
			c.ShellComplete = a.complete
		}
		if c.Name != "serve" { // whose --timeout is that of a question
			a.command(c)
		}
		a.inColour(c)
		all = append(all, a.quiet(c))
	}
	return all
}

// asked is the command that the arguments begin with, empty without any.
func (a *app) asked() string {
	if len(a.args) < 2 {
		return ""
	}
	return a.args[1]
}

// name is what the program is called in its help.
func (a *app) name() string {
	if kubectl.IsPlugin(a.args) {
		return "kubectl resolute"
	}
	return "resolute"
}

// command completes a command: its arguments are counted, and --timeout ends it.
func (a *app) command(cmd *cli.Command) *cli.Command {
	do := cmd.Action
	cmd.Action = func(ctx context.Context, cmd *cli.Command) error {
		if err := checkArguments(cmd); err != nil {
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

// checkArguments counts the arguments of a command: ArgsUsage names each, in brackets
// if it may be missing, and with dots if there may be more of them.
func checkArguments(cmd *cli.Command) error {
	least, most := 0, 0
	for _, word := range strings.Fields(cmd.ArgsUsage) {
		if !strings.HasPrefix(word, "[") {
			least++
		}
		if most++; strings.HasSuffix(strings.TrimSuffix(word, "]"), "...") {
			most = cmd.Args().Len()
		}
	}
	switch n := cmd.Args().Len(); {
	case n > 0 && most == 0:
		return fmt.Errorf("%s takes no arguments; see %s --help", cmd.Name, cmd.FullName())
	case n < least || n > most:
		return needs(cmd)
	}
	return nil
}

// needs says what arguments a command needs.
func needs(cmd *cli.Command) error {
	return fmt.Errorf("%s needs %s; see %s --help", cmd.Name, cmd.ArgsUsage, cmd.FullName())
}

// quiet leaves it to run to report errors, each once and on one stream.
func (a *app) quiet(cmd *cli.Command) *cli.Command {
	cmd.Reader, cmd.Writer, cmd.ErrWriter = a.in, a.out.Help(), a.err
	cmd.HideHelpCommand = true
	cmd.ExitErrHandler = func(context.Context, *cli.Command, error) {}
	cmd.OnUsageError = func(_ context.Context, cmd *cli.Command, err error, _ bool) error {
		err = fmt.Errorf("%s, see %s --help%s", usageText(err, cmd), cmd.FullName(), a.flagMeant(cmd))
		if asksJSON(cmd, a.args) { // the flag may stand behind the wrong one
			a.writeFailure("", err)
		}
		return err
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

// wordFlag is a flag with a value, listFlag one that may be given several times, and yesFlag
// one without a value. A word in backquotes is what the help calls the value.
func wordFlag(name, usage string) cli.Flag { return &cli.StringFlag{Name: name, Usage: usage} }
func listFlag(name, usage string) cli.Flag { return &cli.StringSliceFlag{Name: name, Usage: usage} }
func yesFlag(name, usage string) cli.Flag  { return &cli.BoolFlag{Name: name, Usage: usage} }

// outputFlag is -o.
func outputFlag(forms ...string) cli.Flag {
	return &cli.StringFlag{
		Name: "output", Aliases: []string{"o"}, Value: forms[0],
		Usage:     "the `FORM` of the answer: " + text.Or(forms),
		Validator: oneOf(forms...),
	}
}

// reportFlag is -o of a command that finds something: its own forms, and those of a report.
func reportFlag(forms ...string) cli.Flag { return outputFlag(append(forms, report.Forms()...)...) }

// oneOf checks that the value of a flag is one of a few.
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
		return errors.New("a number cannot be negative")
	}
	return nil
}

// timeoutFlag is --timeout.
func timeoutFlag() cli.Flag {
	return &cli.DurationFlag{
		Name: "timeout", Category: limits, Usage: "stop after `DURATION`, for example 30s; 0 for never",
		Validator: func(d time.Duration) error {
			if d < 0 {
				return errors.New("a duration cannot be negative")
			}
			return nil
		},
	}
}

// limits is the category of the flags that bound the work.
const limits = "LIMITS"

// limitFlags bound the work of each resolution, and log it.
func limitFlags() []cli.Flag {
	return []cli.Flag{
		logFlag(),
		&cli.IntFlag{Name: "max-solves", Category: limits, Value: 100_000, Usage: "stop after `N` solver calls; 0 for the default, negative for no limit"},
		&cli.IntFlag{Name: "max-bundles", Category: limits, Value: 2_000_000, Usage: "stop after `N` candidate bundles; 0 for the default, negative for no limit"},
		&cli.Int64Flag{Name: "max-cel-cost", Category: limits, Value: 1_000_000_000, Usage: "stop after `N` units of CEL cost; 0 for the default, negative for no limit"},
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

// strictFlag is --strict of the commands that resolve.
func strictFlag() cli.Flag {
	return yesFlag("strict", "refuse catalogs that have any problem")
}

// noCorrectionsFlag is --no-corrections.
func noCorrectionsFlag() cli.Flag {
	return yesFlag("no-corrections", "do not look for changes that would resolve a conflict")
}

// answerFlags are those of the commands that answer scenarios.
func answerFlags(forms ...string) []cli.Flag {
	return append([]cli.Flag{outputFlag(forms...), timeoutFlag(), strictFlag(), noCorrectionsFlag()}, limitFlags()...)
}

// show writes a value as JSON, as a page, or as text.
func (a *app) show(cmd *cli.Command, value any, page func(io.Writer) error, write func(*view.Text)) error {
	switch cmd.String("output") {
	case "json":
		return view.JSON(a.out, value)
	case "html":
		return page(a.out)
	}
	t := view.NewText(a.out)
	t.NoCluster = a.made != nil
	write(t)
	return t.Flush()
}

// showAnswer writes the answer to a scenario, says what is wrong with the scenario, and
// returns the exit status.
func (a *app) showAnswer(cmd *cli.Command, file string, answer *scenario.Answer) error {
	a.withoutCluster(answer)
	a.complain(label(file), answer.Error)
	err := a.show(cmd, answerOf{a.fileOf(file, false), answer}, func(w io.Writer) error { return new(view.Page).Add(label(file), answer).Write(w) },
		func(t *view.Text) { t.Answer(label(file), answer) })
	if err != nil {
		return err
	}
	return finish(statusOf(answer.Status))
}

// refused says why there is no answer to a scenario, and returns the exit status.
func (a *app) refused(cmd *cli.Command, file string, err error) error {
	a.complain(label(file), err.Error())
	status := failedStatus(err)
	if cmd.String("output") == "json" {
		if err := view.JSON(a.out, failure{a.fileOf(file, false), status, inWords(err.Error())}); err != nil {
			return err
		}
	}
	return finish(statusOf(status))
}

// writeReport writes a report in one of its forms, or nothing if that fails.
func (a *app) writeReport(r *report.Report, form string) error {
	var b bytes.Buffer
	if err := r.Write(&b, form); err != nil {
		return err
	}
	_, err := b.WriteTo(a.out)
	return err
}

// complain says on standard error what is wrong with a file.
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
	fmt.Fprintln(a.err.Wrapped(), text.Block(strings.TrimRight("resolute: "+inWords(message), "\n")))
}

// statusOf is the exit status for the status of an answer.
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

// finish returns the error that ends a command with a status.
func finish(status int) error {
	if status == exitOK {
		return nil
	}
	return exit(status)
}
