package resolver

// Proof says why an answer is the right one, in terms that package certificate checks without
// any search. Numbers name literals: n means that bundle or option n is in the set, -n that it
// is not.
type Proof struct {
	// Status is the answer that is proven: "resolved", "partial" or "unsatisfiable".
	Status string `json:"status"`
	// Bundles and Options have the numbers from 1, first the bundles.
	Bundles []ProofBundle `json:"bundles,omitempty"`
	Options []ProofOption `json:"options,omitempty"`
	// Facts cannot hold together, of an unsatisfiable request. Each of them is needed.
	Facts []ProofFact `json:"facts,omitempty"`
	// Lemmas are clauses: one literal of each holds in every valid set. Each follows from the
	// request and the lemmas before it by unit propagation. Of an unsatisfiable request the last
	// one is empty.
	Lemmas [][]int `json:"lemmas,omitempty"`
	// Hints are, for each lemma, the steps of its propagation, see [ProofDecision].
	Hints [][]int `json:"hints,omitempty"`
	// Decisions are those of section 6 of the semantics, in their order.
	Decisions []ProofDecision `json:"decisions,omitempty"`
	// Set has the numbers of the bundles of the result set, in the order of the decisions.
	Set []int `json:"set,omitempty"`
	// Left are the subscriptions that a partial answer leaves out, in their order.
	Left []ProofLeft `json:"left,omitempty"`
	// Witnesses are, for each fact, a set in which all others hold.
	Witnesses []ProofWitness `json:"witnesses,omitempty"`
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

// ProofDemand is what a decision is about.
type ProofDemand struct {
	Subscription string `json:"subscription,omitempty"`
	Installed    string `json:"installed,omitempty"`
	Forced       string `json:"forced,omitempty"`
	Bundle       int    `json:"bundle,omitempty"`
	Constraint   int    `json:"constraint,omitempty"`
	Part         int    `json:"part,omitempty"`
}

// ProofDecision is one decision. Every option before the chosen one is rejected: together with
// the choices before, it leads to a contradiction by unit propagation.
type ProofDecision struct {
	Demand ProofDemand `json:"demand"`
	// Satisfied says that earlier choices satisfy it.
	Satisfied bool `json:"satisfied,omitempty"`
	// Chosen is what is chosen.
	Chosen   int   `json:"chosen,omitempty"`
	Rejected []int `json:"rejected,omitempty"`
	// Hints are, for each rejected option, the steps of its propagation: a positive number is
	// the lemma of that number, from 1, that implies a literal; a negative one the bundle or
	// option that cannot hold for what it needs itself; and 0 the demands of the request.
	Hints [][]int `json:"hints,omitempty"`
}

// ProofLeft proves that a subscription cannot be met together with those admitted before it.
type ProofLeft struct {
	Subscription string `json:"subscription"`
	// Conflict is unsatisfiable. It has numbers of its own.
	Conflict *Proof `json:"conflict"`
}

// ProofWitness is a set of bundles in which all facts but one hold.
type ProofWitness struct {
	Without int   `json:"without"`
	Set     []int `json:"set"`
}
