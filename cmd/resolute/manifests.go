package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// writeManifests writes the objects with which a cluster gets the answer to a scenario.
func (a *app) writeManifests(ctx context.Context, cmd *cli.Command, runner *scenario.Runner, file string) error {
	loaded, err := a.load(ctx, runner, file)
	if err != nil {
		return err
	}
	sol, err := runner.Resolver.Resolve(ctx, loaded.Request)
	if err != nil {
		return a.noManifests(file, unsolved(ctx, runner, loaded.Request, err))
	}
	if n := len(sol.Unresolved); n > 0 {
		a.say(fmt.Sprintf("%s: the objects lack %s that cannot be met; see resolve for the reasons", label(file), text.Count(n, "subscription", "subscriptions")))
	}
	return a.manifests(file, loaded.Request, sol)
}

// manifests writes the objects for a solution. Their notes are reported as well, since a pipe hides
// the comments.
func (a *app) manifests(file string, req resolver.Request, sol *resolver.Solution) error {
	m, err := olm.ManifestsOf(req, sol)
	var none *olm.ManifestError
	if errors.As(err, &none) {
		a.complain(label(file), "no manifests: "+none.Reason)
		return exit(exitNo)
	}
	if err != nil {
		return err
	}
	for _, note := range m.Notes {
		a.complain(label(file), note)
	}
	_, err = a.out.Write(m.YAML())
	return err
}

// noManifests explains on standard error why there are no objects, so that nothing is applied by
// mistake, and returns the exit status.
func (a *app) noManifests(file string, answer *scenario.Answer) error {
	a.withoutCluster(answer)
	if answer.Error != "" {
		a.complain(label(file), answer.Error)
		return exitError(statusOf(answer.Status))
	}
	t := view.NewText(a.err)
	t.NoCluster = a.adHoc != nil
	t.Answer(label(file), answer)
	if err := t.Flush(); err != nil {
		return err
	}
	return exitError(statusOf(answer.Status))
}
