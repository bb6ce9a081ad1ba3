package upgradetest

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/seed109e2655/resolute/internal/testkit/declared"
	"github.com/seed109e2655/resolute/properties"
)

// declarations leaves out whatever the failure shows without, until nothing more can
// be left out.
func (m *minimizer) declarations(ctx context.Context, decls []*declared.Catalog) []*declared.Catalog {
	for again := true; again && m.err == nil && m.left > 0; {
		before := size(decls)
		for _, part := range []func([]*declared.Catalog) []item{inPackages(bundleEdits), inPackages(channelEdits), inPackages(entryEdits),
			inPackages(propertyEdits), inPackages(edgeEdits), deprecationItems} {
			decls = m.part(ctx, decls, part)
		}
		decls = m.simpler(ctx, decls)
		again = size(decls) < before
	}
	return decls
}

// simpler puts simpler constraints in the place of compounds. That changes how the
// cause is put into words, which is kept from then on.
func (m *minimizer) simpler(ctx context.Context, decls []*declared.Catalog) []*declared.Catalog {
	loose := m.loose
	m.loose = true
	for again := true; again && m.err == nil && m.left > 0; {
		before := size(decls)
		decls = m.part(ctx, decls, inPackages(simplerEdits))
		again = size(decls) < before
	}
	if f := m.failsDeclared(ctx, decls); f != nil {
		m.cause = f.cause
	}
	m.loose = loose
	return decls
}

// size is how much there is to read.
func size(decls []*declared.Catalog) int {
	n := 0
	for _, c := range decls {
		for _, b := range c.Blobs() {
			n += len(b)
		}
	}
	return n
}

// item is something that can be left out. Its edit finds it by name, since others may
// be gone.
type item func(decls []*declared.Catalog)

// part leaves out as many items of one kind as it can.
func (m *minimizer) part(ctx context.Context, decls []*declared.Catalog, list func([]*declared.Catalog) []item) []*declared.Catalog {
	items := list(decls)
	without := func(keep []bool) []*declared.Catalog {
		out := make([]*declared.Catalog, len(decls))
		for i, c := range decls {
			out[i] = c.Clone()
		}
		for i := len(items) - 1; i >= 0; i-- { // from behind, so that positions stay good
			if !keep[i] {
				items[i](out)
			}
		}
		return out
	}
	kept := reduce(len(items), func(keep []bool) bool { return m.failsDeclared(ctx, without(keep)) != nil })
	return without(kept)
}

// edit leaves something out of a package.
type edit func(*declared.Package)

// inPackages makes items of what can be left out of each package.
func inPackages(edits func(*declared.Package) []edit) func([]*declared.Catalog) []item {
	return func(decls []*declared.Catalog) (list []item) {
		for c := range decls {
			for p := range decls[c].Packages {
				for _, e := range edits(&decls[c].Packages[p]) {
					list = append(list, func(d []*declared.Catalog) { e(&d[c].Packages[p]) })
				}
			}
		}
		return list
	}
}

// bundleEdits leave out bundles; what replaced one replaces what it replaced.
func bundleEdits(pkg *declared.Package) (list []edit) {
	names := map[string]bool{}
	for _, b := range pkg.Bundles {
		if names[b.Name] {
			continue
		}
		names[b.Name] = true
		list = append(list, func(pkg *declared.Package) {
			pkg.Bundles = slices.DeleteFunc(pkg.Bundles, func(o declared.Bundle) bool { return o.Name == b.Name })
			for i := range pkg.Channels {
				splice(&pkg.Channels[i], b.Name)
			}
		})
	}
	return list
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

// channelEdits leave out channels. Another one becomes the default if need be.
func channelEdits(pkg *declared.Package) (list []edit) {
	for i, ch := range pkg.Channels {
		list = append(list, func(pkg *declared.Package) {
			pkg.Channels = slices.Delete(pkg.Channels, i, i+1)
			if pkg.DefaultChannel == ch.Name && pkg.Channel(ch.Name) == nil && len(pkg.Channels) > 0 {
				pkg.DefaultChannel = pkg.Channels[0].Name
			}
		})
	}
	return list
}

// entryEdits leave out entries, with and without joining the ends.
func entryEdits(pkg *declared.Package) (list []edit) {
	for i, ch := range pkg.Channels {
		for _, e := range ch.Entries {
			list = append(list,
				func(pkg *declared.Package) { splice(&pkg.Channels[i], e.Name) },
				func(pkg *declared.Package) { leaveOut(&pkg.Channels[i], e.Name) })
		}
	}
	return list
}

// edgeEdits leave out what entries say they replace and skip.
func edgeEdits(pkg *declared.Package) (list []edit) {
	for i, ch := range pkg.Channels {
		for j, e := range ch.Entries {
			entry := func(pkg *declared.Package) *declared.Entry { return &pkg.Channels[i].Entries[j] }
			if e.Replaces != "" {
				list = append(list, func(pkg *declared.Package) { entry(pkg).Replaces = "" })
			}
			if e.SkipRange != "" {
				list = append(list, func(pkg *declared.Package) { entry(pkg).SkipRange = "" })
			}
			for k := range e.Skips {
				list = append(list, func(pkg *declared.Package) { entry(pkg).Skips = slices.Delete(entry(pkg).Skips, k, k+1) })
			}
		}
	}
	return list
}

// propertyEdits leave out properties of bundles, but for what says their versions.
func propertyEdits(pkg *declared.Package) (list []edit) {
	for i, b := range pkg.Bundles {
		for j, prop := range b.Properties {
			if prop.Type != properties.TypePackage {
				list = append(list, func(pkg *declared.Package) {
					b := &pkg.Bundles[i]
					b.Properties = slices.Delete(b.Properties, j, j+1)
				})
			}
		}
	}
	return list
}

// deprecationItems are the entries of olm.deprecations blobs, and the priorities.
func deprecationItems(decls []*declared.Catalog) (list []item) {
	for c := range decls {
		if decls[c].Priority != 0 {
			list = append(list, func(d []*declared.Catalog) { d[c].Priority = 0 })
		}
	}
	entries := inPackages(func(pkg *declared.Package) (list []edit) {
		for i := range pkg.Deprecations {
			list = append(list, func(pkg *declared.Package) { pkg.Deprecations = slices.Delete(pkg.Deprecations, i, i+1) })
		}
		return list
	})
	return append(list, entries(decls)...)
}

// simplerEdits put a part of a compound constraint in the place of the whole.
func simplerEdits(pkg *declared.Package) (list []edit) {
	for i, b := range pkg.Bundles {
		for j, prop := range b.Properties {
			if prop.Type != properties.TypeConstraint {
				continue
			}
			for _, simpler := range simplify(prop.Value) {
				list = append(list, func(pkg *declared.Package) { pkg.Bundles[i].Properties[j].Value = simpler })
			}
		}
	}
	return list
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
				out = append(out, with(cut(body.Constraints, i)))
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
