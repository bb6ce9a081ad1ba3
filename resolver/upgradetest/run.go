package upgradetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

// Run checks a catalog and returns its findings: [CheckAll] for programs, and for tests that
// expect findings.
//
// Report and files are deterministic, for any number of workers. No goroutine outlives the call.
//
// The error reports an invalid option, or is a [*resolver.IncompleteError] if the context or the
// time of Options.Within ended; the report is then nil, unless only the shrinking was incomplete.
func Run(ctx context.Context, catalog *cache.Catalog, opts Options) (*Report, error) {
	cfg, err := opts.complete()
	if err != nil {
		return nil, err
	}
	if catalog == nil {
		return nil, errors.New("there is no catalog to check")
	}
	for _, name := range cfg.Packages {
		if catalog.Package(name) == nil {
			return nil, fmt.Errorf("the catalog has no package %q to check", name)
		}
	}
	if cfg.Within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, cfg.Within)
		defer cancel()
	}
	c := &check{cfg: cfg}
	found, err := c.find(ctx, catalog)
	if err != nil {
		return nil, err
	}
	report := &Report{Findings: []Finding{}}
	c.sort(report, found)
	own := resolver.Catalog{Key: cfg.Around.Key, Priority: cfg.Around.Priority, Content: catalog}
	return report, c.shrinkAll(ctx, report, append([]resolver.Catalog{own}, cfg.Around.Beside...))
}

type check struct{ cfg *Options }

// find returns the included findings that did not exist before.
func (c *check) find(ctx context.Context, catalog *cache.Catalog) ([]catalogdiff.Finding, error) {
	found, err := catalogdiff.Check(ctx, catalog, c.cfg.Packages, c.cfg.Around)
	if err == nil && c.cfg.Before != nil {
		var before []catalogdiff.Finding
		before, err = catalogdiff.Check(ctx, c.cfg.Before, c.cfg.Packages, c.cfg.Around)
		found = since(before, found)
	}
	return slices.DeleteFunc(found, func(f catalogdiff.Finding) bool { return !c.cfg.counts(f.Code) }), err
}

// sort separates the excepted findings.
func (c *check) sort(report *Report, found []catalogdiff.Finding) {
	used := make([]bool, len(c.cfg.Exceptions))
	for _, one := range found {
		f := Finding{Finding: one}
		if reason, ok := c.excepted(&f, used); ok {
			report.Excepted = append(report.Excepted, Excepted{f, reason})
		} else {
			report.Findings = append(report.Findings, f)
		}
	}
	for i, e := range c.cfg.Exceptions {
		if !used[i] {
			report.Idle = append(report.Idle, e.Name)
		}
	}
}

// excepted finds an exception that covers a whole finding, and removes bundles from the finding
// that exceptions cover.
func (c *check) excepted(f *Finding, used []bool) (string, bool) {
	var reasons []string
	left := slices.Clone(f.Bundles)
	for i, e := range c.cfg.Exceptions {
		if e.Code != "" && e.Code != f.Code {
			continue
		}
		if e.Name == f.Package || e.Name == f.Bundle && len(f.Bundles) == 0 {
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
