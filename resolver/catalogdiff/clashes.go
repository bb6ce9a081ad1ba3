package catalogdiff

import (
	"fmt"
	"maps"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
)

// pair are two packages, the lesser name first.
type pair struct{ a, b string }

// clashing are the APIs that both packages of each pair provide.
func clashing(s *side) map[pair][]string {
	out := make(map[pair][]string)
	for _, clash := range s.summary.Clashes {
		for i, a := range clash.Packages {
			for _, b := range clash.Packages[i+1:] {
				out[pair{a, b}] = append(out[pair{a, b}], clash.GVK)
			}
		}
	}
	return out
}

// apart are the pairs of which no two versions go together.
func apart(s *side) map[pair]bool {
	out := make(map[pair]bool)
	for a, b := range s.summary.NeverTogether() {
		out[pair{a, b}] = true
	}
	return out
}

// clashes finds packages that both provide an API now.
func (c *comparison) clashes() {
	old, now := clashing(c.old), clashing(c.now)
	oldApart, nowApart := apart(c.old), apart(c.now)
	for _, p := range slices.SortedFunc(maps.Keys(now), func(x, y pair) int { return slices.Compare([]string{x.a, x.b}, []string{y.a, y.b}) }) {
		var gvks []string
		for _, g := range now[p] {
			if !slices.Contains(old[p], g) {
				gvks = append(gvks, g)
			}
		}
		worse := nowApart[p] && !oldApart[p]
		d := c.deltas[p.a]
		if d == nil || c.deltas[p.b] != nil && c.provider(c.deltas[p.b], gvks) != nil && c.provider(d, gvks) == nil {
			d = c.deltas[p.b]
		}
		if d == nil || len(gvks) == 0 && !worse {
			continue
		}
		if c.backwards && (d.old == nil || d.now == nil) {
			continue // one of them is gone, and that is reported
		}
		if len(gvks) == 0 {
			gvks = now[p]
		}
		c.clash(d, p, gvks, worse)
	}
}

// clash tells of two packages that clash.
func (c *comparison) clash(d *delta, p pair, gvks []string, always bool) {
	other := p.b
	if d.name == p.b {
		other = p.a
	}
	f := Finding{Code: Clash, Severity: graph.SeverityWarning, Package: d.name}
	places := []graph.Pos{c.pos(subject{pkg: d.name}, "")}
	if b := c.provider(d, gvks); b != nil {
		f.Bundle = b.Name
		places = append([]graph.Pos{c.pos(subject{pkg: d.name, bundle: b.Name}, "")}, places...)
	}
	what := text.Short(text.Names(gvks), mostNames)
	switch {
	case c.backwards:
		f.Text = fmt.Sprintf("%s and %s can be installed together, as far as %s is concerned: not both provide it any more", text.Name(d.name), text.Name(other), what)
	case always:
		f.Severity = graph.SeverityError
		if d.old == nil {
			f.Severity = graph.SeverityWarning // nobody runs it yet
		}
		f.Text = fmt.Sprintf("whoever runs %s cannot install %s beside it, nor the other way round, whatever the versions: both provide %s",
			text.Name(other), text.Name(d.name), what)
	default:
		f.Text = fmt.Sprintf("whoever runs %s cannot install every version of %s beside it: both provide %s",
			text.Name(other), text.Name(d.name), what)
	}
	c.add(f, places...)
}

// provider is the best placed bundle that differs and provides one of some APIs, or
// nil.
func (c *comparison) provider(d *delta, gvks []string) *graph.Bundle {
	if d.now == nil {
		return nil
	}
	for _, b := range inOrder(d.now.Bundles) {
		if d.bundles[b.Name] && offered(b) && provides(b.Properties, gvks) {
			return b
		}
	}
	return nil
}

// provides reports whether a bundle provides one of some APIs.
func provides(set properties.Set, gvks []string) bool {
	for g := range set.GVKs() {
		if slices.Contains(gvks, g.String()) {
			return true
		}
	}
	return false
}
