package catalogdiff

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
)

// maxShown limits a text in a change, in bytes.
const maxShown = 300

func size(p *graph.Package) string {
	return fmt.Sprintf("%s, %s", text.Count(len(p.Channels), "channel", "channels"), text.Count(len(p.Bundles), "bundle", "bundles"))
}

// deprecated returns the message of a deprecation; empty if not deprecated.
func deprecated(is bool, message string) string {
	if is && message == "" {
		return "deprecated"
	}
	return message
}

func (d *delta) add(c Change) {
	c.Package = d.name
	c.Was, c.Is = text.Clip(c.Was, maxShown), text.Clip(c.Is, maxShown)
	d.changes = append(d.changes, c)
}

// differs adds a change if the values differ.
func (d *delta) differs(c Change, was, is string) {
	if c.Was, c.Is = was, is; was != is {
		d.add(c)
	}
}

// channel compares two states of a channel; now is nil if it was removed. The order of entries
// does not matter.
func (d *delta) channel(old, now *graph.Channel) {
	if now == nil {
		d.channels[old.Name] = true
		d.add(Change{Kind: "channelRemoved", Channel: old.Name, Was: text.Count(len(old.Entries), "entry", "entries")})
		return
	}
	was, is := byName(old.Entries), byName(now.Entries)
	oldNote, note := deprecated(old.Deprecated, old.Deprecation), deprecated(now.Deprecated, now.Deprecation)
	same := func(a, b *graph.Entry) bool { return a.Name == b.Name && entryText(a) == entryText(b) }
	if oldNote == note && sameQuarantine(old.Quarantine, now.Quarantine) && slices.EqualFunc(was, is, same) {
		return
	}
	d.channels[old.Name] = true
	d.differs(Change{Kind: "head", Channel: old.Name}, headName(old), headName(now))
	d.differs(Change{Kind: "deprecation", Channel: old.Name}, oldNote, note)
	for _, e := range was {
		if after := now.Entry(e.Name); after != nil {
			d.differs(Change{Kind: "entryChanged", Channel: old.Name, Bundle: e.Name}, entryText(e), entryText(after))
		} else {
			d.add(Change{Kind: "entryRemoved", Channel: old.Name, Bundle: e.Name, Was: entryText(e)})
		}
	}
	for _, e := range is {
		if old.Entry(e.Name) == nil {
			d.add(Change{Kind: "entryAdded", Channel: old.Name, Bundle: e.Name, Is: entryText(e)})
		}
	}
}

func headName(ch *graph.Channel) string {
	if head := ch.Head(); head != nil {
		return head.Name
	}
	return ""
}

// bundle compares two states of a bundle; now is nil if it was removed.
func (d *delta) bundle(old, now *graph.Bundle) {
	if now == nil {
		d.bundles[old.Name] = true
		d.add(Change{Kind: "bundleRemoved", Bundle: old.Name, Was: old.VersionText()})
		return
	}
	before := len(d.changes)
	d.differs(Change{Kind: "image", Bundle: old.Name}, old.Image, now.Image)
	if !old.Compatibility.Equal(now.Compatibility) {
		d.add(Change{Kind: "compatibility", Bundle: old.Name})
	}
	d.differs(Change{Kind: "deprecation", Bundle: old.Name}, deprecated(old.Deprecated, old.Deprecation), deprecated(now.Deprecated, now.Deprecation))
	same := sameProperties(old.Properties, now.Properties)
	if !same {
		for _, p := range without(old.Properties, now.Properties) {
			d.add(Change{Kind: "property", Bundle: old.Name, Was: propertyText(p)})
		}
		for _, p := range without(now.Properties, old.Properties) {
			d.add(Change{Kind: "property", Bundle: old.Name, Is: propertyText(p)})
		}
	}
	if len(d.changes) > before || !same || !sameQuarantine(old.Quarantine, now.Quarantine) {
		d.bundles[old.Name] = true
	}
}

func propertyText(p *properties.Property) string { return p.Type() + " " + p.Raw() }

// propertyKey returns a property as text with sorted keys.
func propertyKey(p *properties.Property) string {
	value := jsontext.Value(p.Raw())
	if value.Format(jsontext.ReorderRawObjects(true)) != nil {
		return propertyText(p)
	}
	return p.Type() + " " + string(value)
}

// without returns the multiset difference of two lists of properties.
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
