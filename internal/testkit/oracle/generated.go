package oracle

import (
	"fmt"
	"slices"
)

// generated returns the subscriptions that own automatic bundles without an
// owner (section 5).
func (w *world) generated() []Subscription {
	var made []Subscription
	for i, v := range w.vars {
		in := &w.p.Installed[v.installed]
		owned := slices.ContainsFunc(w.p.Subscriptions, func(s Subscription) bool { return w.owner(&s) == i })
		if !in.Automatic || owned || v.pkg == "" {
			continue
		}
		if from, ok := w.origin(v); ok {
			s := generatedFor(v.pkg, from, append(slices.Clone(w.p.Subscriptions), made...))
			s.InstalledCSV = v.name
			made = append(made, s)
		}
	}
	return made
}

// origin is the catalog and channel of a bundle.
type origin struct {
	catalog Key
	channel string
}

// origin finds the unique origin of an installed bundle; a recorded channel
// and catalog are its origin.
func (w *world) origin(v *variable) (origin, bool) {
	in := &w.p.Installed[v.installed]
	if in.Catalog != (Key{}) && in.Channel != "" {
		return origin{in.Catalog, in.Channel}, true
	}
	var found []origin
	for c, p := range w.packagesOf(in.Catalog) {
		for _, ch := range p.Channels {
			at := origin{w.cats[c].Key, ch.Name}
			lists := slices.ContainsFunc(ch.Entries, func(e Entry) bool { return e.Name == v.name })
			if lists && p.Name == v.pkg && (in.Channel == "" || in.Channel == ch.Name) && !slices.Contains(found, at) {
				found = append(found, at)
			}
		}
	}
	if len(found) != 1 {
		return origin{}, false
	}
	return found[0], true
}

// generatedFor makes a subscription to a package at an origin, with a unique
// name.
func generatedFor(pkg string, from origin, others []Subscription) Subscription {
	s := Subscription{Package: pkg, Channels: []string{from.channel}, Catalog: from.catalog, Generated: true}
	s.Name = generatedName(&s)
	taken := func(name string) bool {
		return slices.ContainsFunc(others, func(o Subscription) bool { return o.Name == name })
	}
	for n := 2; taken(s.Name); n++ {
		s.Name = fmt.Sprintf("%s-%d", generatedName(&s), n)
	}
	return s
}

// generatedName returns the name of a generated subscription for a package in
// one channel of one catalog.
func generatedName(s *Subscription) string {
	return fmt.Sprintf("%s-%s-%s-%s", s.Package, only(s), s.Catalog.Name, s.Catalog.Namespace)
}

// only returns the channel of a subscription if it names exactly one.
func only(s *Subscription) string {
	if len(s.Channels) == 0 || slices.ContainsFunc(s.Channels, func(c string) bool { return c != s.Channels[0] }) {
		return ""
	}
	return s.Channels[0]
}

// ReadsAsGenerated reports whether a scenario file, which has no key for it,
// reads a subscription as generated: it has the name of a generated one and
// owns an automatic bundle.
func (p *Problem) ReadsAsGenerated(s *Subscription) bool {
	if only(s) == "" || s.Catalog == (Key{}) || s.Name != generatedName(s) {
		return false
	}
	w, err := currentState(p)
	if err != nil {
		return false
	}
	owned := w.owner(s)
	return owned >= 0 && p.Installed[w.vars[owned].installed].Automatic
}

// Generated lists the subscriptions generated for the automatic bundles of a
// problem.
func (p *Problem) Generated() []Subscription {
	w, err := currentState(p)
	if err != nil {
		return nil
	}
	return w.generated()
}

// Explicit returns the problem with its generated subscriptions made explicit.
// Its answer is the same.
func Explicit(p *Problem) *Problem {
	q := p.Clone()
	q.Subscriptions = append(q.Subscriptions, p.Generated()...)
	return q
}

// subscribe adds the generated subscription to each step that installs a
// dependency.
func (res *result) subscribe(steps []Step) {
	others := slices.Clone(res.w.subscriptions)
	for i := range steps {
		s := &steps[i]
		demanded := slices.ContainsFunc(s.Because, func(r Reason) bool { return r.Subscription != "" || r.Forced })
		if s.Action != "install" || demanded {
			continue
		}
		sub := generatedFor(s.Package, origin{s.Catalog, s.Channel}, others)
		sub.StartingCSV = s.Bundle
		others = append(others, sub)
		s.Subscription = &sub
	}
}

// Advance returns the problem after an answer is applied: exactly the result
// set is installed, owned by the subscriptions that it satisfies. Generated
// subscriptions become explicit.
func Advance(p *Problem, a Answer) *Problem {
	next := Explicit(p)
	generated := map[string]bool{}
	for i := range next.Subscriptions {
		s := &next.Subscriptions[i]
		generated[s.Name] = s.Generated
		if p.installedNow(s.InstalledCSV) == "" {
			s.InstalledCSV = ""
		}
		for _, st := range a.Steps {
			if slices.ContainsFunc(st.Because, func(r Reason) bool { return r.Subscription == s.Name }) {
				s.InstalledCSV = st.Bundle
			}
		}
	}
	next.Installed = nil
	for _, st := range a.Steps {
		in := p.installedAfter(st)
		if st.Action != "keep" {
			in.Automatic = !slices.ContainsFunc(st.Because, func(r Reason) bool {
				return r.Forced || r.Subscription != "" && !generated[r.Subscription]
			})
		}
		next.Installed = append(next.Installed, in)
		if st.Action != "keep" {
			next.Cluster.CRDs = in.Bundle.defineIn(next.Cluster.CRDs)
		}
		if st.Subscription != nil {
			s := *st.Subscription
			s.InstalledCSV = st.Bundle
			next.Subscriptions = append(next.Subscriptions, s)
		}
	}
	return next
}

func (p *Problem) installedAfter(s Step) Installed {
	if s.Action == "keep" {
		in := p.Installed[p.installed(s.Bundle)]
		in.Subscription, in.ReplacedBy = "", ""
		return in
	}
	in := Installed{Package: s.Package, Version: s.Version, Catalog: s.Catalog, Channel: s.Channel}
	for _, c := range p.Catalogs {
		for i := range c.Packages {
			if b := usable(&c.Packages[i], s.Bundle); c.Key == s.Catalog && c.Packages[i].Name == s.Package && b != nil {
				in.Bundle = *b
			}
		}
	}
	return in
}
