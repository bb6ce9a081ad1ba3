package catalogdiff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
)

// flaw is a problem without its location, which changes when blobs move.
type flaw struct {
	code                 graph.Code
	pkg, channel, bundle string
}

func flawOf(p *graph.Problem) flaw { return flaw{p.Code, p.Package, p.Channel, p.Bundle} }

// problems finds new problems of the catalog.
func (c *comparison) problems() {
	known := make(map[flaw]int)
	for _, p := range c.old.content.Problems() {
		known[flawOf(&p)]++
	}
	reported := c.reportedOf()
	for _, p := range c.now.content.Problems() {
		if k := c.knownAs(known, &p); known[k] > 0 {
			known[k]--
			continue
		}
		d := c.deltas[p.Package]
		if c.backwards && d != nil && (d.old == nil || p.Bundle != "" && d.old.Bundle(p.Bundle) == nil) {
			continue // follows from a reported removal
		}
		if p.Severity == graph.SeverityWarning && (reported[subject{pkg: p.Package, bundle: p.Bundle}] || c.continues(&p)) {
			continue // explains another one, or is intended
		}
		c.problem(&p)
	}
}

// knownAs returns the old form of a problem: for a new channel, the same problem of the same
// bundle in a removed channel, which may have been renamed.
func (c *comparison) knownAs(known map[flaw]int, p *graph.Problem) flaw {
	k := flawOf(p)
	d := c.deltas[p.Package]
	if known[k] > 0 || p.Bundle == "" || d == nil || d.old == nil || d.now == nil || d.old.Channel(p.Channel) != nil {
		return k
	}
	for _, ch := range d.old.Channels {
		other := flaw{p.Code, p.Package, ch.Name, p.Bundle}
		if d.now.Channel(ch.Name) == nil && known[other] > 0 {
			return other
		}
	}
	return k
}

// continues reports whether a problem is about a channel that continues another one: its last
// entry replaces a bundle that the package has, or had, elsewhere.
func (c *comparison) continues(p *graph.Problem) bool {
	ch := c.now.channel(subject{pkg: p.Package}, p.Channel)
	if p.Code != "chainLeaves" || ch == nil || len(ch.Chain()) == 0 {
		return false
	}
	chain := ch.Chain()
	before := subject{pkg: p.Package, bundle: chain[len(chain)-1].Replaces}
	return c.now.bundle(before) != nil || c.old.bundle(before) != nil
}

// reportedOf returns the bundles that already have a finding.
func (c *comparison) reportedOf() map[subject]bool {
	reported := make(map[subject]bool)
	for i := range c.findings {
		f := &c.findings[i]
		if f.Catalog != "" || f.Bundle == "" || f.Code == "clash" || f.Code == "deprecated" {
			continue
		}
		reported[subject{pkg: f.Package, bundle: f.Bundle}] = true
		for _, b := range f.Bundles {
			reported[subject{pkg: f.Package, bundle: b}] = true
		}
	}
	return reported
}

func (c *comparison) problem(p *graph.Problem) {
	f := Finding{Code: "newProblem", Severity: p.Severity, Package: p.Package, Channel: p.Channel, Bundle: p.Bundle,
		Problem: p.Code, Text: text.Inert(p.Message)}
	at := graph.Pos{File: p.File, Line: p.Line}
	if c.backwards {
		f.Text = "corrected: " + f.Text
		at = c.pos(subject{pkg: p.Package, bundle: p.Bundle}, p.Channel)
	} else if hit := c.stops(p); hit != "" {
		f.Text = strings.TrimSuffix(f.Text, ".") + "; " + hit
	}
	c.add(f, at)
}

// stops describes the clusters that a problem with quarantine affects.
func (c *comparison) stops(p *graph.Problem) string {
	old := c.old.content.Package(p.Package)
	if old == nil {
		return ""
	}
	var names []string
	for _, b := range old.Bundles {
		if !offered(b) || p.Quarantined == "bundle" && b.Name != p.Bundle {
			continue
		}
		listed := slices.ContainsFunc(b.Places, func(at graph.Place) bool { return at.Channel.Name == p.Channel })
		if p.Quarantined != "channel" || listed {
			names = append(names, text.Name(b.Name))
		}
	}
	who := text.Short(names, maxNames)
	switch {
	case len(names) == 0 || p.Quarantined == "":
		return ""
	case p.Quarantined == "bundle":
		return names[0] + " can no longer be installed"
	case p.Quarantined == "channel":
		return fmt.Sprintf("clusters on %s (channel %s) cannot upgrade, and nothing can be installed from the channel", who, text.Name(p.Channel))
	}
	return fmt.Sprintf("clusters on %s cannot upgrade, and nothing of the package can be installed", who)
}
