package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/examples/resolute/internal/report"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) auditCommand() *cli.Command {
	return &cli.Command{
		Name: "audit", Usage: "every bundle: can it be installed, and does it get to the head of its channel", ArgsUsage: "CATALOG...",
		Description: "A catalog is a directory, a file or a container image, see resolute --help. It is\n" +
			"called as its file is, or as NAME=CATALOG or NAMESPACE/NAME=CATALOG says. A bundle may\n" +
			"depend on any of the catalogs.\n\n" +
			"With -o json, an object a bundle, one a line, and one with the summary. --shard i/n audits\n" +
			"one of n parts, i from 0; --merge puts the JSON of all parts together, which are then\n" +
			"the arguments.\n\n" +
			"The exit status is 1 if a bundle cannot be installed, does not get to the head, or\n" +
			"reaches a limit; above that, the output is not complete.",
		Flags: append([]cli.Flag{
			outputFlag("text", "json", "html", "markdown", "sarif", "junit"), timeoutFlag(), strictFlag(),
			&cli.StringFlag{Name: "cluster", Usage: "imagine clusters as in `SCENARIO`: its namespace, cluster and policy"},
			&cli.StringFlag{Name: "shard", Usage: "audit part `i/n` of the packages, for example 0/4"},
			&cli.BoolFlag{Name: "merge", Usage: "the arguments are the JSON of all parts of an audit; - is standard input"},
			&cli.StringSliceFlag{Name: "package", Usage: "audit `PACKAGE` only; may be given several times"},
			&cli.IntFlag{Name: "workers", Usage: "audit `N` packages at once; 0 for as many as there are cores", Validator: notNegative},
			&cli.IntFlag{Name: "max-rounds", Usage: "follow each upgrade road for at most `N` rounds; 0 for the default", Validator: notNegative},
		}, limitFlags()...),
		Action: a.audit,
	}
}

func notNegative(n int) error {
	if n < 0 {
		return errors.New("a number below 0 makes no sense here")
	}
	return nil
}

