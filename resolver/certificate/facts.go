package certificate

import (
	"context"
	"slices"

	"github.com/seed109e2655/resolute/resolver"
)

// suppose notes the facts of a proof, the only ones that count.
func (c *checker) suppose(proof *resolver.Proof) error {
	for i, f := range proof.Facts {
		if c.facts[f] {
			return wrong("facts", "", "fact %d (%s %s) is there twice", i+1, f.Kind, f.Subject)
		}
		c.facts[f] = true
	}
	return nil
}

// contradicts verifies that the facts cannot hold together, and that each is needed.
func (c *checker) contradicts(proof *resolver.Proof) error {
	if n := len(proof.Lemmas); n == 0 || len(proof.Lemmas[n-1]) > 0 {
		return wrong("lemma", "", "the last lemma is not empty: nothing shows that the facts cannot hold together")
	}
	if len(proof.Witnesses) != len(proof.Facts) {
		return wrong("witness", "", "there are %d facts and %d witnesses", len(proof.Facts), len(proof.Witnesses))
	}
	for i, w := range proof.Witnesses {
		f := proof.Facts[i]
		if c.step() {
			return c.err
		}
		if why := c.without(f, w.Set); w.Without != i || why != "" {
			return wrong("witness", "", "nothing shows that fact %d (%s %s) is needed: %s", i+1, f.Kind, f.Subject, why)
		}
	}
	return nil
}

// without says what of all facts but one does not hold in a set; empty if all hold.
func (c *checker) without(one fact, set []int) string {
	forget := func() { // which bundles are excluded
		for _, n := range c.nodes {
			n.barred = isOpen
		}
	}
	delete(c.facts, one)
	forget()
	defer func() { c.facts[one] = true; forget() }()
	return c.violated(set)
}

// violated says what is required and does not hold in a set; empty if all does.
func (c *checker) violated(set []int) string {
	defer func() { c.rewind(0) }()
	for _, id := range set {
		if n := c.nodes[id]; n.Bundle == nil || n.value == isTrue || c.include(n) {
			return n.String() + " cannot be in its set"
		}
	}
	for _, n := range append(slices.Clone(c.members), c.root) {
		for g := range c.required(n) {
			if c.eval(g, nil, nil) == isFalse {
				return "what " + n.String() + " requires does not hold in its set"
			}
		}
	}
	return ""
}

// admits verifies that the set of an unsatisfiable request shows that policy Partial admits all
// installed bundles but those that were left out.
func admits(ctx context.Context, req *resolver.Request, at stage, proof *resolver.Proof) error {
	at.next = new(resolver.ProofLeft) // nothing more is broken
	c := &checker{world: newWorld(ctx, req, at, nil)}
	if err := c.name(proof); err != nil {
		return err
	}
	if why := c.violated(proof.Set); why != "" {
		return wrong("set", "", "nothing shows that the installed bundles can be admitted: %s", why)
	}
	return c.err
}
