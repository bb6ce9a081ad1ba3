package oracle

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver"
)

// Answer is the answer to a problem.
type Answer struct {
	// Resolved reports whether there is a result set; otherwise all other
	// fields are empty.
	Resolved bool
	Set      []string // ascending
	Steps    []Step
	Warnings []Warning
	// Broken lists the installed bundles that policy Partial keeps although
	// they conflict with earlier ones, in the order of discovery. It is set
	// even without a result set.
	Broken []string
	// Unresolved lists the subscriptions that policy Partial dropped.
	Unresolved []string
	// Trace counts the work, for tests of the generators.
	Trace Trace
}

// Step is one bundle of the result set.
type Step struct {
	Wave       int
	Action     string
	Bundle     string
	Package    string
	Version    *Version // nil if unknown
	Catalog    Key
	Channel    string
	Replaces   []string
	Because    []Reason
	PassedOver []Ref
	// Subscription is created with a dependency (section 5).
	Subscription *Subscription
}

// Reason explains why a bundle is in the set: a subscription, the bundle
// itself, or a constraint of another bundle.
type Reason struct {
	Subscription string
	Installed    bool
	Forced       bool
	Bundle       string
	Constraint   *Constraint
}

// Warning is a warning without its text.
type Warning struct {
	Kind         string
	Bundle       string
	Subscription string
}

// Trace counts events of a search.
type Trace struct {
	Committed int // options of an `any` that committed to a whole child
	Idle      int // options that need no bundle
	Bans      int // distinct prohibitions imposed
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
