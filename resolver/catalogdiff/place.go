package catalogdiff

import (
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
)

// fresh returns the new state, in either direction of the comparison.
func (c *comparison) fresh() *side {
	if c.backwards {
		return c.old
	}
	return c.now
}

// either returns the text for a regression or for an improvement.
func (c *comparison) either(worse, better string) string {
	if c.backwards {
		return better
	}
	return worse
}

// add adds a finding at the first known location.
func (c *comparison) add(f Finding, places ...graph.Pos) {
	for _, p := range places {
		if p != (graph.Pos{}) {
			f.File, f.Line = p.File, p.Line
			break
		}
	}
	if f.Severity == "" {
		f.Severity = graph.SeverityError
	}
	c.findings = append(c.findings, f)
}

// pos locates the bundle in the new state, else the channel, else the package; zero if there is
// none.
func (c *comparison) pos(of subject, channel string) graph.Pos {
	p := c.fresh().pkg(of)
	if p == nil {
		return graph.Pos{}
	}
	if b := p.Bundle(of.bundle); b != nil {
		return b.Pos()
	}
	return channelPos(p, channel)
}

// channelPos locates a channel, else its package.
func channelPos(p *graph.Package, channel string) graph.Pos {
	if ch := p.Channel(channel); ch != nil && ch.Pos != (graph.Pos{}) {
		return ch.Pos
	}
	return p.Pos
}

// cause locates the change in the new state that caused a finding: in the package itself if a
// given channel changed, else in the nearest changed dependency. About are the bundles in the
// reason. The fallback is the subject itself.
func (c *comparison) cause(of subject, channel string, about map[string]bool) graph.Pos {
	var names []string
	if d := c.deltas[of.pkg]; d != nil && of.catalog == "" && channel != "" {
		if d.bundles[of.bundle] {
			return c.pos(of, channel)
		}
		if d.channels[channel] {
			return c.pos(subject{pkg: of.pkg}, channel)
		}
		names = append(names, of.pkg)
	}
	names = append(names, c.reached.nearest(of.pkg, func(name string) bool { return c.deltas[name] != nil })...)
	for _, strict := range []bool{true, false} {
		for _, name := range names {
			if p := c.changedPos(c.deltas[name], about, strict); p != (graph.Pos{}) {
				return p
			}
		}
	}
	return c.pos(of, channel)
}

// changedPos locates the change of a package: at a bundle or channel of the reason or, unless
// strict, at any.
func (c *comparison) changedPos(d *delta, about map[string]bool, strict bool) graph.Pos {
	p := c.fresh().content.Package(d.name)
	if p == nil {
		return graph.Pos{}
	}
	changed := slices.DeleteFunc(inOrder(p.Bundles), func(b *graph.Bundle) bool { return !d.bundles[b.Name] })
	for _, b := range changed {
		if about[b.Name] {
			return b.Pos()
		}
	}
	for _, ch := range p.Channels {
		if d.channels[ch.Name] && (!strict || slices.ContainsFunc(ch.Entries, func(e graph.Entry) bool { return about[e.Name] })) {
			return ch.Pos
		}
	}
	switch {
	case strict:
		return graph.Pos{}
	case len(changed) > 0:
		return changed[0].Pos()
	}
	return p.Pos
}

// inOrder sorts bundles by preference.
func inOrder(bundles []*graph.Bundle) []*graph.Bundle {
	out := slices.Clone(bundles)
	slices.SortFunc(out, func(a, b *graph.Bundle) int { return int(a.ID) - int(b.ID) })
	return out
}

func offered(b *graph.Bundle) bool { return b != nil && len(b.Places) > 0 && !b.Barred }

func sentence(head, why string) string {
	if why == "" {
		return head
	}
	return head + ": " + strings.TrimSuffix(why, ".")
}
