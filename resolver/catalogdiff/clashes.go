package catalogdiff

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
)

// pair is a pair of packages, sorted by name.
type pair struct{ a, b string }

// maxPairs limits the compared pairs of packages that provide the same API, counted once for
// each API.
const maxPairs = 100_000

// clashing returns the APIs that both packages of each pair provide, where one of them changed,
// and whether the result is complete.
func (c *comparison) clashing(ctx context.Context, s *side) (out map[pair][]string, all bool) {
	out, n := make(map[pair][]string), 0
	for _, clash := range s.summary.Clashes {
		for i, a := range clash.Packages {
			if ctx.Err() != nil {
				return out, false
			}
			for _, b := range clash.Packages[i+1:] {
				if c.deltas[a] == nil && c.deltas[b] == nil {
					continue
				}
				if n++; n > maxPairs {
					return out, false
				}
				out[pair{a, b}] = append(out[pair{a, b}], clash.GVK)
			}
		}
	}
	return out, true
}

// apart returns the pairs of which no two versions can be installed together.
func apart(ctx context.Context, s *side, of map[pair][]string) map[pair]bool {
	out, n := make(map[pair]bool), 0
	for a, b := range s.summary.NeverTogether() {
		if n++; n%4096 == 0 && ctx.Err() != nil {
			break
		}
		if p := (pair{a, b}); of[p] != nil {
			out[p] = true
		}
	}
	return out
}

// clashes finds packages that now provide the same API.
func (c *comparison) clashes(ctx context.Context) {
	old, allOld := c.clashing(ctx, c.old)
	now, allNow := c.clashing(ctx, c.now)
	if c.clashesLeftOut = !allOld || !allNow; c.clashesLeftOut {
		return
	}
	oldApart, nowApart := apart(ctx, c.old, old), apart(ctx, c.now, now)
	for p, both := range now { // in any order: findings are sorted later
		gvks := slices.DeleteFunc(slices.Clone(both), func(g string) bool { return slices.Contains(old[p], g) })
		worse := nowApart[p] && !oldApart[p]
		d := c.deltas[p.a]
		if d == nil || c.deltas[p.b] != nil && c.provider(c.deltas[p.b], gvks) != nil && c.provider(d, gvks) == nil {
			d = c.deltas[p.b]
		}
		if d == nil || len(gvks) == 0 && !worse {
			continue
		}
		if c.backwards && (d.old == nil || d.now == nil) {
			continue // one package was removed, which is reported
		}
		if len(gvks) == 0 {
			gvks = both
		}
		c.clash(d, p, gvks, worse)
	}
}

func (c *comparison) clash(d *delta, p pair, gvks []string, always bool) {
	other := p.b
	if d.name == p.b {
		other = p.a
	}
	f := Finding{Code: "clash", Severity: graph.SeverityWarning, Package: d.name}
	if b := c.provider(d, gvks); b != nil {
		f.Bundle = b.Name
	}
	what := text.Short(text.Names(gvks), maxNames)
	switch {
	case c.backwards:
		f.Text = fmt.Sprintf("%s and %s no longer both provide %s, so they no longer conflict over it", text.Name(d.name), text.Name(other), what)
	case always:
		if d.old != nil { // otherwise no cluster has it yet
			f.Severity = graph.SeverityError
		}
		f.Text = fmt.Sprintf("no version of %s can be installed together with any version of %s: both provide %s",
			text.Name(other), text.Name(d.name), what)
	default:
		f.Text = fmt.Sprintf("clusters with %s cannot install every version of %s: both provide %s",
			text.Name(other), text.Name(d.name), what)
	}
	c.add(f, c.pos(subject{pkg: d.name, bundle: f.Bundle}, ""), c.pos(subject{pkg: d.name}, ""))
}

// provider returns the preferred changed bundle that provides one of some APIs, or nil.
func (c *comparison) provider(d *delta, gvks []string) *graph.Bundle {
	if d.now == nil {
		return nil
	}
	for _, b := range inOrder(d.now.Bundles) {
		if !d.bundles[b.Name] || !offered(b) {
			continue
		}
		for g := range b.Properties.GVKs() {
			if slices.Contains(gvks, g.String()) {
				return b
			}
		}
	}
	return nil
}
