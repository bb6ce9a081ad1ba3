package certificate

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver"
)

// contradicts verifies that the facts cannot hold together, and that each is needed.
func (c *checker) contradicts(proof *resolver.Proof) error {
	if n := len(proof.Lemmas); n == 0 || len(proof.Lemmas[n-1]) > 0 {
		return wrong("lemma", "", "the last lemma is not empty: nothing shows that the facts cannot hold together")
	}
	if len(proof.Witnesses) != len(proof.Facts) || len(c.facts) != len(proof.Facts) {
		return wrong("witness", "", "there are %d different facts and %d witnesses", len(c.facts), len(proof.Witnesses))
	}
	for i, w := range proof.Witnesses {
		f := proof.Facts[i]
		delete(c.facts, f)
		why := c.violated(w.Set)
		if c.facts[f] = true; why != "" {
			return wrong("witness", "", "nothing shows that fact %d (%s %s) is needed: %s", i+1, f.Kind, f.Subject, why)
		}
	}
	return nil
}

// violated says what is required and does not hold in a set; empty if all does.
func (c *checker) violated(set []int) string {
	defer func() { c.rewind(0) }()
	for _, id := range set {
		if n := c.nodes[id]; c.step() || c.include(n) {
			return n.String() + " cannot be in its set"
		}
	}
	for _, n := range append(slices.Clip(c.members), c.root) {
		if slices.ContainsFunc(c.required(n), func(g *goal) bool { return !c.holds(g) }) {
			return "what " + n.String() + " requires does not hold in its set"
		}
	}
	return ""
}