// audit audits catalogs, or merges audits.
func (a *app) audit(ctx context.Context, cmd *cli.Command) error {
	args, err := arguments(cmd)
	if err != nil {
		return err
	}
	ctx, cancel := withTimeout(ctx, cmd)
	defer cancel()
	out := a.auditOutput(cmd.String("output"))
	var summary *audit.Summary
	if cmd.Bool("merge") {
		summary, err = a.mergeAudits(ctx, cmd, args, out)
	} else {
		summary, err = a.auditCatalogs(ctx, cmd, args, out)
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
	if s.Installable < s.Bundles || s.Stuck > 0 || s.Incomplete > 0 {
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
func (a *app) auditOutput(form string) auditOutput {
	if form == "json" {
		w := audit.NewWriter(a.out)
		return auditOutput{nil, w.Bundle, w.Summary}
	}
	if form != "html" && form != "text" {
		v := newAuditView()
		return auditOutput{v.found, v.bundle, func(s *audit.Summary) error { return v.write(a, s, form) }}
	}
	report := &audit.Report{}
	return auditOutput{nil, report.Bundle, func(s *audit.Summary) error {
		report.Summary = *s
		if form == "html" {
			return report.WriteHTML(a.out)
		}
		return report.WriteText(a.out)
	}}
}

// auditCatalogs audits the catalogs that arguments name.
func (a *app) auditCatalogs(ctx context.Context, cmd *cli.Command, args []string, out auditOutput) (*audit.Summary, error) {
	shard, shards, err := audit.ParseShard(cmd.String("shard"))
	if err != nil {
		return nil, err
	}
	catalogs, err := a.catalogs(ctx, args, cmd.Bool("strict"))
	if err != nil {
		return nil, err
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
	opts.Shard, opts.Shards = shard, shards
	opts.Workers, opts.MaxRounds = cmd.Int("workers"), cmd.Int("max-rounds")
	opts.Each = out.bundle
	opts.Progress = func(done, total int) { a.progress.bar("auditing bundles", done, total) }
	defer a.progress.done()
	summary, err := audit.Run(ctx, a.resolver(cmd), catalogs, opts)
	var incomplete *resolver.IncompleteError
	if errors.As(err, &incomplete) {
		a.progress.done()
		a.complain("audit", err.Error())
		return nil, exit(exitIncomplete)
	}
	return summary, err
}

// auditCluster takes what an audit should imagine from a scenario, if one is given.
func (a *app) auditCluster(ctx context.Context, file string) (audit.Options, error) {
	if file == "" {
		return audit.Options{}, nil
	}
	s, err := a.read(ctx, file)
	if ctx.Err() != nil {
		return audit.Options{}, a.stopped(file, ctx.Err())
	}
	if err != nil {
		return audit.Options{}, err
	}
	like := &scenario.Scenario{Namespace: s.Namespace, Cluster: s.Cluster, Policy: s.Policy}
	loaded, err := await(ctx, func() (*scenario.Loaded, error) { return like.Load(ctx) })
	if ctx.Err() != nil {
		return audit.Options{}, a.stopped(file, ctx.Err())
	}
	if err != nil {
		return audit.Options{}, err
	}
	req := loaded.Request
	return audit.Options{Namespace: req.Namespace, Cluster: req.Cluster, Policy: req.Policy}, nil
}

// mergeAudits puts audits together whose JSON is in files.
func (a *app) mergeAudits(ctx context.Context, cmd *cli.Command, files []string, out auditOutput) (*audit.Summary, error) {
	for _, flag := range []string{"cluster", "shard", "package", "workers", "max-rounds", "strict"} {
		if cmd.IsSet(flag) {
			return nil, fmt.Errorf("--%s says how to audit, and --merge audits nothing; leave one of them out", flag)
		}
	}
	inputs := make([]io.Reader, len(files))
	for i, file := range files {
		if file == "-" {
			inputs[i] = untilDone{ctx, a.in}
			continue
		}
		f, err := await(ctx, func() (*os.File, error) { return os.Open(file) })
		if stopped := ctx.Err(); stopped != nil {
			a.complain("audit", fmt.Sprintf("stopped while audits were put together: %v", stopped))
			return nil, exit(exitIncomplete)
		}
		if err != nil {
			return nil, err
		}
		defer f.Close()
		inputs[i] = untilDone{ctx, f}
	}
	merged, err := mergeInto(inputs, out.bundle)
	if stopped := ctx.Err(); stopped != nil {
		a.complain("audit", fmt.Sprintf("stopped while audits were put together: %v", stopped))
		return nil, exit(exitIncomplete)
	}
	var format *audit.FormatError
	if errors.As(err, &format) && format.Input < len(files) {
		return nil, fmt.Errorf("audit --merge %s: %w", label(files[format.Input]), err)
	}
	return merged, err
}

// mergeInto merges audits and hands out the bundles one by one.
func mergeInto(inputs []io.Reader, bundle func(*audit.Bundle) error) (*audit.Summary, error) {
	r, w := io.Pipe()
	failed := make(chan error, 1)
	go func() {
		_, err := audit.Merge(w, inputs...)
		w.CloseWithError(err)
		failed <- err
	}()
	summary, err := audit.Read(r, bundle)
	r.CloseWithError(err) // ends the merge, if it is still at it
	if merge := <-failed; merge != nil && !errors.Is(merge, io.ErrClosedPipe) && !errors.Is(merge, err) {
		return nil, merge
	}
	return summary, err
}

// untilDone reads until a context ends.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

// Read reads, unless the context has ended.
func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	type filled struct {
		data []byte
		n    int
	}
	f, err := await(u.ctx, func() (filled, error) {
		data := make([]byte, len(p)) // p may be used again when this comes back
		n, err := u.r.Read(data)
		return filled{data, n}, err
	})
	return copy(p, f.data[:f.n]), err
}

// auditView gathers an audit as a report for other systems.
type auditView struct {
	report   report.Report
	catalogs []resolver.Catalog // for places; none of a merged audit
	paths    map[cache.Key]string
}

// The codes of an audit's findings.
const (
	codeNotInstallable  = "notInstallable"
	codeHeadUnreachable = "headUnreachable"
	codeIncomplete      = "incomplete"
)

// newAuditView returns a view of an audit of catalogs; paths are where they were read.
func newAuditView() *auditView {
	return &auditView{paths: make(map[cache.Key]string), report: report.Report{Command: "audit", Version: buildVersion(), Cases: []report.Case{},
		Rules: map[string]string{
			codeNotInstallable:  "a bundle cannot be installed on an empty cluster",
			codeHeadUnreachable: "an installed version does not reach the head of its channel",
			codeIncomplete:      "not everything could be found out about a bundle",
		}}}
}

// found notes which catalogs are audited, and where they were read.
func (v *auditView) found(catalogs []resolver.Catalog, args []string) {
	v.catalogs = catalogs
	for i, arg := range args {
		_, path, err := catalogArgument(arg)
		if err == nil && i < len(catalogs) {
			v.paths[catalogs[i].Key] = path
			v.report.Root, v.report.Title = path, path
		}
	}
}

// place is where a bundle stands.
func (v *auditView) place(b *audit.Bundle) (file string, line int) {
	i := slices.IndexFunc(v.catalogs, func(c resolver.Catalog) bool { return c.Key.String() == b.Catalog })
	if i < 0 {
		return "", 0
	}
	pkg := v.catalogs[i].Content.Package(b.Package)
	if pkg == nil {
		return "", 0
	}
	if bundle := pkg.Bundle(b.Bundle); bundle != nil && bundle.Pos.File != "" {
		return named(v.paths[v.catalogs[i].Key], graph.Problem{File: bundle.Pos.File}).File, bundle.Pos.Line
	}
	return "", 0
}

// bundle takes in a finding. A bundle that cannot be newly installed, for a later one
// skips it or because it is deprecated, is a warning; so is one that no channel lists.
func (v *auditView) bundle(b *audit.Bundle) error {
	file, line := v.place(b)
	c := report.Case{Class: b.Package, Name: b.Bundle, Outcome: report.Passed, File: file, Line: line}
	add := func(code string, severity report.Severity, channel, text string) {
		v.report.Findings = append(v.report.Findings, report.Finding{Code: code, Severity: severity,
			Subject: []string{b.Catalog, b.Package, channel, b.Bundle}, Text: text, File: file, Line: line})
		if c.Outcome != report.Failed {
			c.Outcome, c.Text = report.Failed, text
		} else {
			c.Text += "; " + text
		}
	}
	if !b.Installable && b.Conflict != nil {
		add(codeNotInstallable, report.Warning, "", fmt.Sprintf("%s cannot be installed on an empty cluster: %s", b.Bundle, audit.Reason(b.Conflict)))
	}
	if to := b.ReachesHead; to != nil && !to.Reaches {
		add(codeHeadUnreachable, report.Error, to.Channel, fmt.Sprintf("whoever runs %s in channel %s gets no further than %s: %s",
			b.Bundle, to.Channel, to.StuckAt, audit.Reason(to.Conflict)))
	}
	if b.Incomplete != "" {
		add(codeIncomplete, report.Warning, "", b.Bundle+": "+b.Incomplete)
	}
	v.report.Cases = append(v.report.Cases, c)
	return nil
}

// write writes the report.
func (v *auditView) write(a *app, s *audit.Summary, form string) error {
	v.report.Summary = fmt.Sprintf("%s: %d can be installed on an empty cluster, %d cannot; %d do not reach the head of their channel.",
		text.Count(s.Bundles, "bundle", "bundles"), s.Installable, s.Bundles-s.Installable, s.Stuck)
	var b bytes.Buffer
	if err := v.report.Write(&b, form); err != nil {
		return err
	}
	_, err := b.WriteTo(a.out)
	return err
}
