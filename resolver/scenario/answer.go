package scenario

import (
	"encoding/json"

	"github.com/seed109e2655/resolute/resolver"
)

// Answer is the answer to a scenario in the shape in which it is written as
// JSON: the keys in this order, absent when empty.
type Answer struct {
	// Status is always there.
	Status Status `json:"status"`
	// Error says in words what is wrong with an invalid scenario, or what
	// stopped an incomplete resolution.
	Error string `json:"error,omitempty"`
	// Set holds the names of all bundles of the result set, sorted.
	Set []string `json:"set,omitempty"`
	// Steps are the bundles of the result set in the order of the work.
	Steps []Step `json:"steps,omitempty"`
	// Warnings are what did not stop the resolution and should be known.
	Warnings []Warning `json:"warnings,omitempty"`
	// Unresolved are the subscriptions that policy Partial left out.
	Unresolved []Unresolved `json:"unresolved,omitempty"`
	// Conflict says why there is no solution.
	Conflict *Conflict `json:"conflict,omitempty"`
	// WhatIf holds the answers to the scenario's changed problems, where they
	// were asked for.
	WhatIf []WhatIfAnswer `json:"whatif,omitempty"`
	// Stats is always there.
	Stats Stats `json:"stats"`
	// Trace records how the base problem was resolved, if that was asked for.
	Trace *resolver.Trace `json:"trace,omitempty"`
}

// Status says how a resolution ended.
type Status string

// The ways in which a resolution ends.
const (
	// Resolved: there is a result set.
	Resolved Status = "resolved"
	// Unsatisfiable: there is none; the conflict says why.
	Unsatisfiable Status = "unsatisfiable"
	// Invalid: the scenario is not a well-formed problem.
	Invalid Status = "invalid"
	// Incomplete: a time limit or a budget ran out first.
	Incomplete Status = "incomplete"
)

// Step is one bundle of the result set.
type Step struct {
	Wave     int    `json:"wave"`
	Action   string `json:"action"`
	Bundle   string `json:"bundle"`
	Package  string `json:"package,omitempty"`
	Version  string `json:"version,omitempty"`
	Catalog  string `json:"catalog,omitempty"`
	Channel  string `json:"channel,omitempty"`
	Replaces string `json:"replaces,omitempty"`
	// AlsoReplaces names further installed bundles that the step takes the
	// place of; there hardly ever are any.
	AlsoReplaces []string `json:"alsoReplaces,omitempty"`
	Because      []Reason `json:"because,omitempty"`
	PassedOver   []string `json:"passedOver,omitempty"`
	// Subscription is the one that comes with a bundle which is a dependency.
	Subscription *StepSubscription `json:"subscription,omitempty"`
	// Extension is the one of the plan that a dependency becomes, under OLM v1.
	Extension *StepExtension `json:"extension,omitempty"`
	// Image is the bundle's.
	Image string `json:"image,omitempty"`
}

// StepSubscription is a subscription that comes with a dependency.
type StepSubscription struct {
	Name        string `json:"name"`
	Package     string `json:"package"`
	Channel     string `json:"channel"`
	Catalog     string `json:"catalog"`
	StartingCSV string `json:"startingCSV"`
}

// StepExtension is an extension that installs a dependency.
type StepExtension struct {
	Name         string `json:"name"`
	Package      string `json:"package"`
	VersionRange string `json:"versionRange"`
}

// Reason says why a bundle is in the result set, in one of four ways.
type Reason struct {
	// Subscription is met by the bundle.
	Subscription string `json:"subscription,omitempty"`
	// Installed: it is there, and no subscription owns it.
	Installed bool `json:"installed,omitempty"`
	// Forced: a what-if forces it.
	Forced bool `json:"forced,omitempty"`
	// Bundle requires it, through Constraint.
	Bundle     string `json:"bundle,omitempty"`
	Constraint string `json:"constraint,omitempty"`
}

// Warning is something that did not stop the resolution.
type Warning struct {
	Kind         string `json:"kind"`
	Bundle       string `json:"bundle,omitempty"`
	Package      string `json:"package,omitempty"`
	Channel      string `json:"channel,omitempty"`
	Catalog      string `json:"catalog,omitempty"`
	Subscription string `json:"subscription,omitempty"`
	Message      string `json:"message,omitempty"`
}

