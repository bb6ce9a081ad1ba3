package upgrade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/seed109e2655/resolute/internal/shards"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Fleet checks many clusters against the same next versions. What is loaded is shared
// by all of them: the catalogs of the next versions, and through the Loader those that
// the scenarios name.
type Fleet struct {
	// Options are those of each check. A catalog of a version stands in for that of each
	// scenario that has it.
	Options
	// Resolver resolves; nil stands for one with the default limits.
	Resolver *resolver.Resolver
	// Loader loads the catalogs of scenarios; nil stands for a fresh one.
	Loader *scenario.Loader
	// Read reads a scenario by the name that Run was given. It is called from several
	// goroutines.
	Read func(ctx context.Context, file string) (*scenario.Scenario, error)
	// Workers is how many clusters are checked at once; 0 stands for
	// [runtime.GOMAXPROCS].
	Workers int
	// Shard and Shards split the work: shard i of n, counted from 0, takes every n-th
	// cluster. Shards 0 is all of them. [Merge] puts the parts together again.
	Shard, Shards int
	// Progress, if it is set, is called with how many of the clusters are done, from the
	// goroutine that called Run.
	Progress func(done, total int)
}

// Run checks the scenarios that the files name, and calls each with a report for each, in
// the order of the files, from the goroutine that called Run. A scenario that cannot
// be read, or whose check is stopped by a limit, has a report that says so.
//
// The error is that of each, which ends the work; that of the context; or
// [*UnusedCatalogError], joined, for catalogs of a version that stand in the place of
// no catalog of any scenario, which only a run of all shards can know.
func (f *Fleet) Run(ctx context.Context, files []string, each func(*Report) error) (*Summary, error) {
	run := &fleetRun{Fleet: f, resolver: cmp.Or(f.Resolver, resolver.New()), loader: cmp.Or(f.Loader, new(scenario.Loader)),
		keys: make(map[string]bool), used: make(map[*NextCatalog]bool)}
	tally := newTally()
	tally.sum.Shard = shards.Name(f.Shard, f.Shards)
	for i, file := range files {
		if f.Shards <= 0 || i%f.Shards == f.Shard {
			run.files = append(run.files, file)
		}
	}
	err := shards.InOrder(ctx, len(run.files), f.Workers, func(ctx context.Context) func(int) (*Report, error) {
		return func(i int) (*Report, error) { return run.check(ctx, run.files[i]), nil }
	}, func(i int, r *Report) error {
		tally.add(r)
		if err := each(r); err != nil {
			return err
		}
		if f.Progress != nil {
			f.Progress(i+1, len(run.files))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return tally.summary(), run.unused()
}

type fleetRun struct {
	*Fleet
	resolver *resolver.Resolver
	loader   *scenario.Loader
	files    []string

	mu   sync.Mutex
	keys map[string]bool       // of the catalogs that scenarios have
	used map[*NextCatalog]bool // the catalogs of versions that stood in some place
}

func (f *fleetRun) check(ctx context.Context, file string) *Report {
	report, err := f.report(ctx, file)
	if err != nil {
		report = &Report{Status: Invalid, Error: strings.ToValidUTF8(err.Error(), "�"), Operators: []Operator{}, Order: []Step{}}
		var incomplete *resolver.IncompleteError
		if errors.As(err, &incomplete) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			report.Status = Incomplete
		}
	}
	report.File = file
	return report
}

func (f *fleetRun) report(ctx context.Context, file string) (*Report, error) {
	s, err := f.Read(ctx, file)
	if err != nil {
		return nil, err
	}
	loaded, err := f.loader.Load(ctx, s)
	if err != nil {
		return nil, err
	}
	f.note(loaded.Request.Catalogs)
	return Check(ctx, f.resolver, loaded.Request, f.Options)
}

// note notes which catalogs a scenario has, and which of the versions stand for them.
func (f *fleetRun) note(catalogs []resolver.Catalog) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range catalogs {
		key := catalogs[i].Key
		f.keys[key.String()] = true
		for _, v := range f.Versions {
			if k := slices.IndexFunc(v.Catalogs, func(next NextCatalog) bool { return next.replaces(key) }); k >= 0 {
				f.used[&v.Catalogs[k]] = true
			}
		}
	}
}

// unused says which catalogs of versions stood in no place.
func (f *fleetRun) unused() error {
	if len(f.keys) == 0 || f.Shards > 0 {
		return nil // no scenario could be read, or those of other shards may have it
	}
	known := slices.Sorted(maps.Keys(f.keys))
	var errs []error
	for _, v := range f.Versions {
		for k := range v.Catalogs {
			if c := &v.Catalogs[k]; !f.used[c] {
				errs = append(errs, &UnusedCatalogError{For: c.For, Known: known})
			}
		}
	}
	return errors.Join(errs...)
}

// UnusedCatalogError says that a catalog of a next version stands in the place of no
// catalog of any scenario.
type UnusedCatalogError struct {
	// For is what it was to stand for, and Known are the catalogs that there are.
	For   string
	Known []string
}

// Error says so, with what there is.
func (e *UnusedCatalogError) Error() string {
	near := text.DidYouMean(e.For, slices.Values(e.Known))
	if near == "" {
		near = "; they have " + text.Short(text.Names(e.Known), 10)
	}
	return fmt.Sprintf("no scenario has a catalog %s that the one of the next version could stand for%s", text.Name(e.For), near)
}
