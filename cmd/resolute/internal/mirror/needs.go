package mirror

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
)

type channelKey struct{ pkg, channel string }

type bundleKey struct{ pkg, bundle string }

// needs are the bundles that a completed configuration has to select from one catalog.
type needs struct {
	content  *cache.Catalog
	original *Operator
	// wanted are the required bundles. A channel of the original configuration has all that it
	// selected.
	wanted map[channelKey]map[string]bool
	// originalCount is the number of bundles that the original configuration selects from each channel.
	originalCount map[channelKey]int
	// defaults are the default channels that differ from those of the catalog; borrowed are those
	// of packages that the configuration does not name.
	defaults, borrowed map[string]string
	// why has the reasons of each added bundle.
	why map[bundleKey][]Reason
	// ranges caches the computed ranges.
	ranges map[channelKey]Channel
}

// newNeeds returns the needs that the original configuration satisfies.
func newNeeds(content *cache.Catalog, o *Operator, sel *Selection) *needs {
	n := &needs{content: content, original: o, wanted: make(map[channelKey]map[string]bool), originalCount: make(map[channelKey]int),
		defaults: make(map[string]string), borrowed: make(map[string]string), why: make(map[bundleKey][]Reason), ranges: make(map[channelKey]Channel)}
	for _, p := range sel.Packages {
		if p.DefaultChannel != content.Package(p.Name).DefaultChannel {
			n.defaults[p.Name] = p.DefaultChannel
		}
		for _, ch := range p.Channels {
			for _, b := range ch.Entries {
				n.want(channelKey{p.Name, ch.Name}, b)
			}
			n.originalCount[channelKey{p.Name, ch.Name}] = len(n.wanted[channelKey{p.Name, ch.Name}])
		}
	}
	return n
}

// none reports whether nothing is left of a list of packages: an operator without packages
// would select all of them.
func (n *needs) none() bool { return len(n.original.Packages) > 0 && len(n.wanted) == 0 }

func (n *needs) want(in channelKey, bundle string) {
	if n.wanted[in] == nil {
		n.wanted[in] = make(map[string]bool)
	}
	n.wanted[in][bundle] = true
}

// has reports whether a bundle of a package has to be there, or with an empty name any.
func (n *needs) has(pkg, bundle string) bool {
	return slices.ContainsFunc(n.content.Package(pkg).Channels, func(ch *graph.Channel) bool {
		wanted := n.wanted[channelKey{pkg, ch.Name}]
		return wanted[bundle] || bundle == "" && len(wanted) > 0
	})
}

// clone returns a copy for a trial.
func (n *needs) clone() *needs {
	c := *n
	c.wanted = make(map[channelKey]map[string]bool, len(n.wanted))
	for key, bundles := range n.wanted {
		c.wanted[key] = maps.Clone(bundles)
	}
	c.why, c.ranges, c.borrowed = maps.Clone(n.why), maps.Clone(n.ranges), maps.Clone(n.borrowed)
	return &c
}

// add adds a required bundle of a channel, with reasons. It reports whether it is new.
func (n *needs) add(pkg, channel, bundle string, why ...Reason) bool {
	switch isDefault := n.content.Package(pkg).DefaultChannel == channel; {
	case isDefault: // the default channel itself is added now
		delete(n.borrowed, pkg)
	case !n.has(pkg, ""):
		n.borrowed[pkg] = channel
	}
	in, of := channelKey{pkg, channel}, bundleKey{pkg, bundle}
	n.why[of] = text.AppendNew(n.why[of], why...)
	if n.wanted[in][bundle] {
		return false
	}
	n.want(in, bundle)
	delete(n.ranges, in)
	return true
}

// operator returns the part of the completed configuration that selects the needs, sorted by name,
// with exact versions.
func (n *needs) operator(ctx context.Context) Operator {
	o := *n.original
	o.Packages = nil
	keys := slices.SortedFunc(maps.Keys(n.wanted), func(a, b channelKey) int {
		return cmp.Or(strings.Compare(a.pkg, b.pkg), strings.Compare(a.channel, b.channel))
	})
	for _, in := range keys {
		if ctx.Err() != nil {
			return o // it is discarded
		}
		last := len(o.Packages) - 1
		if last < 0 || o.Packages[last].Name != in.pkg {
			o.Packages = append(o.Packages, Package{Name: in.pkg, DefaultChannel: cmp.Or(n.defaults[in.pkg], n.borrowed[in.pkg])})
			last++
		}
		if len(n.originalPackage(in.pkg).Bundles) > 0 {
			o.Packages[last].Bundles = append(o.Packages[last].Bundles, slices.Collect(maps.Keys(n.wanted[in]))...)
			slices.Sort(o.Packages[last].Bundles)
			o.Packages[last].Bundles = slices.Compact(o.Packages[last].Bundles)
			continue
		}
		o.Packages[last].Channels = append(o.Packages[last].Channels, n.exact(ctx, in))
	}
	return o
}

