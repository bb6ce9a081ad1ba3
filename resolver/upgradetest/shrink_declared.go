package upgradetest

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// declarations leaves out whatever the failure shows without, until nothing more can
// be left out.
func (m *minimizer) declarations(ctx context.Context, decls []*Catalog) []*Catalog {
	for again := true; again && m.err == nil && m.left > 0; {
		before := size(decls)
		for _, part := range []func([]*Catalog) []item{bundleItems, channelItems, entryItems, propertyItems, edgeItems, deprecationItems} {
			decls = m.part(ctx, decls, part)
		}
		decls = m.simpler(ctx, decls)
		again = size(decls) < before
	}
	return decls
}

// simpler puts simpler constraints in the place of compounds. That changes how the
// cause is put into words, which is kept from then on.
func (m *minimizer) simpler(ctx context.Context, decls []*Catalog) []*Catalog {
	loose := m.loose
	m.loose = true
	for again := true; again && m.err == nil && m.left > 0; {
		before := size(decls)
		decls = m.part(ctx, decls, simplerItems)
		again = size(decls) < before
	}
	if f := m.failsDeclared(ctx, decls); f != nil {
		m.cause = f.cause
	}
	m.loose = loose
	return decls
}

// size is how much there is to read.
func size(decls []*Catalog) int {
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
type item func(decls []*Catalog)

// part leaves out as many items of one kind as it can.
func (m *minimizer) part(ctx context.Context, decls []*Catalog, list func([]*Catalog) []item) []*Catalog {
	items := list(decls)
	without := func(keep []bool) []*Catalog {
		out := make([]*Catalog, len(decls))
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

// eachPackage calls fn for each package with its place.
func eachPackage(decls []*Catalog, fn func(c, p int, pkg *Package)) {
	for c := range decls {
		for p := range decls[c].Packages {
			fn(c, p, &decls[c].Packages[p])
		}
	}
}

// bundleItems are the bundles; what replaced one replaces what it replaced.
func bundleItems(decls []*Catalog) (list []item) {
	eachPackage(decls, func(c, p int, pkg *Package) {
		names := map[string]bool{}
		for i := range pkg.Bundles {
			name := pkg.Bundles[i].Name
			if names[name] {
				continue
			}
			names[name] = true
			list = append(list, func(d []*Catalog) {
				pkg := &d[c].Packages[p]
				pkg.Bundles = slices.DeleteFunc(pkg.Bundles, func(b Bundle) bool { return b.Name == name })
				for i := range pkg.Channels {
					pkg.Channels[i].splice(name)
				}
			})
		}
	})
	return list
}

// splice takes an entry out of a channel and joins the ends.
func (c *Channel) splice(name string) {
	e := c.Entry(name)
	replaces := ""
	if e != nil {
		replaces = e.Replaces
	}
	if replaces == name {
		replaces = ""
	}
	c.Entries = slices.DeleteFunc(c.Entries, func(e Entry) bool { return e.Name == name })
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

// channelItems are the channels. Another one becomes the default if need be.
func channelItems(decls []*Catalog) (list []item) {
	eachPackage(decls, func(c, p int, pkg *Package) {
		for i := range pkg.Channels {
			list = append(list, func(d []*Catalog) {
				pkg := &d[c].Packages[p]
				name := pkg.Channels[i].Name
				pkg.Channels = slices.Delete(pkg.Channels, i, i+1)
				if pkg.DefaultChannel == name && pkg.Channel(name) == nil && len(pkg.Channels) > 0 {
					pkg.DefaultChannel = pkg.Channels[0].Name
				}
			})
		}
	})
	return list
}

// entryItems are the entries, with and without joining the ends.
func entryItems(decls []*Catalog) (list []item) {
	eachPackage(decls, func(c, p int, pkg *Package) {
		for i := range pkg.Channels {
			for j := range pkg.Channels[i].Entries {
				name := pkg.Channels[i].Entries[j].Name
				list = append(list,
					func(d []*Catalog) { d[c].Packages[p].Channels[i].splice(name) },
					func(d []*Catalog) {
						ch := &d[c].Packages[p].Channels[i]
						ch.Entries = slices.DeleteFunc(ch.Entries, func(e Entry) bool { return e.Name == name })
					})
			}
		}
	})
	return list
}

// edgeItems are what entries say they replace and skip.
func edgeItems(decls []*Catalog) (list []item) {
	eachPackage(decls, func(c, p int, pkg *Package) {
		for i := range pkg.Channels {
			for j := range pkg.Channels[i].Entries {
				entry := func(d []*Catalog) *Entry { return &d[c].Packages[p].Channels[i].Entries[j] }
				e := &pkg.Channels[i].Entries[j]
				if e.Replaces != "" {
					list = append(list, func(d []*Catalog) { entry(d).Replaces = "" })
				}
				if e.SkipRange != "" {
					list = append(list, func(d []*Catalog) { entry(d).SkipRange = "" })
				}
				for k := range e.Skips {
					list = append(list, func(d []*Catalog) { entry(d).Skips = slices.Delete(entry(d).Skips, k, k+1) })
				}
			}
		}
	})
	return list
}

// propertyItems are the properties of bundles, but for what says their versions.
func propertyItems(decls []*Catalog) (list []item) {
	eachPackage(decls, func(c, p int, pkg *Package) {
		for i := range pkg.Bundles {
			for j := range pkg.Bundles[i].Properties {
				if pkg.Bundles[i].Properties[j].Type == properties.TypePackage {
					continue
				}
				list = append(list, func(d []*Catalog) {
					b := &d[c].Packages[p].Bundles[i]
					b.Properties = slices.Delete(b.Properties, j, j+1)
				})
			}
		}
	})
	return list
}

// deprecationItems are the entries of olm.deprecations blobs, and the priorities.
func deprecationItems(decls []*Catalog) (list []item) {
	for c := range decls {
		if decls[c].Priority != 0 {
			list = append(list, func(d []*Catalog) { d[c].Priority = 0 })
		}
	}
	eachPackage(decls, func(c, p int, pkg *Package) {
		for i := range pkg.Deprecations {
			list = append(list, func(d []*Catalog) {
				pkg := &d[c].Packages[p]
				pkg.Deprecations = slices.Delete(pkg.Deprecations, i, i+1)
			})
		}
	})
	return list
}

// simplerItems are compound constraints of which a part could stand for the whole.
func simplerItems(decls []*Catalog) (list []item) {
	eachPackage(decls, func(c, p int, pkg *Package) {
		for i := range pkg.Bundles {
			for j, prop := range pkg.Bundles[i].Properties {
				if prop.Type != properties.TypeConstraint {
					continue
				}
				for _, simpler := range simplify(prop.Value) {
					list = append(list, func(d []*Catalog) {
						d[c].Packages[p].Bundles[i].Properties[j] = scenario.Property{Type: properties.TypeConstraint, Value: simpler}
					})
				}
			}
		}
	})
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
		out = append(out, raw(fields))
	}
	for _, kind := range []string{"all", "any", "not", "none"} {
		var body struct {
			Constraints []json.RawMessage `json:"constraints"`
		}
		if json.Unmarshal(fields[kind], &body) != nil {
			continue
		}
		with := func(children []json.RawMessage) json.RawMessage {
			return raw(map[string]any{kind: map[string]any{"constraints": children}})
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
