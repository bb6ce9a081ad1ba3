package upgradetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/shards"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// Run checks a catalog and returns what it found: the form of [CheckAll] for
// programs, and for tests that expect findings.
//
// The same catalog, options and seed give the same report and the same files, byte
// for byte, whatever the number of workers. No goroutine outlives the call.
//
// The error says that an option cannot be used, or that the context or the time of
// Options.Within ended ([*IncompleteError], with what was found until then).
func Run(ctx context.Context, catalog *cache.Catalog, opts Options) (*Report, error) {
	cfg, err := opts.complete()
	if err != nil {
		return nil, err
	}
	if catalog == nil {
		return nil, errors.New("there is no catalog to check")
	}
	own := resolver.Catalog{Key: cfg.Key, Content: catalog}
	c := &check{asker: asker{cfg: cfg}, own: []resolver.Catalog{own}, cats: append([]resolver.Catalog{own}, cfg.Beside...)}
	for _, name := range cfg.Packages {
		if catalog.Package(name) == nil {
			return nil, fmt.Errorf("the catalog has no package %q to check", name)
		}
	}
	return c.run(ctx)
}

// IncompleteError says that a check ended before everything was looked at.
type IncompleteError struct {
	// Property is what was being looked at.
	Property Property
	// Report is what was found until then.
	Report *Report
	// Err is the error of the context.
	Err error
}

// Error says how far the check got.
func (e *IncompleteError) Error() string {
	return fmt.Sprintf("the check ended while it looked at %s: %v; give it more time, or less to look at with Sample or Packages", e.Property, e.Err)
}

// Unwrap returns the error of the context.
func (e *IncompleteError) Unwrap() error { return e.Err }

type check struct {
	asker
	own    []resolver.Catalog // the catalog that is checked
	cats   []resolver.Catalog // all that are there
	asking Property           // what is being looked at
	audits []*audit.Bundle
}

func (c *check) run(ctx context.Context) (*Report, error) {
	if c.cfg.Within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.cfg.Within)
		defer cancel()
	}
	report := &Report{Seed: c.cfg.Seed, Findings: []Finding{}, Looked: []Looked{}}
	var all []group
	for _, p := range Properties() {
		if !slices.Contains(c.cfg.Only, p) {
			continue
		}
		groups, looked, err := c.property(ctx, p)
		if looked != nil {
			report.Looked = append(report.Looked, *looked)
		}
		all = append(all, groups...)
		if err != nil {
			c.finish(report, all)
			return report, c.stopped(ctx, report, err)
		}
	}
	err := c.shrinkAll(ctx, report, c.finish(report, all))
	return report, c.stopped(ctx, report, err)
}

// stopped says of an error what was looked at when the context ended, if it has.
func (c *check) stopped(ctx context.Context, report *Report, err error) error {
	if err != nil && ctx.Err() != nil {
		return &IncompleteError{Property: c.asking, Report: report, Err: ctx.Err()}
	}
	return err
}

