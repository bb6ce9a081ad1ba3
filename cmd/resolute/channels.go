package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

func (a *app) channelsCommand() *cli.Command {
	return &cli.Command{
		Usage: "compare the channels that a subscription can follow", ArgsUsage: "SCENARIO SUB",
		Description: `For each channel of the package of subscription or extension SUB, and each catalog that has it,
the answer is its head, whether the installed operator gets there, in how many upgrades, and
which other operators have to move or be installed along. Holds are ignored.

To compare the channels of a package in several catalogs, see graph --across.`,
		Flags:  scenarioFlags("text", "json", "html"),
		Action: a.channels,
	}
}

// channels reports on the channels that a subscription can follow.
func (a *app) channels(ctx context.Context, cmd *cli.Command) error {
	file, name := cmd.Args().First(), cmd.Args().Get(1)
	runner := a.runner(cmd)
	loaded, err := a.load(ctx, runner, file)
	if err != nil {
		return err
	}
	list, err := upgrade.Channels(ctx, runner.Resolver, loaded.Request, name)
	var target *upgrade.TargetError
	if errors.As(err, &target) {
		return fmt.Errorf("%s: %w", label(file), err)
	}
	if err != nil {
		return a.showAnswer(ctx, cmd, file, unsolved(ctx, runner, loaded.Request, err))
	}
	answer := view.Channels{File: a.fileOf(file, false), Subscription: name, Reports: list, Installed: loaded.Request.Owned()[name]}
	for _, s := range loaded.Request.Subscriptions {
		if s.Name == name {
			answer.Package = s.Package
		}
	}
	for _, e := range loaded.Request.Extensions {
		if e.Name == name {
			answer.Package = e.Package
		}
	}
	if len(list) == 0 {
		return fmt.Errorf("%s: no catalog has a channel of package %s, which %s asks for", label(file), answer.Package, name)
	}
	return a.showChannels(ctx, cmd, &answer)
}

// showChannels writes a comparison of channels.
func (a *app) showChannels(ctx context.Context, cmd *cli.Command, answer *view.Channels) error {
	return a.show(cmd, answer, func(w io.Writer) error { return view.WriteChannels(ctx, w, answer) }, func(t *view.Text) { t.Channels(answer) })
}

// maxAcross is the maximum number of catalogs to compare.
const maxAcross = 50

// across compares the channels of a package in several catalogs.
func (a *app) across(ctx context.Context, cmd *cli.Command) error {
	args := cmd.Args().Slice()
	if len(args) < 2 {
		return fmt.Errorf("graph --across needs KEY=CATALOG... PACKAGE; see %s --help", cmd.FullName())
	}
	if form := cmd.String("output"); !slices.Contains([]string{"text", "json", "html"}, form) {
		return fmt.Errorf("--across supports the formats text, json and html, not %s", form)
	}
	if cmd.Bool("all-edges") {
		return errors.New("--all-edges draws one catalog; remove it, or --across")
	}
	pkg, places, known := args[len(args)-1], []upgrade.Place{}, false
	if len(args)-1 > maxAcross {
		return fmt.Errorf("--across compares at most %d catalogs, but %d are given", maxAcross, len(args)-1)
	}
	loader := a.loader()
	for _, arg := range args[:len(args)-1] {
		key, path, found := strings.Cut(arg, "=")
		switch {
		case !found || key == "" || path == "":
			return fmt.Errorf("--across %s: must have the form KEY=CATALOG, such as 4.19=catalogs/v4.19", arg)
		case slices.ContainsFunc(places, func(p upgrade.Place) bool { return p.Name == key }):
			return fmt.Errorf("--across %s: two catalogs have the key %s", arg, text.Quote(key))
		}
		content, err := a.catalog(ctx, loader, cache.Key{}, path)
		if err != nil {
			return err
		}
		known = known || content.Package(pkg) != nil
		places = append(places, upgrade.Place{Name: key, Content: content})
	}
	if !known {
		return unknownPackage(args[0], pkg, places[0].Content)
	}
	answer := view.Channels{Package: pkg}
	installed, err := acrossInstalled(cmd, pkg, places)
	if err != nil {
		return err
	}
	if installed != nil {
		answer.Installed = installed.Name
	}
	if answer.Reports, err = upgrade.Across(ctx, resolver.New(), places, pkg, installed); err != nil {
		return err
	}
	return a.showChannels(ctx, cmd, &answer)
}

// acrossInstalled returns the bundle of --installed, which knows its version from the catalogs if
// the flag does not give one.
func acrossInstalled(cmd *cli.Command, pkg string, places []upgrade.Place) (*resolver.Installed, error) {
	list := cmd.StringSlice("installed")
	if len(list) == 0 {
		return nil, nil
	}
	if len(list) > 1 {
		return nil, errors.New("--across compares from one bundle; give --installed once")
	}
	in, err := view.ParseInstalled(list[0])
	if err != nil {
		return nil, err
	}
	out := &resolver.Installed{Name: in.Name, Package: pkg}
	var known []string
	for _, p := range places {
		if found := p.Content.Package(pkg); found != nil {
			known = append(known, text.Each(found.Bundles, func(b *graph.Bundle) string { return b.Name })...)
			if b := found.Bundle(in.Name); b != nil && out.Version == nil {
				out.Version = b.Version
			}
		}
	}
	if strings.Contains(list[0], "@") {
		out.Version = &in.Version
	}
	if out.Version == nil {
		return nil, fmt.Errorf("--installed %s: no catalog has that bundle in package %s%s; to compare from one that is gone, add its version: %[1]s@VERSION",
			in.Name, pkg, text.DidYouMean(in.Name, slices.Values(known)))
	}
	return out, nil
}
