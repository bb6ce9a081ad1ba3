package oracle

import "slices"

// Advance returns the problem as it is once an answer was carried out: what is in
// the result set is installed, owned by the subscriptions that it meets, and
// nothing else is.
func Advance(p *Problem, a Answer) *Problem {
	next := clone(p)
	next.Installed = nil
	for _, s := range a.Steps {
		next.Installed = append(next.Installed, p.installedAfter(s))
	}
	for i := range next.Subscriptions {
		s := &next.Subscriptions[i]
		if p.installedNow(s.InstalledCSV) == "" {
			s.InstalledCSV = ""
		}
		for _, st := range a.Steps {
			if slices.ContainsFunc(st.Because, func(r Reason) bool { return r.Subscription == s.Name }) {
				s.InstalledCSV = st.Bundle
			}
		}
	}
	return next
}

func (p *Problem) installedAfter(s Step) Installed {
	if s.Action == "keep" {
		in := p.Installed[slices.IndexFunc(p.Installed, func(in Installed) bool { return in.Bundle.Name == s.Bundle })]
		in.Subscription, in.ReplacedBy = "", ""
		return in
	}
	in := Installed{Package: s.Package, Catalog: s.Catalog, Channel: s.Channel}
	in.Automatic = !slices.ContainsFunc(s.Because, func(r Reason) bool { return r.Subscription != "" || r.Forced })
	for _, c := range p.Catalogs {
		for i := range c.Packages {
			if b := c.Packages[i].usable(s.Bundle); c.Key == s.Catalog && c.Packages[i].Name == s.Package && b != nil {
				in.Bundle = *b
			}
		}
	}
	return in
}
