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
		Usage: "every bundle: can it be installed, and does it get to the head of its channel", ArgsUsage: "CATALOG...",
		Description: `A catalog is a directory, a file or a container image, see resolute --help. It has the name
of its file, unless NAME=CATALOG or NAMESPACE/NAME=CATALOG gives it another. A bundle may
depend on any of the catalogs.

-o json prints an object for each bundle, one a line, and one with the summary. --shard i/n
audits one of n parts, i from 0; --merge puts the JSON of all parts together.

A bundle that a newer version skips cannot be newly installed on purpose. It is only
counted.

The exit status is 1 if another bundle cannot be installed, does not get to the head of its
channel or reaches a limit. If it is 2 or 3, the output is not complete.`,
		Flags: slices.Concat([]cli.Flag{reportFlag("text", "json", "html"), timeoutFlag(), mergeFlag()},
			auditFlags(), limitFlags()),
		Action: a.audit,
	}
}

// auditFlags say how to audit.
func auditFlags() []cli.Flag {
	return append([]cli.Flag{
		strictFlag(), clusterFlag(),
		listFlag("package", "audit `PACKAGE` only; may be given several times"),
		workersFlag("packages"),
	}, pathFlags("packages")...)
}

// clusterFlag is --cluster.
func clusterFlag() cli.Flag {
	return wordFlag("cluster", "take the namespace, the cluster and the policy from `SCENARIO`")
}

// audit audits catalogs, or merges audits.
func (a *app) audit(ctx context.Context, cmd *cli.Command) error {
	out := a.auditOutput(cmd)
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
	return finish(auditStatus(summary))
}

// auditStatus is the exit status for what an audit found. A bundle about which a
// limit kept something from being found out is a finding: the audit is complete.
func auditStatus(s *audit.Summary) int {
	if s.Installable+s.Skipped < s.Bundles || s.Stuck > 0 || s.Incomplete > 0 {
		return exitNo
	}
	return exitOK
}

// auditOutput takes what an audit finds, bundle by bundle, and in the end the
// summary.
type auditOutput struct {
	found  func(catalogs []resolver.Catalog, args []string) // nil for what needs no catalogs
	bundle func(*audit.Bundle) error
	end    func(*audit.Summary) error
}

// auditOutput writes an audit in one of its forms: JSON as it comes, the others
// when all is there.
func (a *app) auditOutput(cmd *cli.Command) auditOutput {
	form := cmd.String("output")
	if form == "json" {
		return auditOutput{nil, func(b *audit.Bundle) error { return b.WriteLine(a.out) }, func(s *audit.Summary) error { return s.WriteLine(a.out) }}
	}
	if form != "html" && form != "text" {
		v := view.NewAuditReport(buildVersion())
		return auditOutput{v.Found, v.Bundle, func(s *audit.Summary) error { return a.writeReport(v.Report(s), form) }}
	}
	report := &audit.Report{}
	return auditOutput{nil, report.Bundle, func(s *audit.Summary) error {
		report.Summary = *s
		return a.show(cmd, nil, report.WriteHTML, func(t *view.Text) {
			_ = report.WriteText(t) // a buffer takes everything
			t.Verdicts(map[string]terminal.Colour{" can be installed on an empty cluster, 0 cannot; 0 do not": terminal.Green, " cannot be installed on an empty cluster:": terminal.Red,
				" the head of their channel:": terminal.Red, " the head of its channel:": terminal.Red, " deprecated:": terminal.Yellow})
		})
	}}
}

// auditCatalogs audits the catalogs that arguments name.
func (a *app) auditCatalogs(ctx context.Context, cmd *cli.Command, out auditOutput) (*audit.Summary, error) {
	args := cmd.Args().Slice()
	shard, all, err := shards.Parse(cmd.String("shard"))
	if err != nil {
		return nil, ofFlag("shard", err)
	}
	catalogs, err := a.catalogs(ctx, args, cmd.Bool("strict"))
	if err != nil {
		return nil, err
	}
	for i := range catalogs {
		if catalogs[i].Content.Len() == 0 { // an audit of nothing finds nothing
			_, path, _ := pull.Argument(args[i]) // catalogs has read it
			return nil, hasNo("bundles", path, catalogs[i].Content.Problems())
		}
	}
	if out.found != nil {
		out.found(catalogs, args)
	}
	opts, err := a.auditCluster(ctx, cmd.String("cluster"))
	if err != nil {
		return nil, err
	}
	if names := cmd.StringSlice("package"); len(names) > 0 {
		opts.Packages = names
	}
	opts.Shard, opts.Shards = shard, all
	opts.Workers, opts.MaxRounds = cmd.Int("workers"), cmd.Int("max-rounds")
	opts.Each = func(b *audit.Bundle) error {
		b.Incomplete = pull.Words(strings.Replace(b.Incomplete, " rounds needed; raise the limit", " rounds needed; raise --max-rounds", 1))
		return out.bundle(b)
	}
	opts.Progress = func(done, total int) { a.progress.Bar("auditing bundles", done, total) }
	defer a.progress.Done()
	sum, err := audit.Run(ctx, a.resolver(cmd), catalogs, opts)
	return sum, ofPackages(err)
}

// ofPackages says that a package that an audit does not find is one of --package.
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

// auditCluster takes what an audit should imagine from a scenario, if one is given.
func (a *app) auditCluster(ctx context.Context, file string) (audit.Options, error) {
	if file == "" {
		return audit.Options{}, nil
	}
	var loaded *scenario.Loaded
	s, err := a.read(ctx, file)
	if err == nil {
		like := &scenario.Scenario{Namespace: s.Namespace, Cluster: s.Cluster, Policy: s.Policy}
		loaded, err = await(ctx, func() (*scenario.Loaded, error) { return like.Load(ctx) })
	}
	if ctx.Err() != nil {
		return audit.Options{}, stopped(ctx, file)
	}
	if err != nil {
		return audit.Options{}, ofFlag("cluster", err)
	}
	req := loaded.Request
	return audit.Options{Namespace: req.Namespace, Cluster: req.Cluster, Policy: req.Policy}, nil
}
