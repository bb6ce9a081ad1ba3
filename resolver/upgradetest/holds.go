package upgradetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// Holds reports whether a solution satisfies what its request demands, in a way of its
// own that shares nothing with how the resolver came by it: every constraint of
// every bundle of the set (section 3 of the semantics), at most one bundle of a
// package and one provider of an API, and that nothing installed is dropped, only
// replaced by a bundle that its subscription asked for (section 5). It returns what
// is wrong in words, empty if nothing is.
//
// The error is that of the context, or says that the rules cost too much to
// evaluate.
func Holds(ctx context.Context, req resolver.Request, sol *resolver.Solution) (string, error) {
	r := &resultSet{req: &req, parser: constraints.NewParser(),
		eval: constraints.NewEvaluator(constraints.EvaluatorOptions{Cluster: req.Cluster.Properties, APIs: req.Cluster.APIs})}
	for i := range sol.Steps {
		st := &sol.Steps[i]
		m := member{name: st.Bundle, catalog: st.Catalog, pkg: st.Package, version: st.Version, props: propsOf(&req, st), kept: st.Action == resolver.Keep}
		m.subject = constraints.NewSubject(m.props)
		r.members = append(r.members, m)
	}
	for _, u := range sol.Unresolved {
		if u.Installed != "" {
			r.broken = append(r.broken, u.Installed)
		}
	}
	wrong := cmp.Or(r.single(sol), r.stays(sol))
	for i := 0; i < len(r.members) && wrong == "" && r.err == nil; i++ {
		if !slices.Contains(r.broken, r.members[i].name) { // what was broken before asks for nothing that counts
			wrong = r.satisfied(ctx, &r.members[i])
		}
	}
	if r.err != nil {
		return "", r.err
	}
	return wrong, nil
}

type member struct {
	name    string
	catalog cache.Key
	pkg     string
	version *semver.Version
	props   properties.Set
	subject *constraints.Subject
	kept    bool // it is installed, and stays
}

type resultSet struct {
	req     *resolver.Request
	members []member
	eval    *constraints.Evaluator
	parser  *constraints.Parser
	broken  []string // installed bundles that policy Partial accepts
	excused []string // those of them that prohibitions of the bundle that is looked at do not count against
	hidden  []string // those of them that are not looked at inside of a prohibition
	err     error    // what stopped the evaluation of rules: what is found then does not count
}

func propsOf(req *resolver.Request, st *resolver.Step) properties.Set {
	for _, in := range req.Installed {
		if st.Action == resolver.Keep && in.Name == st.Bundle && in.Properties != nil {
			return *in.Properties
		}
	}
	from := st.Catalog
	if st.Action == resolver.Keep { // several catalogs may have a bundle of this name
		if from = st.KeptFrom; from.IsZero() {
			return properties.Set{} // none says what it is
		}
	}
	for _, pkg := range req.Packages(from, st.Package) {
		if b := pkg.Bundle(st.Bundle); b != nil {
			return b.Properties
		}
	}
	return properties.Set{}
}

// single looks for packages and APIs that come twice.
func (r *resultSet) single(sol *resolver.Solution) string {
	packages, apis := map[string]string{}, map[properties.GVK]string{}
	for i := range sol.Steps {
		st, m := &sol.Steps[i], &r.members[i]
		if slices.Contains(r.broken, m.name) {
			continue // excused from sharing its place with other installed ones
		}
		if first, twice := packages[st.Package]; twice && st.Package != "" {
			return fmt.Sprintf("%s and %s are both of package %s", text.Name(first), text.Name(m.name), text.Name(st.Package))
		}
		packages[st.Package] = m.name
		for api := range m.props.GVKs() {
			if first, twice := apis[api]; twice && first != m.name {
				return fmt.Sprintf("%s and %s both provide %s", text.Name(first), text.Name(m.name), api)
			}
			apis[api] = m.name
		}
	}
	return ""
}

// stays looks for installed bundles that are gone without being replaced. One that
// another is taking over from does not count any more.
func (r *resultSet) stays(sol *resolver.Solution) string {
	there := map[string]bool{}
	for i := range sol.Steps {
		st := &sol.Steps[i]
		there[st.Bundle] = true
		for _, old := range st.Replaces {
			there[old] = true
		}
	}
	installed := map[string]bool{}
	for _, in := range r.req.Installed {
		installed[in.Name] = true
	}
	for _, in := range r.req.Installed {
		if !there[in.Name] && !installed[in.ReplacedBy] {
			return fmt.Sprintf("%s was installed, and is neither kept nor replaced", text.Name(in.Name))
		}
	}
	return ""
}

func (r *resultSet) satisfied(ctx context.Context, m *member) string {
	if r.excused = nil; m.kept { // section 8: what installed bundles prohibit does not count against broken ones
		r.excused = r.broken
	}
	var list []constraints.Constraint
	for p := range m.props.All() {
		if c, ok, err := r.parser.FromProperty(p); ok && err == nil {
			list = append(list, c)
		}
	}
	for _, add := range r.req.Constraints {
		if meant(add.Bundle, m) {
			list = append(list, add.Constraint)
		}
	}
	for _, c := range list {
		if r.relaxed(m, c) {
			continue
		}
		if !r.true(ctx, c) {
			return fmt.Sprintf("%s requires %s, and does not have it", text.Name(m.name), c)
		}
	}
	return ""
}

func meant(ref resolver.BundleRef, m *member) bool {
	return ref.Name == m.name && (ref.Catalog.IsZero() || ref.Catalog == m.catalog)
}

func (r *resultSet) relaxed(m *member, c constraints.Constraint) bool {
	for _, rel := range r.req.Relax {
		if meant(rel.Bundle, m) && (rel.Constraint == nil || rel.Constraint.Key() == c.Key()) {
			return true
		}
	}
	return false
}

// true reports whether a formula holds in the set, by the table of section 3.
func (r *resultSet) true(ctx context.Context, c constraints.Constraint) bool {
	if r.req.Policy.Compounds == "PerBundle" {
		return r.matched(ctx, c)
	}
	isTrue := func(c constraints.Constraint) bool { return r.true(ctx, c) }
	isFalse := func(c constraints.Constraint) bool { return !r.true(ctx, c) }
	switch c := c.(type) {
	case *constraints.All:
		return !slices.ContainsFunc(c.Constraints, isFalse)
	case *constraints.Not:
		was := r.hidden
		r.hidden = r.excused
		prohibited := slices.ContainsFunc(c.Constraints, isTrue)
		r.hidden = was
		return !prohibited
	case *constraints.Any:
		return slices.ContainsFunc(c.Constraints, isTrue)
	}
	return r.matched(ctx, c)
}

// matched reports whether a single bundle satisfies the whole of a constraint.
func (r *resultSet) matched(ctx context.Context, c constraints.Constraint) bool {
	pkg, ofPackage := c.(*constraints.Package)
	return slices.ContainsFunc(r.members, func(m member) bool {
		if slices.Contains(r.hidden, m.name) {
			return false
		}
		if ofPackage {
			return m.pkg == pkg.Name && m.version != nil && pkg.Range.Contains(*m.version)
		}
		if r.err != nil {
			return false
		}
		ok, err := r.eval.Match(ctx, c, m.subject)
		r.err = err
		return ok
	})
}
