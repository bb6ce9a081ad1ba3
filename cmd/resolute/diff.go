package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/report"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

// diffFormats returns the output formats of a comparison.
func diffFormats() []string {
	return append([]string{"text", "json", "html"}, report.Formats()...)
}

func (a *app) diffCommand() *cli.Command {
	return &cli.Command{
		Usage: "compare two states of a catalog and report regressions for users", ArgsUsage: "OLD [NEW]",
		Description: `OLD and NEW are catalogs, named as for audit. With --add, one catalog is compared with
itself after adding a bundle directory (manifests/, metadata/). The bundle is added to the
channels that its annotations or @CHANNEL name, at the position that its replaces, skips or
olm.skipRange determine, or else by version.

Only packages that the change can affect are audited. Files and lines refer to NEW. The text
and the page of -o html fold similar findings; the page has contents and a filter.

The exit status is 1 if there is a regression. With --worse-than error, only errors count.
Findings recorded in --baseline do not count.`,
		DisableSliceFlagSeparator: true,
		Flags: slices.Concat([]cli.Flag{
			outputFlag(diffFormats()...), timeoutFlag(),
			listFlag("add", "compare the catalog before and after adding the bundle of `DIRECTORY[@CHANNEL,...]`; repeatable"),
			listFlag("beside", "also let bundles depend on `CATALOG`; repeatable"),
			clusterFlag(), workersFlag("packages"),
			&cli.StringFlag{Name: "worse-than", Value: "warning", Validator: oneOf("warning", "error"), Usage: "the minimum severity that fails: `warning|error`"},
			listFlag("report", "also write a report to a file, as `FORMAT=FILE` with a format of -o; repeatable"),
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "with -o text, list every finding and change"},
		}, baselineFlags(), limitFlags()),
		Action: a.diff,
	}
}

// diff compares two states of a catalog.
func (a *app) diff(ctx context.Context, cmd *cli.Command) error {
	for _, arg := range cmd.StringSlice("report") {
		if form, file, _ := strings.Cut(arg, "="); file == "" || !slices.Contains(diffFormats(), form) {
			return fmt.Errorf("--report %s: must have the form FORMAT=FILE, where FORMAT is %s", arg, text.Or(diffFormats()))
		}
	}
	opts, err := a.auditCluster(ctx, cmd.String("cluster"))
	if err != nil {
		return err
	}
	old, now, root, err := a.states(ctx, cmd)
	if err != nil {
		return err
	}
	beside, err := a.catalogs(ctx, cmd.StringSlice("beside"), false)
	if err != nil {
		return ofFlag("beside", err)
	}
	found, err := catalogdiff.Compare(ctx, old.Content, now.Content, catalogdiff.Options{
		Key: now.Key, Beside: beside, Namespace: opts.Namespace, Cluster: opts.Cluster, Policy: opts.Policy, Now: opts.Now,
		Resolver: a.resolver(cmd), Workers: cmd.Int("workers"),
		Progress: func(done, total int) { a.progress.Bar("auditing bundles", done, total) },
	})
	a.progress.Done()
	if err != nil {
		return err
	}
	added := cmd.StringSlice("add")
	d := view.NewDiff(found, old.Content, now.Content, view.DiffOptions{
		Root: root, Version: buildVersion(), OnlyErrors: cmd.String("worse-than") == string(report.Error),
		Place: func(file string) string {
			if view.IsAdded(file, added) {
				return file
			}
			return pull.Place(root, file)
		},
	})
	if err := a.baseline(ctx, cmd, d.Report); err != nil {
		return err
	}
	d.Keep()
	if err := a.diffReports(ctx, d, cmd.StringSlice("report")); err != nil {
		return err
	}
	if err := d.Write(ctx, a.out, cmd.String("output"), cmd.Bool("verbose")); err != nil {
		return err
	}
	return exitError(reportStatus(d.Report))
}

// states returns the old and the new state of the catalog, and the path of the new one.
func (a *app) states(ctx context.Context, cmd *cli.Command) (old, now resolver.Catalog, root string, err error) {
	args := cmd.Args().Slice()
	if added := cmd.StringSlice("add"); len(added) > 0 {
		if len(args) != 1 {
			return old, now, "", fmt.Errorf("with --add, diff needs one CATALOG; see %s --help", cmd.FullName())
		}
		return a.withAdded(ctx, args[0], added)
	}
	if len(args) != 2 {
		return old, now, "", fmt.Errorf("diff needs OLD and NEW, or one CATALOG with --add; see %s --help", cmd.FullName())
	}
	before, err := a.catalogs(ctx, args[:1], false)
	if err != nil {
		return old, now, "", err
	}
	after, err := a.catalogs(ctx, args[1:], false)
	if err != nil {
		return old, now, "", err
	}
	_, root, err = pull.Argument(args[1])
	return before[0], after[0], root, err
}

// withAdded reads a catalog and adds bundle directories to it.
func (a *app) withAdded(ctx context.Context, catalog string, dirs []string) (old, now resolver.Catalog, root string, err error) {
	list, err := a.catalogs(ctx, []string{catalog}, false)
	if err != nil {
		return old, now, "", err
	}
	if _, root, err = pull.Argument(catalog); err != nil {
		return old, now, "", err
	}
	var additions []catalogdiff.Addition
	for _, arg := range dirs {
		addition, err := view.ReadAddition(ctx, arg, func(warning string) { a.say("warning: " + warning) })
		if err != nil {
			if ctx.Err() != nil {
				return old, now, "", stopped(ctx, arg)
			}
			return old, now, "", fmt.Errorf("--add %s: %w", arg, err)
		}
		additions = append(additions, *addition)
	}
	old, now = list[0], list[0]
	old.Content, now.Content, err = catalogdiff.Add(list[0].Content, additions...)
	return old, now, root, err
}

// diffReports writes a comparison to the files of --report.
func (a *app) diffReports(ctx context.Context, d *view.Diff, reports []string) error {
	for _, arg := range reports {
		form, file, _ := strings.Cut(arg, "=")
		var b bytes.Buffer
		if err := d.Write(ctx, terminal.New(&b), form, true); err != nil {
			return err
		}
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			return ofFlag("report", err)
		}
	}
	return nil
}

// reportStatus returns the exit status for the findings of a report.
func reportStatus(r *report.Report) int {
	for i := range r.Findings {
		if !r.Findings[i].Ignored {
			return exitNo
		}
	}
	return exitOK
}
