package catalogdiff

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// stop is a bundle in a channel at which upgrades now end before the head.
type stop struct{ catalog, pkg, channel, at string }

// stuck are the installed versions whose upgrades end at one stop.
type stuck struct {
	bundles []string
	why     string
	facts   []argument.FactKind // of the conflict in why
	alike   string              // the part of why that applies to other bundles; empty if unknown
	about   map[string]bool
	old     bool     // a bundle existed in the old state
	edges   []string // old successors of the stop without an edge now
}

// paths collects the new stops of upgrade paths.
type paths struct {
	*comparison
	stops map[stop]*stuck
}

// search finds the installed versions that reach less than before. The error is that of the
// context.
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
	for k, s := range c.stops { // in any order: findings are sorted later
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

// byAudit finds the bundles whose audited path no longer reaches the head.
func (c *paths) byAudit() {
	for _, b := range c.now.order {
		now, old := c.now.found[b].ReachesHead, c.old.found[b]
		if now == nil || now.Reaches {
			continue
		}
		reached := old != nil && old.ReachesHead != nil && old.ReachesHead.Reaches
		fresh := old == nil && !c.backwards && (c.whole || offered(c.now.bundle(b)))
		if !reached && !fresh || c.quarantined(b, now.Channel) {
			continue
		}
		end := subject{b.catalog, b.pkg, now.StuckAt}
		if c.reported[b] && end == b && (c.now.bundle(b).Quarantine != nil || len(c.now.bundle(b).Places) > 0) {
			continue // it cannot be installed, so no cluster has it
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

// quarantined reports whether a channel is newly quarantined, which is reported as a problem with
// the number of affected versions.
func (c *paths) quarantined(b subject, channel string) bool {
	old, now := c.old.channel(b, channel), c.now.channel(b, channel)
	return now != nil && now.Quarantined() != nil && (c.whole || c.old.pkg(b) != nil) && (old == nil || old.Quarantined() == nil)
}

// otherChannels checks the channels that an audit does not follow for bundles that no longer
// reach the head.
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
				continue // answered by the audit
			}
			s := c.at(stop{pkg: d.name, channel: ch.Name, at: e.Furthest})
			s.bundles, s.old = append(s.bundles, e.Bundle), true
			if s.why == "" {
				s.why = fmt.Sprintf("no upgrade path leads to the head %s", text.Name(ch.Head().Name))
			}
		}
	}
	return nil
}

// lostEdges finds lost edges without a replacement.
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

// whyLost explains why an installed version has no upgrade edge: no entry names it any more, or
// the entry that does is not offered. Alike is the part that applies to other versions.
func (c *paths) whyLost(d *delta, ch *graph.Channel, l bundleLoss) (why, alike string) {
	why, alike = "no entry replaces or skips "+text.Name(l.bundle)+" any more", "no entry replaces or skips them any more"
	if b := d.old.Bundle(l.bundle); b != nil {
		for i := range ch.Entries {
			if e := &ch.Entries[i]; e.Name != b.Name && e.Upgrades(b.Name, *b.Version) {
				why = fmt.Sprintf("%s %s", text.Name(e.Name), ch.Standing(e))
				alike = why
				break
			}
		}
	}
	return why + "; before, it had an upgrade edge to " + text.Short(text.Names(l.before), maxNames), alike
}

// shorter adds a finding about an installed version that can upgrade, but less far than before,
// unless another finding implies it.
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
	s := fmt.Sprintf(c.either("clusters on %s (channel %s) can no longer upgrade to %s or anything newer",
		"clusters on %s (channel %s) can now upgrade to %s"), text.Name(l.bundle), text.Name(ch.Name), text.Short(lost, maxNames))
	c.add(Finding{Code: "edgeLost", Severity: graph.SeverityWarning, Package: d.name, Channel: ch.Name, Bundle: l.bundle, Text: s},
		c.pos(subject{pkg: d.name}, ch.Name))
}

// finding adds the finding about versions that end at the same version.
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
		f.Cause = fmt.Sprintf("clusters on these versions (channel %s) %s: %s", text.Name(k.channel), c.stays(k), s.alike)
	}
	c.add(f, pos, c.cause(subject{k.catalog, k.pkg, f.Bundle}, k.channel, s.about), c.pos(pkg, k.channel))
}

func (c *paths) stopText(k stop, s *stuck, there int) string {
	others := slices.Clone(s.bundles)
	if there >= 0 {
		others = slices.Delete(others, there, there+1)
	}
	who := text.Short(text.Names(others), maxNames)
	channel := text.Name(k.channel)
	switch {
	case c.backwards && len(s.edges) > 0:
		return fmt.Sprintf("clusters on %s (channel %s) can now upgrade to %s", text.Name(k.at), channel, text.Short(text.Names(s.edges), maxNames))
	case c.backwards:
		return fmt.Sprintf("clusters on %s (channel %s) now reach the head", text.Short(text.Names(s.bundles), maxNames), channel)
	}
	head := ""
	if ch := c.now.channel(subject{catalog: k.catalog, pkg: k.pkg}, k.channel); ch != nil {
		if name := headName(ch); name != "" && name != k.at {
			head = ", not the head " + text.Name(name)
		}
	}
	if there < 0 {
		return sentence(fmt.Sprintf("clusters on %s (channel %s) reach only %s%s", who, channel, text.Name(k.at), head), s.why)
	}
	line := sentence(fmt.Sprintf("clusters on %s (channel %s) %s", text.Name(k.at), channel, c.stays(k)), s.why)
	if len(others) > 0 {
		line += fmt.Sprintf("; clusters on %s reach only this version%s", who, head)
	}
	return line
}

// stays describes the effect on a version at which upgrades end.
func (c *paths) stays(k stop) string {
	if found := c.now.found[subject{k.catalog, k.pkg, k.at}]; found != nil && found.ReachesHead != nil && found.ReachesHead.Rounds > 0 {
		return "never reach the head" // upgrades loop
	}
	return "cannot upgrade"
}
