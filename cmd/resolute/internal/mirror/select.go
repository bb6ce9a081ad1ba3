package mirror

import (
	"cmp"
	"context"
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

// Selection is the selected part of a catalog.
type Selection struct {
	// Packages are sorted by name.
	Packages []SelectedPackage
	// Warnings list entries that are selected outside of every range.
	Warnings []string
}

// SelectedPackage is the selected part of a package.
type SelectedPackage struct {
	// Catalog is the reference of its catalog in a plan; empty if there is only one.
	Catalog string `json:"catalog,omitempty"`
	Name    string `json:"name"`
	// DefaultChannel is that of the mirrored package.
	DefaultChannel string `json:"defaultChannel"`
	// Channels are sorted by name.
	Channels []SelectedChannel `json:"channels"`
	// Bundles are those of all channels, sorted by name, without those that the catalog lacks.
	Bundles []string `json:"-"`
}

// SelectedChannel is the selected part of a channel.
type SelectedChannel struct {
	Name string `json:"name"`
	// Head is the entry that no other one replaces or skips; empty if there is none, or several.
	Head string `json:"head"`
	// Entries are the kept entries in the order of the catalog, and Bundles those of
	// which the catalog has the bundle.
	Entries []string `json:"-"`
	Bundles []string `json:"bundles"`
	// Upgrades are the kept entries in upgrade order, from the lower end to the head.
	Upgrades []string `json:"-"`
}

// SelectionError lists the reasons for which oc-mirror would select nothing. oc-mirror itself stops
// at the first one.
type SelectionError struct {
	// Catalog is the reference of the catalog.
	Catalog  string
	Problems []scenario.Problem
}

// Error lists the problems, one a line.
func (e *SelectionError) Error() string {
	return strings.Join(text.Each(e.Problems, func(p scenario.Problem) string { return fmt.Sprintf("catalog %s: %s", text.Name(e.Catalog), p) }), "\n")
}

// Select returns the selection of oc-mirror from a catalog. The error is an [*UnknownError] if the
// catalog lacks named objects, together with the selection of the rest; a [*SelectionError], or
// that of the context.
func Select(ctx context.Context, content *cache.Catalog, o Operator) (*Selection, error) {
	s := &selector{ctx: ctx, content: content, ref: o.Catalog, full: o.Full, out: &Selection{}}
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
			s.unknownPackage(wanted[name])
			continue
		}
		s.pkg(pkg, wanted[name])
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var refused error
	if len(s.problems) > 0 {
		s.out, refused = nil, &SelectionError{Catalog: o.Catalog, Problems: s.problems}
	}
	if len(s.unknown) > 0 {
		return s.out, &UnknownError{Problems: s.unknown, More: s.missing - len(s.unknown), Rest: refused}
	}
	return s.out, refused
}

type selector struct {
	ctx      context.Context
	content  *cache.Catalog
	ref      string
	full     bool
	out      *Selection
	problems []scenario.Problem
	unknown  []Problem
	missing  int // the number of missing objects, listed or not
}

func (s *selector) fail(line int, format string, args ...any) {
	if len(s.problems) < maxProblems {
		s.problems = append(s.problems, scenario.Problem{Line: line, Message: fmt.Sprintf(format, args...)})
	}
}

func (s *selector) warn(format string, args ...any) {
	s.out.Warnings = append(s.out.Warnings, fmt.Sprintf(format, args...))
}

// addMissing records a missing object, once.
func (s *selector) addMissing(p Problem, format string, args ...any) {
	p.Catalog, p.message = s.ref, fmt.Sprintf(format, args...)
	if slices.ContainsFunc(s.unknown, func(q Problem) bool { return q.message == p.message && q.Line == p.Line }) {
		s.missing--
		return
	}
	s.unknown = append(s.unknown, p)
}

// enough counts something that is lacking, and reports whether so much is lacking already that no more of it is listed.
func (s *selector) enough() bool {
	s.missing++
	return len(s.unknown) >= maxProblems
}

func (s *selector) unknownPackage(want *Package) {
	if s.enough() {
		return
	}
	var names []string
	for p := range s.content.Packages() {
		names = append(names, p.Name)
	}
	n := near(want.Name, names)
	s.addMissing(Problem{Code: PackageUnknown, Subject: want.Name, Line: want.line, Near: n}, "the catalog has no package %s%s", text.Name(want.Name), text.Suggestion(n))
}

