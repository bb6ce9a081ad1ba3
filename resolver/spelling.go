package resolver

import (
	"iter"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// didYouMean suggests names that somebody may have meant, "" if there are none. It
// ends soon after the context.
func (p *causes) didYouMean(want string, names iter.Seq[string]) string {
	return text.DidYouMean(want, text.Until(p.Context(), names))
}

// packageNames goes through the names of the packages of some catalogs.
func packageNames(cats []problem.Catalog) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, c := range cats {
			for pkg := range c.Content.Packages() {
				if !yield(pkg.Name) {
					return
				}
			}
		}
	}
}

// bundleNames goes through the names of the bundles of some catalogs.
func bundleNames(cats []problem.Catalog) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, c := range cats {
			for b := range c.Content.Bundles() {
				if !yield(b.Name) {
					return
				}
			}
		}
	}
}

// entryNames goes through the names of the entries of the channels that a
// subscription looks at.
func entryNames(s *problem.Subscription) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, l := range s.Looked {
			for i := range l.Channel.Entries {
				if !yield(l.Channel.Entries[i].Name) {
					return
				}
			}
		}
	}
}

// subscriptionNames goes through the names of the subscriptions of a request.
func subscriptionNames(req *Request) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range req.Subscriptions {
			if !yield(req.Subscriptions[i].Name) {
				return
			}
		}
		for i := range req.Extensions {
			if !yield(req.Extensions[i].Name) {
				return
			}
		}
	}
}

// installedNames goes through the names of what is installed.
func installedNames(req *Request) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range req.Installed {
			if !yield(req.Installed[i].Name) {
				return
			}
		}
	}
}

// usable lists the catalogs that a subscription to one of them, or to any if the key
// is zero, looks at.
func (p *causes) usable(key cache.Key) []problem.Catalog {
	if key == (cache.Key{}) {
		return p.Cats
	}
	return slices.DeleteFunc(slices.Clone(p.Cats), func(c problem.Catalog) bool { return c.Key != key })
}