// originalPackage returns the original configuration of a package.
func (n *needs) originalPackage(name string) Package {
	if i := slices.IndexFunc(n.original.Packages, func(p Package) bool { return p.Name == name }); i >= 0 {
		return n.original.Packages[i]
	}
	return Package{Name: name}
}

// originalBounds returns a channel with the range of the original configuration. It reports whether
// nothing was added to the channel, so that the range suffices.
func (n *needs) originalBounds(in channelKey) (Channel, bool) {
	p := n.originalPackage(in.pkg)
	ch := Channel{Name: in.channel, MinVersion: p.MinVersion, MaxVersion: p.MaxVersion}
	if i := slices.IndexFunc(p.Channels, func(c Channel) bool { return c.Name == in.channel }); i >= 0 && p.Channels[i].MinVersion+p.Channels[i].MaxVersion != "" {
		ch = p.Channels[i]
	}
	return ch, n.originalCount[in] == len(n.wanted[in])
}

// exact returns a channel with the narrowest range that selects its needs.
func (n *needs) exact(ctx context.Context, in channelKey) Channel {
	if n.original.Full {
		return Channel{Name: in.channel}
	}
	if _, known := n.ranges[in]; !known {
		ch := n.content.Package(in.pkg).Channel(in.channel)
		found, kept := narrowest(ctx, ch, n.wanted[in])
		more := kept == nil
		for name := range kept {
			more = more || !n.wanted[in][name] && (ch.Entry(name) != nil || ch.Package.Bundle(name) != nil)
		}
		if original, unchanged := n.originalBounds(in); unchanged && more {
			found = original
		}
		n.ranges[in] = found
	}
	return n.ranges[in]
}

// maxChecked limits the versions compared with ranges, in total, in the search for the narrowest
// one of a channel: if a channel exhausts it, the narrowest range so far is used.
const maxChecked = 1_000_000

// narrowest returns the range of versions that selects some bundles of a channel and as few others
// as possible. It also returns the selection of the range, nil if there is no such range.
func narrowest(ctx context.Context, ch *graph.Channel, wanted map[string]bool) (out Channel, selected map[string]bool) {
	out.Name = ch.Name
	versions, err := bundleVersions(ctx, ch.Package)
	if err != nil {
		return out, nil
	}
	chain, broken := newChain(ctx, ch, nil) // equal bounds do not follow the chain
	var list []*semver.Version
	pre := false
	for name := range wanted { // sorted below
		if v := versions[name]; v != nil {
			list = append(list, v)
			pre = pre || v.Prerelease() != ""
		}
	}
	slices.SortFunc(list, func(a, b *semver.Version) int {
		return cmp.Or(a.Compare(b), strings.Compare(a.Original(), b.Original()))
	})
	if len(list) == 0 {
		return out, nil
	}
	best, left := -1, maxChecked
	try := func(lowest, highest string) bool {
		var kept map[string]bool
		if lowest == highest { // equal bounds select one bundle
			if names := withVersion(lowest, versions); len(names) == 1 && len(wanted) == 1 {
				kept = map[string]bool{names[0]: true}
			} else {
				highest = unlike(highest)
			}
		}
		in, err := semver.NewConstraint(rangeOf(lowest, highest))
		if left -= len(ch.Entries); err != nil || ctx.Err() != nil || best >= 0 && left < 0 {
			return false
		}
		if kept == nil && broken != nil {
			return false
		}
		if kept == nil {
			kept, _ = chain.cut(ctx, in, versions)
		}
		for name := range wanted { // in any order
			if versions[name] != nil && !kept[name] {
				return false
			}
		}
		if best < 0 || len(kept) < best {
			best, out.MinVersion, out.MaxVersion, selected = len(kept), lowest, highest, kept
		}
		return true
	}
	tighten(list, pre, try)
	return out, selected
}

// unlike returns a version in another form: ranges ignore build metadata.
func unlike(version string) string {
	if plain, _, has := strings.Cut(version, "+"); has {
		return plain
	}
	return version + "+0"
}

// tighten tries ranges, from the one that contains all versions to narrower ones: an entry between
// two others of the chain is kept without being in the range.
func tighten(list []*semver.Version, pre bool, try func(lowest, highest string) bool) {
	// A range contains pre-releases only if a bound is one: -0 is the first.
	bound := func(v *semver.Version) string {
		if pre && v.Prerelease() == "" {
			return v.Original() + "-0"
		}
		return v.Original()
	}
	last := list[len(list)-1]
	highest := last.Original()
	ok := try(list[0].Original(), highest)
	if !ok && pre {
		if next := last.IncPatch(); last.Prerelease() == "" {
			highest = bound(&next)
		}
		ok = try(bound(list[0]), highest)
	}
	for _, lowest := range list[1:] {
		ok = ok && try(bound(lowest), highest)
	}
}