func (c *check) property(ctx context.Context, p Property) ([]group, *Looked, error) {
	c.asking = p
	list, of, err := ruleOf(p).cases(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range list {
		s.property = p
	}
	slices.SortFunc(list, (*situation).compare)
	looked := &Looked{Property: p, Cases: of, Of: of}
	if n := c.cfg.Sample; n > 0 && len(list) > n {
		slices.SortStableFunc(list, func(a, b *situation) int { return cmp.Compare(a.weight(c.cfg.Seed), b.weight(c.cfg.Seed)) })
		looked.Cases -= len(list) - n
		list = list[:n]
		slices.SortFunc(list, (*situation).compare)
	}
	var failures []*failure
	err = shards.InOrder(ctx, len(list), c.cfg.Workers, func(context.Context) func(int) (*failure, error) {
		return func(i int) (*failure, error) { return c.ask(ctx, c.cats, list[i]) }
	}, func(i int, f *failure) error {
		if f != nil {
			f.s = list[i]
			failures = append(failures, f)
		}
		return nil
	})
	return gather(failures), looked, err
}

func (c *check) wants(pkg string) bool {
	return len(c.cfg.Packages) == 0 || slices.Contains(c.cfg.Packages, pkg)
}

// audit audits the catalogs, once for all properties.
func (c *check) audit(ctx context.Context) ([]*audit.Bundle, error) {
	if c.audits != nil {
		return c.audits, nil
	}
	list := []*audit.Bundle{}
	opts := audit.Options{Namespace: c.cfg.Namespace, Cluster: c.cfg.Cluster, Policy: c.cfg.Policy,
		Packages: c.cfg.Packages, Workers: c.cfg.Workers}
	opts.Each = func(b *audit.Bundle) error {
		if b.Catalog == c.cfg.Key.String() {
			list = append(list, b)
		}
		return nil
	}
	if _, err := audit.Run(ctx, c.cfg.Resolver.With(), c.cats, opts); err != nil {
		return nil, err
	}
	c.audits = list
	return list, nil
}

// situation is that of a bundle in the channel in which it was audited.
func (c *check) situation(f *audit.Bundle) *situation {
	s := &situation{packageOf: packageOf{c.cfg.Key, f.Package}, bundle: f.Bundle}
	if pkg, _, b := s.locate(c.cats); b != nil {
		if ch := audit.ChannelOf(pkg, b); ch != nil {
			s.channel = ch.Name
		}
	}
	return s
}

// group is a finding in the making: failures that come to the same.
type group struct {
	finding  Finding
	failures []*failure
}

func gather(failures []*failure) []group {
	index := map[key]int{}
	var groups []group
	for _, f := range failures {
		finding := f.finding()
		i, again := index[finding.key()]
		if !again {
			i = len(groups)
			index[finding.key()] = i
			groups = append(groups, group{finding: finding})
		}
		g := &groups[i]
		if b := f.s.bundle; b != "" && !slices.Contains(g.finding.Bundles, b) {
			g.finding.Bundles = append(g.finding.Bundles, b)
		}
		g.failures = append(g.failures, f)
	}
	for i := range groups {
		slices.Sort(groups[i].finding.Bundles)
	}
	slices.SortStableFunc(groups, func(a, b group) int { return compareFindings(a.finding, b.finding) })
	return groups
}

// finding is the finding of one failure, without its bundle.
func (f *failure) finding() Finding {
	out := Finding{Property: f.s.property, Catalog: keyText(f.s.catalog), Package: f.s.pkg, Channel: f.s.channel, At: f.at, Code: f.code, Want: f.want, Got: f.got}
	if f.pkg != "" {
		out.Package, out.Channel = f.pkg, f.channel
	}
	return out
}

// finish sorts what is known, excepted and new, and returns the groups of what is in
// the report.
func (c *check) finish(report *Report, groups []group) []group {
	used := make([]bool, len(c.cfg.Exceptions))
	var kept []group
	for _, g := range groups {
		fresh := Since(c.cfg.Known, []Finding{g.finding})
		if len(fresh) == 0 {
			report.Known++
			continue
		}
		g.finding = fresh[0]
		if reason, ok := c.excepted(&g.finding, used); ok {
			report.Excepted = append(report.Excepted, Excepted{g.finding, reason})
			continue
		}
		kept = append(kept, g)
		report.Findings = append(report.Findings, g.finding)
	}
	for i, e := range c.cfg.Exceptions {
		if !used[i] {
			report.Idle = append(report.Idle, e.Name)
		}
	}
	return kept
}

// excepted looks for exceptions that stand for a whole finding, and takes out of it
// the bundles that some stand for.
func (c *check) excepted(f *Finding, used []bool) (string, bool) {
	var reasons []string
	left := slices.Clone(f.Bundles)
	for i, e := range c.cfg.Exceptions {
		if e.Property != "" && e.Property != f.Property {
			continue
		}
		if e.Name == f.Package || e.Name == f.At {
			used[i] = true
			return e.Reason, true
		}
		if n := slices.Index(left, e.Name); n >= 0 {
			used[i] = true
			left = slices.Delete(left, n, n+1)
			reasons = append(reasons, e.Reason)
		}
	}
	if len(f.Bundles) > 0 && len(left) == 0 {
		return strings.Join(reasons, "; "), true
	}
	f.Bundles = left
	return "", false
}
