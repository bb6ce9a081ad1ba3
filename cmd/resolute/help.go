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

// commandHelp is the help of a command. It leaves the options of the program to that of
// the program.
const commandHelp = `{{template "helpNameTemplate" .}}

USAGE:
   {{template "usageTemplate" .}}

DESCRIPTION:
   {{template "descriptionTemplate" .}}

OPTIONS:{{if .VisibleFlagCategories}}{{template "visibleFlagCategoryTemplate" .}}{{else}}{{template "visibleFlagTemplate" .}}
{{end}}
Options that say how container images are read: see {{.Root.Name}} --help
`

// helped is `COMMAND --help` for `help COMMAND`.
func helped(args []string) []string {
	if len(args) < 2 || args[1] != "help" || slices.Contains(args, "--generate-shell-completion") {
		return args
	}
	return slices.Concat(args[:1], args[2:], []string{"--help"})
}

// knows says if help is asked for of a command that is not there.
func (a *app) knows(root *cli.Command) error {
	if n := len(a.args); n < 3 || a.args[n-1] != "--help" || strings.HasPrefix(a.args[1], "-") || a.args[1] == "completion" ||
		slices.ContainsFunc(root.Commands, func(c *cli.Command) bool { return c.Name == a.args[1] }) {
		return nil
	}
	return a.unknown(a.args[1], root)
}

// unknown says that there is no such command, and which was meant.
func (a *app) unknown(name string, root *cli.Command) error {
	return fmt.Errorf("there is no command %q, see %s --help%s", name, a.name(), text.DidYouMean(name, commandNames(root)))
}

// helpCommand is help behind flags of the program; elsewhere it is --help, see helped.
func (a *app) helpCommand() *cli.Command {
	return &cli.Command{
		Usage: "what a command does, and its options", ArgsUsage: "[COMMAND]",
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

// manCommand writes the manual page, for archives and packages. Its text is that of the
// commands and flags.
func (a *app) manCommand() *cli.Command {
	return &cli.Command{
		Hidden: true, Usage: "the manual page",
		Description: "It is written to resolute.1 in the directory that --into names; `man -l resolute.1` shows it.",
		Flags:       []cli.Flag{&cli.StringFlag{Name: "into", Value: ".", Usage: "write it into `DIRECTORY`"}},
		Action: func(_ context.Context, cmd *cli.Command) error {
			return os.WriteFile(filepath.Join(cmd.String("into"), "resolute.1"), a.manual(cmd.Root()), 0o644)
		},
	}
}

// manual is the manual page of the program, in the language of troff's man macros.
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

// manualText writes a description: its lines are kept, for commands stand among them.
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

// troff makes text inert: nothing in it is a macro or an escape.
func troff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(s)
	return strings.ReplaceAll("\n"+s, "\n.", "\n\\&.")[1:]
}
