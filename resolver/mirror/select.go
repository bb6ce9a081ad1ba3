package mirror

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Selection is what is selected of a catalog.
type Selection struct {
	// Packages are by name.
	Packages []SelectedPackage
	// Warnings say what is kept though no range asks for it.
	Warnings []string
}

// SelectedPackage is what is selected of a package.
type SelectedPackage struct {
	// Catalog is the reference of its catalog in a plan; empty where there is but one.
	Catalog string `json:"catalog,omitempty"`
	Name    string `json:"name"`
	// DefaultChannel is the one that the mirrored package has.
	DefaultChannel string `json:"defaultChannel"`
	// Channels are by name.
	Channels []SelectedChannel `json:"channels"`
	// Bundles are those of all channels, by name. Those that the catalog lacks are not
	// among them.
	Bundles []string `json:"-"`
}

// SelectedChannel is what is selected of a channel.
type SelectedChannel struct {
	Name string `json:"name"`
	// Head is the entry that nothing else in it replaces or skips; empty if there is no
	// such one, or several.
	Head string `json:"head"`
	// Entries are the kept entries in the order of the catalog, and Bundles those of
	// which the catalog has the bundle.
	Entries []string `json:"-"`
	Bundles []string `json:"bundles"`
}

// SelectionError says why oc-mirror would select nothing: it stops at the first thing
// that is wrong, and this lists all of them.
type SelectionError struct {
	// Catalog is the reference of the catalog.
	Catalog  string
	Problems []scenario.Problem
}

// Error lists the problems, one a line.
func (e *SelectionError) Error() string {
	return strings.Join(text.Each(e.Problems, func(p scenario.Problem) string { return fmt.Sprintf("catalog %s: %s", text.Name(e.Catalog), p) }), "\n")
}

