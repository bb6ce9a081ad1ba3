package trace

import (
	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// Search is a beginning of the decisions, with nothing chosen.
type Search struct {
	// Look is how many levels of requirements are followed to refute a candidate
	// before it is chosen.
	Look int `json:"look"`
}

// DecisionKind is the subject of a decision.
type DecisionKind string

// The kinds of decisions.
const (
	// DecisionInstalled: an installed bundle without an owner stays.
	DecisionInstalled DecisionKind = "installed"
	// DecisionSubscription: a candidate for a subscription.
	DecisionSubscription DecisionKind = "subscription"
	// DecisionForced: a bundle that the request forces.
	DecisionForced DecisionKind = "forced"
	// DecisionConstraint: a candidate for a constraint of a selected bundle, or for a part of it.
	DecisionConstraint DecisionKind = "constraint"
)

// DecisionResult is how a decision ended.
type DecisionResult string

// The results of decisions.
const (
	// ResultChosen: a candidate was selected.
	ResultChosen DecisionResult = "chosen"
	// ResultSatisfied: the bundles selected before satisfy it.
	ResultSatisfied DecisionResult = "satisfied"
	// ResultDeadEnd: no candidate is left: an earlier choice is wrong, or there is no solution.
	ResultDeadEnd DecisionResult = "deadEnd"
)

// Decision is one entry of the queue of section 6 of the semantics, and how it ended.
type Decision struct {
	// Index is its place in the queue, from 0. What comes back after a dead end
	// takes the places of what was undone.
	Index int          `json:"index"`
	Kind  DecisionKind `json:"kind"`
	// Subject is the name of the subscription, of the installed or of the forced bundle;
	// for a constraint the name of the bundle that declares it.
	Subject string `json:"subject"`
	// Catalog is that of the bundle that declares a constraint.
	Catalog cache.Key `json:"catalog,omitzero"`
	// Constraint is the declared constraint in words, and Part the part of it that the
	// decision is about, where that is not the whole.
	Constraint string `json:"constraint,omitempty"`
	Part       string `json:"part,omitempty"`
	// Result is empty while the decision is open, and if the resolution was stopped
	// in the middle.
	Result DecisionResult `json:"result,omitempty"`
	// Choice is the bundle that was chosen. It is the zero Ref for a choice that needs
	// nothing to be installed.
	Choice Ref `json:"choice,omitzero"`
	// By are the chosen bundles that satisfy the decision already.
	By []Ref `json:"by,omitempty"`

	// Candidates are in a trace those that were looked at, in their order. Omitted
	// counts, by verdict, those that are not listed. Hooks get each by itself.
	Candidates []Candidate                `json:"candidates,omitempty"`
	Omitted    map[argument.Rejection]int `json:"omitted,omitempty"`
}

// Chosen is the verdict on the candidate that was chosen.
const Chosen argument.Rejection = "chosen"

// Candidate is one way to meet a decision, with what became of it.
type Candidate struct {
	// Index is its place among the candidates of the decision, from 0.
	Index int `json:"index"`
	// Ref is without a name for a part of an `any` that needs nothing to be installed.
	Ref
	// Verdict is Chosen, or a stable code for why it was passed over.
	Verdict argument.Rejection `json:"verdict"`
	// By is the chosen bundle that stands in its way, where there is one. For a
	// prohibition it is the bundle that declares it, the zero Ref if that is the
	// candidate itself.
	By Ref `json:"by,omitzero"`
	// Subject is what the verdict is about: the package, the API, or the requirement of
	// the candidate that cannot be met.
	Subject string `json:"subject,omitempty"`
}

// Back says that choices are undone after a dead end.
type Back struct {
	// Index and Subject are those of the decision that the search goes back to.
	Index   int    `json:"index"`
	Subject string `json:"subject"`
	// Refused is its candidate that turned out impossible, and Verdict why: all ways on
	// from it ended, or the solver says so. The search goes on with the next one.
	Refused Ref                `json:"refused"`
	Verdict argument.Rejection `json:"-"`
	// Retaken says that the candidate is not refused: what was learned from the dead end is
	// about earlier choices, and the decision is taken again.
	Retaken bool `json:"retaken,omitempty"`
	// Undone is the number of choices that are undone, that one included.
	Undone int `json:"undone"`
	// Undecided are the bundles that are not in the set any more, the latest first.
	Undecided []Ref `json:"undecided,omitempty"`
}

// LeftOut is a subscription that policy Partial leaves out, or an installed bundle that
// it found broken: one of both names is set.
type LeftOut struct {
	Subscription string `json:"subscription,omitempty"`
	Installed    string `json:"installed,omitempty"`
	// Headline is that of its conflict, which has so many Facts.
	Headline string `json:"headline"`
	Facts    int    `json:"-"`
	// Part says that the resolution is a part of a larger operation.
	Part bool `json:"-"`
}

// Conflict is what an explanation came to.
type Conflict struct {
	// Considered is the number of facts among which those of the conflict were found.
	Considered int `json:"considered"`
	// Facts counts the facts of the conflict, and Headline is its headline. Where the
	// search was stopped there are none. The same goes, under policy Partial, where an
	// explanation needs more of the request than was considered first; another one
	// follows then.
	Facts    int    `json:"facts"`
	Headline string `json:"headline,omitempty"`
	// NotMinimal says that fewer facts may do: the search for them was stopped early.
	NotMinimal bool `json:"notMinimal,omitempty"`
	// Error says what stopped the search.
	Error string   `json:"error,omitempty"`
	Took  Duration `json:"tookMs,omitempty"`
}
