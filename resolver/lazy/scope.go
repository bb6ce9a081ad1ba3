package lazy

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// Scopes let packages be installed more than once, once in each scope: section 15 of the semantics.
type Scopes struct {
	// Names are the scopes, such as the components of a product: distinct, of lower-case letters,
	// digits and hyphens. Other names make every call of the provider fail.
	Names []string
	// Shared reports whether a package is installed at most once for all scopes; nil for none.
	Shared func(pkg string) bool
}

// In returns the name of a package, or of a version of it, in a scope: etcd@web.
func In(scope, name string) string { return name + "@" + scope }

// Cut splits a name into that of the package or version and the scope. The scope is empty for a name
// in none of the scopes.
func (s Scopes) Cut(name string) (base, scope string) {
	if i := strings.LastIndexByte(name, '@'); i >= 0 && slices.Contains(s.Names, name[i+1:]) {
		return name[:i], name[i+1:]
	}
	return name, ""
}

// shared reports whether a package is in no scope.
func (s Scopes) shared(pkg string) bool { return s.Shared != nil && s.Shared(pkg) }

// Provider returns a provider of the packages in their scopes. It asks p once for what several scopes
// need. Versions that a rule in CEL constrains are quarantined: a rule cannot be confined to a scope.
func (s Scopes) Provider(p Provider) Provider {
	return &scoped{Scopes: s, of: p, packages: make(map[string]*Package), details: make(map[Ref]Details), parser: constraints.NewParser()}
}

// Catalog returns a catalog of all packages in their scopes, for resolutions with whole catalogs. The
// error is that of the context.
func (s Scopes) Catalog(ctx context.Context, c *cache.Catalog) (*cache.Catalog, error) {
	session := NewSession(nil, Catalog{Provider: s.Provider(FromCatalog(c))})
	n := &needs{seen: make(map[any]bool)}
	for p := range c.Packages() {
		if s.shared(p.Name) {
			n.list(cache.Key{}, p.Name)
			continue
		}
		for _, scope := range s.Names {
			n.list(cache.Key{}, In(scope, p.Name))
		}
	}
	if err := session.complete(ctx, n); err != nil {
		return nil, err
	}
	defer session.share()
	return session.catalogs[0].catalog(), nil
}

// scoped is a provider of packages in scopes. It keeps what it was given.
type scoped struct {
	Scopes
	of       Provider
	packages map[string]*Package
	details  map[Ref]Details
	parser   *constraints.Parser
}

// Packages implements [Provider].
func (s *scoped) Packages(ctx context.Context, names []string) ([]*Package, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	missing := make(map[string]bool)
	for _, name := range names {
		base, scope := s.Cut(name)
		if _, ok := s.packages[base]; !ok && (scope == "") == s.shared(base) {
			missing[base] = true
		}
	}
	ask := slices.Sorted(maps.Keys(missing))
	if len(ask) > 0 {
		list, err := s.of.Packages(ctx, ask)
		if err != nil {
			return nil, err
		}
		if len(list) != len(ask) {
			return nil, miscounted(len(list), len(ask))
		}
		for i, p := range list {
			s.packages[ask[i]] = p
		}
	}
	out := make([]*Package, len(names))
	for i, name := range names {
		base, scope := s.Cut(name)
		if p := s.packages[base]; p != nil && (scope == "") == s.shared(base) {
			if out[i] = p; scope != "" {
				out[i] = p.in(base, scope)
			}
		}
	}
	return out, nil
}

// in returns the package in a scope.
func (p *Package) in(name, scope string) *Package {
	out := *p
	out.Versions = slices.Clone(p.Versions)
	for i := range out.Versions {
		v := &out.Versions[i]
		v.Name = In(scope, v.name(name))
	}
	out.Channels = slices.Clone(p.Channels)
	for i := range out.Channels {
		entries := slices.Clone(out.Channels[i].Entries)
		for j := range entries {
			e := &entries[j]
			if e.Name = In(scope, e.Name); e.Replaces != "" {
				e.Replaces = In(scope, e.Replaces)
			}
			e.Skips = slices.Clone(e.Skips)
			for k := range e.Skips {
				e.Skips[k] = In(scope, e.Skips[k])
			}
		}
		out.Channels[i].Entries = entries
	}
	out.Deprecations = slices.Clone(p.Deprecations)
	for i := range out.Deprecations {
		if d := &out.Deprecations[i]; d.Schema != graph.SchemaChannel && d.Name != "" {
			d.Name = In(scope, d.Name)
		}
	}
	return &out
}

// Details implements [Provider].
func (s *scoped) Details(ctx context.Context, versions []Ref) ([]Details, error) {
	var ask []Ref
	asked := make(map[Ref]bool)
	for _, ref := range versions {
		base := s.base(ref)
		if _, ok := s.details[base]; !ok && !asked[base] {
			asked[base] = true
			ask = append(ask, base)
		}
	}
	if len(ask) > 0 {
		list, err := s.of.Details(ctx, ask)
		if err != nil {
			return nil, err
		}
		if len(list) != len(ask) {
			return nil, miscounted(len(list), len(ask))
		}
		for i, d := range list {
			s.details[ask[i]] = d
		}
	}
	out := make([]Details, len(versions))
	for i, ref := range versions {
		out[i] = s.details[s.base(ref)]
		if _, scope := s.Cut(ref.Package); scope != "" {
			out[i] = s.within(scope, out[i])
		}
	}
	return out, nil
}