// Select selects from a catalog what oc-mirror selects. The error is a
// [*SelectionError], or that of the context.
func Select(ctx context.Context, content *cache.Catalog, o Operator) (*Selection, error) {
	s := &selector{ctx: ctx, content: content, full: o.Full, out: &Selection{}}
	wanted := make(map[string]*Package, len(o.Packages))
	for i := range o.Packages {
		wanted[o.Packages[i].Name] = &o.Packages[i]
	}
	if len(o.Packages) == 0 {
		for p := range content.Packages() {
			wanted[p.Name] = &Package{Name: p.Name}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		pkg := content.Package(name)
		if pkg == nil {
			var there []string
			for p := range content.Packages() {
				there = append(there, p.Name)
			}
			s.warn("the catalog has no package %s%s", text.Name(name), text.DidYouMean(name, slices.Values(there)))
			continue
		}
		s.pkg(pkg, wanted[name])
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(s.problems) > 0 {
		return nil, &SelectionError{Catalog: o.Catalog, Problems: s.problems}
	}
	return s.out, nil
}

type selector struct {
	ctx      context.Context
	content  *cache.Catalog
	full     bool
	out      *Selection
	problems []scenario.Problem
}

func (s *selector) fail(line int, format string, args ...any) {
	if len(s.problems) < maxProblems {
		s.problems = append(s.problems, scenario.Problem{Line: line, Message: fmt.Sprintf(format, args...)})
	}
}

func (s *selector) warn(format string, args ...any) {
	s.out.Warnings = append(s.out.Warnings, fmt.Sprintf(format, args...))
}

// pkg selects from one package.
func (s *selector) pkg(p *graph.Package, want *Package) {
	kept, absent := s.channels(p, want)
	for _, a := range absent {
		s.warn("%s", a)
	}
	out := SelectedPackage{Name: p.Name, DefaultChannel: p.DefaultChannel, Channels: []SelectedChannel{}}
	names := text.Each(kept, func(k keptChannel) string { return k.channel.Name })
	switch has := slices.Contains(names, want.DefaultChannel); {
	case len(names) == 0 && len(absent) > 0 && p.DefaultChannel+want.DefaultChannel != "": // there is nothing to have a default channel of
		s.fail(want.line, "%s", strings.Join(absent, "; "))
	case want.DefaultChannel != "" && !has:
		s.fail(want.line, "package %s: the default channel %s that is asked for is not among its channels %s%s", text.Name(p.Name),
			text.Name(want.DefaultChannel), text.Short(text.Names(names), 10), text.DidYouMean(want.DefaultChannel, slices.Values(names)))
	case want.DefaultChannel != "":
		out.DefaultChannel = want.DefaultChannel
	case p.DefaultChannel != "" && !slices.Contains(names, p.DefaultChannel):
		s.fail(want.line, "package %s: its default channel %s is not mirrored; mirror it as well, or set defaultChannel to %s", text.Name(p.Name),
			text.Name(p.DefaultChannel), text.Or(text.Names(names[:min(len(names), 5)])))
	}
	versions, err := bundleVersions(s.ctx, p)
	if err != nil {
		s.fail(want.line, "package %s: %v; oc-mirror refuses the whole catalog", text.Name(p.Name), err)
		return
	}
	bundles := make(map[string]bool)
	for _, k := range kept {
		if s.ctx.Err() != nil {
			return
		}
		names, err := s.keep(k, versions)
		if err != nil {
			s.fail(k.line, "package %s, channel %s: %v", text.Name(p.Name), text.Name(k.channel.Name), err)
			continue
		}
		entries := entriesOf(k.channel, names)
		listed := []string{}
		for _, name := range entries {
			if p.Bundle(name) != nil {
				listed = append(listed, name)
			}
		}
		for name := range names { // sorted below
			if p.Bundle(name) != nil {
				bundles[name] = true
			}
		}
		switch {
		case len(entries) == 0 && (k.channel.Name == p.DefaultChannel || k.channel.Name == out.DefaultChannel):
			s.fail(k.line, "package %s: no version of its default channel %s is in the range %s; it has %s", text.Name(p.Name),
				text.Name(k.channel.Name), k.rangeText, versionsOf(k.channel, versions))
			continue
		case len(entries) == 0:
			s.warn("package %s: no version of channel %s is in the range %s, so that the channel is dropped",
				text.Name(p.Name), text.Name(k.channel.Name), k.rangeText)
			continue
		}
		out.Channels = append(out.Channels, SelectedChannel{Name: k.channel.Name, Head: headOf(s.ctx, k.channel, entries), Entries: entries, Bundles: listed})
	}
	slices.SortFunc(out.Channels, func(a, b SelectedChannel) int { return strings.Compare(a.Name, b.Name) })
	out.Bundles = slices.Sorted(maps.Keys(bundles))
	s.out.Packages = append(s.out.Packages, out)
}

type keptChannel struct {
	channel   *graph.Channel
	rangeText string
	exact     string // the version, where the range has equal ends
	line      int
}

// ranged is a channel with its range.
func ranged(ch *graph.Channel, lowest, highest string, line int) keptChannel {
	k := keptChannel{channel: ch, rangeText: rangeOf(lowest, highest), line: line}
	if lowest == highest {
		k.exact = lowest
	}
	return k
}

// withVersion are the bundles of a version, by name; build metadata plays no part.
func withVersion(version string, versions map[string]*semver.Version) []string {
	v, err := semver.NewVersion(version)
	if err != nil {
		return nil
	}
	var names []string
	for name, of := range versions { // sorted below
		if of.Equal(v) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// channels are the channels that are kept, with their ranges, and what is to be said of
// those that are not there.
func (s *selector) channels(p *graph.Package, want *Package) (kept []keptChannel, absent []string) {
	if len(want.Channels) == 0 {
		for _, ch := range p.Channels {
			kept = append(kept, ranged(ch, want.MinVersion, want.MaxVersion, want.line))
		}
	}
	have := text.Each(p.Channels, func(ch *graph.Channel) string { return ch.Name })
	for _, c := range want.Channels {
		ch := p.Channel(c.Name)
		if ch == nil {
			absent = append(absent, fmt.Sprintf("package %s has no channel %s; it has %s%s", text.Name(p.Name), text.Name(c.Name),
				text.Short(text.Names(have), 10), text.DidYouMean(c.Name, slices.Values(have))))
			continue
		}
		if c.MinVersion+c.MaxVersion == "" {
			c.MinVersion, c.MaxVersion = want.MinVersion, want.MaxVersion
		}
		kept = append(kept, ranged(ch, c.MinVersion, c.MaxVersion, c.line))
	}
	return kept, absent
}

func rangeOf(lowest, highest string) string {
	var parts []string
	if lowest != "" {
		parts = append(parts, ">="+lowest)
	}
	if highest != "" {
		parts = append(parts, "<="+highest)
	}
	return strings.Join(parts, " ")
}

func bundleVersions(ctx context.Context, p *graph.Package) (map[string]*semver.Version, error) {
	out := make(map[string]*semver.Version, len(p.Bundles))
	for _, b := range p.Bundles {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		said, ok := b.Properties.Package()
		if !ok {
			return nil, fmt.Errorf("bundle %s does not say its package and version", text.Name(b.Name))
		}
		v, err := semver.StrictNewVersion(said.Version.String())
		if err != nil {
			return nil, fmt.Errorf("bundle %s has the version %s, which is not a strict semantic version", text.Name(b.Name), text.Name(said.Version.String()))
		}
		out[b.Name] = v
	}
	return out, nil
}

// versionsOf lists the versions of a channel, for a message.
func versionsOf(ch *graph.Channel, versions map[string]*semver.Version) string {
	var list []*semver.Version
	for i := range ch.Entries {
		if v := versions[ch.Entries[i].Name]; v != nil {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return "no bundle at all"
	}
	slices.SortFunc(list, (*semver.Version).Compare)
	return text.Short(text.Each(list, (*semver.Version).Original), 8)
}

// keep are the names that are kept of a channel. Its chain may end in one that it does
// not list: that bundle is mirrored, too.
func (s *selector) keep(k keptChannel, versions map[string]*semver.Version) (map[string]bool, error) {
	ch := k.channel
	kept := make(map[string]bool)
	switch {
	case s.full && k.rangeText != "":
		return nil, errors.New("full: true takes every version and cannot have a range; leave out one of them")
	case s.full:
		for i := range ch.Entries {
			kept[ch.Entries[i].Name] = true
		}
	case k.exact != "":
		names := withVersion(k.exact, versions)
		if len(names) == 0 {
			return nil, fmt.Errorf("no bundle has version %s, and oc-mirror refuses the whole catalog", k.exact)
		}
		listed := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return ch.Entry(name) == nil })
		one := append(listed, names...)[0]
		if len(names) > 1 {
			s.warn("package %s, channel %s: %s have version %s, and oc-mirror takes any one of them; here it is %s", text.Name(ch.Package.Name),
				text.Name(ch.Name), text.And(text.Names(names)), k.exact, text.Name(one))
		}
		kept[one] = true
	case k.rangeText != "":
		in, err := semver.NewConstraint(k.rangeText)
		if err != nil {
			return nil, fmt.Errorf("%q is not a range of versions: %w", k.rangeText, err)
		}
		c, err := newChain(s.ctx, ch)
		if err != nil {
			return nil, err
		}
		var outside []string
		kept, outside = c.cut(s.ctx, in, versions)
		for _, name := range outside {
			s.warn("package %s, channel %s: %s is not in the range %s, but stands between bundles that are",
				text.Name(ch.Package.Name), text.Name(ch.Name), text.Name(name), k.rangeText)
		}
	default:
		c, err := newChain(s.ctx, ch)
		if err != nil {
			return nil, err
		}
		kept[c.head] = true
	}
	return kept, nil
}

// entriesOf are the entries of a channel that have some names, in the order of the
// catalog.
func entriesOf(ch *graph.Channel, names map[string]bool) []string {
	var out []string
	seen := make(map[string]bool, len(names))
	for i := range ch.Entries {
		if name := ch.Entries[i].Name; names[name] && !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

// headOf is the one of some entries of a channel that no other replaces or skips.
func headOf(ctx context.Context, ch *graph.Channel, entries []string) string {
	taken := make(map[string]bool)
	for _, name := range entries {
		if ctx.Err() != nil {
			return ""
		}
		e := ch.Entry(name)
		taken[e.Replaces] = true
		for _, s := range e.Skips {
			taken[s] = true
		}
	}
	heads := slices.DeleteFunc(slices.Clone(entries), func(name string) bool { return taken[name] })
	if len(heads) != 1 {
		return ""
	}
	return heads[0]
}
