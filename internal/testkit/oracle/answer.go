package oracle

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver"
)

// Answer is the answer to a problem.
type Answer struct {
	// Resolved says that there is a result set; without one all else is empty.
	Resolved bool
	Set      []string // ascending
	Steps    []Step
	Warnings []Warning
	// Broken are the installed bundles that policy Partial keeps although they
	// cannot hold together with those before them, in the order in which it
	// finds them. It is there without a result set as well.
	Broken []string
	// Unresolved are the subscriptions that policy Partial left out.
	Unresolved []string
	// Trace says what it took, for tests of the tests.
	Trace Trace
}

// Step is one bundle of the result set.
type Step struct {
	Wave       int
	Action     string
	Bundle     string
	Package    string
	Version    *Version // nil if it is not known
	Catalog    Key
	Channel    string
	Replaces   []string
	Because    []Reason
	PassedOver []Ref
	// Subscription is the one that comes with a dependency (section 5).
	Subscription *Subscription
}

// Reason is why a bundle is in the set: because of a subscription, by itself,
// or because of a constraint of another bundle.
type Reason struct {
	Subscription string
	Installed    bool
	Forced       bool
	Bundle       string
	Constraint   *Constraint
}

// Warning is a warning, without its words.
type Warning struct {
	Kind         string
	Bundle       string
	Subscription string
}

// Trace counts what happened on the way to an answer.
type Trace struct {
	Committed int // options of an `any` that committed to a whole child
	Idle      int // options that need nothing
	Bans      int // different prohibitions made
}

// Solve answers a problem as sections 2 to 8 define the answer.
func Solve(p *Problem) (Answer, error) {
	w, err := newWorld(p)
	if err != nil {
		return Answer{}, err
	}
	var a Answer
	if p.Policy.Failures == resolver.FailuresPartial {
		var ok bool
		a.Broken = w.admitInstalled()
		if a.Unresolved, ok = w.admitSubscriptions(); !ok {
			return Answer{Broken: a.Broken}, nil
		}
	}
	r, ok, err := w.decide()
	if err != nil || !ok {
		return Answer{Broken: a.Broken}, err
	}
	a.Resolved = true
	res := newResult(r)
	a.Steps = res.steps()
	for _, s := range a.Steps {
		a.Set = append(a.Set, s.Bundle)
	}
	slices.Sort(a.Set)
	a.Warnings = res.warnings()
	a.Trace = r.trace
	a.Trace.Bans = len(r.banned)
	return a, nil
}
