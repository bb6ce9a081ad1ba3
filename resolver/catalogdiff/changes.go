package catalogdiff

import (
	"fmt"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
)

// mostShown bounds a text in a change, in bytes.
const mostShown = 300

// changes lists what differs.
func (d *delta) changes() []Change {
	l := &changeList{pkg: d.name}
	switch {
	case d.old == nil:
		l.add(Change{Kind: PackageAdded, Is: size(d.now)})
		return l.list
	case d.now == nil:
		l.add(Change{Kind: PackageGone, Was: size(d.old)})
		return l.list
	}
	if d.old.DefaultChannel != d.now.DefaultChannel {
		l.add(Change{Kind: DefaultChannelMove, Was: d.old.DefaultChannel, Is: d.now.DefaultChannel})
	}
	l.deprecation(Change{}, deprecated(d.old.Deprecated, d.old.Deprecation), deprecated(d.now.Deprecated, d.now.Deprecation))
	for _, ch := range d.old.Channels {
		if d.channels[ch.Name] {
			l.channel(ch, d.now.Channel(ch.Name))
		}
	}
	for _, ch := range d.now.Channels {
		if d.old.Channel(ch.Name) == nil {
			l.add(Change{Kind: ChannelAdded, Channel: ch.Name, Is: text.Count(len(ch.Entries), "entry", "entries")})
		}
	}
	for _, b := range d.old.Bundles {
		if d.bundles[b.Name] {
			l.bundle(b, d.now.Bundle(b.Name))
		}
	}
	for _, b := range d.now.Bundles {
		if d.old.Bundle(b.Name) == nil {
			l.add(Change{Kind: BundleAdded, Bundle: b.Name, Is: b.VersionText()})
		}
	}
	return l.list
}

// size counts what a package has.
func size(p *graph.Package) string {
	return fmt.Sprintf("%s, %s", text.Count(len(p.Channels), "channel", "channels"), text.Count(len(p.Bundles), "bundle", "bundles"))
}

// deprecated is the message of a deprecation, or empty if it is not deprecated.
func deprecated(is bool, message string) string {
	if is && message == "" {
		return "deprecated"
	}
	return message
}

// changeList is the list of a package in the making.
type changeList struct {
	pkg  string
	list []Change
}

func (l *changeList) add(c Change) {
	c.Package = l.pkg
	c.Was, c.Is = text.Clip(c.Was, mostShown), text.Clip(c.Is, mostShown)
	l.list = append(l.list, c)
}

// deprecation adds a change of what is said against something.
func (l *changeList) deprecation(c Change, was, is string) {
	if was != is {
		c.Kind, c.Was, c.Is = DeprecationChanged, was, is
		l.add(c)
	}
}

// channel lists what became of a channel.
func (l *changeList) channel(old, now *graph.Channel) {
	if now == nil {
		l.add(Change{Kind: ChannelGone, Channel: old.Name, Was: text.Count(len(old.Entries), "entry", "entries")})
		return
	}
	if was, is := headName(old), headName(now); was != is {
		l.add(Change{Kind: HeadMoved, Channel: old.Name, Was: was, Is: is})
	}
	l.deprecation(Change{Channel: old.Name}, deprecated(old.Deprecated, old.Deprecation), deprecated(now.Deprecated, now.Deprecation))
	for _, e := range byName(old.Entries) {
		c := Change{Kind: EntryGone, Channel: old.Name, Bundle: e.Name, Was: entryText(e)}
		if after := now.Entry(e.Name); after != nil {
			if c.Kind, c.Is = EntryChanged, entryText(after); c.Was == c.Is {
				continue
			}
		}
		l.add(c)
	}
	for _, e := range byName(now.Entries) {
		if old.Entry(e.Name) == nil {
			l.add(Change{Kind: EntryAdded, Channel: old.Name, Bundle: e.Name, Is: entryText(e)})
		}
	}
}

// headName is the name of the head of a channel, or empty.
func headName(ch *graph.Channel) string {
	if head := ch.Head(); head != nil {
		return head.Name
	}
	return ""
}

// bundle lists what became of a bundle.
func (l *changeList) bundle(old, now *graph.Bundle) {
	if now == nil {
		l.add(Change{Kind: BundleGone, Bundle: old.Name, Was: old.VersionText()})
		return
	}
	if old.Image != now.Image {
		l.add(Change{Kind: ImageChanged, Bundle: old.Name, Was: old.Image, Is: now.Image})
	}
	if !old.Compatibility.Equal(now.Compatibility) {
		l.add(Change{Kind: Compatibility, Bundle: old.Name})
	}
	l.deprecation(Change{Bundle: old.Name}, deprecated(old.Deprecated, old.Deprecation), deprecated(now.Deprecated, now.Deprecation))
	for _, p := range without(old.Properties, now.Properties) {
		l.add(Change{Kind: PropertyChanged, Bundle: old.Name, Was: propertyText(p)})
	}
	for _, p := range without(now.Properties, old.Properties) {
		l.add(Change{Kind: PropertyChanged, Bundle: old.Name, Is: propertyText(p)})
	}
}

// propertyText is type and value.
func propertyText(p *properties.Property) string { return p.Type() + " " + string(p.Raw()) }

// without returns the properties of a list that another one lacks, each as often as
// it lacks them.
func without(list, other properties.Set) []*properties.Property {
	have := make(map[string]int, other.Len())
	for p := range other.All() {
		have[propertyText(p)]++
	}
	var out []*properties.Property
	for p := range list.All() {
		switch key := propertyText(p); {
		case describes(p):
		case have[key] > 0:
			have[key]--
		default:
			out = append(out, p)
		}
	}
	return out
}
