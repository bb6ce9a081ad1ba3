package resolver

import "fmt"

// Proof proves an answer, in terms that package certificate checks without search. Numbers are
// literals: n means that bundle or option n is selected, -n that it is not.
type Proof struct {
	// Status is the answer that is proven: "resolved", "partial" or "unsatisfiable".
	Status string `json:"status"`
	// Bundles and Options are numbered from 1, bundles first.
	Bundles []ProofBundle `json:"bundles,omitempty"`
	Options []ProofOption `json:"options,omitempty"`
	// Facts is the minimal unsatisfiable core of an unsatisfiable request.
	Facts []ProofFact `json:"facts,omitempty"`
	// Lemmas are learned clauses. Each is implied by the request and the lemmas before it
	// through unit propagation. For an unsatisfiable request the last one is empty.
	Lemmas [][]int `json:"lemmas,omitempty"`
	// Hints are, for each lemma, the steps of its propagation, see [ProofDecision].
	Hints [][]int `json:"hints,omitempty"`
	// Decisions are the decisions in order (section 6 of the semantics).
	Decisions []ProofDecision `json:"decisions,omitempty"`
	// Set lists the bundles of the result set, in the order of the decisions. For a request that
	// fails as a whole under policy "Partial" it shows that the installed bundles can be admitted.
	Set []int `json:"set,omitempty"`
	// Left lists what a partial answer leaves out, in order: broken installed bundles, then
	// dropped subscriptions.
	Left []ProofLeft `json:"left,omitempty"`
	// Witnesses has, for each fact, a set that satisfies all others.
	Witnesses []ProofWitness `json:"witnesses,omitempty"`
	// Further has the proofs of conflicts that share no subscription or installed bundle with this
	// one. They have numbers of their own.
	Further []*Proof `json:"further,omitempty"`
}

// ProofBundle numbers a bundle of a catalog, or an installed one.
type ProofBundle struct {
	ID        int    `json:"id"`
	Catalog   string `json:"catalog,omitempty"`
	Package   string `json:"package,omitempty"` // where the catalog has several bundles of the name
	Name      string `json:"name"`
	Installed bool   `json:"installed,omitempty"`
}

// ProofOption numbers an option of an `any` of a constraint, which commits to something.
type ProofOption struct {
	ID         int `json:"id"`
	Bundle     int `json:"bundle"`
	Constraint int `json:"constraint"`
	Part       int `json:"part,omitempty"` // the `any`, by its number in the normal form of the constraint
	Option     int `json:"option"`
}

// ProofFact is one of the facts that cannot hold together.
type ProofFact struct {
	Kind    string `json:"kind"`
	Subject string `json:"subject"`
	// Bundle is the number of the bundle of a fact about one.
	Bundle int `json:"bundle,omitempty"`
	// Index is the number of the constraint of a bundle, of the prohibition or of the forced
	// bundle in the request.
	Index int `json:"index,omitempty"`
}

// ProofDemand is the subject of a decision.
type ProofDemand struct {
	Subscription string `json:"subscription,omitempty"`
	Installed    string `json:"installed,omitempty"`
	Forced       string `json:"forced,omitempty"`
	Bundle       int    `json:"bundle,omitempty"`
	Constraint   int    `json:"constraint,omitempty"`
	Part         int    `json:"part,omitempty"`
}

// String names the subject: "subscription etcd", "constraint 0 of bundle 3".
func (d ProofDemand) String() string {
	switch {
	case d.Subscription != "":
		return "subscription " + d.Subscription
	case d.Installed != "":
		return "installed bundle " + d.Installed
	case d.Forced != "":
		return "forced bundle " + d.Forced
	}
	return fmt.Sprintf("constraint %d of bundle %d", d.Constraint, d.Bundle)
}

// ProofDecision is one decision. Each option before the chosen one is rejected: with the earlier
// choices, unit propagation derives a contradiction from it.
type ProofDecision struct {
	Demand ProofDemand `json:"demand"`
	// Satisfied reports whether earlier choices satisfy the demand.
	Satisfied bool  `json:"satisfied,omitempty"`
	Chosen    int   `json:"chosen,omitempty"`
	Rejected  []int `json:"rejected,omitempty"`
	// Hints are, for each rejected option, the steps of its propagation: a positive number is
	// the lemma of that number, from 1, that implies a literal; a negative one the bundle or
	// option that cannot hold for what it needs itself; and 0 the demands of the request.
	Hints [][]int `json:"hints,omitempty"`
}

// ProofLeft proves that policy "Partial" leaves something out: an installed bundle is broken, or a
// subscription cannot be met together with those admitted before it. One of the names is empty.
type ProofLeft struct {
	Installed    string `json:"installed,omitempty"`
	Subscription string `json:"subscription,omitempty"`
	// Conflict is unsatisfiable. It has numbers of its own.
	Conflict *Proof `json:"conflict"`
}

// ProofWitness is a set of bundles in which all facts but one hold.
type ProofWitness struct {
	Without int   `json:"without"`
	Set     []int `json:"set"`
}
