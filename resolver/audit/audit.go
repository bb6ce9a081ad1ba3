// Package audit checks every bundle of complete catalogs: can it be installed on an empty
// cluster, and does it reach the head of its channel by upgrades? It also finds packages that can
// never be installed together.
//
// [Run] audits catalogs with a [resolver.Resolver]. [Writer] writes the findings as JSON lines,
// [Read] reads them back, and [Merge] merges the shards of an audit from several machines.
// [Report] renders an audit as text or as an HTML page.
package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/outlook"
	"github.com/seed109e2655/resolute/internal/shards"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// Options configures [Run]. The zero value audits every bundle on all cores.
type Options struct {
	// Namespace, Cluster and Policy apply to the simulated clusters. Failures is always ["All"],
	// whatever the policy says, and with the goal "MinimalChange" no bundle is ever upgraded.
	Namespace string
	Cluster   resolver.Cluster
	Policy    resolver.Policy
	// Now is the time that rules of the policy see.
	Now time.Time

	// Packages restricts the audit to packages of these names; nil means all. Dependencies come
	// from the complete catalogs in any case.
	Packages []string
	// Shard and Shards split the audit: shard i of n, counted from 0, audits every n-th package.
	// Shards 0 is the complete audit. [Merge] merges shards. See [shards.Parse].
	Shard, Shards int
	// Workers is the number of packages audited in parallel; 0 means [runtime.GOMAXPROCS].
	Workers int
	// MaxRounds limits the rounds of each upgrade path; 0 means 1000. A bundle with a longer path
	// is incomplete.
	MaxRounds int

	// Each, if not nil, is called with each finding, sorted by catalog, package and bundle. It is
	// called from the goroutine that called Run, as soon as all earlier findings exist; an error
	// stops the audit and is returned unchanged. The findings may be kept.
	Each func(*Bundle) error
	// Progress, if not nil, is called with the number of audited bundles, from the same
	// goroutine.
	Progress func(done, total int)
}

// Bundle is the finding about one bundle, and one line of JSON. [Run] defines its fields.
type Bundle struct {
	// Catalog is the catalog's key as text, "namespace/name".
	Catalog string `json:"catalog"`
	Package string `json:"package"`
	Bundle  string `json:"bundle"`
	// Installable reports whether the bundle can be installed on an empty cluster; Conflict
	// explains why not.
	Installable bool               `json:"installable"`
	Conflict    *resolver.Conflict `json:"conflict,omitempty"`
	// ReachesHead describes whether an installed bundle reaches the head of its channel. It is
	// nil for a package without channels, and possibly if Incomplete is set.
	ReachesHead *Reach `json:"reachesHead,omitempty"`
	// Deprecated is the catalog's deprecation message for the bundle, "deprecated" if the message
	// is empty, and empty if there is none.
	Deprecated string `json:"deprecated,omitempty"`
	// Quarantined is the problem that quarantines the bundle, or empty.
	Quarantined string `json:"quarantined,omitempty"`
	// SkippedBy is the newer version that skips the bundle, if every channel that lists it skips
	// it, so that it is not offered for new installs; else empty.
	SkippedBy string `json:"skippedBy,omitempty"`
	// Orphans are the orphaned dependencies at the end of the path.
	Orphans []string `json:"orphans,omitempty"`
	// Incomplete is the reason why a question has no answer, for example a limit. It is empty
	// except for hostile catalogs.
	Incomplete string `json:"incomplete,omitempty"`
}

// Reach is the end of the upgrade path of a bundle.
type Reach struct {
	// Channel is the followed channel. If no channel lists the bundle, Unlisted is true and
	// Channel is the default channel.
	Channel  string `json:"channel"`
	Unlisted bool   `json:"unlisted,omitempty"`
	// Reaches reports whether the path ends at the head, Rounds the number of rounds with
	// changes, up to the end or the start of a loop.
	Reaches bool `json:"reaches"`
	Rounds  int  `json:"rounds"`
	// StuckAt is the end of the path otherwise, and Conflict the reason.
	StuckAt  string             `json:"stuckAt,omitempty"`
	Conflict *resolver.Conflict `json:"conflict,omitempty"`
}

