package ready

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/shards"
)

// Fleet checks many clusters against the same next versions. What is loaded is shared
// by all of them: the catalogs of the next versions, and through the Loader those that
// the scenarios name.
type Fleet struct {
	// Resolver resolves; nil stands for one with the default limits.
	Resolver *resolver.Resolver
	// Loader loads the catalogs of scenarios; nil stands for a fresh one.
	Loader *scenario.Loader
	// Versions are what the clusters are to move to, one after the other.
	Versions []FleetVersion
	// MaxRounds bounds each road; 0 stands for [DefaultRounds].
	MaxRounds int
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

// FleetVersion is a version that the clusters of a fleet are to move to; see
// [Version].
type FleetVersion struct {
	OpenShift, Kubernetes string
	Catalogs              []FleetCatalog
}

// FleetCatalog is a catalog of a version, and what it stands in the place of.
type FleetCatalog struct {
	// For names catalogs of scenarios: "namespace/name", or "name" in any namespace.
	For string
	// Content is the catalog.
	Content *cache.Catalog
	// Lifecycles are what it says of how long its packages are supported, by their
	// names.
	Lifecycles map[string]PackageLifecycle
}

// ReadScenario reads a scenario by the name that Run was given.
type ReadScenario func(ctx context.Context, file string) (*scenario.Scenario, error)

// Run checks the scenarios that the files name, and calls each with a report for each, in
// the order of the files, from the goroutine that called Run. A scenario that cannot
// be read, or whose check is stopped by a limit, has a report that says so.
//
// The error is that of each, which ends the work; that of the context; or
// [*UnusedCatalogError], joined, for catalogs of a version that stand in the place of
// no catalog of any scenario, which only a run of all shards can know.
func (f *Fleet) Run(ctx context.Context, files []string, read ReadScenario, each func(*Report) error) (*Summary, error) {
	run := &fleetRun{Fleet: f, read: read, resolver: cmp.Or(f.Resolver, resolver.New()), loader: cmp.Or(f.Loader, new(scenario.Loader)),
		keys: make(map[string]bool), used: make(map[*FleetCatalog]bool)}
	tally := NewTally()
	tally.sum.Shard = shards.Name(f.Shard, f.Shards)
	for i, file := range files {
		if f.Shards <= 0 || i%f.Shards == f.Shard {
			run.files = append(run.files, file)
		}
	}
	err := shards.InOrder(ctx, len(run.files), f.Workers, func(ctx context.Context) func(int) (*Report, error) {
		return func(i int) (*Report, error) { return run.check(ctx, run.files[i]), nil }
	}, func(i int, r *Report) error {
		tally.Add(r)
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
	return tally.Summary(), run.unused()
}

type fleetRun struct {
	*Fleet
	resolver *resolver.Resolver
	loader   *scenario.Loader
	read     ReadScenario
	files    []string

	mu   sync.Mutex
	keys map[string]bool        // of the catalogs that scenarios have
	used map[*FleetCatalog]bool // the catalogs of versions that stood in some place
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
	s, err := f.read(ctx, file)
	if err != nil {
		return nil, err
	}
	loaded, err := f.loader.Load(ctx, s)
	if err != nil {
		return nil, err
	}
	opts := Options{MaxRounds: f.MaxRounds}
	for i := range f.Versions {
		opts.Versions = append(opts.Versions, f.version(i, loaded.Request.Catalogs))
	}
	return Check(ctx, f.resolver, loaded.Request, opts)
}

// version puts the catalogs of a version into the places of a scenario's.
func (f *fleetRun) version(i int, catalogs []resolver.Catalog) Version {
	v := Version{OpenShift: f.Versions[i].OpenShift, Kubernetes: f.Versions[i].Kubernetes, Lifecycles: make(map[string]PackageLifecycle)}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range catalogs {
		f.keys[c.Key.String()] = true
		k := slices.IndexFunc(f.Versions[i].Catalogs, func(next FleetCatalog) bool { return next.For == c.Key.String() || next.For == c.Key.Name })
		if k < 0 {
			continue
		}
		next := &f.Versions[i].Catalogs[k]
		f.used[next] = true
		v.Catalogs = append(v.Catalogs, resolver.Catalog{Key: c.Key, Content: next.Content})
		maps.Copy(v.Lifecycles, next.Lifecycles)
	}
	return v
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
