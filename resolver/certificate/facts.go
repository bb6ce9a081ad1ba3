package certificate

import (
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
	defer func() { c.facts[one] = true; forget(); c.rewind(0) }()
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

// failsWhole verifies that facts show that a request fails as a whole, under policy Partial too:
// none of them is a subscription that owns nothing, which would be left out.
func (c *checker) failsWhole() error {
	for _, d := range c.demands {
		if c.req.Policy.Failures == resolver.FailuresPartial && c.facts[fact{Kind: "subscription", Subject: d.what.Subscription}] && d.owned == nil {
			return wrong("facts", "", "subscription %s would be left out by the policy Partial", d.sub.Name)
		}
	}
	return nil
}

// refuses verifies that facts show that a subscription cannot be admitted: it is one of them, and
// of those behind it only such as own something, which stays or is replaced in any case.
func (c *checker) refuses(name string) error {
	asked := func(d *demand) bool { return c.facts[fact{Kind: "subscription", Subject: d.what.Subscription}] }
	at := slices.IndexFunc(c.demands, func(d *demand) bool { return d.what.Subscription == name })
	if at < 0 || c.req.Policy.Failures != resolver.FailuresPartial || !asked(c.demands[at]) {
		return wrong("facts", "", "nothing shows that subscription %s cannot be met", name)
	}
	for _, d := range c.demands[at+1:] {
		if asked(d) && !slices.Contains(d.candidates, d.owned) {
			return wrong("facts", "", "subscription %s is left out for %s, which comes later", name, d.what.Subscription)
		}
	}
	return nil
}
