package catalogdiff

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// stop is a place in a channel where upgrades end before the head, and did not
// before.
type stop struct{ catalog, pkg, channel, at string }

// stuck are the installed versions that end at one stop.
type stuck struct {
	bundles []string
	why     string
	facts   []argument.FactKind // of the conflict behind why
	alike   string              // what of why goes for others as well; empty if that is not known
	about   map[string]bool
	old     bool     // one of the bundles is not new
	edges   []string // where edges led from the stop itself that are gone
}

// paths are the ways of installed versions that end where they did not before.
type paths struct {
	*comparison
	stops map[stop]*stuck
}

// search finds the installed versions that do not get as far as they did. The error is
// that of the context.
func (c *paths) search(ctx context.Context) error {
	c.byAudit()
	for _, name := range c.changed {
		if err := ctx.Err(); err != nil {
			return err
		}
		if d := c.deltas[name]; d.old != nil && d.now != nil && d.now.Quarantine == nil {
			if err := c.otherChannels(ctx, d); err != nil {
				return err
			}
			c.lostEdges(d)
		}
	}
	for k, s := range c.stops { // in any order: findings are sorted in the end
		c.finding(k, s)
	}
	return nil
}

func (c *paths) at(s stop) *stuck {
	if c.stops[s] == nil {
		c.stops[s] = &stuck{}
	}
	return c.stops[s]
}

// byAudit finds the bundles whose audited path does not reach the head any
// more.
func (c *paths) byAudit() {
	for _, b := range c.now.order {
		now, old := c.now.found[b].ReachesHead, c.old.found[b]
		if now == nil || now.Reaches {
			continue
		}
		reached := old != nil && old.ReachesHead != nil && old.ReachesHead.Reaches
		fresh := old == nil && !c.backwards && (c.whole || offered(c.now.bundle(b)))
		if !reached && !fresh || c.setAside(b, now.Channel) {
			continue
		}
		end := subject{b.catalog, b.pkg, now.StuckAt}
		if c.reported[b] && end == b && (c.now.bundle(b).Quarantine != nil || len(c.now.bundle(b).Places) > 0) {
			continue // it cannot be installed, and so cannot stay either
		}
		s := c.at(stop{b.catalog, b.pkg, now.Channel, now.StuckAt})
		s.bundles = append(s.bundles, b.bundle)
		s.old = s.old || reached
		if s.why == "" {
			s.why, s.about = reason(now.Conflict)
			s.facts = factKinds(now.Conflict)
		}
	}
}

// setAside reports whether a channel is newly set aside, which is reported as a problem
// with the number of versions that it stops.
func (c *paths) setAside(b subject, channel string) bool {
	old, now := c.old.channel(b, channel), c.now.channel(b, channel)
	return now != nil && now.Quarantined() != nil && (c.whole || c.old.pkg(b) != nil) && (old == nil || old.Quarantined() == nil)
}

// otherChannels finds, in the channels that an audit does not follow for them, the
// bundles from which no edges lead to the head any more.
func (c *paths) otherChannels(ctx context.Context, d *delta) error {
	for _, ch := range d.now.Channels {
		old := d.old.Channel(ch.Name)
		if !d.channels[ch.Name] && len(d.bundles) == 0 || old == nil || old.Head() == nil || ch.Head() == nil {
			continue
		}
		was := make(map[string]bool)
		before, err := old.DeadEnds(ctx)
		if err != nil {
			return err
		}
		for _, e := range before {
			was[e.Bundle] = true
		}
		after, err := ch.DeadEnds(ctx)
		if err != nil {
			return err
		}
		for _, e := range after {
			entry := old.Entry(e.Bundle)
			if entry == nil || entry.Bundle == nil || was[e.Bundle] {
				continue
			}
			b := subject{pkg: d.name, bundle: e.Bundle}
			if found := c.now.found[b]; found != nil && found.ReachesHead != nil && found.ReachesHead.Channel == ch.Name {
				continue // the audit has answered that
			}
			s := c.at(stop{pkg: d.name, channel: ch.Name, at: e.Furthest})
			s.bundles, s.old = append(s.bundles, e.Bundle), true
			if s.why == "" {
				s.why = fmt.Sprintf("no edges lead from there to %s, the head", text.Name(ch.Head().Name))
			}
		}
	}
	return nil
}

// lostEdges finds the edges that are gone without another one in their place.
func (c *paths) lostEdges(d *delta) {
	for _, l := range d.losses {
		ch := d.now.Channel(l.channel)
		if ch == nil {
			continue
		}
		for _, b := range l.bundles {
			if c.neverInstalled(subject{pkg: d.name, bundle: b.bundle}) {
				continue
			}
			if !b.stops {
				if !l.lowered {
					c.shorter(d, ch, b)
				}
				continue
			}
			s := c.at(stop{pkg: d.name, channel: ch.Name, at: b.bundle})
			if !slices.Contains(s.bundles, b.bundle) {
				s.bundles = append(s.bundles, b.bundle)
			}
			s.edges, s.old = b.before, true
			s.why, s.alike = c.whyLost(d, ch, b)
		}
	}
}

