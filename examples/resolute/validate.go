package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/examples/resolute/internal/report"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) validateCommand() *cli.Command {
	return &cli.Command{
		Name: "validate", Usage: "every problem of a catalog, with file and line", ArgsUsage: "CATALOG...",
		Description: "A catalog is a directory, a file or a container image, see resolute --help.\n" +
			"The exit status is 1 if there is any problem, but for those that --baseline knows.",
		Flags: []cli.Flag{
			outputFlag("text", "json", "markdown", "sarif", "junit", "github"), timeoutFlag(), baselineFlag(), writeBaselineFlag(),
			&cli.BoolFlag{Name: "strict", Usage: "count warnings as errors"},
		},
		Action: a.validate,
	}
}

// validate lists the problems of catalogs.
func (a *app) validate(ctx context.Context, cmd *cli.Command) error {
	catalogs, err := arguments(cmd)
	if err != nil {
		return err
	}
	ctx, cancel := withTimeout(ctx, cmd)
	defer cancel()
	loader := a.loader()
	found, clean, worst := []graph.Problem{}, 0, exitOK
	for _, catalog := range catalogs {
		problems, err := inspect(ctx, loader, catalog)
		a.progress.done()
		switch {
		case ctx.Err() != nil:
			a.say(fmt.Sprintf("%s: stopped while it was read: %v", catalog, ctx.Err()))
			worst = exitIncomplete
		case err != nil:
			a.say(fmt.Sprintf("%s: %v", catalog, err))
			worst = max(worst, exitUnusable)
		case len(problems) == 0:
			clean++
		}
		for _, p := range problems {
			if cmd.Bool("strict") {
				p.Severity = graph.SeverityError
			}
			found = append(found, named(catalog, p))
		}
	}
	r := problemReport(found, catalogs, clean)
	if found, err = a.newProblems(cmd, r, found); err != nil {
		return err
	}
	if len(found) > 0 {
		worst = max(worst, exitNo)
	}
	if form := cmd.String("output"); form != "text" && form != "json" {
		var b bytes.Buffer
		if err := r.Write(&b, form); err != nil {
			return err
		}
		if _, err := b.WriteTo(a.out); err != nil {
			return err
		}
		return finish(worst)
	}
	if err := a.printProblems(found, clean, asJSON(cmd)); err != nil {
		return err
	}
	return finish(worst)
}

// inspect reads a catalog for its problems. A catalog of which nothing could be
// read is an error, unless its problems say it all.
func inspect(ctx context.Context, loader *scenario.Loader, catalog string) ([]graph.Problem, error) {
	content, err := await(ctx, func() (*cache.Catalog, error) { return loader.Catalog(ctx, cache.Key{}, catalog) })
	var unreadable *fbc.UnreadableError
	switch {
	case err == nil:
		return content.Problems(), nil
	case errors.As(err, &unreadable) && unreadable.Err == nil && len(unreadable.Problems) > 0:
		return unreadable.Problems, nil
	}
	return nil, err
}

// named names the catalog and its file as they were named on the command line.
func named(catalog string, p graph.Problem) graph.Problem {
	p.Catalog = catalog
	if isImage(catalog) {
		if p.File != "" {
			p.File = catalog + "/" + p.File
		}
	} else if info, err := os.Stat(catalog); err == nil && !info.IsDir() {
		p.File = catalog
	} else if p.File != "" {
		p.File = filepath.Join(catalog, filepath.FromSlash(p.File))
	}
	return p
}

// printProblems writes the problems, one a line, or as one JSON object.
func (a *app) printProblems(found []graph.Problem, clean int, json bool) error {
	if json {
		return writeJSON(a.out, map[string][]graph.Problem{"problems": found})
	}
	for _, p := range found {
		where := p.File
		if where == "" {
			where = p.Catalog
		}
		if p.Line > 0 {
			where += fmt.Sprintf(":%d", p.Line)
		}
		colour := yellow
		if p.Severity == graph.SeverityError {
			colour = red
		}
		if _, err := fmt.Fprintf(a.out, "%s: %s: %s: %s\n", text.Inert(where), a.out.paint(colour, string(p.Severity)), p.Code, text.Inert(p.Message)); err != nil {
			return err
		}
	}
	if len(found) > 0 {
		_, err := fmt.Fprintln(a.out, text.Count(len(found), "problem", "problems"))
		return err
	}
	if clean == 0 {
		return nil // none could be read, as was said
	}
	_, err := fmt.Fprintf(a.out, "no problems in %s\n", text.Count(clean, "catalog", "catalogs"))
	return err
}

// problemReport makes a report of the problems of catalogs.
func problemReport(found []graph.Problem, catalogs []string, clean int) *report.Report {
	r := &report.Report{Command: "validate", Title: strings.Join(catalogs, " "), Version: buildVersion(), Root: catalogs[0],
		Summary: text.Count(len(found), "problem", "problems") + " in " + text.Count(len(catalogs), "catalog", "catalogs") + "."}
	if len(found) == 0 {
		r.Summary = "No problems in " + text.Count(clean, "catalog", "catalogs") + "."
	}
	for i := range found {
		p := &found[i]
		r.Findings = append(r.Findings, report.Finding{Code: string(p.Code), Severity: report.Severity(p.Severity), File: p.File, Line: p.Line,
			Text: p.Message, Subject: []string{p.Catalog, p.Package, p.Channel, p.Bundle}})
	}
	return r
}

// newProblems takes the problems that the baseline knows off the report and off the
// list, which has them in the same order.
func (a *app) newProblems(cmd *cli.Command, r *report.Report, found []graph.Problem) ([]graph.Problem, error) {
	all := r.Findings
	if err := a.baseline(cmd, r); err != nil {
		return nil, err
	}
	if len(r.Findings) == len(all) {
		return found, nil
	}
	left, next := []graph.Problem{}, 0
	for i := range all {
		if next < len(r.Findings) && all[i].Is(&r.Findings[next]) {
			left = append(left, found[i])
			next++
		}
	}
	return left, nil
}