func (s *selector) unknownChannel(p *graph.Package, name string, line int) {
	if s.enough() {
		return
	}
	have := text.Each(p.Channels, func(ch *graph.Channel) string { return ch.Name })
	n := near(name, have)
	has := ""
	if len(have) > 0 {
		has = "; it has " + text.Short(text.Names(have), 10)
	}
	s.addMissing(Problem{Code: ChannelUnknown, Subject: name, Package: p.Name, Line: line, Near: n}, "package %s has no channel %s%s%s", text.Name(p.Name),
		text.Name(name), has, text.Suggestion(n))
}

// unknownVersion notes a range of versions in which there is none: of a channel, or of
// the whole package with an empty channel.
func (s *selector) unknownVersion(p *graph.Package, channel string, k keptChannel, versions map[string]*semver.Version) {
	if s.enough() {
		return
	}
	list := slices.Collect(maps.Values(versions))
	of := "package " + text.Name(p.Name)
	if channel != "" {
		of += ", channel " + text.Name(channel)
	}
	if channel != "" {
		list = nil
		for i := range k.channel.Entries {
			if v := versions[k.channel.Entries[i].Name]; v != nil {
				list = append(list, v)
			}
		}
	}
	what, bound := "no version is in the range "+k.rangeText, cmp.Or(k.highest, k.lowest)
	subject := k.rangeText
	switch {
	case k.exact != "":
		what, subject = "no bundle has version "+k.exact, k.exact
	case k.lowest == "" || k.highest == "":
		subject = bound
	}
	n := neighbours(bound, list)
	if len(n) > 0 {
		what += "; the nearest " + text.Plural(len(n), "is ", "are ") + text.And(text.Names(n))
	}
	s.addMissing(Problem{Code: VersionUnknown, Subject: subject, Package: p.Name, Line: k.line, Near: n}, "%s: %s", of, what)
}

// pkg selects from one package.
func (s *selector) pkg(p *graph.Package, want *Package) {
	versions, err := bundleVersions(s.ctx, p)
	if err != nil {
		s.fail(want.line, "package %s: %v; oc-mirror refuses the whole catalog", text.Name(p.Name), err)
		return
	}
	out := SelectedPackage{Name: p.Name, DefaultChannel: p.DefaultChannel, Channels: []SelectedChannel{}}
	before := s.missing
	if want.DefaultChannel != "" && p.Channel(want.DefaultChannel) == nil {
		s.unknownChannel(p, want.DefaultChannel, want.line)
	} else if want.DefaultChannel != "" {
		out.DefaultChannel = want.DefaultChannel
	}
	kept := s.kept(p, want, versions)
	if s.missing > before && !slices.ContainsFunc(kept, func(k keptChannel) bool { return len(k.entries) > 0 }) {
		return // no named object exists
	}
	s.checkDefault(p, want, &out, kept)
	bundles := make(map[string]bool)
	for _, k := range kept {
		if s.ctx.Err() != nil {
			return
		}
		for name := range k.names { // sorted below
			if p.Bundle(name) != nil {
				bundles[name] = true
			}
		}
		if len(k.entries) > 0 {
			out.Channels = append(out.Channels, s.channel(p, k, versions))
		}
	}
	slices.SortFunc(out.Channels, func(a, b SelectedChannel) int { return strings.Compare(a.Name, b.Name) })
	out.Bundles = slices.Sorted(maps.Keys(bundles))
	if s.out != nil {
		s.out.Packages = append(s.out.Packages, out)
	}
}

// channel returns the selected part of a channel.
func (s *selector) channel(p *graph.Package, k keptChannel, versions map[string]*semver.Version) SelectedChannel {
	ch := SelectedChannel{Name: k.channel.Name, Head: headOf(s.ctx, k.channel, k.entries), Entries: k.entries, Bundles: []string{}}
	for _, name := range k.entries {
		if p.Bundle(name) != nil {
			ch.Bundles = append(ch.Bundles, name)
		}
	}
	if len(k.entries) == 1 {
		ch.Upgrades = k.entries
		return ch
	}
	listed := make(map[string]bool, len(k.entries))
	for _, name := range k.entries {
		listed[name] = true
	}
	ch.Upgrades = slices.DeleteFunc(upgradeOrder(s.ctx, k.channel, versions), func(name string) bool { return !listed[name] })
	return ch
}

