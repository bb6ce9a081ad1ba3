package mirror

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
)

// needs are the bundles that a completed configuration has to select of one catalog, by
// package and channel.
type needs struct {
	content  *cache.Catalog
	original *Operator
	// wanted are the bundles that have to be there. A channel of the configuration as it
	// was has all that it selected.
	wanted map[string]map[string]map[string]bool
	// defaults are the default channels that a package needs, where they are others than
	// in the catalog; borrowed are those that nobody asked for.
	defaults map[string]string
	borrowed map[string]bool
	// why says of each added bundle why, by package and name.
	why map[string]map[string][]Reason
	// ranges are the ranges that were found, by package and channel.
	ranges map[string]map[string]Channel
}

// newNeeds are the needs that a configuration as it is meets.
func newNeeds(content *cache.Catalog, o *Operator, sel *Selection) *needs {
	n := &needs{content: content, original: o, wanted: make(map[string]map[string]map[string]bool),
		defaults: make(map[string]string), borrowed: make(map[string]bool), why: make(map[string]map[string][]Reason), ranges: make(map[string]map[string]Channel)}
	for _, p := range sel.Packages {
		if p.DefaultChannel != content.Package(p.Name).DefaultChannel {
			n.defaults[p.Name] = p.DefaultChannel
		}
		for _, ch := range p.Channels {
			n.channel(p.Name, ch.Name)
			for _, b := range ch.Entries {
				n.wanted[p.Name][ch.Name][b] = true
			}
		}
	}
	return n
}

// channel adds a channel of which nothing is needed yet.
func (n *needs) channel(pkg, channel string) {
	if n.wanted[pkg] == nil {
		n.wanted[pkg] = make(map[string]map[string]bool)
	}
	if n.wanted[pkg][channel] == nil {
		n.wanted[pkg][channel] = make(map[string]bool)
	}
}

// has reports whether a bundle is there already, in some channel.
func (n *needs) has(pkg, bundle string) bool {
	for _, bundles := range n.wanted[pkg] {
		if bundles[bundle] {
			return true
		}
	}
	return false
}

// clone is a copy to try something with.
func (n *needs) clone() *needs {
	c := *n
	c.wanted = make(map[string]map[string]map[string]bool, len(n.wanted))
	for pkg, channels := range n.wanted {
		c.wanted[pkg] = make(map[string]map[string]bool, len(channels))
		for ch, bundles := range channels {
			c.wanted[pkg][ch] = maps.Clone(bundles)
		}
	}
	c.defaults, c.borrowed = maps.Clone(n.defaults), maps.Clone(n.borrowed)
	c.why = make(map[string]map[string][]Reason, len(n.why))
	for pkg, bundles := range n.why {
		c.why[pkg] = maps.Clone(bundles)
	}
	c.ranges = make(map[string]map[string]Channel, len(n.ranges))
	for pkg, channels := range n.ranges {
		c.ranges[pkg] = maps.Clone(channels)
	}
	return &c
}

// add needs one more bundle, in a channel, for a reason. It reports whether that is new.
func (n *needs) add(pkg, channel, bundle string, why ...Reason) bool {
	_, there := n.wanted[pkg]
	switch isDefault := n.content.Package(pkg).DefaultChannel == channel; {
	case !there && !isDefault:
		n.defaults[pkg], n.borrowed[pkg] = channel, true
	case isDefault && n.borrowed[pkg]: // the default channel itself comes now
		delete(n.defaults, pkg)
	}
	n.channel(pkg, channel)
	if n.why[pkg] == nil {
		n.why[pkg] = make(map[string][]Reason)
	}
	for _, w := range why {
		if !slices.Contains(n.why[pkg][bundle], w) {
			n.why[pkg][bundle] = append(n.why[pkg][bundle], w)
		}
	}
	if n.wanted[pkg][channel][bundle] {
		return false
	}
	n.wanted[pkg][channel][bundle] = true
	delete(n.ranges[pkg], channel)
	return true
}

