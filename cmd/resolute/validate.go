package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) validateCommand() *cli.Command {
	return &cli.Command{
		Usage: "list every problem of a catalog, with file and line", ArgsUsage: "CATALOG...",
		Description: `A catalog is a directory, a file or a container image, see resolute --help. The exit status
is 1 if there is a problem that --baseline does not record, and 2 if a catalog has no
packages.`,
		Flags: append(baselineFlags(), reportFlag("text", "json", "html"), timeoutFlag(),
			boolFlag("strict", "treat warnings as errors")),
		Action: a.validate,
	}
}

// validated is the JSON of the answer.
type validated struct {
	// Problems lists the problems of all catalogs, in the order of the arguments.
	Problems []graph.Problem `json:"problems"`
	// Failures lists the catalogs that cannot be read completely.
	Failures []failure `json:"failures,omitempty"`
}

// validate lists the problems of catalogs.
func (a *app) validate(ctx context.Context, cmd *cli.Command) error {
	catalogs, loader := cmd.Args().Slice(), a.loader()
	var unusable []failure
	found, clean, worst := []graph.Problem{}, 0, exitOK
	for _, catalog := range catalogs {
		problems, err := a.inspect(ctx, loader, catalog)
		a.progress.Done()
		switch {
		case ctx.Err() != nil:
			err = stopped(ctx, catalog)
			a.say(err.Error())
			worst = exitIncomplete
		case err != nil:
			if strings.Contains(err.Error(), catalog) {
				a.say(err.Error())
			} else {
				a.complain(catalog, err.Error())
			}
			worst = max(worst, exitUnusable)
		case len(problems) == 0:
			clean++
		}
		if err != nil {
			unusable = append(unusable, failure{catalog, failedStatus(err), cliMessage(err.Error())})
		}
		for _, p := range problems {
			if cmd.Bool("strict") {
				p.Severity = graph.SeverityError
			}
			p.Catalog, p.File = catalog, pull.Place(catalog, p.File)
			found = append(found, p)
		}
	}
	r := view.ProblemsReport(found, catalogs, buildVersion())
	if err := a.baseline(ctx, cmd, r); err != nil {
		return err
	}
	found = append([]graph.Problem{}, view.Left(r, found)...)
	switch {
	case len(found) > 0:
		worst = max(worst, exitNo)
		r.Summary = fmt.Sprintf("%s: %s", text.Count(len(found), "problem", "problems"), r.Counted())
	case clean > 0: // otherwise every catalog failed, as reported
		r.Summary = "no problems in " + text.Count(clean, "catalog", "catalogs")
	}
	var err error
	switch form := cmd.String("output"); form {
	case "text", "json", "html":
		page := func(w io.Writer) error { return view.WriteProblems(ctx, w, r, len(catalogs), len(unusable)) }
		err = a.show(cmd, validated{found, unusable}, page, func(t *view.Text) { printProblems(t, found, r.Summary) })
	default:
		err = a.writeReport(r, form)
	}
	if err != nil {
		return err
	}
	return exitError(worst)
}

// inspect returns the problems of a catalog. A catalog without packages is also an error.
func (a *app) inspect(ctx context.Context, loader *scenario.Loader, catalog string) ([]graph.Problem, error) {
	content, err := await(ctx, func() (*cache.Catalog, error) { return loader.Catalog(ctx, cache.Key{}, catalog) })
	var unreadable *fbc.UnreadableError
	switch {
	case (err != nil || content.Len() == 0) && ctx.Err() == nil && isScenario(ctx, catalog):
		return nil, a.notCatalog(catalog)
	case err == nil && !hasPackages(content):
		return content.Problems(), noPackages(catalog, nil)
	case err == nil:
		dropped, err := await(ctx, func() ([]graph.Problem, error) { return droppedIn(ctx, content) })
		return append(slices.Clip(content.Problems()), dropped...), err
	case errors.As(err, &unreadable) && unreadable.Err == nil && len(unreadable.Problems) > 0:
		return unreadable.Problems, noPackages(catalog, nil)
	case errors.As(err, &unreadable) && unreadable.Err == nil:
		return nil, emptyCatalog(catalog, unreadable)
	}
	return nil, err
}

// droppedIn returns the versions of custom resource definitions that upgrades in a catalog
// remove.
func droppedIn(ctx context.Context, content *cache.Catalog) (out []graph.Problem, err error) {
	for p := range content.Packages() {
		list, err := p.DroppedVersions(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, graph.DroppedProblems(list)...)
	}
	return out, nil
}

// printProblems writes one line for each problem, then the summary.
func printProblems(t *view.Text, found []graph.Problem, summary string) {
	for _, p := range found {
		where := cmp.Or(p.File, p.Catalog)
		if p.Line > 0 {
			where += fmt.Sprintf(":%d", p.Line)
		}
		t.Line("%s: %s: %s: %s", where, t.Severity(string(p.Severity)), p.Code, p.Message)
	}
	if summary != "" {
		t.Line("%s", t.Good(len(found) == 0, summary))
	}
}
