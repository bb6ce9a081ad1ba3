package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/internal/shards"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) auditCommand() *cli.Command {
	return &cli.Command{
		Usage: "check that every bundle can be installed and reaches the head of its channel", ArgsUsage: "CATALOG...",
		Description: `A catalog is a directory, a file or a container image, see resolute --help. Its name
is that of its file unless NAME=CATALOG or NAMESPACE/NAME=CATALOG sets another. Bundles may
depend on bundles of every catalog.

Packages with the most problems come first. The text lists at most 1,000 notes of a kind, the
page of -o html 5,000. -o json prints one object per line for each bundle, then the summary.
--shard i/n audits one of n parts, counted from 0; --merge combines the JSON of all parts.

A bundle that a newer version skips is not offered for new installs. It is counted, not
reported.

The exit status is 1 if any other bundle cannot be installed, does not reach the head of
its channel or exhausts a limit. With 2 or 3 the output is incomplete.`,
		Flags: slices.Concat([]cli.Flag{reportFlag("text", "json", "html"), timeoutFlag(), mergeFlag()},
			auditFlags(), limitFlags()),
		Action: a.audit,
	}
}

// auditFlags configure the audit.
func auditFlags() []cli.Flag {
	return append([]cli.Flag{
		strictFlag(), clusterFlag(),
		listFlag("package", "audit only `PACKAGE`; repeatable"),
		workersFlag("packages"),
	}, pathFlags("packages")...)
}

// clusterFlag is --cluster.
func clusterFlag() cli.Flag {
	return stringFlag("cluster", "read the namespace, the cluster and the policy from `SCENARIO`")
}

// audit audits catalogs or merges the results of shards.
func (a *app) audit(ctx context.Context, cmd *cli.Command) error {
	out := a.auditOutput(ctx, cmd)
	var summary *audit.Summary
	var err error
	if cmd.Bool("merge") {
		err = a.merge(ctx, cmd, auditFlags(), func(parts ...io.Reader) error {
			summary, err = audit.Merge(out.bundle, parts...)
			return err
		})
	} else {
		summary, err = a.auditCatalogs(ctx, cmd, out)
	}
	if err != nil {
		return err
	}
	if err := out.end(summary); err != nil {
		return err
	}
	return exitError(auditStatus(summary))
}

// auditStatus returns the exit status for an audit. A bundle whose check exhausted a limit
// counts as a finding: the audit itself is complete.
func auditStatus(s *audit.Summary) int {
	if s.Installable+s.Skipped < s.Bundles || s.Stuck > 0 || s.Incomplete > 0 {
		return exitNo
	}
	return exitOK
}

// auditOutput receives the result of each bundle and finally the summary.
type auditOutput struct {
	found  func(catalogs []resolver.Catalog, args []string) // nil if the format needs no catalogs
	bundle func(*audit.Bundle) error
	end    func(*audit.Summary) error
}

// auditOutput returns the writer for the output format. JSON is streamed; other formats are
// written at the end.
func (a *app) auditOutput(ctx context.Context, cmd *cli.Command) auditOutput {
	form := cmd.String("output")
	if form == "json" {
		return auditOutput{nil, func(b *audit.Bundle) error { return b.WriteLine(a.out) }, func(s *audit.Summary) error { return s.WriteLine(a.out) }}
	}
	if form != "html" && form != "text" {
		v := view.NewAuditReport(buildVersion(), view.CatalogNames{Place: pull.Place, Argument: func(arg string) (string, error) {
			_, path, err := pull.Argument(arg)
			return path, err
		}})
		return auditOutput{v.Found, v.Bundle, func(s *audit.Summary) error { return a.writeReport(v.Report(s), form) }}
	}
	report := &audit.Report{}
	return auditOutput{nil, report.Bundle, func(s *audit.Summary) error {
		report.Summary = *s
		return a.show(cmd, nil, func(w io.Writer) error { return view.WriteAudit(ctx, w, report) }, func(t *view.Text) {
			_ = report.WriteText(t) // a buffer never fails
			if report.Clean() {
				t.Verdicts(map[string]terminal.Colour{report.Headline(): terminal.Green})
			}
			t.Verdicts(map[string]terminal.Colour{" cannot be installed on an empty cluster:": terminal.Red,
				" the head of their channel:": terminal.Red, " the head of its channel:": terminal.Red, " deprecated:": terminal.Yellow})
		})
	}}
}

// auditCatalogs audits the catalogs named by the arguments.
func (a *app) auditCatalogs(ctx context.Context, cmd *cli.Command, out auditOutput) (*audit.Summary, error) {
	args := cmd.Args().Slice()
	shard, all, err := shards.Parse(cmd.String("shard"))
	if err != nil {
		return nil, ofFlag("shard", err)
	}
	opts, err := a.auditCluster(ctx, cmd.String("cluster"))
	if err != nil {
		return nil, err
	}
	catalogs, err := a.catalogs(ctx, args, cmd.Bool("strict"))
	if err != nil {
		return nil, err
	}
	for i := range catalogs {
		if catalogs[i].Content.Len() == 0 { // an empty audit would pass
			_, path, _ := pull.Argument(args[i]) // already validated by catalogs
			return nil, withoutContent("bundles", path, catalogs[i].Content.Problems())
		}
	}
	if out.found != nil {
		out.found(catalogs, args)
	}
	if names := cmd.StringSlice("package"); len(names) > 0 {
		opts.Packages = names
	}
	opts.Shard, opts.Shards = shard, all
	opts.Workers, opts.MaxRounds = cmd.Int("workers"), cmd.Int("max-rounds")
	opts.Each = out.bundle
	opts.Progress = func(done, total int) { a.progress.Bar("auditing bundles", done, total) }
	defer a.progress.Done()
	sum, err := audit.Run(ctx, a.resolver(cmd), catalogs, opts)
	return sum, ofPackages(err)
}

// ofPackages attributes unknown packages to --package.
func ofPackages(err error) error {
	var invalid *resolver.RequestError
	if !errors.As(err, &invalid) {
		return err
	}
	var all []string
	for _, p := range invalid.Problems {
		if !strings.HasPrefix(p.Field, "packages[") {
			return err
		}
		all = append(all, fmt.Sprintf("--package %s: %s", p.Value, p.Message))
	}
	return errors.New(strings.Join(all, "; "))
}

// auditCluster returns audit options with the cluster of a scenario file, if one is given.
func (a *app) auditCluster(ctx context.Context, file string) (audit.Options, error) {
	if file == "" {
		return audit.Options{}, nil
	}
	var loaded *scenario.Loaded
	s, err := a.read(ctx, file)
	if err == nil {
		like := &scenario.Scenario{Namespace: s.Namespace, Cluster: s.Cluster, Policy: s.Policy, Now: s.Now}
		a.metadata = len(s.Policy.Veto) > 0
		loaded, err = await(ctx, func() (*scenario.Loaded, error) { return like.Load(ctx) })
	}
	if ctx.Err() != nil {
		return audit.Options{}, stopped(ctx, file)
	}
	if err != nil {
		return audit.Options{}, ofFlag("cluster", err)
	}
	req := loaded.Request
	return audit.Options{Namespace: req.Namespace, Cluster: req.Cluster, Policy: req.Policy, Now: req.Now}, nil
}
