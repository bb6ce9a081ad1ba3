package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// Validate reports whether the scenario is valid by itself: required names are present, strings
// are valid, and what-ifs refer to existing objects. The error is an [*Error] that lists all
// problems. The resolver reports others, for example two subscriptions with the same name.
//
// Parse, Read and ReadFile have already called it.
func (s *Scenario) Validate() error {
	return s.wellFormed(context.Background())
}

// wellFormed is Validate with a context.
func (s *Scenario) wellFormed(ctx context.Context) error {
	ps := &problems{origin: &s.origin}
	s.validate(ctx, ps)
	if err := ctx.Err(); err != nil {
		return err
	}
	return ps.err()
}

// Limits of a scenario. A file of [MaxBytes] could hold a hundred times as much, and each what-if
// is a separate resolution.
const (
	MaxCatalogs      = 1_000
	MaxSubscriptions = 20_000
	MaxInstalled     = 20_000
	MaxCRDs          = 20_000
	MaxWhatIfs       = 1_000
	MaxExpected      = 1_000_000 // lists, objects and items of lists
)

// counted checks the lengths of lists, and reports whether they are within the limits.
func (s *Scenario) counted(ps *problems) bool {
	before := len(ps.found)
	for _, l := range []struct {
		path      string
		got, most int
	}{
		{"catalogs", len(s.Catalogs), MaxCatalogs}, {"subscriptions", len(s.Subscriptions), MaxSubscriptions},
		{"extensions", len(s.Extensions), MaxSubscriptions},
		{"installed", len(s.Installed), MaxInstalled}, {"cluster.crds", len(s.Cluster.CRDs), MaxCRDs}, {"relax", len(s.Relax), MaxSubscriptions}, {"whatif", len(s.WhatIf), MaxWhatIfs},
	} {
		if l.got > l.most {
			ps.add(l.path, "%d items exceed the limit of %d", l.got, l.most)
		}
	}
	changes := 0
	for i := range s.WhatIf {
		w := &s.WhatIf[i]
		changes += len(w.Drop.Subscriptions) + len(w.Drop.Installed) + len(w.Drop.Veto) + len(w.Add.Veto) + len(w.Add.Subscriptions) + len(w.Add.Installed) +
			len(w.Pin) + len(w.Forbid) + len(w.Force) + len(w.Priority)
	}
	if changes > MaxSubscriptions {
		ps.add("whatif", "%d changes in total exceed the limit of %d", changes, MaxSubscriptions)
	}
	return len(ps.found) == before
}

func (s *Scenario) validate(ctx context.Context, ps *problems) {
	if !s.counted(ps) {
		return
	}
	for i, c := range s.Catalogs {
		path := fmt.Sprintf("catalogs[%d]", i)
		ps.required(path, "name", c.Name)
		ps.content(path, c)
	}
	propertySet(ps, "cluster.properties", s.Cluster.Properties)
	for i, api := range s.Cluster.APIs {
		if err := api.Validate(); err != nil {
			ps.add(fmt.Sprintf("cluster.apis[%d]", i), "%v", err)
		}
	}
	s.validateCRDs(ps)
	requestInstalled(ps, "installed", s.Installed)
	requestSubscriptions(ps, "subscriptions", s.Subscriptions)
	s.validateExtensions(ps)
	for _, p := range s.Policy.Validate() {
		ps.add(p.Field, "%q is %s", p.Value, p.Message)
	}
	requestNow(ps, s.Now)
	requestForbid(ps, "forbid", s.Forbid)
	requestRelax(ps, s.Relax)
	s.validateWhatIfs(ctx, ps)
	ps.expect(s.Expect)
}

// validateCRDs checks that resource definitions have names, definitions, versions and owners.
func (s *Scenario) validateCRDs(ps *problems) {
	seen := make(map[string]bool, len(s.Cluster.CRDs))
	for i, d := range s.Cluster.CRDs {
		at := fmt.Sprintf("cluster.crds[%d]", i)
		ps.required(at, "name", d.Name)
		ps.required(at, "group", d.Group)
		ps.required(at, "kind", d.Kind)
		if seen[d.Name] {
			ps.add(at+".name", "two definitions have the name %q; names must differ", d.Name)
		}
		seen[d.Name] = true
		for k, v := range d.Versions {
			ps.required(fmt.Sprintf("%s.versions[%d]", at, k), "name", v.Name)
		}
		for k, o := range d.Owners {
			ps.required(fmt.Sprintf("%s.owners[%d]", at, k), "namespace", o.Namespace)
			ps.required(fmt.Sprintf("%s.owners[%d]", at, k), "bundle", o.Bundle)
		}
	}
}

// content checks that a catalog has its content in exactly one form.
func (ps *problems) content(path string, c Catalog) {
	var given []string
	for _, g := range []struct {
		words string
		given bool
	}{{"a path", c.Path != ""}, {"an image", c.Image != ""}, {"blobs", c.Blobs != nil}} {
		if g.given {
			given = append(given, g.words)
		}
	}
	switch len(given) {
	case 0:
		ps.add(path, "the catalog has no content; give a path, an image, or inline blobs")
	case 1:
	case 2:
		ps.add(path, "the catalog has both %s; give one of them", text.And(given))
	default:
		ps.add(path, "the catalog has %s; give one of them", text.And(given))
	}
}

