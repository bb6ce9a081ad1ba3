package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/resolver"
)

// shape is the kind of a formula.
type shape int

const (
	isConstant shape = iota // always true or always false: form.holds
	isAtom                  // a bundle of form.match is in the set
	isBan                   // form.of[0], which contains no negation, does not hold
	isAll
	isAny
)

// form is a constraint as a formula over the result set, with its negations
// pushed down to prohibitions.
type form struct {
	shape shape
	holds bool
	match set
	of    []*form
	key   string // of a ban
}

func constant(holds bool) *form { return &form{shape: isConstant, holds: holds} }

// eval reports whether the formula holds in a result set (section 3).
func (f *form) eval(s set) bool {
	switch f.shape {
	case isConstant:
		return f.holds
	case isAtom:
		return s&f.match != 0
	case isBan:
		return !f.of[0].eval(s)
	case isAll:
		for _, k := range f.of {
			if !k.eval(s) {
				return false
			}
		}
		return true
	}
	for _, k := range f.of {
		if k.eval(s) {
			return true
		}
	}
	return false
}

// where evaluates the formula, with leaf giving the value of its atoms and
// prohibitions.
func (f *form) where(leaf func(*form) bool) bool {
	holds := func(k *form) bool { return k.where(leaf) }
	switch f.shape {
	case isConstant:
		return f.holds
	case isAll:
		return !slices.ContainsFunc(f.of, func(k *form) bool { return !holds(k) })
	case isAny:
		return slices.ContainsFunc(f.of, holds)
	}
	return leaf(f)
}

// formOf converts a declared constraint.
func (w *world) formOf(c *Constraint) *form {
	if w.p.Policy.Compounds == resolver.CompoundsPerBundle {
		return w.single(c)
	}
	return w.positive(c)
}

// single makes one atom of a constraint, compound or not: a single bundle
// satisfies all of it.
func (w *world) single(c *Constraint) *form {
	if w.served(c) {
		return constant(true)
	}
	f := &form{shape: isAtom}
	for i, v := range w.vars {
		if w.matches(c, v) {
			f.match |= bit(i)
		}
	}
	return f
}

// served reports whether the cluster satisfies an atom.
func (w *world) served(c *Constraint) bool {
	return c.Kind == GVK && slices.Contains(w.p.Cluster.APIs, c.Name)
}

// matches reports whether one bundle satisfies all of a constraint.
func (w *world) matches(c *Constraint, v *variable) bool {
	child := func(k Constraint) bool { return w.matches(&k, v) }
	switch c.Kind {
	case GVK:
		return w.served(c) || slices.Contains(v.bundle.Provides, c.Name)
	case Pkg:
		return v.pkg == c.Name && v.version != nil && c.Range.Holds(*v.version)
	case Label:
		return slices.Contains(v.bundle.Labels, c.Name)
	case CEL:
		return c.Rule.eval(v.named, v.bundle, &w.p.Cluster) == isTrue
	case All:
		return !slices.ContainsFunc(c.Of, func(k Constraint) bool { return !child(k) })
	case Any:
		return slices.ContainsFunc(c.Of, child)
	}
	return !slices.ContainsFunc(c.Of, child)
}

// positive converts "c holds".
func (w *world) positive(c *Constraint) *form {
	switch c.Kind {
	case All:
		return compound(isAll, w.each(c.Of, w.positive))
	case Any:
		return compound(isAny, w.each(c.Of, w.positive))
	case Not:
		return compound(isAll, w.each(c.Of, w.negative))
	}
	return w.single(c)
}

// negative converts "c does not hold". A constraint without an inner negation
// becomes one prohibition.
func (w *world) negative(c *Constraint) *form {
	if !c.negates() {
		f := w.positive(c)
		if f.shape == isConstant {
			return constant(!f.holds)
		}
		return &form{shape: isBan, of: []*form{f}, key: c.key()}
	}
	switch c.Kind {
	case All:
		return compound(isAny, w.each(c.Of, w.negative))
	case Any:
		return compound(isAll, w.each(c.Of, w.negative))
	}
	return compound(isAny, w.each(c.Of, w.positive))
}

func (w *world) each(cs []Constraint, read func(*Constraint) *form) []*form {
	var fs []*form
	for i := range cs {
		fs = append(fs, read(&cs[i]))
	}
	return fs
}

func (c *Constraint) negates() bool {
	return c.Kind == Not || slices.ContainsFunc(c.Of, func(k Constraint) bool { return k.negates() })
}

// compound joins formulas. It flattens nested compounds of the same shape,
// drops constants, and unwraps a single child.
func compound(shape shape, of []*form) *form {
	f := &form{shape: shape}
	for _, k := range of {
		switch {
		case k.shape == shape:
			f.of = append(f.of, k.of...)
		case k.shape != isConstant:
			f.of = append(f.of, k)
		case k.holds == (shape == isAny):
			return k // decides the compound
		}
	}
	switch len(f.of) {
	case 0:
		return constant(shape == isAll)
	case 1:
		return f.of[0]
	}
	return f
}

// idle reports whether a formula needs no selection.
func (f *form) idle() bool {
	switch f.shape {
	case isBan:
		return true
	case isAll:
		return !slices.ContainsFunc(f.of, func(k *form) bool { return !k.idle() })
	}
	return false
}

// key is equal for equal constraints; failure messages are ignored.
func (c *Constraint) key() string {
	rule := ""
	if c.Rule != nil {
		rule = c.Rule.String()
	}
	var keys []string
	for i := range c.Of {
		keys = append(keys, c.Of[i].key())
	}
	return fmt.Sprintf("%s(%q %q %q)[%s]", c.Kind, c.Name, c.Range, rule, strings.Join(keys, ", "))
}