// base returns a version without its scope.
func (s *scoped) base(of Ref) Ref {
	pkg, scope := s.Cut(of.Package)
	if scope == "" {
		return of
	}
	return Ref{pkg, strings.TrimSuffix(of.Name, "@"+scope)}
}

// within returns the contents of a version in a scope: what it provides belongs to the scope, and what it
// requires is of the scope or shared.
func (s *scoped) within(scope string, d Details) Details {
	var kept []*properties.Property
	var requires []constraints.Constraint
	for p := range d.Properties.All() {
		switch v := p.Value().(type) {
		case properties.Package:
		case properties.GVK:
			kept = append(kept, propertyOf(properties.TypeGVK, apiIn(scope, v)))
		case properties.Label:
			kept = append(kept, labelOf(In(scope, string(v))))
		default:
			c, required, err := s.parser.FromProperty(p)
			switch {
			case err != nil:
				kept = append(kept, p) // quarantines the version
			case required:
				requires = append(requires, c)
			default:
				kept = append(kept, p)
			}
		}
	}
	requires = append(requires, d.Requires...)
	d.Properties, d.Requires = properties.NewSet(kept...), nil
	for _, c := range requires {
		own, ok := s.confine(scope, c)
		if !ok {
			d.Flaws = append(slices.Clip(d.Flaws), graph.Flaw{Code: "constraintInvalid",
				Message: "the version has a constraint with a rule, which cannot be confined to a scope: " + c.String()})
			continue
		}
		d.Requires = append(d.Requires, own)
	}
	return d
}

// confine returns a constraint of a version in a scope. The result is false if it has a rule.
func (s *scoped) confine(scope string, c constraints.Constraint) (constraints.Constraint, bool) {
	var out constraints.Constraint
	switch c := c.(type) {
	case *constraints.Package:
		own := *c
		if !s.shared(c.Name) {
			own.Name = In(scope, c.Name)
		}
		return &own, true
	case *constraints.GVK:
		out = constraints.NewAny(&constraints.GVK{GVK: apiIn(scope, c.GVK)}, &constraints.GVK{GVK: c.GVK}) // which the cluster may serve
	case *constraints.Label:
		out = constraints.NewAny(&constraints.Label{Label: In(scope, c.Label)}, &constraints.Label{Label: c.Label})
	case *constraints.All:
		kids, ok := s.confineAll(scope, c.Constraints)
		if !ok {
			return nil, false
		}
		out = constraints.NewAll(kids...)
	case *constraints.Any:
		kids, ok := s.confineAll(scope, c.Constraints)
		if !ok {
			return nil, false
		}
		out = constraints.NewAny(kids...)
	case *constraints.Not:
		kids, ok := s.confineAll(scope, c.Constraints)
		if !ok {
			return nil, false
		}
		out = constraints.NewNot(kids...)
	default:
		return nil, false
	}
	return constraints.WithMessage(out, c.Message()), true
}

func (s *scoped) confineAll(scope string, list []constraints.Constraint) ([]constraints.Constraint, bool) {
	out := make([]constraints.Constraint, len(list))
	for i, c := range list {
		own, ok := s.confine(scope, c)
		if !ok {
			return nil, false
		}
		out[i] = own
	}
	return out, true
}

// apiIn returns an API as a scope has it: its group is a subdomain, so that it remains valid.
func apiIn(scope string, g properties.GVK) properties.GVK {
	g.Group = strings.TrimPrefix(g.Group+"."+scope+apiScope, ".")
	return g
}

const apiScope = ".scope"

// cutAPI splits an API into that of the provider and its scope.
func (s Scopes) cutAPI(g properties.GVK) (properties.GVK, string) {
	for _, scope := range s.Names {
		if group, ok := strings.CutSuffix("."+g.Group, "."+scope+apiScope); ok {
			g.Group = strings.TrimPrefix(group, ".")
			return g, scope
		}
	}
	return g, ""
}

// validate returns an error for a name that is no scope.
func (s Scopes) validate() error {
	for i, name := range s.Names {
		if propertyOf(properties.TypeGVK, properties.GVK{Group: name, Version: "v1", Kind: "Kind"}) == nil || strings.Contains(name, ".") || slices.Contains(s.Names[:i], name) {
			return fmt.Errorf("%q is not the name of a scope: names are distinct, and have lower-case letters, digits and hyphens between them", name)
		}
	}
	return nil
}

// Find implements [Provider].
func (s *scoped) Find(ctx context.Context, queries []Query) ([][]Ref, error) {
	base, scopes := make([]Query, len(queries)), make([]string, len(queries))
	for i, q := range queries {
		switch q := q.(type) {
		case ByAPI:
			q.API, scopes[i] = s.cutAPI(q.API)
			base[i] = q
		case ByLabel:
			q.Label, scopes[i] = s.Cut(q.Label)
			base[i] = q
		case ByName:
			q.Name, scopes[i] = s.Cut(q.Name)
			base[i] = q
		default:
			base[i] = q
		}
	}
	found, err := s.of.Find(ctx, base)
	if err != nil {
		return nil, err
	}
	if len(found) != len(queries) {
		return nil, miscounted(len(found), len(queries))
	}
	out := make([][]Ref, len(found))
	for i, refs := range found {
		for _, ref := range refs {
			switch scope := scopes[i]; {
			case s.shared(ref.Package) != (scope == ""):
			case scope == "":
				out[i] = append(out[i], ref)
			default:
				out[i] = append(out[i], Ref{In(scope, ref.Package), In(scope, ref.Name)})
			}
		}
	}
	return out, nil
}