// whyLost says why an installed version has no way on: nothing names it any more, or
// what names it is not offered; and the same of several versions.
func (c *paths) whyLost(d *delta, ch *graph.Channel, l bundleLoss) (why, alike string) {
	const before = "it could be upgraded"
	led := before + " to " + text.Short(text.Names(l.before), mostNames)
	now := ", and no entry replaces or skips it any more"
	if b := d.old.Bundle(l.bundle); b != nil {
		for i := range ch.Entries {
			if e := &ch.Entries[i]; e.Name != b.Name && e.Upgrades(b.Name, *b.Version) {
				now = fmt.Sprintf(", and now %s %s", text.Name(e.Name), ch.Standing(e))
				break
			}
		}
	}
	return led + now, before + now
}

// shorter adds a finding about an installed version that still moves, but not as far as
// it did, unless that follows from something else that is reported.
func (c *paths) shorter(d *delta, ch *graph.Channel, l bundleLoss) {
	for s, hit := range c.stops {
		if s.catalog == "" && s.pkg == d.name && s.channel == ch.Name && slices.Contains(hit.bundles, l.bundle) {
			return
		}
	}
	var lost []string
	for _, name := range l.lost {
		if e := ch.Entry(name); e != nil && ch.Standing(e).Offered {
			lost = append(lost, text.Name(name))
		}
	}
	if len(lost) == 0 {
		return
	}
	s := fmt.Sprintf(c.either("whoever runs %s in channel %s could go to %s, and now gets neither there nor to anything newer",
		"whoever runs %s in channel %s can go to %s now"), text.Name(l.bundle), text.Name(ch.Name), text.Short(lost, mostNames))
	c.add(Finding{Code: "edgeLost", Severity: graph.SeverityWarning, Package: d.name, Channel: ch.Name, Bundle: l.bundle, Text: s},
		c.pos(subject{pkg: d.name}, ch.Name))
}

// finding adds what is to be said of versions that end at the same place.
func (c *paths) finding(k stop, s *stuck) {
	f := Finding{Code: "headUnreachable", Catalog: k.catalog, Package: k.pkg, Channel: k.channel, Bundle: k.at, Why: s.why, Facts: s.facts}
	there := slices.Index(s.bundles, k.at)
	if there < 0 {
		f.Bundle = s.bundles[len(s.bundles)-1]
	}
	if len(s.bundles) > 1 {
		f.Bundles = slices.Clone(s.bundles)
		slices.Sort(f.Bundles)
	}
	if !s.old {
		f.Severity = graph.SeverityWarning
	}
	pkg := subject{catalog: k.catalog, pkg: k.pkg}
	pos := graph.Pos{}
	switch {
	case len(s.edges) > 0 && c.deltas[k.pkg].channels[k.channel]:
		f.Code, pos = "edgeLost", c.pos(pkg, k.channel)
	case len(s.edges) > 0:
		f.Code, pos = "edgeLost", c.cause(subject{pkg: k.pkg, bundle: s.edges[0]}, k.channel, s.about)
	case k.catalog != "" || c.deltas[k.pkg] == nil:
		f.Code = "dependentBroken"
	}
	f.Text = c.stopText(k, s, there)
	if s.alike != "" && len(s.bundles) == 1 && there == 0 && !c.backwards {
		f.Cause = fmt.Sprintf("whoever runs one of them in channel %s %s: %s", text.Name(k.channel), c.stays(k), s.alike)
	}
	c.add(f, pos, c.cause(subject{k.catalog, k.pkg, f.Bundle}, k.channel, s.about), c.pos(pkg, k.channel))
}

func (c *paths) stopText(k stop, s *stuck, there int) string {
	others := slices.Clone(s.bundles)
	if there >= 0 {
		others = slices.Delete(others, there, there+1)
	}
	who := text.Short(text.Names(others), mostNames)
	channel := text.Name(k.channel)
	switch {
	case c.backwards && len(s.edges) > 0:
		return fmt.Sprintf("whoever runs %s in channel %s can move on now, to %s", text.Name(k.at), channel, text.Short(text.Names(s.edges), mostNames))
	case c.backwards:
		return fmt.Sprintf("whoever runs %s in channel %s gets to its head now", text.Short(text.Names(s.bundles), mostNames), channel)
	}
	head := ""
	if ch := c.now.channel(subject{catalog: k.catalog, pkg: k.pkg}, k.channel); ch != nil {
		if name := headName(ch); name != "" && name != k.at {
			head = " and not to its head " + text.Name(name)
		}
	}
	if there < 0 {
		return sentence(fmt.Sprintf("whoever runs %s in channel %s gets as far as %s%s", who, channel, text.Name(k.at), head), s.why)
	}
	line := sentence(fmt.Sprintf("whoever runs %s in channel %s %s", text.Name(k.at), channel, c.stays(k)), s.why)
	if len(others) > 0 {
		line += fmt.Sprintf("; whoever runs %s gets as far as that%s", who, head)
	}
	return line
}

// stays says what becomes of a version at which upgrades end.
func (c *paths) stays(k stop) string {
	if found := c.now.found[subject{k.catalog, k.pkg, k.at}]; found != nil && found.ReachesHead != nil && found.ReachesHead.Rounds > 0 {
		return "never gets to its head" // it comes back to where it was
	}
	return "stays there"
}
