package main

import (
	"context"
	"embed"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// completable lists the commands with arguments that can be completed from a catalog or scenario.
var completable = []string{"try", "lock", "graph", "explain", "upgrade", "needs", "audit", "list", "whatif", "channels"}

// completionTime bounds the time to complete a word.
const completionTime = 500 * time.Millisecond

// scripts are the shell completion scripts.
//
//go:embed shells
var scripts embed.FS

// completionCommand makes the completion command print the scripts of this program, because
// those of cli evaluate the line.
func (a *app) completionCommand(cmd *cli.Command) {
	cmd.Hidden, cmd.Usage = false, "print a completion script for bash, zsh, fish or pwsh"
	a.quiet(cmd)
	cmd.Action = func(_ context.Context, cmd *cli.Command) error {
		if shell := cmd.Args().First(); shell != "" {
			return fmt.Errorf("unknown shell %q: use %s", shell, text.Or(slices.Collect(commandNames(cmd))))
		}
		return cli.ShowSubcommandHelp(cmd)
	}
	for _, shell := range cmd.Commands {
		shell.Action = func(_ context.Context, cmd *cli.Command) error {
			script, err := scripts.ReadFile("shells/" + cmd.Name)
			if err != nil {
				return err
			}
			_, err = a.out.Write(script)
			return err
		}
	}
}

// complete proposes the next word of a command line: a flag, a package or channel of a catalog,
// or a bundle or subscription of a scenario. It proposes nothing if the input cannot be read in
// time, fetches no images, and reads neither pipes nor standard input.
func (a *app) complete(ctx context.Context, cmd *cli.Command) {
	args := slices.DeleteFunc(slices.Clone(a.args), func(s string) bool { return s == "--generate-shell-completion" })
	before := args[len(args)-1]
	named := len(args) > 3 && slices.Contains([]string{"--installed", "--explain", "--package", "--drop", "--forbid"}, before)
	if !named && (strings.HasPrefix(before, "-") || cmd.Args().Len() == 0) {
		cli.DefaultCompleteWithFlags(ctx, cmd)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	words, err := await(ctx, func() ([]string, error) { return a.candidates(ctx, cmd, args, before), nil })
	if err == nil {
		a.propose(words)
	}
}

// candidates returns completions for a command line; before is its last complete word.
func (a *app) candidates(ctx context.Context, cmd *cli.Command, args []string, before string) []string {
	switch {
	case slices.Contains([]string{"--installed", "--explain"}, before):
		return bundleNames(completionCatalog(ctx, firstFile(args[2:])))
	case before == "--package":
		return packageNames(completionCatalog(ctx, firstFile(args[2:])))
	case before == "--drop":
		return a.candidatesOf(ctx, subscriptionsOf, firstFile(args[2:]))
	case before == "--forbid":
		return a.candidatesOf(ctx, bundlesOf, firstFile(args[2:]))
	case cmd.Name == "try", cmd.Name == "lock", (cmd.Name == "graph" || cmd.Name == "list") && cmd.Args().Len() == 1:
		return packageNames(completionCatalog(ctx, cmd.Args().First()))
	case cmd.Name == "graph" && cmd.Args().Len() == 2:
		if pkg := completionCatalog(ctx, cmd.Args().First()).Package(cmd.Args().Get(1)); pkg != nil {
			return text.Each(pkg.Channels, func(ch *graph.Channel) string { return ch.Name })
		}
	case cmd.Name == "upgrade", cmd.Name == "channels":
		return a.candidatesOf(ctx, subscriptionsOf, cmd.Args().First())
	case cmd.Name == "needs":
		return a.candidatesOf(ctx, installedOf, cmd.Args().First())
	case cmd.Name == "explain":
		return a.candidatesOf(ctx, bundlesOf, cmd.Args().First())
	}
	return nil
}

// names selects the kinds of names to complete from a scenario.
type names uint8

const (
	subscriptionsOf names = iota
	installedOf
	bundlesOf // installed bundles and those of catalog files
)

// candidatesOf returns names of a scenario.
func (a *app) candidatesOf(ctx context.Context, what names, file string) []string {
	if !isFile(file) {
		return nil
	}
	s, err := a.read(ctx, file)
	if err != nil {
		return nil
	}
	if what == subscriptionsOf {
		return slices.Sorted(slices.Values(text.Each(s.Subscriptions, func(sub scenario.Subscription) string { return sub.Name })))
	}
	found := slices.Sorted(slices.Values(text.Each(s.Installed, func(in scenario.Installed) string { return in.Name })))
	if what == installedOf {
		return found
	}
	s.Catalogs = slices.DeleteFunc(s.Catalogs, func(c scenario.Catalog) bool { return c.Image != "" || pull.IsImage(c.Path) })
	loaded, err := new(scenario.Loader).Load(ctx, s)
	if err != nil {
		return found
	}
	for _, c := range loaded.Request.Catalogs {
		if c.Content != nil {
			found = append(found, bundleNames(c.Content)...)
		}
	}
	return found
}

// isFile reports whether a path is a directory or a regular file, which can be read without
// blocking.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && path != "-" && (info.IsDir() || info.Mode().IsRegular())
}

// firstFile returns the first word that is not a flag.
func firstFile(words []string) string {
	if i := slices.IndexFunc(words, func(w string) bool { return !strings.HasPrefix(w, "-") }); i >= 0 {
		return words[i]
	}
	return ""
}

// completionCatalog reads a catalog for completion. The catalog is empty if it is an image or cannot
// be read.
func completionCatalog(ctx context.Context, arg string) *cache.Catalog {
	key, path, err := pull.Argument(arg)
	if err == nil && !pull.IsImage(path) && isFile(path) {
		if content, err := new(scenario.Loader).Catalog(ctx, key, path); err == nil {
			return content
		}
	}
	return cache.NewCatalog(nil, nil)
}

func packageNames(content *cache.Catalog) (names []string) {
	for p := range content.Packages() {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return names
}

func bundleNames(content *cache.Catalog) (names []string) {
	for b := range content.Bundles() {
		names = append(names, b.Name)
	}
	slices.Sort(names)
	return names
}

// propose prints words, except those that a shell could interpret or a command could mistake
// for a flag.
func (a *app) propose(words []string) {
	for _, w := range words {
		if w != "" && text.Name(w) == w && !strings.HasPrefix(w, "-") && !strings.ContainsAny(w, ":$`&;|<>(){}[]*?!~#'\\") {
			fmt.Fprintln(a.out, w)
		}
	}
}
