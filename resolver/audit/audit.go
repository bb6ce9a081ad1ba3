// Package audit asks of every bundle in whole catalogs what becomes of it in
// practice: can it be installed on an empty cluster, and once it is installed, does
// it get to the head of its channel? And of the packages: which of them can never be
// installed together?
//
// [Run] asks, with a [resolver.Resolver]. [Writer] writes the answers as JSON lines,
// [Read] reads them back, and [Merge] puts the parts of an audit together that
// several machines made. [Report] shows an audit to people, as text or as a page of
// HTML.
package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/shards"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// Options are the options of [Run]; the zero value audits every bundle on all
// cores.
type Options struct {
	// Namespace, Cluster and Policy are those of the clusters that the audit
	// imagines. Failures is always ["All"], whatever the policy says, and
	// with the goal "MinimalChange" nothing ever leaves where it is.
	Namespace string
	Cluster   resolver.Cluster
	Policy    resolver.Policy

	// Packages narrows the audit to packages of these names; nil stands for
	// all. The whole catalogs stay available for what they depend on.
	Packages []string
	// Shard and Shards split the audit: shard i of n, counted from 0, takes
	// every n-th package. Shards 0 is the whole audit. [Merge] puts the
	// shards together again. See [shards.Parse].
	Shard, Shards int
	// Workers is how many packages are audited at once; 0 stands for
	// [runtime.GOMAXPROCS].
	Workers int
	// MaxRounds bounds each upgrade path; 0 stands for 1000.
	// A longer one leaves its bundle incomplete.
	MaxRounds int

	// Each, if it is set, is called with the findings one by one, by catalog, package
	// and bundle, each in ascending order as text. It is called from the
	// goroutine that called Run, as soon as all findings before are there; an
	// error ends the audit and is returned as it is. The findings may be kept.
	Each func(*Bundle) error
	// Progress, if it is set, is called with how many of the bundles are done,
	// from the same goroutine.
	Progress func(done, total int)
}

// Bundle is what an audit finds out about one bundle, and one line of its
// JSON. Read [Run] for what the questions mean.
type Bundle struct {
	// Catalog is the catalog's key as text, "namespace/name".
	Catalog string `json:"catalog"`
	Package string `json:"package"`
	Bundle  string `json:"bundle"`
	// Installable says whether the bundle can be installed on an empty cluster;
	// Conflict says why not.
	Installable bool               `json:"installable"`
	Conflict    *resolver.Conflict `json:"conflict,omitempty"`
	// ReachesHead says whether an installed bundle gets to the head of its
	// channel. It is nil for a package without channels, and where Incomplete
	// says so.
	ReachesHead *Reach `json:"reachesHead,omitempty"`
	// Deprecated is what the catalog says against the bundle, "deprecated" where
	// it gives no reason, and empty if it says nothing.
	Deprecated string `json:"deprecated,omitempty"`
	// Quarantined is the problem of the catalog for which the bundle is set
	// aside, or empty.
	Quarantined string `json:"quarantined,omitempty"`
	// SkippedBy is the newer version that skips the bundle, where every channel that
	// lists it skips it: then it is not meant to be newly installed. Otherwise it is empty.
	SkippedBy string `json:"skippedBy,omitempty"`
	// Orphans are the bundles that came in as dependencies and that nothing
	// needs any more at the end of the path.
	Orphans []string `json:"orphans,omitempty"`
	// Incomplete says what kept a question from being answered at all, a limit
	// for example. It is empty but for hostile catalogs.
	Incomplete string `json:"incomplete,omitempty"`
}

// Reach is the end of the upgrade path that begins with one bundle.
type Reach struct {
	// Channel is the channel that is followed. Unlisted is true if no channel lists the
	// bundle: then it is the default channel.
	Channel  string `json:"channel"`
	Unlisted bool   `json:"unlisted,omitempty"`
	// Reaches says whether the path ends at its head, Rounds how many rounds
	// change something on the way, up to where it ends or begins to repeat.
	Reaches bool `json:"reaches"`
	Rounds  int  `json:"rounds"`
	// StuckAt is where it ends otherwise, and Conflict what is in the way.
	StuckAt  string             `json:"stuckAt,omitempty"`
	Conflict *resolver.Conflict `json:"conflict,omitempty"`
}

