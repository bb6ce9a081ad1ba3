package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) whatIfCommand() *cli.Command {
	return &cli.Command{
		Usage: "show what each what-if of a scenario changes", ArgsUsage: "FILE...",
		Description: `--drop, --pin and --forbid together form one what-if that replaces those of the scenario.
For example:
resolute whatif shop.yaml --drop cache --pin web=web.v1.4.0 --forbid db.v3.0.0

The exit status is that of the worst answer. -o json prints one object per line for each
scenario, like resolve, with the key whatif. -o html prints one page.`,
		DisableSliceFlagSeparator: true,
		Flags: append(scenarioFlags("text", "json", "html"),
			listFlag("drop", "what if subscription or extension `SUB` were dropped; repeatable"),
			listFlag("pin", "what if a subscription were pinned to a bundle: `SUB=BUNDLE`; repeatable"),
			listFlag("forbid", "what if `BUNDLE` were forbidden; repeatable")),
		Action: a.whatIf,
	}
}

// whatIf answers scenarios with their what-ifs.
func (a *app) whatIf(ctx context.Context, cmd *cli.Command) error {
	runner := a.runner(cmd)
	worst, page := exitOK, view.NewPage(ctx)
	for i, file := range cmd.Args().Slice() {
		var flagErr error
		answer := a.answer(ctx, file, func(ctx context.Context, s *scenario.Scenario) *scenario.Answer {
			if flagErr = whatIfFromFlags(ctx, cmd, runner, s); flagErr != nil {
				return scenario.NewAnswer(nil, flagErr)
			}
			return runner.RunWhatIf(ctx, s)
		})
		if flagErr != nil {
			return fmt.Errorf("%s: %w", label(file), flagErr)
		}
		worst = max(worst, statusOf(answer.Status))
		a.complain(label(file), answer.Error)
		for _, w := range answer.WhatIf {
			worst = max(worst, statusOf(w.Status))
			if w.Error != "" && answer.Error == "" { // otherwise it repeats the answer's error
				a.complain(label(file), fmt.Sprintf("what if %s: %s", w.Name, w.Error))
			}
		}
		add := func(io.Writer) error { page.AddWhatIfs(label(file), answer); return nil }
		err := a.show(cmd, answerOf{a.fileOf(file, cmd.Args().Len() > 1), answer}, add, func(t *view.Text) {
			if i > 0 {
				t.Line("")
			}
			t.WhatIfs(label(file), answer)
		})
		if err != nil {
			return err
		}
	}
	if cmd.String("output") == "html" {
		if err := page.Write(a.out); err != nil {
			return err
		}
	}
	return exitError(worst)
}

// whatIfFromFlags replaces the what-ifs of a scenario with the one of --drop, --pin and --forbid,
// if any is set.
func whatIfFromFlags(ctx context.Context, cmd *cli.Command, runner *scenario.Runner, s *scenario.Scenario) error {
	drops, pins, forbids := cmd.StringSlice("drop"), cmd.StringSlice("pin"), cmd.StringSlice("forbid")
	if len(drops)+len(pins)+len(forbids) == 0 {
		return nil
	}
	loaded, err := runner.Loader.Load(ctx, s)
	if err != nil {
		s.WhatIf = nil
		return nil // RunWhatIf reports the error
	}
	w := scenario.WhatIf{Pin: make(map[string]string)}
	packages := make(map[string]string)
	for _, sub := range s.Subscriptions {
		packages[sub.Name] = sub.Package
	}
	for _, e := range s.Extensions {
		packages[e.Name] = e.Package
	}
	var parts []string
	for _, name := range drops {
		if _, ok := packages[name]; !ok {
			return unknownSubscription("--drop "+name, name, packages)
		}
		if !slices.Contains(w.Drop.Subscriptions, name) {
			w.Drop.Subscriptions = append(w.Drop.Subscriptions, name)
			parts = append(parts, name+" is dropped")
		}
	}
	for _, arg := range pins {
		name, bundle, found := strings.Cut(arg, "=")
		if !found || name == "" || bundle == "" {
			return fmt.Errorf("--pin %s: must have the form SUB=BUNDLE", arg)
		}
		pkg, ok := packages[name]
		other := w.Pin[name]
		switch {
		case !ok:
			return unknownSubscription("--pin "+arg, name, packages)
		case slices.Contains(drops, name):
			return fmt.Errorf("--pin %s: --drop already drops subscription %s", arg, name)
		case other != "" && other != bundle:
			return fmt.Errorf("--pin %s: %s is already pinned to %s", arg, name, other)
		}
		if err := knownBundle(loaded.Request, bundle, pkg); err != nil {
			return fmt.Errorf("--pin %s: %w", arg, err)
		}
		if w.Pin[name] = bundle; other == "" {
			parts = append(parts, fmt.Sprintf("%s is pinned to %s", name, bundle))
		}
	}
	for _, bundle := range forbids {
		if err := knownBundle(loaded.Request, bundle, ""); err != nil {
			return fmt.Errorf("--forbid %s: %w", bundle, err)
		}
		w.Forbid = append(w.Forbid, scenario.Forbid{Bundle: bundle})
		parts = append(parts, bundle+" is forbidden")
	}
	w.Name = text.And(text.Distinct(parts))
	s.WhatIf = []scenario.WhatIf{w}
	return nil
}

// unknownSubscription returns the error for a subscription or extension that the scenario
// lacks.
func unknownSubscription(flag, name string, packages map[string]string) error {
	return fmt.Errorf("%s: the scenario has no subscription or extension %s%s", flag, text.Quote(name), text.DidYouMean(name, maps.Keys(packages)))
}

// knownBundle returns an error unless a catalog or the cluster has the bundle, in the given
// package if pkg is not empty.
func knownBundle(req resolver.Request, name, pkg string) error {
	var known []string
	other := ""
	note := func(bundle, of string) bool {
		if pkg == "" || of == "" || of == pkg {
			known = append(known, bundle)
			return bundle == name
		}
		if bundle == name {
			other = of
		}
		return false
	}
	for _, c := range req.Catalogs {
		if c.Content == nil {
			continue
		}
		for b := range c.Content.Bundles() {
			if note(b.Name, b.Package) {
				return nil
			}
		}
	}
	for _, in := range req.Installed {
		if note(in.Name, in.Package) {
			return nil
		}
	}
	if other != "" {
		return fmt.Errorf("the bundle belongs to package %s, but the subscription requests package %s", other, pkg)
	}
	of := ""
	if pkg != "" {
		of = " of package " + pkg
	}
	return fmt.Errorf("no bundle %s%s in any catalog or on the cluster%s", text.Quote(name), of, text.DidYouMean(name, slices.Values(known)))
}