// Summary summarizes an audit. It is the last line of the JSON.
type Summary struct {
	// Bundles counts the audited bundles, Installable those that can be installed on an empty
	// cluster, and Stuck those that do not reach the head of their channel.
	Bundles     int `json:"bundles"`
	Installable int `json:"installable"`
	Stuck       int `json:"stuck"`
	// Clashes are the APIs that bundles of several packages provide, in the order of
	// [properties.GVK.Compare]. Only candidates count.
	Clashes []Clash `json:"clashes"`
	// Seconds is the duration; for merged shards, the sum.
	Seconds float64 `json:"seconds"`
	// Apart lists groups of packages of which no two can ever be installed together; see
	// [Summary.NeverTogether]. The groups and the packages in each are sorted.
	Apart [][]string `json:"neverTogether,omitempty"`
	// NotCompared is the number of pairs of packages beyond [MaxPairs], which were not compared:
	// Apart may lack some of them.
	NotCompared int `json:"notCompared,omitempty"`
	// Skipped bundles are not installable because a newer version skips them on purpose, see
	// [Bundle]. Deprecated and Quarantined bundles are so, Orphans bundles have orphaned
	// dependencies at the end of their upgrade path, and Incomplete bundles have a question
	// without an answer.
	Skipped     int `json:"skipped,omitempty"`
	Deprecated  int `json:"deprecated,omitempty"`
	Quarantined int `json:"quarantined,omitempty"`
	Orphans     int `json:"orphans,omitempty"`
	Incomplete  int `json:"incomplete,omitempty"`
	// Shard is "i/n" for the summary of one shard.
	Shard string `json:"shard,omitempty"`
}

// Clash is an API that candidates of several packages provide: no two of those bundles can be
// installed together.
type Clash struct {
	// GVK is "group/version/Kind".
	GVK string `json:"gvk"`
	// Packages are sorted.
	Packages []string `json:"packages"`
}

func (s *Summary) add(b *Bundle) {
	s.Bundles++
	count := func(n *int, is bool) {
		if is {
			*n++
		}
	}
	count(&s.Installable, b.Installable)
	count(&s.Stuck, b.ReachesHead != nil && !b.ReachesHead.Reaches)
	count(&s.Deprecated, b.Deprecated != "")
	count(&s.Quarantined, b.Quarantined != "")
	count(&s.Skipped, b.skipped())
	count(&s.Orphans, len(b.Orphans) > 0)
	count(&s.Incomplete, b.Incomplete != "")
}

// Run audits every bundle of catalogs. Every request has all catalogs, so that a bundle may
// depend on another catalog.
//
// First: can the bundle be installed on an empty cluster? The request has one subscription to the
// package of the bundle in its catalog, in the preferred channel of the bundle, pinned to the
// bundle. A bundle that is skipped, off the chain, in no channel, forbidden by olm.deprecated or
// quarantined cannot be installed, and the conflict explains it. If no channel offers the bundle,
// the channel is the first that lists it, the default channel before the others; if none lists
// it, the default channel.
//
// Second: does an installed bundle reach the head of that channel, including dependencies? The
// solution of the first question is installed, with the bundle owned by the subscription and its
// dependencies automatic and unowned. A bundle that cannot be newly installed is installed alone:
// skipped bundles are exactly those that must be upgraded. The resolver adds their dependencies,
// if it can. Resolutions are then applied until nothing changes, as by
// [resolver.Resolver.Converge]. The head is reached if the subscription owns its bundle at the
// end. Otherwise the conflict explains why no upgrade is possible. Upgrade paths of a package
// join, and are followed only once from there: the same installed bundles, including owners, have
// the same path.
//
// Third, for the summary: which packages can never be installed together because of the APIs they
// provide? That holds if each candidate of one package shares an API with each candidate of the
// other; candidates are offered by a channel and not forbidden by olm.deprecated. With Packages
// set, only groups with one of those packages are listed.
//
// An upgrade path on which every first choice holds is followed without resolving its rounds, see
// package internal/outlook, unless the resolver has hooks, a log or metrics, which observe each
// resolution, or a limit of bundles that the catalogs might exceed. The findings are the same.
//
// The findings and their order are deterministic for any number of workers; shards give the same
// findings as the complete audit.
//
// The error is a [*resolver.RequestError] for invalid catalogs or options, a
// [*resolver.IncompleteError] if the context ended, which takes effect within 50 ms, or the error
// of Each. All other limits apply to each resolution separately and end only the question about
// that bundle: the summary counts such bundles as Incomplete. No goroutine outlives the call.
func Run(ctx context.Context, r *resolver.Resolver, catalogs []resolver.Catalog, opts Options) (*Summary, error) {
	start := time.Now()
	a, err := newAudit(ctx, r, catalogs, opts)
	if err != nil {
		return nil, err
	}
	if err := a.run(ctx); err != nil {
		return nil, err
	}
	c := &clasher{cats: a.cats, only: a.packages, sets: make(map[string]gvkSets), groups: make(map[string][]int32)}
	if err := c.find(ctx); err != nil {
		return nil, a.stopped(err)
	}
	a.sum.Clashes, a.sum.Apart, a.sum.NotCompared = c.clashes, c.apart, c.notCompared
	a.sum.Seconds = time.Since(start).Round(time.Microsecond).Seconds()
	return &a.sum, nil
}