// operator is the part of the completed configuration that selects all that is needed,
// in the order of the names, with exact versions.
func (n *needs) operator(ctx context.Context) Operator {
	o := *n.original
	o.Packages = nil
	for _, pkg := range slices.Sorted(maps.Keys(n.wanted)) {
		p := Package{Name: pkg, DefaultChannel: n.defaults[pkg]}
		for _, ch := range slices.Sorted(maps.Keys(n.wanted[pkg])) {
			if ctx.Err() != nil {
				return o // which is not used
			}
			p.Channels = append(p.Channels, n.exact(ctx, pkg, ch))
		}
		o.Packages = append(o.Packages, p)
	}
	return o
}

// exact is a channel with the narrowest range that selects all that is needed of it.
func (n *needs) exact(ctx context.Context, pkg, channel string) Channel {
	if n.original.Full {
		return Channel{Name: channel}
	}
	if c, ok := n.ranges[pkg][channel]; ok {
		return c
	}
	p := n.content.Package(pkg)
	c := narrowest(ctx, p.Channel(channel), n.wanted[pkg][channel])
	if n.ranges[pkg] == nil {
		n.ranges[pkg] = make(map[string]Channel)
	}
	n.ranges[pkg][channel] = c
	return c
}

// maxChecked is how many versions are held against ranges, in all, to find the narrowest
// one of a channel: of a channel of so many entries that this ends it, the narrowest range
// that was tried is taken.
const maxChecked = 1_000_000

// narrowest finds the range of versions that selects some bundles of a channel, and as
// few others as can be.
func narrowest(ctx context.Context, ch *graph.Channel, wanted map[string]bool) Channel {
	out := Channel{Name: ch.Name}
	versions, err := bundleVersions(ctx, ch.Package)
	if err != nil {
		return out
	}
	chain, err := newChain(ctx, ch)
	if err != nil {
		return out
	}
	var list []*semver.Version
	pre := false
	for name := range wanted { // sorted below
		if v := versions[name]; v != nil {
			list = append(list, v)
			pre = pre || v.Prerelease() != ""
		}
	}
	slices.SortFunc(list, func(a, b *semver.Version) int {
		if c := a.Compare(b); c != 0 {
			return c
		}
		return strings.Compare(a.Original(), b.Original())
	})
	if len(list) == 0 {
		return out
	}
	best, left := -1, maxChecked
	try := func(lowest, highest string) bool {
		in, err := semver.NewConstraint(rangeOf(lowest, highest))
		if left -= len(ch.Entries); err != nil || ctx.Err() != nil || best >= 0 && left < 0 {
			return false
		}
		kept, _ := chain.cut(ctx, in, versions)
		for name := range wanted { // in any order
			if versions[name] != nil && !kept[name] {
				return false
			}
		}
		if best < 0 || len(kept) < best {
			best, out.MinVersion, out.MaxVersion = len(kept), lowest, highest
		}
		return true
	}
	tighten(list, pre, try)
	return out
}

// tighten tries ranges, from the one that holds all versions to narrower ones: what
// stands between two others on the chain is kept without being in the range.
func tighten(list []*semver.Version, pre bool, try func(lowest, highest string) bool) {
	last := list[len(list)-1]
	highest := last.Original()
	ok := try(list[0].Original(), highest)
	if !ok && pre {
		// A range holds pre-releases only if its bounds are some: -0 is the first one.
		highest = atLeastPre(last, last.IncPatch())
		ok = try(lowestPre(list[0]), highest)
	}
	if !ok {
		return
	}
	bound := func(v *semver.Version) string {
		if pre {
			return lowestPre(v)
		}
		return v.Original()
	}
	for _, lowest := range list[1:] {
		if !try(bound(lowest), highest) {
			return
		}
	}
}

// lowestPre is a lower bound that holds a version, and pre-releases above it.
func lowestPre(v *semver.Version) string {
	if v.Prerelease() != "" {
		return v.Original()
	}
	return v.Original() + "-0"
}

// atLeastPre is an upper bound that holds a version, and pre-releases below it: the
// version itself if it is one, else the first pre-release of the next.
func atLeastPre(v *semver.Version, next semver.Version) string {
	if v.Prerelease() != "" {
		return v.Original()
	}
	return next.Original() + "-0"
}
