package catalogdiff

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
)

// maxNames limits the names that a sentence lists before it counts the rest.
const maxNames = 4

// declared finds losses in the declarations of a package: the package itself, channels, bundles,
// heads; and new deprecations.
func (c *comparison) declared(ctx context.Context, d *delta) {
	switch {
	case d.old == nil:
		return
	case d.now == nil:
		c.packageRemoved(d)
		return
	case d.old.Quarantine == nil && d.now.Quarantine != nil:
		return // reported as a problem
	}
	if !c.backwards {
		c.defaultChannel(d)
		c.channelsRemoved(d)
		c.headsLowered(d)
		c.bundlesRemoved(ctx, d)
	}
	c.deprecated(d)
}

// packageRemoved reports a removed package with installable bundles.
func (c *comparison) packageRemoved(d *delta) {
	n := 0
	for _, b := range d.old.Bundles {
		if offered(b) && !c.neverInstalled(subject{pkg: d.name, bundle: b.Name}) {
			n++
		}
	}
	if n == 0 || c.backwards {
		return
	}
	c.add(Finding{Code: "packageRemoved", Package: d.name, Text: fmt.Sprintf(
		"package %s was removed with %s that could be installed; clusters on any of these can no longer upgrade",
		text.Name(d.name), text.Count(n, "version", "versions"))})
}

// neverInstalled reports whether a bundle of the old state was quarantined, or offered but not
// installable: no cluster has it.
func (c *comparison) neverInstalled(of subject) bool {
	b := c.old.bundle(of)
	if b == nil {
		return false
	}
	found := c.old.found[of]
	return b.Quarantine != nil || offered(b) && found != nil && !found.Installable && found.Conflict != nil
}

func (c *comparison) defaultChannel(d *delta) {
	was, is := d.old.DefaultChannel, d.now.DefaultChannel
	if was == is || d.old.Channel(was) == nil {
		return
	}
	now := "and now use the first channel by name: the package has no default channel"
	if is != "" {
		now = fmt.Sprintf("and now follow %s", text.Name(is))
	}
	c.add(Finding{Code: "defaultChannelChanged", Severity: graph.SeverityWarning, Package: d.name, Channel: is, Text: fmt.Sprintf(
		"subscriptions to package %s without a channel followed %s, %s", text.Name(d.name), text.Name(was), now)}, d.now.Pos)
}

func (c *comparison) channelsRemoved(d *delta) {
	for _, ch := range d.old.Channels {
		if len(ch.Entries) == 0 || d.now.Channel(ch.Name) != nil {
			continue
		}
		has := "the package has no channel left"
		if len(d.now.Channels) > 0 {
			names := text.Each(d.now.Channels, func(ch *graph.Channel) string { return text.Name(ch.Name) })
			has = "the package has " + text.Short(names, maxNames)
		}
		s := fmt.Sprintf("subscriptions to channel %s of package %s get no more upgrades: the channel was removed; %s",
			text.Name(ch.Name), text.Name(d.name), has)
		var lost []string
		for _, l := range d.losses {
			for _, b := range l.bundles {
				if l.channel == ch.Name && b.stops {
					lost = append(lost, text.Name(b.bundle))
				}
			}
		}
		if len(lost) > 0 && len(d.now.Channels) > 0 {
			s += fmt.Sprintf(", none of which upgrades %s", text.Short(lost, maxNames))
		}
		c.add(Finding{Code: "channelRemoved", Package: d.name, Channel: ch.Name, Text: s}, d.now.Pos)
	}
}

func (c *comparison) headsLowered(d *delta) {
	for _, l := range d.losses {
		if !l.lowered || c.neverInstalled(subject{pkg: d.name, bundle: l.was}) {
			continue
		}
		c.add(Finding{Code: "headLowered", Package: d.name, Channel: l.channel, Bundle: l.is, Text: fmt.Sprintf(
			"clusters on %s (channel %s) %s, and new installations get %s: the head went back to an older version",
			text.Name(l.was), text.Name(l.channel), l.becomes(), text.Name(l.is))}, channelPos(d.now, l.channel))
	}
}

