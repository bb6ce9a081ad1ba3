package mirror

import (
	"errors"
	"fmt"
	"slices"

	"github.com/Masterminds/semver/v3"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
)

// keptChannel is a selected channel, its range and its selected entries.
type keptChannel struct {
	channel         *graph.Channel
	lowest, highest string
	rangeText       string
	exact           string // the version, if the bounds of the range are equal
	own             bool   // the range is that of the channel, not of its package
	line            int

	names    map[string]bool // the bundles
	entries  []string        // the bundles that the channel lists, in the order of the catalog
	versions string          // its versions, for a message
	failed   bool
}

// ranged returns a channel with its range.
func ranged(ch *graph.Channel, lowest, highest string, line int) keptChannel {
	k := keptChannel{channel: ch, lowest: lowest, highest: highest, rangeText: rangeOf(lowest, highest), line: line}
	if lowest == highest {
		k.exact = lowest
	}
	return k
}

// withVersion returns the names of the bundles with a version, ignoring build metadata.
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

// channels returns the kept channels with their ranges. It records missing ones.
func (s *selector) channels(p *graph.Package, want *Package) []keptChannel {
	var kept []keptChannel
	if len(want.Channels) == 0 {
		for _, ch := range p.Channels {
			kept = append(kept, ranged(ch, want.MinVersion, want.MaxVersion, want.line))
		}
	}
	for _, c := range want.Channels {
		ch := p.Channel(c.Name)
		if ch == nil {
			s.unknownChannel(p, c.Name, c.line)
			continue
		}
		own := c.MinVersion+c.MaxVersion != ""
		if !own {
			c.MinVersion, c.MaxVersion = want.MinVersion, want.MaxVersion
		}
		k := ranged(ch, c.MinVersion, c.MaxVersion, c.line)
		k.own = own
		kept = append(kept, k)
	}
	return kept
}

// kept returns the kept channels with their entries. It records missing objects, and drops a
// channel that is empty because of them.
func (s *selector) kept(p *graph.Package, want *Package, versions map[string]*semver.Version) []keptChannel {
	named := s.bundles(p, want)
	var kept []keptChannel
	some := false
	for _, k := range s.channels(p, want) {
		if s.ctx.Err() != nil {
			return nil
		}
		var err error
		switch {
		case len(want.Bundles) > 0:
			k.names, err = s.listed(k.channel, named)
		case k.exact != "" && len(withVersion(k.exact, versions)) == 0, s.full && k.rangeText != "":
			// empty, or an error
		default:
			k.names, err = s.keep(k, versions)
		}
		if s.full && k.rangeText != "" {
			err = errors.New("full: true takes every version and cannot have a range; remove one of them")
		}
		if err != nil {
			s.fail(k.line, "package %s, channel %s: %v", text.Name(p.Name), text.Name(k.channel.Name), err)
			k.failed = true
		}
		k.entries = entriesOf(k.channel, k.names)
		if !k.failed && k.own && len(k.entries) == 0 {
			s.unknownVersion(p, k.channel.Name, k, versions)
			continue
		}
		some = some || len(k.names) > 0 || k.failed || k.rangeText == ""
		k.versions = versionsOf(k.channel, versions)
		kept = append(kept, k)
	}
	if !some && len(kept) > 0 { // all have the range of the package
		s.unknownVersion(p, "", kept[0], versions)
		return nil
	}
	return kept
}

// bundles returns the single bundles that are configured. It records missing ones.
func (s *selector) bundles(p *graph.Package, want *Package) map[string]bool {
	named := make(map[string]bool, len(want.Bundles))
	for _, name := range want.Bundles {
		if p.Bundle(name) == nil && s.enough() {
			continue
		}
		if p.Bundle(name) == nil {
			n := near(name, text.Each(p.Bundles, func(b *graph.Bundle) string { return b.Name }))
			s.addMissing(Problem{Code: VersionUnknown, Subject: name, Package: p.Name, Line: want.line, Near: n}, "package %s has no bundle %s%s",
				text.Name(p.Name), text.Name(name), text.Suggestion(n))
			continue
		}
		named[name] = true
	}
	return named
}

// listed returns those of some bundles that a channel lists. They must form a channel by
// themselves.
func (s *selector) listed(ch *graph.Channel, named map[string]bool) (map[string]bool, error) {
	out := make(map[string]bool)
	for name := range named { // into a set
		if ch.Entry(name) != nil {
			out[name] = true
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	if _, err := newChain(s.ctx, ch, out); err != nil {
		return nil, fmt.Errorf("with only the requested bundles, %w", err)
	}
	return out, nil
}
