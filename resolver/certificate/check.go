package certificate

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
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
	}
	if at.next = nil; cert.Status == Unsatisfiable && req.Policy.Failures == resolver.FailuresPartial {
		if err := admits(ctx, &req, at, &cert.Proof); err != nil {
			return err
		}
	}
	return check(ctx, &req, &at, &cert.Proof)
}

// check verifies a proof at a stage.
func check(ctx context.Context, req *resolver.Request, at *stage, proof *resolver.Proof) error {
	var facts map[fact]bool
	if proof.Status == Unsatisfiable {
		facts = make(map[fact]bool)
	}
	c := &checker{world: newWorld(ctx, req, *at, facts)}
	if at.next != nil {
		rank := c.rank(at.next)
		if rank < at.rank || rank < 0 || at.dropped[at.next.Subscription] || at.broken[at.next.Installed] {
			return wrong("decision", "", "nothing that the request asks for is %q, or it is not in its place", at.next.Installed+at.next.Subscription)
		}
		at.rank = rank
	}
	err := cmp.Or(c.name(proof), c.err)
	if err == nil {
		err = c.learn(proof)
	}
	switch {
	case err != nil:
	case facts == nil:
		err = c.replay(proof)
	default:
		err = c.contradicts(proof)
	}
	for _, further := range proof.Further {
		if err == nil && c.err == nil {
			err = check(ctx, req, at, further)
		}
	}
	return cmp.Or(c.err, err)
}

// name finds the nodes that the proof numbers.
func (c *checker) name(proof *resolver.Proof) error {
	c.nodes = []*node{c.root}
	for _, b := range proof.Bundles {
		n := c.lookup(b)
		if n == nil || n.id > 0 {
			return wrong("bundle", b.Name, "bundle %d, %s, is not in the request, or is there twice", b.ID, b.Name)
		}
		n.id = b.ID
		if c.nodes = append(c.nodes, n); c.step() {
			return c.err
		}
	}
	if c.facts != nil {
		if err := c.suppose(proof); err != nil {
			return err
		}
	}
	for _, o := range proof.Options {
		of := c.nodes[o.Bundle]
		var n *node
		if rules := c.rulesOf(of); o.Constraint < len(rules) {
			if parts := rules[o.Constraint].goal.parts(); o.Part < len(parts) && parts[o.Part].kind == anyOf {
				if ways := c.ways(parts[o.Part], of); o.Option < len(ways) {
					n = ways[o.Option]
				}
			}
		}
		if n == nil || n.of == n || n.id > 0 {
			return wrong("bundle", of.Name, "option %d of constraint %d of %s does not exist, or is there twice", o.Option, o.Constraint, of.Name)
		}
		n.id = o.ID
		c.nodes = append(c.nodes, n)
	}
	return nil
}

// lookup finds a bundle.
func (c *checker) lookup(b resolver.ProofBundle) (found *node) {
	if b.Installed {
		if i, ok := c.index[b.Name]; ok {
			return c.nodeOf(&c.req.Installed[i])
		}
		return nil
	}
	for cat := range c.cats {
		if c.cats[cat].Key.String() != b.Catalog {
			continue
		}
		for _, id := range c.cats[cat].Content.Named(b.Name) {
			if of := c.cats[cat].Content.Bundle(id); b.Package == "" && found == nil || of.Package == b.Package {
				found = c.at(cat, of)
			}
		}
	}
	return found
}

// learn verifies each lemma and adds it.
func (c *checker) learn(proof *resolver.Proof) error {
	for i, lemma := range proof.Lemmas {
		opposite := make([]int, len(lemma))
		for k, l := range lemma {
			opposite[k] = -l
		}
		if c.step() {
			return c.err
		}
		if !c.refutes(hintsOf(proof.Hints, i), opposite...) {
			return wrong("lemma", c.describe(lemma), "lemma %d (%s) does not follow from the request and the lemmas before it", i+1, c.describe(lemma))
		}
		c.lemmas = append(c.lemmas, lemma)
	}
	return nil
}

func hintsOf(lists [][]int, i int) []int {
	if i < len(lists) {
		return lists[i]
	}
	return nil
}

// describe names the bundles of a clause, at most five.
func (c *checker) describe(lemma []int) string {
	var words []string
	for _, l := range lemma[:min(5, len(lemma))] {
		word := c.nodes[max(l, -l)].String()
		if l < 0 {
			word = "not " + word
		}
		words = append(words, word)
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
	case n.pick != nil:
		return n.pick.Name
	case n.of != n:
		return "an option of " + n.of.Name
	}
	return "the request"
}

// pending is one entry of the queue of section 6: a goal that a node declares.
type pending struct {
	of    *node
	index int // of the rule
	goal  *goal
}

