package lock

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// changes lists the differences between the question of a lock and the request as it is now, by
// kind.
func (l *Lock) changes(then, now *resolver.Request) (map[DriftKind][]Drift, error) {
	before := *then
	before.Catalogs = slices.Clone(then.Catalogs)
	for i := range before.Catalogs { // what installed bundles have in common with them is left out alike
		for _, c := range now.Catalogs {
			if c.Key == before.Catalogs[i].Key {
				before.Catalogs[i].Content = c.Content
			}
		}
	}
	a, b := scenario.Of(&before), scenario.Of(now)
	out := map[DriftKind][]Drift{DriftCatalog: l.catalogs(a, b, now)}
	var err error
	add := func(kind DriftKind, prefix string, was, is any) {
		list, failed := keys(kind, prefix, was, is)
		out[kind], err = append(out[kind], list...), cmp.Or(err, failed)
	}
	add(DriftPolicy, "policy.", a.Policy, b.Policy)
	out[DriftPolicy] = append(out[DriftPolicy], items(DriftPolicy, "the prohibition of", named(a.Forbid, func(f scenario.Forbid) string { return f.Bundle }), named(b.Forbid, func(f scenario.Forbid) string { return f.Bundle }))...)
	out[DriftPolicy] = append(out[DriftPolicy], items(DriftPolicy, "the relaxation of", named(a.Relax, func(r scenario.Relax) string { return r.Bundle }), named(b.Relax, func(r scenario.Relax) string { return r.Bundle }))...)
	type group struct {
		Namespace     string                  `json:"namespace,omitempty"`
		OperatorGroup *resolver.OperatorGroup `json:"operatorGroup,omitempty"`
	}
	add(DriftCluster, "", group{a.Namespace, a.OperatorGroup}, group{b.Namespace, b.OperatorGroup})
	add(DriftCluster, "cluster.", a.Cluster, b.Cluster)
	out[DriftCluster] = slices.Concat(out[DriftCluster], l.installed(a, b), l.subscriptions(a, b, now))
	return out, err
}