// checkDefault checks that the default channel of a package is kept.
func (s *selector) checkDefault(p *graph.Package, want *Package, out *SelectedPackage, kept []keptChannel) {
	names := text.Each(kept, func(k keptChannel) string { return k.channel.Name })
	switch has := slices.Contains(names, out.DefaultChannel); {
	case has || out.DefaultChannel == "":
	case out.DefaultChannel == want.DefaultChannel:
		s.fail(want.line, "package %s: the requested default channel %s is not among its channels %s%s", text.Name(p.Name),
			text.Name(want.DefaultChannel), text.Short(text.Names(names), 10), text.DidYouMean(want.DefaultChannel, slices.Values(names)))
	default:
		s.fail(want.line, "package %s: its default channel %s is not mirrored; mirror it as well, or set defaultChannel to %s", text.Name(p.Name),
			text.Name(p.DefaultChannel), text.Or(text.Names(names[:min(len(names), 5)])))
	}
	for _, k := range kept {
		switch isDefault := k.channel.Name == p.DefaultChannel || k.channel.Name == out.DefaultChannel; {
		case len(k.entries) > 0 || k.failed:
		case isDefault && len(want.Bundles) > 0:
			s.fail(k.line, "package %s: its default channel %s has none of the requested bundles", text.Name(p.Name), text.Name(k.channel.Name))
		case isDefault:
			s.fail(k.line, "package %s: no version of its default channel %s is in the range %s; it has %s", text.Name(p.Name),
				text.Name(k.channel.Name), k.rangeText, k.versions)
		case len(want.Bundles) == 0:
			s.warn("package %s: no version of channel %s is in the range %s, so the channel is dropped",
				text.Name(p.Name), text.Name(k.channel.Name), k.rangeText)
		}
	}
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

// keep returns the kept names of a channel. Its chain may end in a name that it does not list: that
// bundle is mirrored, too.
func (s *selector) keep(k keptChannel, versions map[string]*semver.Version) (map[string]bool, error) {
	ch := k.channel
	kept := make(map[string]bool)
	switch {
	case s.full:
		for i := range ch.Entries {
			kept[ch.Entries[i].Name] = true
		}
	case k.exact != "":
		names := withVersion(k.exact, versions)
		listed := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return ch.Entry(name) == nil })
		one := append(listed, names...)[0]
		if len(names) > 1 {
			s.warn("package %s, channel %s: %s have version %s, and oc-mirror selects any one of them; this plan uses %s", text.Name(ch.Package.Name),
				text.Name(ch.Name), text.And(text.Names(names)), k.exact, text.Name(one))
		}
		kept[one] = true
	case k.rangeText != "":
		in, err := semver.NewConstraint(k.rangeText)
		if err != nil {
			return nil, fmt.Errorf("%q is not a range of versions: %w", k.rangeText, err)
		}
		c, err := newChain(s.ctx, ch, nil)
		if err != nil {
			return nil, err
		}
		var outside []string
		kept, outside = c.cut(s.ctx, in, versions)
		for _, name := range outside {
			s.warn("package %s, channel %s: %s is not in the range %s, but lies between bundles that are",
				text.Name(ch.Package.Name), text.Name(ch.Name), text.Name(name), k.rangeText)
		}
	default:
		c, err := newChain(s.ctx, ch, nil)
		if err != nil {
			return nil, err
		}
		kept[c.head] = true
	}
	return kept, nil
}

// entriesOf returns the entries of a channel with some names, in the order of the catalog.
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

// headOf returns the entry, among some of a channel, that no other one replaces or skips.
func headOf(ctx context.Context, ch *graph.Channel, entries []string) string {
	taken := make(map[string]bool)
	for _, name := range entries {
		if ctx.Err() != nil {
			return ""
		}
		e := ch.Entry(name)
		taken[e.Replaces] = true
		for _, s := range e.Skips() {
			taken[s] = true
		}
	}
	heads := slices.DeleteFunc(slices.Clone(entries), func(name string) bool { return taken[name] })
	if len(heads) != 1 {
		return ""
	}
	return heads[0]
}
