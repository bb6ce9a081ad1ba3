package catalogdiff

import (
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// audited finds bundles that are no longer installable.
func (c *comparison) audited() {
	for _, at := range c.now.order {
		now, old := c.now.found[at], c.old.found[at]
		if now.Installable || now.Conflict == nil || c.reported[at] {
			continue
		}
		b := c.now.bundle(at)
		switch {
		case old == nil:
			c.newAndUnusable(at, b, now)
		case old.Installable && b.Quarantine != nil:
			c.reported[at] = true // reported as a problem
		case old.Installable && len(b.Places) == 0:
			c.displaced(at, b)
		case old.Installable:
			c.unusable(at, b, now)
		}
	}
}

// newAndUnusable reports a new, offered bundle that cannot be installed.
func (c *comparison) newAndUnusable(at subject, b *graph.Bundle, now *audit.Bundle) {
	if c.backwards || !offered(b) || b.Quarantine != nil {
		return
	}
	c.reported[at] = true
	why, _ := reason(now.Conflict)
	fault := " is new but cannot be installed"
	if c.whole {
		fault = " cannot be installed on an empty cluster"
	}
	c.add(Finding{Code: "notInstallable", Severity: graph.SeverityWarning, Catalog: at.catalog, Package: at.pkg, Bundle: at.bundle,
		Text: sentence(text.Name(at.bundle)+fault, why), Why: why, Facts: factKinds(now.Conflict)}, c.pos(at, ""))
}

// displaced reports an existing bundle that no channel offers any more, unless an entry skips it
// on purpose.
func (c *comparison) displaced(at subject, b *graph.Bundle) {
	first, channel := "no channel lists it any more", ""
	for _, ch := range c.now.pkg(at).Channels {
		e := ch.Entry(b.Name)
		if e == nil {
			continue
		}
		s := ch.Standing(e)
		if s.SkippedBy != "" {
			return
		}
		if s.Problem != nil {
			if old := c.old.channel(at, ch.Name); old == nil || old.Quarantined() == nil {
				c.reported[at] = true
			}
			return // covered by the problem of the channel
		}
		if channel == "" {
			first, channel = "it "+s.String(), ch.Name
		}
	}
	if channel == "" {
		channel = c.old.bundle(at).Places[0].Channel.Name
	}
	c.add(Finding{Code: "notInstallable", Catalog: at.catalog, Package: at.pkg, Channel: channel, Bundle: at.bundle,
		Text: sentence(c.uninstallable(b), c.either(first, "a channel offers it again"))},
		c.pos(subject{catalog: at.catalog, pkg: at.pkg}, channel))
}

func (c *comparison) uninstallable(b *graph.Bundle) string {
	return text.Name(b.Name) + c.either(" can no longer be installed", " can be installed again")
}

// unusable reports an offered bundle that is no longer installable, because of itself or of a
// dependency.
func (c *comparison) unusable(at subject, b *graph.Bundle, now *audit.Bundle) {
	c.reported[at] = true
	why, about := reason(now.Conflict)
	f := Finding{Code: "dependentBroken", Catalog: at.catalog, Package: at.pkg, Bundle: at.bundle,
		Text: sentence(c.uninstallable(b), c.either(why, ""))}
	own := c.old.bundle(at)
	if at.catalog == "" && (!sameProperties(own.Properties, b.Properties) || !own.Compatibility.Equal(b.Compatibility)) {
		f.Code = "notInstallable"
		c.add(f, c.pos(at, ""))
		return
	}
	c.add(f, c.cause(at, "", about))
}
