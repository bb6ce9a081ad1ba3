package upgradetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

// Run checks a catalog and returns what it found: the form of [CheckAll] for
// programs, and for tests that expect findings.
//
// The same catalog and options give the same report and the same files, byte for byte,
// whatever the number of workers. No goroutine outlives the call.
//
// The error says that an option cannot be used, or is a [*resolver.IncompleteError] where the
// context or the time of Options.Within ended; the report is nil then unless only smaller
// cases were still looked for.
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
	if cfg.Before == nil {
		own := resolver.Catalog{Key: cfg.Around.Key, Priority: cfg.Around.Priority, Content: catalog}
		err = c.shrinkAll(ctx, report, append([]resolver.Catalog{own}, cfg.Around.Beside...))
	}
	return report, err
}

type check struct{ cfg *Options }

// find finds all that counts.
func (c *check) find(ctx context.Context, catalog *cache.Catalog) (found []catalogdiff.Finding, err error) {
	if c.cfg.Before == nil {
		found, err = catalogdiff.Check(ctx, catalog, c.cfg.Packages, c.cfg.Around)
	} else if r, failed := catalogdiff.Compare(ctx, c.cfg.Before, catalog, c.cfg.Around); failed == nil {
		found = r.Worse
	} else {
		err = failed
	}
	return slices.DeleteFunc(found, func(f catalogdiff.Finding) bool {
		other := len(c.cfg.Packages) > 0 && !slices.Contains(c.cfg.Packages, f.Package)
		return other || f.Severity != graph.SeverityError || !c.cfg.counts(f.Code)
	}), err
}

// sort tells apart what is known, excepted and new.
func (c *check) sort(report *Report, found []catalogdiff.Finding) {
	used := make([]bool, len(c.cfg.Exceptions))
	for _, f := range found {
		fresh := Since(c.cfg.Known, []Finding{{Finding: f}})
		if len(fresh) == 0 {
			report.Known++
		} else if reason, ok := c.excepted(&fresh[0], used); ok {
			report.Excepted = append(report.Excepted, Excepted{fresh[0], reason})
		} else {
			report.Findings = append(report.Findings, fresh[0])
		}
	}
	for i, e := range c.cfg.Exceptions {
		if !used[i] {
			report.Idle = append(report.Idle, e.Name)
		}
	}
}

// excepted looks for exceptions that stand for a whole finding, and takes out of it
// the bundles that some stand for.
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
