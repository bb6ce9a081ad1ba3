package catalogdiff

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
)

// mostShown bounds a text in a change, in bytes.
const mostShown = 300

func (d *delta) changes() []Change {
	switch {
	case d.old == nil:
		return []Change{{Kind: "packageAdded", Package: d.name, Is: size(d.now)}}
	case d.now == nil:
		return []Change{{Kind: "packageRemoved", Package: d.name, Was: size(d.old)}}
	}
	l := &changeList{pkg: d.name}
	l.differs(Change{Kind: "defaultChannel"}, d.old.DefaultChannel, d.now.DefaultChannel)
	l.differs(Change{Kind: "deprecation"}, deprecated(d.old.Deprecated, d.old.Deprecation), deprecated(d.now.Deprecated, d.now.Deprecation))
	for _, ch := range d.old.Channels {
		if d.channels[ch.Name] {
			l.channel(ch, d.now.Channel(ch.Name))
		}
	}
	for _, ch := range d.now.Channels {
		if d.old.Channel(ch.Name) == nil {
			l.add(Change{Kind: "channelAdded", Channel: ch.Name, Is: text.Count(len(ch.Entries), "entry", "entries")})
		}
	}
	for _, b := range d.old.Bundles {
		if d.bundles[b.Name] {
			l.bundle(b, d.now.Bundle(b.Name))
		}
	}
	for _, b := range d.now.Bundles {
		if d.old.Bundle(b.Name) == nil {
			l.add(Change{Kind: "bundleAdded", Bundle: b.Name, Is: b.VersionText()})
		}
	}
	return l.list
}

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

// differs adds a change if there is one.
func (l *changeList) differs(c Change, was, is string) {
	if c.Was, c.Is = was, is; was != is {
		l.add(c)
	}
}

func (l *changeList) channel(old, now *graph.Channel) {
	if now == nil {
		l.add(Change{Kind: "channelRemoved", Channel: old.Name, Was: text.Count(len(old.Entries), "entry", "entries")})
		return
	}
	l.differs(Change{Kind: "head", Channel: old.Name}, headName(old), headName(now))
	l.differs(Change{Kind: "deprecation", Channel: old.Name}, deprecated(old.Deprecated, old.Deprecation), deprecated(now.Deprecated, now.Deprecation))
	for _, e := range byName(old.Entries) {
		if after := now.Entry(e.Name); after != nil {
			l.differs(Change{Kind: "entryChanged", Channel: old.Name, Bundle: e.Name}, entryText(e), entryText(after))
		} else {
			l.add(Change{Kind: "entryRemoved", Channel: old.Name, Bundle: e.Name, Was: entryText(e)})
		}
	}
	for _, e := range byName(now.Entries) {
		if old.Entry(e.Name) == nil {
			l.add(Change{Kind: "entryAdded", Channel: old.Name, Bundle: e.Name, Is: entryText(e)})
		}
	}
}

func headName(ch *graph.Channel) string {
	if head := ch.Head(); head != nil {
		return head.Name
	}
	return ""
}

func (l *changeList) bundle(old, now *graph.Bundle) {
	if now == nil {
		l.add(Change{Kind: "bundleRemoved", Bundle: old.Name, Was: old.VersionText()})
		return
	}
	l.differs(Change{Kind: "image", Bundle: old.Name}, old.Image, now.Image)
	if !old.Compatibility.Equal(now.Compatibility) {
		l.add(Change{Kind: "compatibility", Bundle: old.Name})
	}
	l.differs(Change{Kind: "deprecation", Bundle: old.Name}, deprecated(old.Deprecated, old.Deprecation), deprecated(now.Deprecated, now.Deprecation))
	for _, p := range without(old.Properties, now.Properties) {
		l.add(Change{Kind: "property", Bundle: old.Name, Was: propertyText(p)})
	}
	for _, p := range without(now.Properties, old.Properties) {
		l.add(Change{Kind: "property", Bundle: old.Name, Is: propertyText(p)})
	}
}

func propertyText(p *properties.Property) string { return p.Type() + " " + string(p.Raw()) }

// propertyKey is a property as text in which the order of keys, which means nothing, is that
// of their names.
func propertyKey(p *properties.Property) string {
	value := jsontext.Value(slices.Clone(p.Raw()))
	if value.Format(jsontext.ReorderRawObjects(true)) != nil {
		return propertyText(p)
	}
	return p.Type() + " " + string(value)
}

// without returns the properties of a list that another one lacks, each as often as
// it lacks them.
func without(list, other properties.Set) []*properties.Property {
	have := make(map[string]int, other.Len())
	for p := range other.All() {
		have[propertyKey(p)]++
	}
	var out []*properties.Property
	for p := range list.All() {
		switch key := propertyKey(p); {
		case describes(p):
		case have[key] > 0:
			have[key]--
		default:
			out = append(out, p)
		}
	}
	return out
}
