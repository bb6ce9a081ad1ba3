package catalogdiff

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
)

// mostNames is how many names a sentence lists before it counts.
const mostNames = 4

// declared finds what a package has lost, as its declarations say: itself, channels,
// bundles, heads; and what is newly deprecated.
func (c *comparison) declared(ctx context.Context, d *delta) {
	switch {
	case d.old == nil:
		return
	case d.now == nil:
		c.packageRemoved(d)
		return
	case d.old.Quarantine == nil && d.now.Quarantine != nil:
		return // that is reported as a problem
	}
	if !c.backwards {
		c.defaultChannel(d)
		c.channelsRemoved(d)
		c.headsLowered(d)
		c.bundlesRemoved(ctx, d)
	}
	c.deprecated(d)
}

// packageRemoved reports a package that is gone, if something of it could be
// installed.
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
		"package %s is gone with %s that could be installed, and whoever runs any of it stays there",
		text.Name(d.name), text.Count(n, "version", "versions"))})
}

// neverInstalled reports whether a bundle of the old state could not be installed there although
// a channel offers it, or is quarantined: nobody runs it.
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
	now := "and there is no default channel any more, so that the first by name counts"
	if is != "" {
		now = fmt.Sprintf("and now follows %s", text.Name(is))
	}
	c.add(Finding{Code: "defaultChannelChanged", Severity: graph.SeverityWarning, Package: d.name, Channel: is, Text: fmt.Sprintf(
		"whoever subscribes to package %s without naming a channel followed %s, %s", text.Name(d.name), text.Name(was), now)}, d.now.Pos)
}

func (c *comparison) channelsRemoved(d *delta) {
	for _, ch := range d.old.Channels {
		if len(ch.Entries) == 0 || d.now.Channel(ch.Name) != nil {
			continue
		}
		has := "the package has no channel left"
		if len(d.now.Channels) > 0 {
			names := text.Each(d.now.Channels, func(ch *graph.Channel) string { return text.Name(ch.Name) })
			has = "the package has " + text.Short(names, mostNames)
		}
		s := fmt.Sprintf("whoever subscribes to channel %s of package %s stays where they are: the channel is gone; %s",
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
			s += fmt.Sprintf(", and none of these upgrades %s", text.Short(lost, mostNames))
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
			"whoever runs %s in channel %s %s, and a new installation gets %s: the head went back to an older version",
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
		return // the context ended, which find looks at; no channel is named that might be missing
	}
	for _, b := range gone {
		ch := b.Places[0].Channel.Name
		f := Finding{Code: "bundleRemoved", Package: d.name, Channel: ch, Bundle: b.Name}
		const isGone = "gone from the catalog, and cannot be installed any more; whoever runs "
		after := fmt.Sprintf("it in channel %s stays there", text.Name(ch))
		f.Cause = isGone + "one of them" + strings.TrimPrefix(after, "it")
		for _, e := range updates.Successors(b.Name) {
			if in := slices.IndexFunc(e.Offers, func(o graph.Offer) bool { return o.Channel == ch }); !e.Barred && in >= 0 {
				after = fmt.Sprintf("it in channel %s can move on to %s", text.Name(ch), text.Name(e.To))
				f.Severity, f.Cause = graph.SeverityWarning, ""
				break
			}
		}
		f.Text = text.Name(b.Name) + " is " + isGone + after
		c.add(f, channelPos(d.now, ch))
	}
}

func (c *comparison) deprecated(d *delta) {
	f := Finding{Code: "deprecated", Severity: graph.SeverityWarning, Package: d.name}
	if d.now.Deprecated && !d.old.Deprecated {
		c.deprecation(f, "package "+text.Name(d.name), d.now.Deprecation, "whoever runs any of it")
	}
	for _, ch := range d.now.Channels {
		if old := d.old.Channel(ch.Name); old != nil && ch.Deprecated && !old.Deprecated {
			f.Channel = ch.Name
			c.deprecation(f, "channel "+text.Name(ch.Name), ch.Deprecation, "whoever follows it")
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
			c.deprecation(f, text.Name(b.Name), b.Deprecation, "whoever runs it")
		}
		if b.Barred && !old.Barred && len(old.Places) > 0 {
			c.barred(f, b)
		}
	}
}

func (c *comparison) deprecation(f Finding, what, message, who string) {
	f.Text = what + " is not deprecated any more"
	if !c.backwards {
		f.Text = sentence(fmt.Sprintf("%s is deprecated now, and %s is warned", what, who), text.Inert(message))
	}
	c.add(f, c.pos(subject{pkg: f.Package, bundle: f.Bundle}, f.Channel))
}

func (c *comparison) barred(f Finding, b *graph.Bundle) {
	at := subject{pkg: f.Package, bundle: b.Name}
	c.reported[at] = true
	f.Text = c.either(text.Name(b.Name)+" cannot be newly installed or upgraded to any more: it has the property olm.deprecated",
		text.Name(b.Name)+" can be installed again: it has no property olm.deprecated any more")
	for _, p := range b.Places {
		if p.Position == 0 {
			f.Severity, f.Channel = graph.SeverityError, p.Channel.Name
			break
		}
	}
	c.add(f, c.pos(at, ""))
}
