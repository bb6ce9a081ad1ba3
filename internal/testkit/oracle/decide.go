package oracle

import (
	"errors"
	"slices"
)

// errNoOption is returned if a decision has no option although the problem is
// satisfiable: a bug in the oracle or a gap in the semantics.
var errNoOption = errors.New("oracle: the problem is satisfiable, but a decision has no option")

// option is one way to satisfy a decision.
type option struct {
	v       int // the selected bundle, or -1 if none is needed
	commits []*form
	child   *form // the child of the `any` that it belongs to, or nil
}

// decision is an entry of the queue of section 6.
type decision struct {
	options []option
	met     func() bool // reports whether the selection already satisfies it
	own     int         // the catalog of the demanding bundle, -1 if unknown
	reason  demand
}

// demand is the bundle constraint that a decision satisfies.
type demand struct{ v, constraint int }

var noDemand = demand{v: -1}

// run is one execution of section 6.
type run struct {
	w        *world
	valid    []set // sets that satisfy every demand
	chosen   set
	order    []int
	commits  []*form
	banned   map[string]bool // keys of the imposed prohibitions
	rejected map[int][]int   // rejected options, by selected variable
	because  map[int]demand  // the decision, by selected variable
	queue    []decision
	trace    Trace
}

// decide finds the best result set. ok is false if there is none.
func (w *world) decide() (*run, bool, error) {
	r := &run{w: w, banned: map[string]bool{}, rejected: map[int][]int{}, because: map[int]demand{}}
	w.all().satisfying(len(w.vars), func(s set) bool { r.valid = append(r.valid, s); return true })
	if len(r.valid) == 0 {
		return nil, false, nil
	}
	for _, v := range w.stay { // step 1
		r.wantOneOf([]int{v})
	}
	for _, s := range w.subs {
		if !s.dropped {
			r.wantOneOf(s.cands)
		}
	}
	for _, f := range w.p.Force {
		r.wantOneOf(w.forced(f))
	}
	for len(r.queue) > 0 {
		d := r.queue[0]
		r.queue = r.queue[1:]
		if err := r.satisfy(d); err != nil {
			return nil, true, err
		}
	}
	if !slices.Contains(r.valid, r.chosen) {
		return nil, true, errors.New("oracle: every decision is made, but the result does not satisfy the problem")
	}
	return r, true, nil
}

func (r *run) wantOneOf(vs []int) {
	d := decision{reason: noDemand, met: func() bool { return r.chosen&setOf(vs) != 0 }}
	for _, v := range vs {
		d.options = append(d.options, option{v: v})
	}
	r.queue = append(r.queue, d)
}

// satisfy is step 2.
func (r *run) satisfy(d decision) error {
	if d.met() {
		return nil
	}
	var refused []int
	for _, o := range d.options {
		if r.possible(o) {
			r.selectOption(o, d, refused)
			return nil
		}
		if o.v >= 0 {
			refused = append(refused, o.v)
		}
	}
	return errNoOption
}

// possible reports whether the whole problem is still satisfiable with an
// option.
func (r *run) possible(o option) bool {
	chosen := r.chosen
	if o.v >= 0 {
		chosen |= bit(o.v)
	}
	return slices.ContainsFunc(r.valid, func(s set) bool {
		fails := func(f *form) bool { return !f.eval(s) }
		return s&chosen == chosen && !slices.ContainsFunc(r.commits, fails) && !slices.ContainsFunc(o.commits, fails)
	})
}

// selectOption selects an option and does step 3.
func (r *run) selectOption(o option, d decision, refused []int) {
	if o.v >= 0 && !r.chosen.has(o.v) {
		r.chosen |= bit(o.v)
		r.order = append(r.order, o.v)
		for _, v := range refused {
			if v != o.v && !slices.Contains(r.rejected[o.v], v) {
				r.rejected[o.v] = append(r.rejected[o.v], v)
			}
		}
		r.because[o.v] = d.reason
		for i, f := range r.w.vars[o.v].forms {
			r.need(f, r.w.vars[o.v].cat, demand{o.v, i})
		}
	}
	if o.v < 0 {
		r.trace.Idle++
	} else if len(o.commits) > 0 {
		r.trace.Committed++
	}
	for _, f := range o.commits { // the innermost first
		r.commits = append(r.commits, f)
		r.need(f, d.own, d.reason)
	}
}

// need enqueues a formula that must hold from now on, for a bundle of the
// catalog own.
func (r *run) need(f *form, own int, reason demand) {
	switch f.shape {
	case isBan:
		r.banned[f.key] = true
	case isAll:
		for _, k := range f.of {
			r.need(k, own, reason)
		}
	case isAtom, isAny:
		d := decision{options: r.w.optionsOf(f, own), met: func() bool { return r.met(f) }, own: own, reason: reason}
		r.queue = append(r.queue, d)
	}
}

// met reports whether the selection satisfies a formula. A prohibition is met
// only after it is imposed.
func (r *run) met(f *form) bool {
	return f.where(func(leaf *form) bool { return r.chosen&leaf.match != 0 || r.banned[leaf.key] })
}

// optionsOf lists the options of an atom or an `any` in the order of section
// 6: options that need no bundle first, then the candidates of all children by
// rank, with ties in the order of the children.
func (w *world) optionsOf(f *form, own int) []option {
	if f.shape == isAtom {
		return w.candidatesOf(f, own)
	}
	var idle, rest []option
	for _, k := range f.of {
		for _, o := range w.childOptions(k, own) {
			o.child = k
			if o.v < 0 {
				idle = append(idle, o)
			} else {
				rest = append(rest, o)
			}
		}
	}
	slices.SortStableFunc(rest, func(a, b option) int { return w.compare(own, w.vars[a.v], w.vars[b.v]) })
	return append(idle, rest...)
}

func (w *world) candidatesOf(f *form, own int) []option {
	var list []option
	for v := range w.vars {
		if f.match.has(v) {
			list = append(list, option{v: v})
		}
	}
	slices.SortStableFunc(list, func(a, b option) int { return w.compare(own, w.vars[a.v], w.vars[b.v]) })
	return list
}

// childOptions lists the options of one child of an `any`. An atom has its
// candidates; an `all` has those of its first atom, or else of its first
// `any`, each committing to the whole child.
func (w *world) childOptions(f *form, own int) []option {
	switch {
	case f.idle():
		return []option{{v: -1, commits: []*form{f}}}
	case f.shape == isAtom:
		return w.candidatesOf(f, own)
	}
	var list []option
	for _, o := range w.optionsOf(f.lead(), own) {
		commits := append(slices.Clone(o.commits), f)
		list = append(list, option{v: o.v, commits: commits})
	}
	return list
}

// lead returns the part of an `all` that supplies its candidates.
func (f *form) lead() *form {
	for _, shape := range []shape{isAtom, isAny} {
		for _, k := range f.of {
			if k.shape == shape {
				return k
			}
		}
	}
	panic("oracle: an idle `all` has no lead")
}