func (s *Scenario) validateWhatIfs(ctx context.Context, ps *problems) {
	seen := make(map[string]bool, len(s.WhatIf))
	for i := range s.WhatIf {
		if ctx.Err() != nil {
			return
		}
		w, path := &s.WhatIf[i], fmt.Sprintf("whatif[%d]", i)
		ps.required(path, "name", w.Name)
		if seen[w.Name] && w.Name != "" {
			ps.add(path+".name", "%q: two what-ifs have this name; names must differ", w.Name)
		}
		seen[w.Name] = true
		requestInstalled(ps, path+".add.installed", w.Add.Installed)
		requestSubscriptions(ps, path+".add.subscriptions", w.Add.Subscriptions)
		requestForbid(ps, path+".forbid", w.Forbid)
		for j, name := range w.Force {
			ps.required(fmt.Sprintf("%s.force[%d]", path, j), "", name)
		}
		s.validateTargets(ps, path, w)
	}
}

// validateTargets checks that the target of each change exists.
func (s *Scenario) validateTargets(ps *problems, path string, w *WhatIf) {
	subs := text.Each(s.Subscriptions, func(s Subscription) string { return s.Name })
	subs = append(subs, text.Each(s.Extensions, func(e resolver.Extension) string { return e.Name })...) // extensions count as subscriptions
	installed := text.Each(s.Installed, func(in Installed) string { return in.Name })
	for i, name := range w.Drop.Subscriptions {
		ps.known(fmt.Sprintf("%s.drop.subscriptions[%d]", path, i), "subscription", name, subs)
	}
	for i, name := range w.Drop.Installed {
		ps.known(fmt.Sprintf("%s.drop.installed[%d]", path, i), "installed bundle", name, installed)
	}
	rules := text.Each(s.Policy.Veto, func(v resolver.VetoRule) string { return v.Rule })
	for i, rule := range w.Drop.Veto {
		ps.known(fmt.Sprintf("%s.drop.veto[%d]", path, i), "policy rule", rule, rules)
	}
	for i, v := range w.Add.Veto {
		ps.required(fmt.Sprintf("%s.add.veto[%d]", path, i), "rule", v.Rule)
	}
	left := slices.DeleteFunc(slices.Clone(subs), func(n string) bool { return slices.Contains(w.Drop.Subscriptions, n) })
	left = append(left, text.Each(w.Add.Subscriptions, func(s Subscription) string { return s.Name })...)
	for _, name := range slices.Sorted(maps.Keys(w.Pin)) {
		at := path + ".pin." + name
		ps.known(at, "subscription", name, left)
		ps.required(at, "", w.Pin[name])
	}
	catalogs := text.Each(s.Catalogs, func(c Catalog) string { return s.key(c).String() })
	for _, key := range slices.Sorted(maps.Keys(w.Priority)) {
		ps.known(path+".priority."+key, "catalog", key, catalogs)
	}
}

func (s *Scenario) validateExtensions(ps *problems) {
	if len(s.Extensions) > 0 && len(s.Subscriptions) > 0 {
		ps.add("extensions", "a scenario has either extensions or subscriptions; remove one of them")
	}
	for i, e := range s.Extensions {
		at := fmt.Sprintf("extensions[%d]", i)
		ps.required(at, "name", e.Name)
		ps.required(at, "package", e.Package)
		if slices.Contains(e.Channels, "") {
			ps.add(at+".channels", "a channel has no name")
		}
		e.Name, e.Package = "x", "x" // checked above
		if err := e.Validate(); err != nil {
			ps.add(at, "%v", err)
		}
	}
}

func (ps *problems) required(path, key, value string) {
	switch {
	case value != "":
	case key == "":
		ps.add(path, "is empty; a name is needed here")
	default:
		ps.add(path, "%s is missing", key)
	}
}

// known checks that a name is an existing one.
func (ps *problems) known(path, what, name string, there []string) {
	if !slices.Contains(there, name) {
		ps.add(path, "there is no %s %q%s", what, name, hint(name, there))
	}
}

// hint suggests similar names, or else a shortened list of the existing ones.
func hint(name string, there []string) string {
	const most = 8
	if near := text.DidYouMean(name, slices.Values(there)); near != "" || len(there) == 0 {
		return near
	}
	return "; there is " + text.Short(there, most)
}

// expect checks that an expectation has the shape of an answer.
func (ps *problems) expect(expect json.RawMessage) {
	if len(expect) == 0 {
		return
	}
	if !quickjson.Bounded(expect, MaxExpected) {
		ps.add("expect", "has more than %d lists, objects and items of lists, or more than %d levels of them", MaxExpected, quickjson.MaxLevels)
		return
	}
	dec := json.NewDecoder(bytes.NewReader(expect))
	dec.DisallowUnknownFields()
	var a *Answer
	if err := dec.Decode(&a); err != nil || a == nil {
		ps.add("expect", "not a valid answer: %v", err)
		return
	}
	ps.status("expect", a.Status)
	for i, w := range a.WhatIf {
		ps.status(fmt.Sprintf("expect.whatif[%d]", i), w.Status)
	}
}

func (ps *problems) status(path string, s Status) {
	all := []string{string(Resolved), string(Unsatisfiable), string(Invalid), string(Incomplete)}
	if s != "" {
		ps.known(path+".status", "status", string(s), all)
	}
}
