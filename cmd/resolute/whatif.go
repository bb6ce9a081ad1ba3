package main

import (
	"context"
	"fmt"
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
		Usage: "the answer to a scenario, and what each of its what-ifs changes", ArgsUsage: "FILE...",
		Description: `--drop, --pin and --forbid ask one what-if, with all their changes together, in the place
of those of the scenario. For example:
resolute whatif shop.yaml --drop cache --pin web=web.v1.4.0 --forbid db.v3.0.0

The exit status is that of the worst answer. -o json prints an object for each scenario,
one a line, as resolve does, with the key whatif.`,
		DisableSliceFlagSeparator: true,
		Flags: append(answerFlags("text", "json"),
			listFlag("drop", "what if the subscription or extension `SUB` were not there; may be given several times"),
			listFlag("pin", "what if it were met by that bundle: `SUB=BUNDLE`; may be given several times"),
			listFlag("forbid", "what if `BUNDLE` must not be chosen; may be given several times")),
		Action: a.whatIf,
	}
}

// whatIf answers scenarios with their what-ifs.
func (a *app) whatIf(ctx context.Context, cmd *cli.Command) error {
	runner := a.runner(cmd)
	worst := exitOK
	for i, file := range cmd.Args().Slice() {
		var refused error
		answer := a.answer(ctx, file, func(ctx context.Context, s *scenario.Scenario) *scenario.Answer {
			if refused = askedByFlags(ctx, cmd, runner, s); refused != nil {
				return scenario.NewAnswer(nil, refused)
			}
			return runner.RunWhatIf(ctx, s)
		})
		if refused != nil {
			return fmt.Errorf("%s: %w", label(file), refused)
		}
		worst = max(worst, statusOf(answer.Status))
		a.complain(label(file), answer.Error)
		for _, w := range answer.WhatIf {
			worst = max(worst, statusOf(w.Status))
			if w.Error != "" && answer.Error == "" { // else it is the same again
				a.complain(label(file), fmt.Sprintf("what if %s: %s", w.Name, w.Error))
			}
		}
		err := a.show(cmd, answerOf{a.fileOf(file, cmd.Args().Len() > 1), answer}, nil, func(t *view.Text) {
			if i > 0 {
				t.Line("")
			}
			t.WhatIfs(label(file), answer)
		})
		if err != nil {
			return err
		}
	}
	return finish(worst)
}

// askedByFlags puts the what-if that flags ask in the place of those of a scenario, if there are
// such flags.
func askedByFlags(ctx context.Context, cmd *cli.Command, runner *scenario.Runner, s *scenario.Scenario) error {
	drops, pins, forbids := cmd.StringSlice("drop"), cmd.StringSlice("pin"), cmd.StringSlice("forbid")
	if len(drops)+len(pins)+len(forbids) == 0 {
		return nil
	}
	loaded, err := runner.Loader.Load(ctx, s)
	if err != nil {
		s.WhatIf = nil
		return nil // which is the answer
	}
	w := scenario.WhatIf{Pin: make(map[string]string)}
	packages := make(map[string]string)
	for _, sub := range s.Subscriptions {
		packages[sub.Name] = sub.Package
	}
	for _, e := range s.Extensions {
		packages[e.Name] = e.Package
	}
	var said []string
	for _, name := range drops {
		if _, ok := packages[name]; !ok {
			return unknownSubscription("--drop "+name, name, packages)
		}
		if !slices.Contains(w.Drop.Subscriptions, name) {
			w.Drop.Subscriptions = append(w.Drop.Subscriptions, name)
			said = append(said, name+" is dropped")
		}
	}
	for _, arg := range pins {
		name, bundle, found := strings.Cut(arg, "=")
		if !found || name == "" || bundle == "" {
			return fmt.Errorf("--pin %s: write it as SUB=BUNDLE", arg)
		}
		pkg, ok := packages[name]
		other := w.Pin[name]
		switch {
		case !ok:
			return unknownSubscription("--pin "+arg, name, packages)
		case slices.Contains(drops, name):
			return fmt.Errorf("--pin %s: --drop leaves subscription %s out", arg, name)
		case other != "" && other != bundle:
			return fmt.Errorf("--pin %s: %s is pinned to %s already", arg, name, other)
		}
		if err := knownBundle(loaded.Request, bundle, pkg); err != nil {
			return fmt.Errorf("--pin %s: %w", arg, err)
		}
		if w.Pin[name] = bundle; other == "" {
			said = append(said, fmt.Sprintf("%s is pinned to %s", name, bundle))
		}
	}
	for _, bundle := range forbids {
		if err := knownBundle(loaded.Request, bundle, ""); err != nil {
			return fmt.Errorf("--forbid %s: %w", bundle, err)
		}
		w.Forbid = append(w.Forbid, scenario.Forbid{Bundle: bundle})
		said = append(said, bundle+" is forbidden")
	}
	w.Name = text.And(text.Distinct(said))
	s.WhatIf = []scenario.WhatIf{w}
	return nil
}

// unknownSubscription says that a scenario lacks a subscription.
func unknownSubscription(flag, name string, packages map[string]string) error {
	return fmt.Errorf("%s: the scenario has no subscription or extension %s%s", flag, text.Quote(name), text.DidYouMean(name, maps.Keys(packages)))
}

// knownBundle returns an error if neither a catalog nor what is installed has a bundle, or if
// none of that name is of a package; an empty package is any.
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
		return fmt.Errorf("that bundle is of package %s, and the subscription asks for package %s", other, pkg)
	}
	of := ""
	if pkg != "" {
		of = " of package " + pkg
	}
	return fmt.Errorf("no catalog and nothing installed has a bundle %s%s%s", text.Quote(name), of, text.DidYouMean(name, slices.Values(known)))
}