func (c *comparison) bundlesRemoved(ctx context.Context, d *delta) {
	var gone []*graph.Bundle
	var installed []graph.Installed
	for _, b := range d.old.Bundles {
		if offered(b) && d.now.Bundle(b.Name) == nil && !c.neverInstalled(subject{pkg: d.name, bundle: b.Name}) {
			gone = append(gone, b)
			installed = append(installed, graph.Installed{Name: b.Name, Version: *b.Version, Release: b.Release})
		}
	}
	if len(gone) == 0 {
		return
	}
	updates, err := graph.NewUpdates(ctx, d.now, graph.UpdateOptions{Installed: installed})
	if err != nil {
		return // find checks the context; names in the options cannot be unknown
	}
	for _, b := range gone {
		ch := b.Places[0].Channel.Name
		f := Finding{Code: "bundleRemoved", Package: d.name, Channel: ch, Bundle: b.Name}
		const removed = "removed from the catalog and can no longer be installed; clusters on "
		after := fmt.Sprintf("it (channel %s) cannot upgrade", text.Name(ch))
		f.Cause = removed + "these versions" + strings.TrimPrefix(after, "it")
		for _, e := range updates.Successors(b.Name) {
			if in := slices.IndexFunc(e.Offers, func(o graph.Offer) bool { return o.Channel == ch }); !e.Barred && in >= 0 {
				after = fmt.Sprintf("it (channel %s) can upgrade to %s", text.Name(ch), text.Name(e.To))
				f.Severity, f.Cause = graph.SeverityWarning, ""
				break
			}
		}
		f.Text = text.Name(b.Name) + " was " + removed + after
		c.add(f, channelPos(d.now, ch))
	}
}

func (c *comparison) deprecated(d *delta) {
	f := Finding{Code: "deprecated", Severity: graph.SeverityWarning, Package: d.name}
	if d.now.Deprecated && !d.old.Deprecated {
		c.deprecation(f, "package "+text.Name(d.name), d.now.Deprecation, "clusters with any of its versions get")
	}
	for _, ch := range d.now.Channels {
		if old := d.old.Channel(ch.Name); old != nil && ch.Deprecated && !old.Deprecated {
			f.Channel = ch.Name
			c.deprecation(f, "channel "+text.Name(ch.Name), ch.Deprecation, "subscriptions to it get")
		}
	}
	f.Channel = ""
	for _, b := range d.now.Bundles {
		old := d.old.Bundle(b.Name)
		if old == nil {
			continue
		}
		f.Bundle = b.Name
		if b.Deprecated && !old.Deprecated {
			c.deprecation(f, text.Name(b.Name), b.Deprecation, "clusters with it get")
		}
		if b.Barred && !old.Barred && len(old.Places) > 0 {
			c.barred(f, b)
		}
	}
}

func (c *comparison) deprecation(f Finding, what, message, who string) {
	f.Text = what + " is no longer deprecated"
	if !c.backwards {
		f.Text = sentence(fmt.Sprintf("%s is now deprecated, and %s a warning", what, who), text.Inert(message))
	}
	c.add(f, c.pos(subject{pkg: f.Package, bundle: f.Bundle}, f.Channel))
}

func (c *comparison) barred(f Finding, b *graph.Bundle) {
	at := subject{pkg: f.Package, bundle: b.Name}
	c.reported[at] = true
	f.Text = c.either(text.Name(b.Name)+" can no longer be newly installed or upgraded to: it has the property olm.deprecated",
		text.Name(b.Name)+" can be installed again: it no longer has the property olm.deprecated")
	for _, p := range b.Places {
		if p.Position == 0 {
			f.Severity, f.Channel = graph.SeverityError, p.Channel.Name
			break
		}
	}
	c.add(f, c.pos(at, ""))
}