// subject is a pending goal in the terms of the certificate.
func (c *checker) subject(p pending) resolver.ProofDemand {
	if p.of == c.root {
		return c.demands[p.index].what
	}
	return resolver.ProofDemand{Bundle: p.of.id, Constraint: p.index, Part: slices.Index(p.of.rules[p.index].goal.parts(), p.goal)}
}

// replay makes the decisions of section 6 as the certificate says, and verifies that what they
// select is the set, and valid.
func (c *checker) replay(proof *resolver.Proof) error {
	queue := c.enqueue(nil, c.root)
	for i := 0; i < len(queue); i++ {
		if c.step() {
			return c.err
		}
		if i >= len(proof.Decisions) {
			return wrong("decision", "", "decision %d is missing: %s", i+1, c.subject(queue[i]))
		}
		more, err := c.decide(queue[i], &proof.Decisions[i])
		if err != nil {
			return err
		}
		queue = append(queue, more...)
	}
	var set []int
	for _, n := range c.members {
		if n.Bundle != nil {
			set = append(set, n.id)
		}
	}
	if len(proof.Decisions) > len(queue) {
		return wrong("decision", "", "decision %d is about nothing that the request asks for", len(queue)+1)
	}
	if !slices.Equal(set, proof.Set) {
		return wrong("set", "", "the set is not what the decisions select")
	}
	for _, n := range c.members {
		if n.Bundle != nil && c.bars(n) || slices.ContainsFunc(c.rulesOf(n), func(r rule) bool { return c.eval(r.goal, nil, nil) == isFalse }) {
			return wrong("set", n.String(), "%s must not be in the set, or what it requires does not hold there", n)
		}
	}
	return nil
}

// enqueue adds the goals of a node to a queue, the children of an `all` in its place.
func (c *checker) enqueue(queue []pending, n *node) []pending {
	for i, r := range c.rulesOf(n) {
		queue = pending{n, i, r.goal}.enqueue(queue)
	}
	return queue
}

func (p pending) enqueue(queue []pending) []pending {
	switch p.goal.kind {
	case match, anyOf:
		return append(queue, p)
	case allOf:
		for _, k := range p.goal.kids {
			queue = pending{p.of, p.index, k}.enqueue(queue)
		}
	}
	return queue
}

// decide verifies one decision and returns what it queues.
func (c *checker) decide(p pending, d *resolver.ProofDecision) ([]pending, error) {
	what := c.subject(p)
	if d.Demand != what {
		return nil, wrong("decision", "", "the decision about %s is missing, or is not in its place", what)
	}
	if settled := c.eval(p.goal, nil, nil) == isTrue; settled || d.Satisfied {
		if !d.Satisfied || !settled || d.Chosen != 0 || len(d.Rejected) > 0 {
			return nil, wrong("decision", "", "whether earlier choices satisfy %s is wrong", what)
		}
		return nil, nil
	}
	at := 0
	for n := range c.optionsOf(p) {
		if c.step() {
			return nil, c.err
		}
		if at == len(d.Rejected) {
			if n.id == 0 || n.id != d.Chosen {
				return nil, wrong("decision", c.nodes[d.Chosen].String(), "%s does not select %s: a better option is neither selected nor rejected", what, c.nodes[d.Chosen])
			}
			return c.choose(p, n)
		}
		if r := d.Rejected[at]; n.id != r {
			return nil, wrong("rejected", c.nodes[r].String(), "%s is not option %d of %s", c.nodes[r], at+1, what)
		}
		if !c.out(n) && !c.refutes(hintsOf(d.Hints, at), n.id) {
			return nil, wrong("rejected", n.String(), "%s is not shown to be impossible for %s: nothing that was selected before contradicts it", n, what)
		}
		at++
	}
	return nil, wrong("decision", "", "%s has no option %d", what, at+1)
}

// optionsOf goes through the options of a decision, best first.
func (c *checker) optionsOf(p pending) iter.Seq[*node] {
	if p.goal.kind == match {
		return c.matches(p.goal, p.of.cat)
	}
	return slices.Values(c.ways(p.goal, p.of))
}

// choose selects an option and returns what it queues: the goals of its bundle if that is new, then
// what the option commits to.
func (c *checker) choose(p pending, n *node) (queue []pending, err error) {
	bundle := n
	if n.of != n {
		bundle = n.pick
	}
	fresh := bundle != nil && bundle.value == isOpen
	if c.include(n) {
		return nil, wrong("decision", n.String(), "%s, which %s selects, contradicts the choices before it", n, c.subject(p))
	}
	if fresh {
		queue = c.enqueue(queue, bundle)
	}
	if n.of != n {
		for _, r := range n.rules {
			queue = pending{p.of, p.index, r.goal}.enqueue(queue)
		}
	}
	return queue, nil
}
