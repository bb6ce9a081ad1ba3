package oracle

import "slices"

// Advance returns the problem as it is once an answer was carried out: what is in
// the result set is installed, owned by the subscriptions that it meets, and
// nothing else is. The subscriptions that are generated are written down.
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
			if b := c.Packages[i].usable(s.Bundle); c.Key == s.Catalog && c.Packages[i].Name == s.Package && b != nil {
				in.Bundle = *b
			}
		}
	}
	return in
}
