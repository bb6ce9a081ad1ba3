package trace

import (
	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// Search is the start of a search.
type Search struct {
	// Look is the number of levels of requirements that propagation follows to reject a
	// candidate.
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

// Decision is one entry of the queue of section 6 of the semantics, with its result.
type Decision struct {
	// Index is its position in the queue, from 0. After backtracking, indexes are reused.
	Index int          `json:"index"`
	Kind  DecisionKind `json:"kind"`
	// Subject is the name of the subscription, of the installed or of the forced bundle;
	// for a constraint the name of the bundle that declares it.
	Subject string `json:"subject"`
	// Catalog is the catalog of the bundle that declares a constraint.
	Catalog cache.Key `json:"catalog,omitzero"`
	// Constraint is the text of the constraint, and Part that of the part to decide if it is not
	// the whole.
	Constraint string `json:"constraint,omitempty"`
	Part       string `json:"part,omitempty"`
	// Result is empty while the decision is open, and if the resolution was stopped.
	Result DecisionResult `json:"result,omitempty"`
	// Choice is the selected bundle; zero for an option that installs nothing.
	Choice Ref `json:"choice,omitzero"`
	// By lists the selected bundles that satisfy the decision already.
	By []Ref `json:"by,omitempty"`

	// Candidates are the candidates considered, in order. Omitted counts, by verdict, those not
	// listed. Hooks receive each as an event instead.
	Candidates []Candidate                `json:"candidates,omitempty"`
	Omitted    map[argument.Rejection]int `json:"omitted,omitempty"`
}

// Chosen is the verdict of the selected candidate.
const Chosen argument.Rejection = "chosen"

// Candidate is one candidate of a decision and its verdict.
type Candidate struct {
	// Index is its position among the candidates, from 0.
	Index int `json:"index"`
	// Ref has no name for an option of an `any` that installs nothing.
	Ref
	// Verdict is Chosen, or the stable code of the rejection.
	Verdict argument.Rejection `json:"verdict"`
	// By is the selected bundle that conflicts with it, if any. For a prohibition it is the
	// bundle that declares it; zero if that is the candidate itself.
	By Ref `json:"by,omitzero"`
	// Subject is the package, the API, or the requirement that causes the rejection.
	Subject string `json:"subject,omitempty"`
}

// Back reports a backtrack.
type Back struct {
	// Index and Subject identify the decision to which the search backtracks.
	Index   int    `json:"index"`
	Subject string `json:"subject"`
	// Refused is its rejected candidate, and Verdict the reason: the search or the solver found
	// no solution with it. The search goes on with the next candidate.
	Refused Ref                `json:"refused"`
	Verdict argument.Rejection `json:"-"`
	// Retaken reports whether the candidate is not rejected: a learned clause excludes earlier
	// choices, and the decision is repeated.
	Retaken bool `json:"retaken,omitempty"`
	// Undone is the number of undone decisions, including this one.
	Undone int `json:"undone"`
	// Undecided lists the bundles removed from the set, the latest first.
	Undecided []Ref `json:"undecided,omitempty"`
}

// LeftOut is a dropped subscription or a broken installed bundle under policy Partial. Exactly
// one of the names is set.
type LeftOut struct {
	Subscription string `json:"subscription,omitempty"`
	Installed    string `json:"installed,omitempty"`
	// Headline is the headline of its conflict, and Facts the number of facts.
	Headline string `json:"headline"`
	Facts    int    `json:"-"`
	// Part reports whether the resolution is part of a larger operation.
	Part bool `json:"-"`
	// Terms are the nouns of texts.
	Terms graph.Terms `json:"-"`
}

// Conflict is the result of an explanation.
type Conflict struct {
	// Considered is the number of facts before minimization.
	Considered int `json:"considered"`
	// Facts is the number of facts of the conflict, and Headline its headline. Both are empty if
	// the explanation was stopped, and under policy Partial if it needs a larger part of the
	// request; another explanation follows then.
	Facts    int    `json:"facts"`
	Headline string `json:"headline,omitempty"`
	// NotMinimal reports whether the minimization stopped early.
	NotMinimal bool `json:"notMinimal,omitempty"`
	// Error is the reason why the explanation stopped.
	Error string   `json:"error,omitempty"`
	Took  Duration `json:"tookMs,omitempty"`
}