// catalogs compares the catalogs of two questions, and their content with the locked digests.
func (l *Lock) catalogs(a, b *scenario.Scenario, now *resolver.Request) []Drift {
	var out []Drift
	add := func(key, format string, args ...any) {
		out = append(out, Drift{DriftCatalog, key, fmt.Sprintf(format, args...)})
	}
	digests := make(map[string]string)
	for _, c := range l.Catalogs {
		digests[c.Key] = c.Digest
	}
	keyOf := func(c *scenario.Catalog) string { return c.Namespace + "/" + c.Name }
	then := make(map[string]*scenario.Catalog)
	for i := range a.Catalogs {
		then[keyOf(&a.Catalogs[i])] = &a.Catalogs[i]
	}
	for i := range b.Catalogs {
		is := &b.Catalogs[i]
		key := keyOf(is)
		was := then[key]
		if delete(then, key); was == nil {
			add(key, "catalog %s is new", key)
			continue
		}
		if c := now.Catalogs[i].Content; c != nil && c.ContentDigest() != digests[key] {
			add(key, "the content of catalog %s changed: its digest is %s, and was %s", key, short(c.ContentDigest()), short(digests[key]))
		}
		if was.Priority != is.Priority {
			add(key, "the priority of catalog %s is %d, and was %d", key, is.Priority, was.Priority)
		}
		if !maps.Equal(was.Labels, is.Labels) {
			add(key, "the labels of catalog %s changed", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(then)) {
		add(key, "catalog %s is not used any more", key)
	}
	return out
}

// short is a digest for people.
func short(digest string) string { return digest[:min(len(digest), len("sha256:")+12)] }

// installed compares installed bundles. Those of the locked answer, and what it replaces, are
// what carrying it out leads to.
func (l *Lock) installed(a, b *scenario.Scenario) []Drift {
	locked := l.names()
	was, is := named(a.Installed, func(in scenario.Installed) string { return in.Name }), named(b.Installed, func(in scenario.Installed) string { return in.Name })
	carriedOut := slices.ContainsFunc(l.Bundles, func(of Bundle) bool { _, there := is[of.Name]; return there && !of.Installed })
	var out []Drift
	for _, d := range items(DriftCluster, "installed bundle", was, is) {
		_, before := was[d.Subject]
		_, after := is[d.Subject]
		switch {
		case !before && locked[d.Subject]:
			continue
		case !after && !locked[d.Subject] && carriedOut:
			continue // replaced by a bundle of the answer
		}
		out = append(out, d)
	}
	return out
}

// subscriptions compares subscriptions and extensions, without the bundles that they own, which
// are compared as installed ones. Those that the answer generates are what carrying it out leads
// to.
func (l *Lock) subscriptions(a, b *scenario.Scenario, now *resolver.Request) []Drift {
	list := func(s *scenario.Scenario) map[string]string {
		subs := make(map[string]string)
		for _, sub := range s.Subscriptions {
			sub.InstalledCSV = ""
			subs[sub.Name] = encoded(sub)
		}
		for _, e := range s.Extensions {
			e.InstalledCSV = ""
			subs[e.Name] = encoded(e)
		}
		return subs
	}
	noun := "subscription"
	if len(a.Extensions)+len(b.Extensions) > 0 {
		noun = "extension"
	}
	was, is, locked := list(a), list(b), l.names()
	for _, sub := range now.Subscriptions {
		if _, before := was[sub.Name]; sub.Generated && !before && locked[sub.InstalledCSV] {
			delete(is, sub.Name)
		}
	}
	return items(DriftCluster, noun, was, is)
}

// encoded is a value for comparison.
func encoded(v any) string {
	data, _ := json.Marshal(v) // parts of scenarios always marshal
	return string(data)
}

// named encodes the items of a list by name; several of one name together.
func named[T any](list []T, name func(T) string) map[string]string {
	out := make(map[string]string, len(list))
	for _, item := range list {
		out[name(item)] += encoded(item)
	}
	return out
}

// items compares two lists by the names of their items, for a noun such as "subscription".
func items(kind DriftKind, noun string, was, is map[string]string) []Drift {
	var out []Drift
	for _, name := range slices.Sorted(maps.Keys(union(was, is))) {
		before, had := was[name]
		after, has := is[name]
		shown := text.Inert(name)
		switch {
		case !had:
			out = append(out, Drift{kind, name, fmt.Sprintf("%s %s is new", noun, shown)})
		case !has:
			out = append(out, Drift{kind, name, fmt.Sprintf("%s %s is gone", noun, shown)})
		case before != after:
			out = append(out, Drift{kind, name, fmt.Sprintf("%s %s is %s, and was %s", noun, shown, clip(after), clip(before))})
		}
	}
	return out
}

func union(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	if out == nil {
		out = make(map[string]string)
	}
	maps.Copy(out, b)
	return out
}

// clip shortens JSON for a sentence.
func clip(s string) string { return text.Inert(text.Clip(s, 200)) }

// keys compares the keys of two objects.
func keys(kind DriftKind, prefix string, was, is any) ([]Drift, error) {
	a, err := fields(was)
	b, failed := fields(is)
	if err = cmp.Or(err, failed); err != nil {
		return nil, err
	}
	var out []Drift
	for _, key := range slices.Sorted(maps.Keys(union(a, b))) {
		if a[key] != b[key] {
			name := prefix + key
			out = append(out, Drift{kind, name, fmt.Sprintf("%s is %s, and was %s", name, cmp.Or(clip(b[key]), "not set"), cmp.Or(clip(a[key]), "not set"))})
		}
	}
	return out, nil
}

// fields are the keys of an object with their JSON.
func fields(v any) (map[string]string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, err
	}
	out := make(map[string]string, len(raw))
	for key, value := range raw {
		out[key] = string(value)
	}
	return out, nil
}
