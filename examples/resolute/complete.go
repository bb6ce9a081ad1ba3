package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/examples/resolute/internal/pull"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// completed are the commands whose words come from a catalog or a scenario on the line.
var completed = []string{"try", "graph", "explain", "upgrade", "needs", "audit"}

// complete proposes the next word of a command line: a flag where one begins, a package of
// the catalog that is named, its channels, or the bundles and subscriptions of a scenario.
// What cannot be read proposes nothing. Images are not fetched for it.
func (a *app) complete(ctx context.Context, cmd *cli.Command) {
	args := slices.DeleteFunc(slices.Clone(a.args), func(s string) bool { return s == "--generate-shell-completion" })
	before := args[len(args)-1]
	switch {
	case slices.Contains([]string{"--installed", "--explain"}, before) && len(args) > 3:
		a.propose(bundleNames(a.completing(ctx, firstFile(args[2:]))))
	case before == "--package" && len(args) > 3:
		a.propose(packageNames(a.completing(ctx, firstFile(args[2:]))))
	case strings.HasPrefix(before, "-") || cmd.Args().Len() == 0:
		cli.DefaultCompleteWithFlags(ctx, cmd)
	case cmd.Name == "try", cmd.Name == "graph" && cmd.Args().Len() == 1:
		a.propose(packageNames(a.completing(ctx, cmd.Args().First())))
	case cmd.Name == "graph" && cmd.Args().Len() == 2:
		if pkg := a.completing(ctx, cmd.Args().First()).Package(cmd.Args().Get(1)); pkg != nil {
			for _, ch := range pkg.Channels {
				a.propose([]string{ch.Name})
			}
		}
	case cmd.Name != "audit":
		a.proposeOf(ctx, cmd)
	}
}

// proposeOf proposes what a scenario has.
func (a *app) proposeOf(ctx context.Context, cmd *cli.Command) {
	s, err := a.read(ctx, cmd.Args().First())
	if err != nil {
		return
	}
	if cmd.Name == "upgrade" {
		a.propose(text.Each(s.Subscriptions, func(sub scenario.Subscription) string { return sub.Name }))
		return
	}
	a.propose(text.Each(s.Installed, func(in scenario.Installed) string { return in.Name }))
	if cmd.Name == "needs" {
		return
	}
	loaded, err := a.loader().Load(ctx, s)
	if err != nil {
		return
	}
	for _, c := range loaded.Request.Catalogs {
		if c.Content != nil {
			a.propose(bundleNames(c.Content))
		}
	}
}

// firstFile is the first word that is no flag.
func firstFile(words []string) string {
	if i := slices.IndexFunc(words, func(w string) bool { return !strings.HasPrefix(w, "-") }); i >= 0 {
		return words[i]
	}
	return ""
}

// completing reads a catalog for its names: an empty one if it is an image or cannot be read.
func (a *app) completing(ctx context.Context, arg string) *cache.Catalog {
	key, path, err := pull.Argument(arg)
	if err == nil && !pull.IsImage(path) {
		if content, err := a.loader().Catalog(ctx, key, path); err == nil {
			return content
		}
	}
	return cache.NewCatalog(nil, nil)
}

func packageNames(content *cache.Catalog) (names []string) {
	for p := range content.Packages() {
		names = append(names, p.Name)
	}
	return names
}

func bundleNames(content *cache.Catalog) (names []string) {
	for b := range content.Bundles() {
		names = append(names, b.Name)
	}
	return names
}

// propose prints words, those that a shell could take for anything else left out.
func (a *app) propose(words []string) {
	for _, w := range slices.Sorted(slices.Values(words)) {
		if w != "" && text.Name(w) == w && !strings.ContainsAny(w, ":$`&;|<>(){}[]*?!~#'\\") {
			fmt.Fprintln(a.out, w)
		}
	}
}