// Unresolved is a subscription that was left out, or an installed bundle that is
// broken, and why.
type Unresolved struct {
	Subscription string    `json:"subscription,omitempty"`
	Installed    string    `json:"installed,omitempty"`
	Conflict     *Conflict `json:"conflict,omitempty"`
}

// Conflict says why there is no solution.
type Conflict struct {
	// Facts cannot all hold; without any one of them the rest can.
	Facts []Fact `json:"facts,omitempty"`
	// Text is the argument as printed.
	Text string `json:"text,omitempty"`
	// Corrections are the smallest sets of changes that help, best first.
	Corrections []Correction `json:"corrections,omitempty"`
	// Tried is how many sets of changes were tried where none was found.
	Tried int `json:"tried,omitempty"`
	// Further are the conflicts that have nothing in common with this one.
	Further []*Conflict `json:"further,omitempty"`
	// MoreFurther says that there would be more of them.
	MoreFurther bool `json:"moreFurther,omitempty"`
	// Source is the conflict as the resolver found it, for what is not in the
	// JSON: its headline, its graph, and which facts rule out which candidate. It
	// is nil in an answer that was not made here.
	Source *resolver.Conflict `json:"-"`
}

// Fact is one of the things that cannot all hold. Its kinds are those of package
// resolver.
type Fact struct {
	Kind         string      `json:"kind"`
	Subject      string      `json:"subject"`
	Text         string      `json:"text"`
	Message      string      `json:"message,omitempty"`
	Subscription string      `json:"subscription,omitempty"`
	Bundle       string      `json:"bundle,omitempty"`
	Package      string      `json:"package,omitempty"`
	Catalog      string      `json:"catalog,omitempty"`
	Channel      string      `json:"channel,omitempty"`
	Candidates   []Candidate `json:"candidates,omitempty"`
	// Omitted counts the candidates beyond those, in a very large conflict.
	Omitted int `json:"omitted,omitempty"`
}

// Candidate is a bundle that was looked at, and what rules it out in words.
type Candidate struct {
	Bundle   string `json:"bundle"`
	Rejected string `json:"rejected"`
}

// Correction is a set of changes after which the conflict is gone.
type Correction struct {
	Changes []Change `json:"changes,omitempty"`
	Text    string   `json:"text,omitempty"`
	Result  []string `json:"result,omitempty"`
	// Remaining is how many other conflicts it leaves.
	Remaining int `json:"remaining,omitempty"`
}

// Change is one change of the request. Its kinds are those of package resolver.
type Change struct {
	Kind    string `json:"kind"`
	Subject string `json:"subject"`
}

// WhatIfAnswer is the answer to one changed problem.
type WhatIfAnswer struct {
	Name   string   `json:"name"`
	Status Status   `json:"status"`
	Error  string   `json:"error,omitempty"`
	Set    []string `json:"set,omitempty"`
	Steps  []Step   `json:"steps,omitempty"`
	// Warnings and Unresolved are those of the changed problem.
	Warnings   []Warning    `json:"warnings,omitempty"`
	Unresolved []Unresolved `json:"unresolved,omitempty"`
	Conflict   *Conflict    `json:"conflict,omitempty"`
	// Diff says how the result differs from that of the base problem; it is nil
	// without a result. Where the base has none, all of it is installed.
	Diff *Diff `json:"diff,omitempty"`
}

// Diff says how one result set differs from another, in the order of the names.
type Diff struct {
	Install []string `json:"install,omitempty"`
	Remove  []string `json:"remove,omitempty"`
	Upgrade []Move   `json:"upgrade,omitempty"`
	Keep    []string `json:"keep,omitempty"`
}

// Move is a package that goes from one bundle to another.
type Move struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Stats counts the work of one resolution.
type Stats struct {
	// Bundles is the number of bundles in the catalogs, Reached of those that
	// were looked at.
	Bundles int `json:"bundles"`
	Reached int `json:"reached"`
	// Variables and Clauses are the size of the formula given to the solver,
	// Solves the number of calls.
	Variables int `json:"variables"`
	Clauses   int `json:"clauses"`
	Solves    int `json:"solves"`
	// LoadMs and ResolveMs are milliseconds.
	LoadMs    float64 `json:"loadMs"`
	ResolveMs float64 `json:"resolveMs"`
}

// tree returns the answer as decoded JSON, the form in which it is compared.
func (a *Answer) tree() (any, error) {
	data, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	return decodeTree(data)
}
