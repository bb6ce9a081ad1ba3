package certificate

import (
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/resolver"
)

// factSet has the facts that an unsatisfiable request is about. Rules that are no facts bind
// always: which bundles are candidates, and in which catalogs.
type factSet struct {
	in   map[factKey]bool
	list []factKey
}

// factKey names a fact.
type factKey struct {
	kind, subject string
	index         int
	bundle        *bundle
}

// counts reports whether a rule binds.
func (w *world) counts(k factKey) bool { return w.facts == nil || w.facts.in[k] }

// suppose notes the facts of a certificate.
func (c *checker) suppose(cert *resolver.Proof) error {
	c.facts.in = make(map[factKey]bool, len(cert.Facts))
	for i, f := range cert.Facts {
		k := factKey{kind: f.Kind, subject: f.Subject}
		switch f.Kind {
		case "forced", "forbidden":
			k.subject, k.index = "", f.Index
		case "constraint":
			k.subject, k.index, k.bundle = "", f.Index, c.literals[f.Bundle].node
		case "deprecated", "incompatible":
			k.subject, k.bundle = "", c.literals[f.Bundle].node
		}
		if f.Kind == "forbidden" && f.Index < 0 {
			k.bundle = c.literals[f.Bundle].node
		}
		if c.facts.in[k] {
			return &ClaimError{"facts", "", fmt.Sprintf("fact %d (%s %s) is there twice", i+1, f.Kind, f.Subject)}
		}
		c.facts.in[k] = true
		c.facts.list = append(c.facts.list, k)
	}
	return nil
}

// contradicts verifies that the facts cannot hold together, and that each is needed.
func (c *checker) contradicts(cert *resolver.Proof) error {
	if n := len(cert.Lemmas); n == 0 || len(cert.Lemmas[n-1]) > 0 {
		return &ClaimError{"lemma", "", "the last lemma is not empty: nothing shows that the facts cannot hold together"}
	}
	if len(cert.Witnesses) != len(cert.Facts) {
		return &ClaimError{"witness", "", fmt.Sprintf("there are %d facts and %d witnesses", len(cert.Facts), len(cert.Witnesses))}
	}
	for i, w := range cert.Witnesses {
		f := cert.Facts[i]
		if c.step() {
			return c.err
		}
		if why := c.witnesses(i, w.Set); w.Without != i || why != "" {
			return &ClaimError{"witness", "", fmt.Sprintf("nothing shows that fact %d (%s %s) is needed: %s", i+1, f.Kind, f.Subject, why)}
		}
	}
	return nil
}

// witnesses says which fact but the i-th does not hold in a set; empty if all do.
func (c *checker) witnesses(i int, set []int) string {
	key := c.facts.list[i]
	c.facts.in[key] = false
	c.forgetBars()
	defer func() { c.facts.in[key] = true; c.forgetBars() }()
	start := c.mark()
	defer c.undo(start)
	for _, id := range set {
		if c.literals[id].option != nil || c.literals[id].node.value > 0 || c.include(c.literals[id].node) {
			return c.nameOf(id) + " cannot be in its set"
		}
	}
	in := func(n *bundle) bool { return n.value > 0 }
	for _, d := range c.demands {
		k := d.key()
		if !c.counts(k) || len(d.wanted) == 0 && d.what.Subscription != "" && !c.counts(factKey{kind: "noCandidate", subject: k.subject}) {
			continue
		}
		if !slices.ContainsFunc(d.wanted, in) || d.held && c.counts(factKey{kind: "hold", subject: k.subject}) && !slices.ContainsFunc(d.candidates, in) {
			return pending{demand: d}.text() + " is not met in its set"
		}
	}
	for _, n := range c.members {
		for i, g := range c.needs(n) {
			if c.counts(factKey{kind: "constraint", bundle: n, index: i}) && !c.holds(g, nil) {
				return "a constraint of " + n.Name + " does not hold in its set"
			}
		}
	}
	return ""
}

// forgetBars has it found out again which bundles are kept out.
func (c *checker) forgetBars() {
	for _, n := range c.nodes {
		n.barKnown = false
	}
	for _, n := range c.installed {
		if n != nil {
			n.barKnown = false
		}
	}
}

// fails verifies that facts show that a request fails as a whole which leaves out what it can:
// none of them is a subscription that owns nothing.
func (c *checker) fails() error {
	for _, d := range c.demands {
		if d.what.Subscription != "" && c.facts.in[d.key()] && d.owned == nil {
			return &ClaimError{"facts", "", "subscription " + d.sub.Name + " would be left out by the policy Partial"}
		}
	}
	return nil
}

// refuses verifies that facts show that a subscription cannot be admitted: it is one of them, and
// of those behind it only such as own something, which stays or is replaced in any case.
func (c *checker) refuses(name string) error {
	at := slices.IndexFunc(c.demands, func(d *demand) bool { return d.what.Subscription == name })
	if at < 0 || c.req.Policy.Failures != "Partial" || !c.facts.in[c.demands[at].key()] {
		return &ClaimError{"facts", "", "nothing shows that subscription " + name + " cannot be met"}
	}
	for _, d := range c.demands[at+1:] {
		if d.what.Forced == "" && c.facts.in[d.key()] && !slices.Contains(d.wanted, d.owned) {
			return &ClaimError{"facts", "", "subscription " + name + " is left out for " + d.what.Subscription + ", which comes later"}
		}
	}
	return nil
}
