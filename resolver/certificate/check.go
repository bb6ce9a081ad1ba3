package certificate

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/resolver"
)

func wrong(claim, bundle, format string, args ...any) error {
	return &ClaimError{claim, bundle, fmt.Sprintf(format, args...)}
}

// Check verifies a certificate for a request without any search: it reads the contract for
// itself, and follows the certificate by unit propagation. It returns nil if every claim is
// true, a [*ClaimError] that names the first one which is not, a [*FormatError] for what is no
// certificate of this version, or the error of ctx. The request has to be one that a resolver
// takes; neither argument is changed.
func Check(ctx context.Context, req resolver.Request, cert *Certificate) error {
	if err := cmp.Or(cert.validate(), ctx.Err()); err != nil {
		return err
	}
	if err := cert.matches(&req); err != nil {
		return err
	}
	at := stage{dropped: make(map[string]bool), broken: make(map[string]bool)}
	for i := range cert.Left {
		l := &cert.Left[i]
		if at.next = l; req.Policy.Failures != resolver.FailuresPartial {
			return wrong("decision", "", "the policy of the request leaves nothing out")
		}
		if err := check(ctx, &req, &at, l.Conflict); err != nil {
			return err
		}
		at.dropped[l.Subscription], at.broken[l.Installed] = l.Subscription != "", l.Installed != ""
		at.rank++
	}
	if cert.Status == Unsatisfiable && req.Policy.Failures == resolver.FailuresPartial {
		at.next = new(resolver.ProofLeft) // nothing more is broken
		if err := admits(newChecker(ctx, &req, at, nil, &cert.Proof), &cert.Proof); err != nil {
			return err
		}
	}
	at.next = nil
	return check(ctx, &req, &at, &cert.Proof)
}

// check verifies a proof at a stage.
func check(ctx context.Context, req *resolver.Request, at *stage, proof *resolver.Proof) error {
	var facts map[fact]bool
	verify := (*checker).replay
	if proof.Status == Unsatisfiable {
		facts, verify = make(map[fact]bool), (*checker).contradicts
		for _, f := range proof.Facts {
			facts[f] = true
		}
	}
	c := newChecker(ctx, req, *at, facts, proof)
	if l := at.next; l != nil {
		rank := c.rank(l)
		if rank < at.rank {
			return wrong("decision", "", "nothing that the request asks for is %q, or it is not in its place", l.Installed+l.Subscription)
		}
		at.rank = rank
	}
	for _, step := range []func(*checker, *resolver.Proof) error{(*checker).name, (*checker).learn, verify} {
		if err := cmp.Or(c.err, step(c, proof), c.err); err != nil {
			return err
		}
	}
	for _, further := range proof.Further {
		if err := check(ctx, req, at, further); err != nil {
			return err
		}
	}
	return nil
}

// admits verifies that the set of an unsatisfiable request shows that policy Partial admits all
// installed bundles but those that were left out.
func admits(c *checker, proof *resolver.Proof) error {
	if err := c.name(proof); err != nil {
		return err
	}
	if why := c.violated(proof.Set); why != "" {
		return wrong("set", "", "nothing shows that the installed bundles can be admitted: %s", why)
	}
	return c.err
}

// name finds the nodes that the proof numbers.
func (c *checker) name(proof *resolver.Proof) error {
	for _, b := range proof.Bundles {
		n := c.lookup(b)
		if n == nil || n.id > 0 {
			return wrong("bundle", b.Name, "bundle %d, %s, is not in the request, or is there twice", b.ID, b.Name)
		}
		n.id = b.ID
		c.nodes = append(c.nodes, n)
	}
	for _, o := range proof.Options {
		var list []*node
		of := c.compile(c.nodes[o.Bundle])
		if o.Constraint < len(of.goals) {
			if parts := of.goals[o.Constraint].parts(); o.Part < len(parts) && parts[o.Part].kind == anyOf {
				list = c.choices(parts[o.Part], of)
			}
		}
		if o.Option >= len(list) || list[o.Option].of == nil || list[o.Option].id > 0 {
			return wrong("bundle", of.Name, "option %d of constraint %d of %s does not exist, or is there twice", o.Option, o.Constraint, of.Name)
		}
		list[o.Option].id = o.ID
		c.nodes = append(c.nodes, list[o.Option])
	}
	return nil
}

// lookup finds a bundle, nil if there is none.
func (c *checker) lookup(b resolver.ProofBundle) *node {
	if i, known := c.index[b.Name]; b.Installed && known {
		return c.installed[i]
	}
	cat, known := c.catalogs[b.Catalog]
	if !known || b.Installed {
		return nil
	}
	for _, id := range c.cats[cat].Content.Named(b.Name) {
		if found := c.cats[cat].Content.Bundle(id); c.offered(cat, found) && (b.Package == "" || b.Package == found.Package) {
			return c.at(cat, found)
		}
	}
	return nil
}

// learn verifies each lemma and adds it.
func (c *checker) learn(proof *resolver.Proof) error {
	for i, lemma := range proof.Lemmas {
		if !c.refutes(proof.Hints, i, lemma, -1) {
			return wrong("lemma", c.describe(lemma), "lemma %d (%s) does not follow from the request and the lemmas before it", i+1, c.describe(lemma))
		}
		c.lemmas = append(c.lemmas, lemma)
	}
	return nil
}

// describe names the bundles of a clause, at most five.
func (c *checker) describe(lemma []int) string {
	var words []string
	for _, l := range lemma[:min(5, len(lemma))] {
		n, in := c.literal(l)
		words = append(words, map[bool]string{false: "not "}[in]+n.String())
	}
	if len(lemma) > 5 {
		words = append(words, "…")
	}
	return strings.Join(words, " or ")
}

// String names a node in messages.
func (n *node) String() string {
	switch {
	case n.Bundle != nil:
		return n.Name
	case n.of != nil:
		return "an option of " + n.of.Name
	}
	return "the request"
}
