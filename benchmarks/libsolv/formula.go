package libsolv

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// op is the operator of a form.
type op int

const (
	holds   op = iota // always true
	fails             // always false
	present           // a bundle that provides name is present
	absent            // no such bundle is present
	every             // conjunction
	some              // disjunction
)

// form is a constraint with its negations pushed down to the atoms.
type form struct {
	op      op
	name    string          // present and absent: a libsolv dependency
	matches []*graph.Bundle // absent: the matches
	parts   []*form
}

// conjuncts returns the parts of a conjunction.
func (f *form) conjuncts() []*form {
	if f.op == every {
		var out []*form
		for _, part := range f.parts {
			out = append(out, part.conjuncts()...)
		}
		return out
	}
	return []*form{f}
}

// formula translates a constraint, or its negation.
func (t *translation) formula(c constraints.Constraint, negated bool) (*form, error) {
	if t.req.Policy.Compounds != resolver.CompoundsPerBundle {
		switch c := c.(type) {
		case *constraints.All:
			return t.compound(c.Constraints, every, negated, negated)
		case *constraints.Any:
			return t.compound(c.Constraints, some, negated, negated)
		case *constraints.Not: // no child holds
			return t.compound(c.Constraints, some, !negated, !negated)
		}
	}
	return t.atom(c, negated)
}

// compound joins children. dual exchanges "every" and "some".
func (t *translation) compound(children []constraints.Constraint, join op, dual, negated bool) (*form, error) {
	if dual {
		join = every + some - join
	}
	f := &form{op: join}
	for _, child := range children {
		part, err := t.formula(child, negated)
		if err != nil {
			return nil, err
		}
		f.parts = append(f.parts, part)
	}
	return f.simplified(), nil
}

// simplified drops constants.
func (f *form) simplified() *form {
	settles, void := fails, holds // for "every": a false part decides, a true part is neutral
	if f.op == some {
		settles, void = holds, fails
	}
	f.parts = slices.DeleteFunc(f.parts, func(p *form) bool { return p.op == void })
	if slices.ContainsFunc(f.parts, func(p *form) bool { return p.op == settles }) {
		return &form{op: settles}
	}
	switch len(f.parts) {
	case 0:
		return &form{op: void}
	case 1:
		return f.parts[0]
	}
	return f
}

// atom translates a constraint that one single bundle must match.
func (t *translation) atom(c constraints.Constraint, negated bool) (*form, error) {
	if api, ok := c.(*constraints.GVK); ok && slices.Contains(t.req.Cluster.APIs, api.GVK) {
		return settled(!negated), nil
	}
	matches, err := t.matches(c)
	switch {
	case err != nil:
		return nil, err
	case len(matches) == 0:
		return settled(negated), nil
	case negated:
		return &form{op: absent, name: t.name(c, matches), matches: matches}, nil
	default:
		return &form{op: present, name: t.name(c, matches)}, nil
	}
}

func settled(holding bool) *form {
	if holding {
		return &form{op: holds}
	}
	return &form{op: fails}
}

// matches lists the bundles that satisfy an atom.
func (t *translation) matches(c constraints.Constraint) ([]*graph.Bundle, error) {
	key := c.Key()
	if known, ok := t.found[key]; ok {
		return known, nil
	}
	var found []*graph.Bundle
	for _, b := range t.among(c) {
		ok, err := t.match(c, b)
		if err != nil {
			return nil, err
		}
		if ok {
			found = append(found, b)
		}
	}
	t.found[key] = found
	return found, nil
}

// match reports whether a bundle satisfies an atom.
func (t *translation) match(c constraints.Constraint, b *graph.Bundle) (bool, error) {
	if c, ok := c.(*constraints.Package); ok {
		return c.Name == b.Package && c.Range.Contains(*b.Version), nil
	}
	return t.eval.Match(t.ctx, c, t.subject(b))
}

// among returns the possible matches of an atom.
func (t *translation) among(c constraints.Constraint) []*graph.Bundle {
	switch c := c.(type) {
	case *constraints.Package:
		return t.versions[c.Name]
	case *constraints.GVK:
		return t.providers[c.GVK]
	case *constraints.CEL:
		if needs := c.Program.Needs(); needs.Packages != nil && !needs.Anything {
			var out []*graph.Bundle
			for _, name := range needs.Packages {
				out = append(out, t.versions[name]...)
			}
			for _, b := range t.bundles { // the cluster may name another package than the properties
				if own, ok := b.Properties.Package(); ok && own.Name != b.Package && slices.Contains(needs.Packages, own.Name) {
					out = append(out, b)
				}
			}
			return out
		}
	}
	return t.bundles
}

// subject caches the evaluation input of a bundle.
func (t *translation) subject(b *graph.Bundle) *constraints.Subject {
	s := t.subjects[b]
	if s == nil {
		s = constraints.NewSubject(b.Properties)
		t.subjects[b] = s
	}
	return s
}

// name returns a dependency that exactly the matches of an atom provide.
func (t *translation) name(c constraints.Constraint, matches []*graph.Bundle) string {
	switch c := c.(type) {
	case *constraints.GVK:
		return gvkName(c.GVK)
	case *constraints.Package:
		if dep, ok := t.versioned(c); ok {
			return dep
		}
	}
	key := c.Key()
	name, known := t.names[key]
	if !known {
		name = fmt.Sprintf("match(%d)", len(t.names)+1)
		t.names[key] = name
		for _, b := range matches {
			t.extra[b] = append(t.extra[b], name)
		}
	}
	return name
}

func gvkName(api properties.GVK) string {
	return "gvk(" + api.Group + "/" + api.Version + "/" + api.Kind + ")"
}

// text formats a form as a dependency. An absence becomes an auxiliary
// package.
func (t *translation) text(f *form) string {
	switch f.op {
	case fails:
		return unmeetable
	case present:
		return f.name
	case absent:
		return t.without(f.name)
	}
	sign := " & "
	if f.op == some {
		sign = " | "
	}
	parts := make([]string, len(f.parts))
	for i, p := range f.parts {
		parts[i] = "(" + t.text(p) + ")"
		if p.op == present && !strings.Contains(p.name, " ") || p.op == absent {
			parts[i] = t.text(p)
		}
	}
	return strings.Join(parts, sign)
}

// without returns the name of an auxiliary package that conflicts with dep.
func (t *translation) without(dep string) string {
	i := slices.IndexFunc(t.aux, func(a auxiliary) bool { return a.conflict == dep })
	if i < 0 {
		i = len(t.aux)
		t.aux = append(t.aux, auxiliary{fmt.Sprintf("without(%d)", i+1), dep})
	}
	return t.aux[i].name
}