type audit struct {
	r        *resolver.Resolver
	opts     Options
	base     resolver.Request   // common part of all requests
	outlook  outlook.Session    // of a session of base
	cats     []resolver.Catalog // usable catalogs, by key as text
	packages map[string]bool
	units    []unit
	total    int // bundles
	done     int
	sum      Summary
}

// unit is the work that one goroutine audits at a time.
type unit struct {
	catalog resolver.Catalog
	pkg     *graph.Package
}

// newAudit checks the options and lists the units in the order of findings.
func newAudit(ctx context.Context, r *resolver.Resolver, catalogs []resolver.Catalog, opts Options) (*audit, error) {
	opts.Policy.Failures = "" // means "All"
	if opts.MaxRounds <= 0 {
		opts.MaxRounds = 1000
	}
	a := &audit{r: r.With(resolver.PartOf(trace.OperationAudit)), opts: opts, base: resolver.Request{Namespace: opts.Namespace, Catalogs: catalogs,
		Cluster: opts.Cluster, Policy: opts.Policy, Now: opts.Now}}
	if _, err := a.r.Session(outlook.Into(ctx, &a.outlook), a.base); err != nil { // validates the catalogs
		return nil, err
	}
	for _, c := range catalogs {
		if c.Content != nil && (c.Unavailable == nil || opts.Policy.Unavailable == resolver.UnavailableLastGood) {
			a.cats = append(a.cats, c)
		}
	}
	slices.SortFunc(a.cats, func(x, y resolver.Catalog) int { return strings.Compare(x.Key.String(), y.Key.String()) })
	if err := a.narrow(); err != nil {
		return nil, err
	}
	a.list()
	return a, nil
}

// narrow validates the shard and the packages of the options.
func (a *audit) narrow() error {
	var problems []resolver.RequestProblem
	if o := &a.opts; o.Shards < 0 || o.Shard < 0 || o.Shards > 0 && o.Shard >= o.Shards || o.Shards == 0 && o.Shard > 0 {
		problems = append(problems, resolver.RequestProblem{Field: "shard", Value: fmt.Sprintf("%d/%d", o.Shard, o.Shards),
			Message: "no such shard; shards count from 0"})
	}
	a.sum.Shard = shards.Name(a.opts.Shard, a.opts.Shards)
	if a.opts.Packages != nil {
		a.packages = make(map[string]bool, len(a.opts.Packages))
	}
	for i, name := range a.opts.Packages {
		a.packages[name] = true
		if !slices.ContainsFunc(a.cats, func(c resolver.Catalog) bool { return c.Content.Package(name) != nil }) {
			problems = append(problems, resolver.RequestProblem{Field: fmt.Sprintf("packages[%d]", i), Value: name,
				Message: "no catalog has this package" + text.DidYouMean(name, a.packageNames)})
		}
	}
	if len(problems) > 0 {
		return &resolver.RequestError{Problems: problems}
	}
	return nil
}

func (a *audit) packageNames(yield func(string) bool) {
	for _, c := range a.cats {
		for pkg := range c.Content.Packages() {
			if !yield(pkg.Name) {
				return
			}
		}
	}
}

func (a *audit) list() {
	n := 0
	for _, c := range a.cats {
		for pkg := range c.Content.Packages() {
			if a.packages != nil && !a.packages[pkg.Name] {
				continue
			}
			if n++; a.opts.Shards == 0 || (n-1)%a.opts.Shards == a.opts.Shard {
				a.units = append(a.units, unit{c, pkg})
				a.total += len(pkg.Bundles)
			}
		}
	}
}
