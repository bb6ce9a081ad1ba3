package catalogdiff

import (
	"context"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// side is one of the two states with its analysis.
type side struct {
	key     cache.Key
	content *cache.Catalog
	all     []resolver.Catalog // with the catalogs of Beside
	found   map[subject]*audit.Bundle
	order   []subject // of found, in the order of the audit
	summary audit.Summary
	held    map[holding]*held
	ends    map[holdingStart]string
}

func newSide(content *cache.Catalog, opts *Options) *side {
	if content == nil {
		content = cache.NewCatalog(nil, nil)
	}
	s := &side{key: opts.Key, content: content, found: make(map[subject]*audit.Bundle),
		held: make(map[holding]*held), ends: make(map[holdingStart]string)}
	s.all = append(s.all, resolver.Catalog{Key: opts.Key, Priority: opts.Priority, Content: content})
	for _, b := range opts.Beside {
		if b.Content != nil {
			s.all = append(s.all, b)
		}
	}
	return s
}

// catalog returns a catalog by its key as text, nil if there is none; the compared one has the
// empty text.
func (s *side) catalog(key string) *resolver.Catalog {
	for i := range s.all {
		if key == "" || s.all[i].Key.String() == key {
			return &s.all[i]
		}
	}
	return nil
}

func (s *side) pkg(of subject) *graph.Package {
	if c := s.catalog(of.catalog); c != nil {
		return c.Content.Package(of.pkg)
	}
	return nil
}

func (s *side) channel(of subject, name string) *graph.Channel {
	if p := s.pkg(of); p != nil {
		return p.Channel(name)
	}
	return nil
}

func (s *side) bundle(of subject) *graph.Bundle {
	if p := s.pkg(of); p != nil {
		return p.Bundle(of.bundle)
	}
	return nil
}

// name returns the key of a catalog in a subject: empty for the compared one.
func (s *side) name(key string) string {
	if key == s.key.String() {
		return ""
	}
	return key
}

func (s *side) packages(name string) []*graph.Package {
	var out []*graph.Package
	for _, c := range s.all {
		if p := c.Content.Package(name); p != nil {
			out = append(out, p)
		}
	}
	return out
}

func (s *side) count(names []string) int {
	n := 0
	for _, name := range names {
		for _, p := range s.packages(name) {
			n += len(p.Bundles)
		}
	}
	return n
}

// audit audits the packages in scope.
func (s *side) audit(ctx context.Context, c *comparison, done, total int) error {
	names := slices.DeleteFunc(slices.Clone(c.affected), func(name string) bool { return len(s.packages(name)) == 0 })
	if len(names) == 0 {
		return nil
	}
	o := &c.opts
	opts := audit.Options{Namespace: o.Namespace, Cluster: o.Cluster, Policy: o.Policy, Now: o.Now, Packages: names, Workers: o.Workers}
	if o.Progress != nil {
		opts.Progress = func(n, _ int) { o.Progress(done+n, total) }
	}
	opts.Each = func(b *audit.Bundle) error {
		at := subject{s.name(b.Catalog), b.Package, b.Bundle}
		s.found[at] = b
		s.order = append(s.order, at)
		return nil
	}
	summary, err := audit.Run(ctx, o.Resolver, s.all, opts)
	if err != nil {
		return err
	}
	s.summary = *summary
	return nil
}

// reason returns the cause of a conflict in one line, and the bundles in it.
func reason(c *resolver.Conflict) (text string, about map[string]bool) {
	if c == nil {
		return "", nil
	}
	about = make(map[string]bool)
	text = audit.Reason(c)
	for i := range c.Facts {
		f := &c.Facts[i]
		if f.Kind == argument.FactGVK && f.Text != text {
			text += ", and " + f.Text
		}
		about[f.Bundle] = true
		for _, r := range f.Candidates {
			about[r.Bundle] = true
		}
	}
	return text, about
}

// factKinds returns the distinct kinds of the facts of a conflict, sorted.
func factKinds(c *resolver.Conflict) []argument.FactKind {
	if c == nil {
		return nil
	}
	var kinds []argument.FactKind
	for i := range c.Facts {
		kinds = append(kinds, c.Facts[i].Kind)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}
