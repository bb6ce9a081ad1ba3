package upgradetest

import (
	"encoding/json"
	"slices"

	"github.com/seed109e2655/resolute/internal/testkit/declared"
	"github.com/seed109e2655/resolute/properties"
)

// declarations are catalogs as they are declared, to be made smaller.
type declarations struct{ Catalogs []*declared.Catalog }

// size is how much there is to read.
func (d *declarations) size() int {
	n := 0
	for _, c := range d.Catalogs {
		for _, b := range c.Blobs() {
			n += len(b)
		}
	}
	return n
}

func (d *declarations) bundles() int {
	n := 0
	for _, c := range d.Catalogs {
		n += c.Bundles()
	}
	return n
}

// edits lists what can be left out, by kinds: what is large first, and simpler constraints
// in the place of compounds.
type edits struct {
	catalogs, packages, bundles, channels, entries, properties, edges, notes, simpler []func()
}

func (d *declarations) edits() *edits {
	e := &edits{}
	for i, c := range d.Catalogs {
		e.catalogs = append(e.catalogs, cut(&d.Catalogs, i))
		if c.Priority != 0 {
			e.notes = append(e.notes, func() { c.Priority = 0 })
		}
		for k := range c.Packages {
			e.packages = append(e.packages, cut(&c.Packages, k))
			e.pkg(&c.Packages[k])
		}
	}
	return e
}

// cut leaves an item out of a list.
func cut[T any](list *[]T, i int) func() {
	return func() { *list = slices.Delete(*list, i, i+1) }
}

func (e *edits) pkg(pkg *declared.Package) {
	for i := range pkg.Bundles {
		b := &pkg.Bundles[i]
		e.bundles = append(e.bundles, func() { leaveOutBundle(pkg, i) })
		for k := range b.Properties {
			p := &b.Properties[k]
			if p.Type != properties.TypePackage { // which says its version
				e.properties = append(e.properties, cut(&b.Properties, k))
			}
			if p.Type == properties.TypeConstraint {
				for _, simpler := range simplify(p.Value) {
					e.simpler = append(e.simpler, func() { p.Value = simpler })
				}
			}
		}
	}
	for i := range pkg.Channels {
		e.channels = append(e.channels, func() { leaveOutChannel(pkg, i) })
		e.channel(&pkg.Channels[i])
	}
	for i := range pkg.Deprecations {
		e.notes = append(e.notes, cut(&pkg.Deprecations, i))
	}
}

// channel lists the entries of a channel, with and without joining the ends, and what they
// say they replace and skip.
func (e *edits) channel(ch *declared.Channel) {
	for i := range ch.Entries {
		entry, name := &ch.Entries[i], ch.Entries[i].Name
		e.entries = append(e.entries, func() { splice(ch, name) }, func() { leaveOut(ch, name) })
		if entry.Replaces != "" {
			e.edges = append(e.edges, func() { entry.Replaces = "" })
		}
		if entry.SkipRange != "" {
			e.edges = append(e.edges, func() { entry.SkipRange = "" })
		}
		for k := range entry.Skips {
			e.edges = append(e.edges, cut(&entry.Skips, k))
		}
	}
}

// leaveOutBundle leaves a bundle out; what replaced it replaces what it replaced.
func leaveOutBundle(pkg *declared.Package, i int) {
	name := pkg.Bundles[i].Name
	pkg.Bundles = slices.Delete(pkg.Bundles, i, i+1)
	if pkg.Bundle(name) == nil {
		for k := range pkg.Channels {
			splice(&pkg.Channels[k], name)
		}
	}
}

// leaveOutChannel leaves a channel out. Another one becomes the default if need be.
func leaveOutChannel(pkg *declared.Package, i int) {
	name := pkg.Channels[i].Name
	pkg.Channels = slices.Delete(pkg.Channels, i, i+1)
	if pkg.DefaultChannel == name && pkg.Channel(name) == nil && len(pkg.Channels) > 0 {
		pkg.DefaultChannel = pkg.Channels[0].Name
	}
}

// splice takes an entry out of a channel and joins the ends.
func splice(c *declared.Channel, name string) {
	replaces := ""
	if e := c.Entry(name); e != nil && e.Replaces != name {
		replaces = e.Replaces
	}
	leaveOut(c, name)
	for i := range c.Entries {
		e := &c.Entries[i]
		if e.Replaces == name {
			e.Replaces = replaces
			if replaces == e.Name {
				e.Replaces = ""
			}
		}
		e.Skips = slices.DeleteFunc(e.Skips, func(s string) bool { return s == name })
	}
}

func leaveOut(c *declared.Channel, name string) {
	c.Entries = slices.DeleteFunc(c.Entries, func(e declared.Entry) bool { return e.Name == name })
}

// simplify returns the ways to put a child in the place of a compound, and to leave
// out a child, at any depth.
func simplify(constraint json.RawMessage) (out []json.RawMessage) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(constraint, &fields) != nil {
		return nil
	}
	if _, said := fields["failureMessage"]; said {
		delete(fields, "failureMessage")
		out = append(out, declared.Prop("", fields).Value)
	}
	for _, kind := range []string{"all", "any", "not", "none"} {
		var body struct {
			Constraints []json.RawMessage `json:"constraints"`
		}
		if json.Unmarshal(fields[kind], &body) != nil {
			continue
		}
		with := func(children []json.RawMessage) json.RawMessage {
			return declared.Prop("", map[string]any{kind: map[string]any{"constraints": children}}).Value
		}
		for i, child := range body.Constraints {
			out = append(out, child)
			if len(body.Constraints) > 1 {
				out = append(out, with(slices.Delete(slices.Clone(body.Constraints), i, i+1)))
			}
			for _, simpler := range simplify(child) {
				children := slices.Clone(body.Constraints)
				children[i] = simpler
				out = append(out, with(children))
			}
		}
	}
	return out
}
