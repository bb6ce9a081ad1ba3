package debian

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Archive is the content of the package lists.
type Archive struct {
	packages  map[string]*versions
	names     []string // of the packages, ascending
	native    string   // their architecture
	providers map[string][]provider
}

// versions are the versions of one package: the n-th, from 1, is version n.0.0
// of a bundle.
type versions struct {
	label string // its catalog name
	list  []paragraph
}

// provider is a version of a package that provides another name.
type provider struct {
	*paragraph
	as relation
}

func archiveOf(list []paragraph) *Archive {
	a := &Archive{packages: make(map[string]*versions), providers: make(map[string][]provider)}
	for _, p := range list {
		if a.native == "" && p.arch != "all" {
			a.native = p.arch
		}
		v := a.packages[p.name]
		if v == nil {
			v = &versions{}
			a.packages[p.name] = v
		}
		if !slices.ContainsFunc(v.list, func(q paragraph) bool { return CompareVersions(p.version, q.version) == 0 }) {
			v.list = append(v.list, p)
		}
	}
	a.names = slices.Sorted(maps.Keys(a.packages))
	taken := make(map[string]bool)
	for _, name := range a.names {
		v := a.packages[name]
		slices.SortFunc(v.list, func(p, q paragraph) int { return CompareVersions(p.version, q.version) })
		for v.label = label(name); taken[v.label]; {
			v.label += "-x"
		}
		taken[v.label] = true
		for i := range v.list {
			p := &v.list[i]
			for _, as := range p.provides {
				a.providers[as.name] = append(a.providers[as.name], provider{p, as})
			}
		}
	}
	return a
}

// label returns a valid package name of a catalog.
func label(name string) string {
	return strings.NewReplacer("+", "-plus", ".", "-").Replace(name)
}

// target is a package of the catalog and versions of it, from 1.
type target struct {
	name  string
	ranks []int
}

// targets lists the matches of a relation: versions of the package of that
// name, and its providers.
func (a *Archive) targets(r relation, out []target) []target {
	if r.arch != "" && r.arch != "any" && r.arch != a.native {
		return out
	}
	if v := a.packages[r.name]; v != nil {
		for i, p := range v.list {
			if r.holds(p.version) {
				out = aim(out, r.name, i+1)
			}
		}
	}
	for _, by := range a.providers[r.name] {
		if (r.arch != "any" || by.allowed) && (r.operator == "" || by.as.version != "" && r.holds(by.as.version)) {
			rank := slices.IndexFunc(a.packages[by.name].list, func(p paragraph) bool { return p.version == by.version })
			out = aim(out, by.name, rank+1)
		}
	}
	return out
}

func aim(out []target, name string, rank int) []target {
	i := slices.IndexFunc(out, func(t target) bool { return t.name == name })
	if i < 0 {
		return append(out, target{name, []int{rank}})
	}
	if !slices.Contains(out[i].ranks, rank) {
		out[i].ranks = append(out[i].ranks, rank)
		slices.Sort(out[i].ranks)
	}
	return out
}

// within returns a target as the value of a constraint.
func (a *Archive) within(t target) map[string]any {
	v := a.packages[t.name]
	versionRange := ">=0.0.0"
	if len(t.ranks) < len(v.list) {
		var parts []string
		for _, rank := range t.ranks {
			parts = append(parts, fmt.Sprintf("%d.0.0", rank))
		}
		versionRange = strings.Join(parts, " || ")
	}
	return map[string]any{"packageName": v.label, "versionRange": versionRange}
}

// required returns a dependency clause as a property.
func (a *Archive) required(clause []relation) map[string]any {
	var all []target
	for _, r := range clause {
		all = a.targets(r, all)
	}
	switch len(all) {
	case 0: // no package has the name, or no version matches
		return property("olm.package.required", map[string]any{"packageName": label(clause[0].name), "versionRange": "<1.0.0"})
	case 1:
		return property("olm.package.required", a.within(all[0]))
	}
	return property("olm.constraint", map[string]any{"any": a.constraints(all)})
}

func (a *Archive) constraints(all []target) map[string]any {
	var list []any
	for _, t := range all {
		list = append(list, map[string]any{"package": a.within(t)})
	}
	return map[string]any{"constraints": list}
}

func property(kind string, value any) map[string]any {
	return map[string]any{"type": kind, "value": value}
}

// properties returns the properties of a package's bundle.
func (a *Archive) properties(p *paragraph, rank int) []any {
	all := []any{property("olm.package", map[string]any{"packageName": a.packages[p.name].label, "version": fmt.Sprintf("%d.0.0", rank)})}
	for _, clause := range p.depends {
		all = append(all, a.required(clause))
	}
	for _, r := range p.conflicts { // a package never conflicts with itself
		others := slices.DeleteFunc(a.targets(r, nil), func(t target) bool { return t.name == p.name })
		if len(others) > 0 {
			all = append(all, property("olm.constraint", map[string]any{"not": a.constraints(others)}))
		}
	}
	return all
}

// Len returns the number of packages, counting each version.
func (a *Archive) Len() int {
	n := 0
	for _, v := range a.packages {
		n += len(v.list)
	}
	return n
}

// Part returns every n-th package with the dependencies by their first
// alternatives.
func (a *Archive) Part(n int) *Archive {
	var part []paragraph
	in := make(map[string]bool)
	var todo []string
	take := func(name string) {
		if !in[name] {
			in[name] = true
			todo = append(todo, name)
		}
	}
	for i, name := range a.names {
		if i%n == 0 {
			take(name)
		}
	}
	for len(todo) > 0 {
		v := a.packages[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		part = append(part, v.list...)
		for _, p := range v.list {
			for _, clause := range p.depends {
				for _, r := range clause {
					if all := a.targets(r, nil); len(all) > 0 {
						take(all[0].name)
						break
					}
				}
			}
		}
	}
	return archiveOf(part)
}

// WriteList writes the packages as a list. The error is that of w.
func (a *Archive) WriteList(w io.Writer) error {
	for _, name := range a.names {
		for _, p := range a.packages[name].list {
			if _, err := io.WriteString(w, p.text); err != nil {
				return err
			}
		}
	}
	return nil
}

// bundleName returns the bundle name of a package version.
func bundleName(p *paragraph) string { return p.name + "_" + p.version }

// WriteCatalog writes the catalog, one blob per line. The error is that of w.
func (a *Archive) WriteCatalog(w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for _, name := range a.names {
		v := a.packages[name]
		blobs := []any{map[string]any{"schema": "olm.package", "name": v.label, "defaultChannel": "stable"}}
		var entries []any
		for i := range v.list {
			p := &v.list[i]
			entry := map[string]any{"name": bundleName(p)}
			if i > 0 {
				entry["replaces"] = bundleName(&v.list[i-1])
			}
			entries = append(entries, entry)
			blobs = append(blobs, map[string]any{"schema": "olm.bundle", "package": v.label, "name": bundleName(p),
				"image": "debian.example/" + v.label + ":" + fmt.Sprint(i+1), "properties": a.properties(p, i+1)})
		}
		blobs = append(blobs, map[string]any{"schema": "olm.channel", "package": v.label, "name": "stable", "entries": entries})
		for _, b := range blobs {
			if err := out.Encode(b); err != nil {
				return err
			}
		}
	}
	return nil
}
