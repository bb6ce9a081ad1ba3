package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/internal/text"
)

// commandHelp is the help template of a command. Global options appear only in the help of the
// program.
const commandHelp = `{{template "helpNameTemplate" .}}

USAGE:
   {{template "usageTemplate" .}}

DESCRIPTION:
   {{template "descriptionTemplate" .}}

OPTIONS:{{if .VisibleFlagCategories}}{{template "visibleFlagCategoryTemplate" .}}{{else}}{{template "visibleFlagTemplate" .}}
{{end}}
Options for container images: see {{.Root.Name}} --help
`

// rewriteHelp rewrites `help COMMAND` to `COMMAND --help`.
func rewriteHelp(args []string) []string {
	if len(args) < 2 || args[1] != "help" || slices.Contains(args, "--generate-shell-completion") {
		return args
	}
	return slices.Concat(args[:1], args[2:], []string{"--help"})
}

// checkHelpCommand returns an error if the help of an unknown command is requested.
func (a *app) checkHelpCommand(root *cli.Command) error {
	if n := len(a.args); n < 3 || a.args[n-1] != "--help" || strings.HasPrefix(a.args[1], "-") || a.args[1] == "completion" ||
		slices.ContainsFunc(root.Commands, func(c *cli.Command) bool { return c.Name == a.args[1] }) {
		return nil
	}
	return a.unknown(a.args[1], root)
}

// unknown returns the error for an unknown command, with similar names.
func (a *app) unknown(name string, root *cli.Command) error {
	return fmt.Errorf("unknown command %q, see %s --help%s", name, a.name(), text.DidYouMean(name, commandNames(root)))
}

// helpCommand handles help after global flags; otherwise rewriteHelp rewrites it to --help.
func (a *app) helpCommand() *cli.Command {
	return &cli.Command{
		Usage: "show the help of a command", ArgsUsage: "[COMMAND]",
		Action: func(ctx context.Context, cmd *cli.Command) error {
			root, name := cmd.Root(), cmd.Args().First()
			switch {
			case name == "":
				return cli.ShowRootCommandHelp(root)
			case root.Command(name) == nil:
				return a.unknown(name, root)
			}
			return cli.ShowCommandHelp(ctx, root, name)
		},
	}
}

// manCommand writes the manual page, generated from commands and flags, for archives and
// packages.
func (a *app) manCommand() *cli.Command {
	return &cli.Command{
		Hidden: true, Usage: "write the manual page",
		Description: "The command writes resolute.1; `man -l resolute.1` shows it.",
		Flags:       []cli.Flag{&cli.StringFlag{Name: "into", Value: ".", Usage: "write to `DIRECTORY`"}},
		Action: func(_ context.Context, cmd *cli.Command) error {
			return os.WriteFile(filepath.Join(cmd.String("into"), "resolute.1"), a.manual(cmd.Root()), 0o644)
		},
	}
}

// manual returns the manual page in troff's man macros.
func (a *app) manual(root *cli.Command) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, ".TH RESOLUTE 1\n.SH NAME\nresolute \\- %s\n", troff(root.Usage))
	b.WriteString(".SH SYNOPSIS\n.B resolute\n[\\fIoptions\\fR] \\fIcommand\\fR [\\fIoptions\\fR] [\\fIarguments\\fR]\n.SH DESCRIPTION\n")
	manualText(&b, root.Description)
	b.WriteString(".SH OPTIONS\n")
	manualFlags(&b, root.Flags)
	about := ""
	for _, c := range a.commands("") {
		if c.Hidden {
			continue
		}
		if c.Category != about {
			about = c.Category
			fmt.Fprintf(&b, ".SH %s\n", troff(strings.ToUpper(about)))
		}
		fmt.Fprintf(&b, ".SS resolute %s [options] %s\n%s.\n.PP\n", troff(c.Name), troff(c.ArgsUsage), troff(strings.ToUpper(c.Usage[:1])+c.Usage[1:]))
		manualText(&b, c.Description)
		manualFlags(&b, c.Flags)
	}
	return b.Bytes()
}

// manualText writes a description without filling its lines, because it contains commands.
func manualText(b *bytes.Buffer, description string) {
	if description != "" {
		fmt.Fprintf(b, ".nf\n%s\n.fi\n", troff(description))
	}
}

func manualFlags(b *bytes.Buffer, flags []cli.Flag) {
	for _, f := range flags {
		names, usage, _ := strings.Cut(f.String(), "\t")
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", troff(names), troff(usage))
	}
}

// troff escapes text so that it contains no macro or escape.
func troff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(s)
	return strings.ReplaceAll("\n"+s, "\n.", "\n\\&.")[1:]
}
