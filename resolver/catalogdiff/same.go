package catalogdiff

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
)

// delta is the difference between the states of a package.
type delta struct {
	name string
	// old and now are its states; nil if it does not exist.
	old, now *graph.Package
	// bundles and channels are the changed, added and removed ones.
	bundles, channels map[string]bool
	changes           []Change
	// losses are the losses in the update graphs.
	losses []channelLoss
}

func (d *delta) turned() *delta {
	return &delta{name: d.name, old: d.now, now: d.old, bundles: d.bundles, channels: d.channels}
}

// compare finds the changed packages. The error is that of the context.
func (c *comparison) compare(ctx context.Context) error {
	c.deltas = make(map[string]*delta)
	add := func(old, now *graph.Package) {
		if d := compareStates(old, now); d != nil && c.isAbout(d.name) {
			c.deltas[d.name] = d
		}
	}
	for p := range c.old.content.Packages() {
		if err := ctx.Err(); err != nil {
			return err
		}
		add(p, c.now.content.Package(p.Name))
	}
	for p := range c.now.content.Packages() {
		if c.old.content.Package(p.Name) == nil {
			add(nil, p)
		}
	}
	c.changed = slices.Sorted(maps.Keys(c.deltas))
	return nil
}

// compareStates returns the difference between two states of a package, or nil.
func compareStates(old, now *graph.Package) *delta {
	d := &delta{old: old, now: now, bundles: make(map[string]bool), channels: make(map[string]bool)}
	was, is := cmp.Or(old, new(graph.Package)), cmp.Or(now, new(graph.Package))
	d.name = cmp.Or(was.Name, is.Name)
	differs := !sameQuarantine(was.Quarantine, is.Quarantine)
	d.differs(Change{Kind: "defaultChannel"}, was.DefaultChannel, is.DefaultChannel)
	d.differs(Change{Kind: "deprecation"}, deprecated(was.Deprecated, was.Deprecation), deprecated(is.Deprecated, is.Deprecation))
	for _, ch := range was.Channels {
		d.channel(ch, is.Channel(ch.Name))
	}
	for _, ch := range is.Channels {
		if was.Channel(ch.Name) == nil {
			d.channels[ch.Name] = true
			d.add(Change{Kind: "channelAdded", Channel: ch.Name, Is: text.Count(len(ch.Entries), "entry", "entries")})
		}
	}
	for _, b := range was.Bundles {
		d.bundle(b, is.Bundle(b.Name))
	}
	for _, b := range is.Bundles {
		if was.Bundle(b.Name) == nil {
			d.bundles[b.Name] = true
			d.add(Change{Kind: "bundleAdded", Bundle: b.Name, Is: b.VersionText()})
		}
	}
	switch {
	case old == nil:
		d.changes = nil
		d.add(Change{Kind: "packageAdded", Is: size(now)})
	case now == nil:
		d.changes = nil
		d.add(Change{Kind: "packageRemoved", Was: size(old)})
	case !differs && len(d.changes)+len(d.bundles)+len(d.channels) == 0:
		return nil
	}
	return d
}

// sameProperties reports whether two lists hold the same properties in the same order, ignoring
// descriptions and the order of keys.
func sameProperties(a, b properties.Set) bool {
	i, j := 0, 0
	for {
		for i < a.Len() && describes(a.At(i)) {
			i++
		}
		for j < b.Len() && describes(b.At(j)) {
			j++
		}
		if i == a.Len() || j == b.Len() {
			return i == a.Len() && j == b.Len()
		}
		if !a.At(i).Equal(b.At(j)) && propertyKey(a.At(i)) != propertyKey(b.At(j)) {
			return false
		}
		i++
		j++
	}
}

// describes reports whether a property holds descriptions and manifests; its fields about the
// platform are in [graph.Bundle.Compatibility].
func describes(p *properties.Property) bool {
	return p.Type() == properties.TypeCSVMetadata || p.Type() == properties.TypeBundleObject
}

// sameQuarantine reports whether both are quarantined for the same kind of problem, or neither
// is.
func sameQuarantine(a, b *graph.Problem) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Code == b.Code
}

// byName sorts entries by name, and those with the same name by their fields.
func byName(entries []graph.Entry) []*graph.Entry {
	out := make([]*graph.Entry, len(entries))
	for i := range entries {
		out[i] = &entries[i]
	}
	slices.SortStableFunc(out, func(a, b *graph.Entry) int {
		if n := strings.Compare(a.Name, b.Name); n != 0 {
			return n
		}
		return strings.Compare(entryText(a), entryText(b))
	})
	return out
}

func entryText(e *graph.Entry) string {
	var parts []string
	if e.Replaces != "" {
		parts = append(parts, "replaces "+e.Replaces)
	}
	if len(e.Skips()) > 0 {
		skips := slices.Sorted(slices.Values(e.Skips()))
		parts = append(parts, "skips "+strings.Join(slices.Compact(skips), " "))
	}
	if r := e.SkipRange().String(); r != "" {
		parts = append(parts, "skipRange "+r)
	}
	return strings.Join(parts, "; ")
}
