package upgrade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/shards"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Fleet checks many clusters against the same next versions. All of them share loaded content: the
// catalogs of the next versions and, through the Loader, those that the scenarios name.
type Fleet struct {
	// Options are the options of each check. A catalog of a version replaces that of each scenario
	// that has it.
	Options
	// Resolver resolves; nil means one with the default limits.
	Resolver *resolver.Resolver
	// Loader loads the catalogs of scenarios; nil means a new one.
	Loader *scenario.Loader
	// Read reads a scenario by the name given to Run. It is called from several goroutines.
	Read func(ctx context.Context, file string) (*scenario.Scenario, error)
	// Workers is the number of clusters checked concurrently; 0 means [runtime.GOMAXPROCS].
	Workers int
	// Shard and Shards split the work: shard i of n, counted from 0, checks every n-th cluster.
	// Shards 0 means all of them. [Merge] combines the parts.
	Shard, Shards int
	// Progress, if not nil, is called with the number of finished clusters, from the goroutine that
	// called Run.
	Progress func(done, total int)
}

// Run checks the scenarios in the files, and calls each with a report for each cluster, in the
// order of the files, from the goroutine that called Run. Scenarios with the same cluster.id are
// one cluster, at the position of the first of them; one without is a cluster by itself. A scenario
// that cannot be read, or whose check exhausts a limit, has a report with the error. Each scenario
// is read twice: first to determine the clusters.
//
// The error is that of each, which stops the work; that of the context; or [*UnusedCatalogError],
// joined, for catalogs of a version that replace no catalog of any scenario, or a
// [*resolver.RequestError] if all clusters already have the version: then nothing is checked.
func (f *Fleet) Run(ctx context.Context, files []string, each func(*Report) error) (*Summary, error) {
	run := &fleetRun{Fleet: f, resolver: cmp.Or(f.Resolver, resolver.New()), loader: cmp.Or(f.Loader, new(scenario.Loader))}
	all, err := run.clusters(ctx, files)
	if err != nil {
		return nil, err
	}
	var mine []*cluster
	for i, c := range all {
		if f.Shards <= 0 || i%f.Shards == f.Shard {
			mine = append(mine, c)
		}
	}
	tally := newTally()
	tally.sum.Shard = shards.Name(f.Shard, f.Shards)
	err = shards.InOrder(ctx, len(mine), f.Workers, func(ctx context.Context) func(int) (*Report, error) {
		return func(i int) (*Report, error) { return run.cluster(ctx, mine[i]), nil }
	}, func(i int, r *Report) error {
		tally.add(r)
		if err := each(r); err != nil {
			return err
		}
		if f.Progress != nil {
			f.Progress(i+1, len(mine))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return tally.summary(), nil
}

type fleetRun struct {
	*Fleet
	resolver *resolver.Resolver
	loader   *scenario.Loader
}

// cluster has the scenarios of one cluster.
type cluster struct {
	id    string // empty for a scenario by itself
	name  string // of the first scenario with a name
	files []string
}

// clusters determines the clusters, in the order of their first files.
func (f *fleetRun) clusters(ctx context.Context, files []string) ([]*cluster, error) {
	type seen struct {
		id, name string
		req      *resolver.Request // nil if there is none
	}
	var all []*cluster
	requests, there, same := 0, 0, ""
	byID := make(map[string]*cluster)
	keys := make(map[string]cache.Key)
	err := shards.InOrder(ctx, len(files), f.Workers, func(ctx context.Context) func(int) (seen, error) {
		return func(i int) (seen, error) {
			s, err := f.Read(ctx, files[i])
			if err != nil {
				return seen{}, nil // its report will say so
			}
			req, err := s.Request()
			if err != nil {
				return seen{s.Cluster.ID, s.Cluster.Name, nil}, nil
			}
			return seen{s.Cluster.ID, s.Cluster.Name, &resolver.Request{Catalogs: req.Catalogs, Cluster: req.Cluster}}, nil
		}
	}, func(i int, s seen) error {
		if s.req != nil {
			requests++
			for _, c := range s.req.Catalogs {
				keys[c.Key.String()] = c.Key
			}
			if len(f.Versions) > 0 {
				if has := f.Versions[0].sameAs(&s.req.Cluster); has != "" {
					there, same = there+1, has
				}
			}
		}
		c := byID[s.id]
		if c == nil || s.id == "" {
			c = &cluster{id: s.id}
			byID[s.id] = c
			all = append(all, c)
		}
		c.files, c.name = append(c.files, files[i]), cmp.Or(c.name, s.name)
		return nil
	})
	if err == nil {
		err = f.unused(keys)
	}
	if err == nil && there > 0 && there == requests {
		err = sameVersion(0, same)
	}
	return all, err
}

// unused returns errors for catalogs of versions that replace no catalog.
func (f *fleetRun) unused(keys map[string]cache.Key) error {
	if len(keys) == 0 {
		return nil // no scenario could be read
	}
	var errs []error
	for _, v := range f.Versions {
		for k := range v.Catalogs {
			used := false
			for _, key := range keys { // in any order
				used = used || v.Catalogs[k].replaces(key)
			}
			if !used {
				errs = append(errs, &UnusedCatalogError{For: v.Catalogs[k].For, Known: slices.Sorted(maps.Keys(keys))})
			}
		}
	}
	return errors.Join(errs...)
}

// cluster checks a cluster.
func (f *fleetRun) cluster(ctx context.Context, c *cluster) *Report {
	if c.id == "" {
		r, _ := f.check(ctx, c.files[0])
		r.ClusterName = c.name
		return r
	}
	all := &Report{Cluster: c.id, ClusterName: c.name, Status: Ready, Operators: []Operator{}, Order: []Step{}}
	if all.File = c.files[0]; len(c.files) > 1 {
		all.File, all.Files = "", c.files
	}
	order := make([][]Step, 2*len(f.Versions)+1) // before, at and after each move
	for _, file := range c.files {
		r, namespace := f.check(ctx, file)
		all.Status = all.Status.worse(r.Status)
		if r.Error != "" && !strings.Contains(all.Error, r.Error) {
			all.Error += fmt.Sprintf("%s: %s\n", file, r.Error)
		}
		for i := range r.Operators {
			r.Operators[i].Namespace = namespace
		}
		for i := range r.NotInstallable {
			r.NotInstallable[i].Namespace = namespace
		}
		all.Operators = append(all.Operators, r.Operators...)
		all.NotInstallable = append(all.NotInstallable, r.NotInstallable...)
		all.Notes = text.AppendNew(all.Notes, r.Notes...)
		at := 0
		for _, s := range r.Order {
			if s.Moves() {
				order[at+1] = []Step{s}
				at += 2
				continue
			}
			s.Namespace = namespace
			order[at] = append(order[at], s)
		}
	}
	for _, steps := range order {
		all.Order = append(all.Order, steps...)
	}
	all.settle()
	return all
}

// check checks a scenario, and also returns its namespace.
func (f *fleetRun) check(ctx context.Context, file string) (*Report, string) {
	report, namespace, err := f.report(ctx, file)
	if err != nil {
		report = &Report{Status: Invalid, Error: strings.ToValidUTF8(err.Error(), "�"), Operators: []Operator{}, Order: []Step{}}
		var incomplete *resolver.IncompleteError
		if errors.As(err, &incomplete) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			report.Status = Incomplete
		}
	}
	report.File = file
	return report, namespace
}

func (f *fleetRun) report(ctx context.Context, file string) (*Report, string, error) {
	s, err := f.Read(ctx, file)
	if err != nil {
		return nil, "", err
	}
	loaded, err := f.loader.Load(ctx, s)
	if err != nil {
		return nil, "", err
	}
	r, err := Check(ctx, f.resolver, loaded.Request, f.Options)
	return r, loaded.Request.Namespace, err
}

// UnusedCatalogError is a catalog of a next version that replaces no catalog of any scenario.
type UnusedCatalogError struct {
	// For is the name to replace, and Known are the existing catalogs.
	For   string
	Known []string
}

// Error implements error.
func (e *UnusedCatalogError) Error() string {
	near := text.DidYouMean(e.For, slices.Values(e.Known))
	if near == "" {
		near = "; they have " + text.Short(text.Names(e.Known), 10)
	}
	return fmt.Sprintf("no scenario has a catalog %s to replace%s", text.Name(e.For), near)
}