// Summary sums up an audit, and is the last line of its JSON.
type Summary struct {
	// Bundles were audited, Installable of them can be installed on an empty
	// cluster, and Stuck of them do not get to the head of their channel.
	Bundles     int `json:"bundles"`
	Installable int `json:"installable"`
	Stuck       int `json:"stuck"`
	// Clashes are the APIs that bundles of several packages provide, in the
	// order of [properties.GVK.Compare]. Only bundles that can be chosen count.
	Clashes []Clash `json:"clashes"`
	// Seconds is how long it took; of merged shards, all together.
	Seconds float64 `json:"seconds"`
	// Apart lists groups of packages of which no two can ever be installed
	// together; see [Summary.NeverTogether]. Groups and the packages in
	// each are in ascending order.
	Apart [][]string `json:"neverTogether,omitempty"`
	// NotCompared is how many pairs of packages were not compared, because there are more
	// than [MaxPairs]: Apart may lack some of them.
	NotCompared int `json:"notCompared,omitempty"`
	// Skipped of the bundles are not installable because a newer version skips them on
	// purpose, see [Bundle]. Deprecated and Quarantined of them are so, Orphans of them
	// leave orphans behind on their upgrade path, and of Incomplete of them not all could
	// be found out.
	Skipped     int `json:"skipped,omitempty"`
	Deprecated  int `json:"deprecated,omitempty"`
	Quarantined int `json:"quarantined,omitempty"`
	Orphans     int `json:"orphans,omitempty"`
	Incomplete  int `json:"incomplete,omitempty"`
	// Shard is "i/n" if it sums up one shard only.
	Shard string `json:"shard,omitempty"`
}

// Clash is an API that choosable bundles of several packages provide: no
// two of those bundles can be installed together.
type Clash struct {
	// GVK is "group/version/Kind".
	GVK string `json:"gvk"`
	// Packages are in ascending order.
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

// Run asks of every bundle in catalogs what becomes of it in practice. All
// catalogs are there in every question, so that a bundle may depend on another
// catalog's.
//
// First: can it be installed on an empty cluster? That is a request with one
// subscription: to the bundle's package in its catalog, in the channel of the
// bundle's best place, pinned to the bundle. A bundle that is skipped,
// off the chain, in no channel, barred or quarantined never can, and the conflict
// says so. For a bundle without a place the channel is the first that lists it,
// the default channel before the others; if none does, the default channel.
//
// Second: once installed, does it get to the head of that channel, dependencies
// included? What is installed is the whole answer to the first question, the
// subscription owning the bundle, and its dependencies as automatic ones that
// nobody owns. A bundle that cannot be newly installed is taken to be installed
// alone: those that were skipped are exactly the ones that must get away. It is
// for the resolver to bring what they need, if it can. From there resolutions are
// carried out until nothing changes, as [resolver.Resolver.Converge] does. The head is
// reached if its very bundle is what the subscription owns at the end. Where not,
// the conflict says why every way onward is closed. Upgrade paths of a package
// join, and from where they do they are gone only once: what follows from the
// same installed bundles, owners included, is the same.
//
// Third, for the summary: which packages can never be installed together with
// which, because of what they provide? Packages are apart if each choosable
// bundle of the one shares an API with each choosable bundle of the other, where
// a bundle is choosable if it has a place and is not barred by olm.deprecated.
// With Packages set, what concerns none of those is left out.
//
// An upgrade path on which every first choice holds is followed without resolving its rounds, see
// [resolver.Session.Leads], unless the resolver has hooks, a log or metrics, which see each
// resolution, or a limit of bundles that the catalogs might exceed. The findings are the same.
//
// The same catalogs and options give the same findings in the same order,
// whatever the number of workers; shards give the findings of the whole.
//
// The error is a [*resolver.RequestError] if the catalogs or the options cannot be
// used, a [*resolver.IncompleteError] if the context ended, which takes effect within 50 ms, or
// what Each returned. All other limits hold for each resolution by itself and end
// only the question about that bundle: the summary counts such bundles as
// Incomplete. No goroutine outlives the call.
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
	base     resolver.Request   // what all its requests have in common
	cats     []resolver.Catalog // those that can be used, by key as text
	packages map[string]bool
	units    []unit
	total    int // bundles
	done     int
	sum      Summary
}

// unit is what one goroutine audits at a time.
type unit struct {
	catalog resolver.Catalog
	pkg     *graph.Package
}

// newAudit checks the options and lists the units in the order of the findings.
func newAudit(ctx context.Context, r *resolver.Resolver, catalogs []resolver.Catalog, opts Options) (*audit, error) {
	opts.Policy.Failures = "" // which stands for "All"
	if opts.MaxRounds <= 0 {
		opts.MaxRounds = 1000
	}
	a := &audit{r: r.With(resolver.PartOf(trace.OperationAudit)), opts: opts, base: resolver.Request{Namespace: opts.Namespace, Catalogs: catalogs,
		Cluster: opts.Cluster, Policy: opts.Policy}}
	if _, err := a.r.Session(ctx, a.base); err != nil { // finds what is wrong with the catalogs
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

// narrow checks the shard and the packages that the options name.
func (a *audit) narrow() error {
	var problems []resolver.RequestProblem
	if o := &a.opts; o.Shards < 0 || o.Shard < 0 || o.Shards > 0 && o.Shard >= o.Shards || o.Shards == 0 && o.Shard > 0 {
		problems = append(problems, resolver.RequestProblem{Field: "shard", Value: fmt.Sprintf("%d/%d", o.Shard, o.Shards),
			Message: "no such shard; they count from 0"})
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
