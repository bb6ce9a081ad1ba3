package certificate

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// ClaimError says which claim of a certificate is not true.
type ClaimError struct {
	// Claim is what the certificate claims: "request", "catalog", "bundle", "lemma", "decision",
	// "rejected", "set", "facts" or "witness".
	Claim string
	// Bundle names the bundle that it is about, if it is about one.
	Bundle string
	// Message says what is wrong.
	Message string
}

func (e *ClaimError) Error() string {
	return "the certificate is not true: " + e.Message
}

// work bounds what a check does.
type work struct {
	ctx   context.Context
	steps int
	err   error
}

// step counts a step, and reports whether the work has to end.
func (w *work) step() bool {
	if w.steps++; w.steps%256 == 0 && w.err == nil {
		w.err = w.ctx.Err()
	}
	return w.err != nil
}

func (w *work) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// Check verifies a certificate for a request without any search: it reads the contract for
// itself, and follows the certificate by unit propagation. It returns nil if every claim is
// true, a [*ClaimError] that names the first one which is not, a [*FormatError] for what is no
// certificate of this version, or the error of ctx. The request has to be one that a resolver
// takes; neither argument is changed.
func Check(ctx context.Context, req resolver.Request, cert *Certificate) error {
	if err := cert.validate(); err != nil {
		return err
	}
	if err := cert.matches(ctx, &req); err != nil {
		return err
	}
	left := make(map[string]bool)
	for _, l := range cert.Left {
		if err := check(ctx, &req, left, l.Conflict, l.Subscription); err != nil {
			return err
		}
		left[l.Subscription] = true
	}
	return check(ctx, &req, left, &cert.Proof, "")
}

// check verifies a proof, given subscriptions that are left out; if refused is not empty, that
// it shows that this subscription is one of them.
func check(ctx context.Context, req *resolver.Request, left map[string]bool, proof *resolver.Proof, refused string) error {
	c := &checker{byOption: make(map[optionKey]*variable), byPlace: make(map[string]*bundle), byAPI: make(map[properties.GVK]*bundle), unnamed: make(map[*bundle]*variable)}
	var facts *factSet
	if proof.Status == Unsatisfiable {
		facts = &factSet{}
	}
	c.world = newWorld(ctx, req, facts, left)
	err := c.check(proof)
	switch {
	case err != nil || facts == nil:
	case refused != "":
		err = c.refuses(refused)
	case req.Policy.Failures == "Partial":
		err = c.fails()
	}
	return cmp.Or(c.err, err)
}

func (c *checker) check(cert *resolver.Proof) error {
	if err := c.name(cert); err != nil {
		return err
	}
	if err := c.learn(cert); err != nil {
		return err
	}
	if cert.Status == Unsatisfiable {
		return c.contradicts(cert)
	}
	return c.replay(cert)
}

// name finds the bundles and options that the certificate numbers.
func (c *checker) name(cert *resolver.Proof) error {
	c.literals = make([]variable, 1, 1+len(cert.Bundles)+len(cert.Options))
	for _, b := range cert.Bundles {
		n := c.lookup(b)
		if n == nil || n.id > 0 {
			return &ClaimError{"bundle", b.Name, fmt.Sprintf("bundle %d, %s, is not in the request, or is there twice", b.ID, b.Name)}
		}
		n.id = b.ID
		c.literals = append(c.literals, variable{node: n})
	}
	if c.facts != nil {
		if err := c.suppose(cert); err != nil {
			return err
		}
	}
	for _, o := range cert.Options {
		n := c.literals[o.Bundle].node
		var g *goal
		if needs := c.needs(n); o.Constraint < len(needs) {
			g = needs[o.Constraint].find(o.Part)
		}
		if g == nil || g.kind != anyOf || o.Option >= len(c.anyOptions(g, n.cat)) {
			return &ClaimError{"bundle", n.Name, fmt.Sprintf("option %d of constraint %d of %s does not exist", o.Option, o.Constraint, n.Name)}
		}
		of := c.anyOptions(g, n.cat)[o.Option]
		c.literals = append(c.literals, variable{node: of.node, of: n, option: of})
		c.byOption[optionKey{n, g, o.Option}] = &c.literals[len(c.literals)-1]
	}
	return nil
}

// lookup finds a bundle.
func (c *checker) lookup(b resolver.ProofBundle) *bundle {
	if b.Installed {
		if i, ok := c.index[b.Name]; ok {
			return c.installed[i]
		}
		return nil
	}
	for cat := range c.cats {
		if c.cats[cat].Key.String() != b.Catalog {
			continue
		}
		var found *graph.Bundle
		for _, id := range c.cats[cat].Content.Named(b.Name) {
			if of := c.cats[cat].Content.Bundle(id); b.Package == "" && found == nil || of.Package == b.Package {
				found = of
			}
		}
		if found != nil {
			return c.of(cat, found)
		}
	}
	return nil
}

// learn verifies each lemma and adds it.
func (c *checker) learn(cert *resolver.Proof) error {
	for i, lemma := range cert.Lemmas {
		opposite := make([]int, len(lemma))
		for k, l := range lemma {
			opposite[k] = -l
		}
		var hints []int
		if i < len(cert.Hints) {
			hints = cert.Hints[i]
		}
		if c.step() {
			return c.err
		}
		if !c.refutes(opposite, hints) {
			return &ClaimError{"lemma", c.describe(lemma), fmt.Sprintf("lemma %d (%s) does not follow from the request and the lemmas before it", i+1, c.describe(lemma))}
		}
		c.lemmas = append(c.lemmas, lemma)
	}
	return nil
}

// describe names the bundles of a clause.
func (c *checker) describe(lemma []int) string {
	text := ""
	for i, l := range lemma {
		if i > 0 {
			text += " or "
		}
		if i == 5 {
			return text + "…"
		}
		if l < 0 {
			text += "not "
		}
		text += c.nameOf(max(l, -l))
	}
	return text
}

func (c *checker) nameOf(id int) string {
	v := &c.literals[id]
	if v.option != nil && v.node == nil {
		return fmt.Sprintf("an option of %s", v.of.Name)
	}
	return v.node.Name
}

// pending is one entry of the queue of section 6.
type pending struct {
	demand *demand // or
	of     *bundle
	index  int
	part   int
	goal   *goal
}

// replay takes the decisions of section 6 as the certificate says.
func (c *checker) replay(cert *resolver.Proof) error {
	var queue []pending
	for _, d := range c.demands {
		queue = append(queue, pending{demand: d})
	}
	for i := 0; i < len(queue); i++ {
		if c.step() {
			return c.err
		}
		if i >= len(cert.Decisions) {
			return &ClaimError{"decision", "", fmt.Sprintf("decision %d is missing: %s", i+1, queue[i].text())}
		}
		more, err := c.decide(queue[i], &cert.Decisions[i])
		if err != nil {
			return err
		}
		queue = append(queue, more...)
	}
	if len(cert.Decisions) > len(queue) {
		return &ClaimError{"decision", "", fmt.Sprintf("decision %d is about nothing that the request asks for", len(queue)+1)}
	}
	return c.complete(cert)
}

func (p pending) text() string {
	switch {
	case p.demand == nil:
		return "constraint " + fmt.Sprint(p.index) + " of " + p.of.Name
	case p.demand.what.Subscription != "":
		return "subscription " + p.demand.what.Subscription
	case p.demand.what.Installed != "":
		return "installed bundle " + p.demand.what.Installed
	}
	return "forced bundle " + p.demand.what.Forced
}

// what is the decision in the certificate's terms.
func (p pending) what() resolver.ProofDemand {
	if p.demand != nil {
		return p.demand.what
	}
	return resolver.ProofDemand{Bundle: p.of.id, Constraint: p.index, Part: p.part}
}

// settled reports whether earlier choices satisfy a decision.
func (c *checker) settled(p pending) bool {
	if p.demand != nil {
		return slices.ContainsFunc(p.demand.candidates, func(n *bundle) bool { return n.value > 0 })
	}
	return c.satisfied(p.goal)
}

// satisfied reports whether choices make a goal hold. A prohibition counts once it is in force.
func (c *checker) satisfied(g *goal) bool {
	switch g.kind {
	case match:
		return c.matched(g.atom) != nil
	case ban:
		return slices.ContainsFunc(c.bans, func(b *goal) bool { return b.key == g.key })
	case allOf:
		return !slices.ContainsFunc(g.kids, func(k *goal) bool { return !c.satisfied(k) })
	case anyOf:
		return slices.ContainsFunc(g.kids, c.satisfied)
	}
	return g.kind == always
}

// decide verifies one decision and returns what it queues.
func (c *checker) decide(p pending, d *resolver.ProofDecision) ([]pending, error) {
	if d.Demand != p.what() {
		return nil, &ClaimError{"decision", "", "the decision about " + p.text() + " is missing, or is not in its place"}
	}
	if c.settled(p) || d.Satisfied {
		if !d.Satisfied || !c.settled(p) || d.Chosen != 0 || len(d.Rejected) > 0 {
			return nil, &ClaimError{"decision", "", "whether earlier choices satisfy " + p.text() + " is wrong"}
		}
		return nil, nil
	}
	at := 0
	for number, o := range c.optionsOf(p) {
		if c.step() {
			return nil, c.err
		}
		if at == len(d.Rejected) {
			if number == 0 || number != d.Chosen {
				return nil, &ClaimError{"decision", c.nameOf(d.Chosen), fmt.Sprintf("%s does not choose %s: a better option is neither chosen nor rejected", p.text(), c.nameOf(d.Chosen))}
			}
			return c.choose(p, o, number)
		}
		if number == 0 || d.Rejected[at] != number {
			return nil, &ClaimError{"rejected", c.nameOf(d.Rejected[at]), fmt.Sprintf("%s is not option %d of %s", c.nameOf(d.Rejected[at]), at+1, p.text())}
		}
		var hints []int
		if at < len(d.Hints) {
			hints = d.Hints[at]
		}
		if !c.isFalse(number) && !c.refutes([]int{number}, hints) {
			return nil, &ClaimError{"rejected", c.nameOf(number), fmt.Sprintf("%s is not shown to be impossible for %s: nothing that was chosen before contradicts it", c.nameOf(number), p.text())}
		}
		at++
	}
	return nil, &ClaimError{"decision", "", fmt.Sprintf("%s has no option %d", p.text(), at+1)}
}

// optionsOf goes through the options of a decision with their numbers, 0 for none.
func (c *checker) optionsOf(p pending) func(func(int, *option) bool) {
	return func(yield func(int, *option) bool) {
		switch {
		case p.demand != nil:
			for _, n := range p.demand.candidates {
				if !yield(n.id, &option{node: n}) {
					return
				}
			}
		case p.goal.kind == match:
			for n := range c.options(p.goal.atom, p.of.cat) {
				if !yield(n.id, &option{node: n}) {
					return
				}
			}
		default:
			for i, o := range c.anyOptions(p.goal, p.of.cat) {
				number := 0
				if v := c.byOption[optionKey{p.of, p.goal, i}]; v != nil {
					number = slices.IndexFunc(c.literals, func(l variable) bool { return l.option == o && l.of == p.of })
				} else if len(o.commits) == 0 {
					number = o.node.id
				}
				if !yield(number, o) {
					return
				}
			}
		}
	}
}

// choose takes an option and returns what it queues.
func (c *checker) choose(p pending, o *option, number int) ([]pending, error) {
	fresh := o.node != nil && o.node.value == 0
	if c.assign(number) {
		return nil, &ClaimError{"decision", c.nameOf(number), fmt.Sprintf("%s, which %s chooses, contradicts the choices before it", c.nameOf(number), p.text())}
	}
	var queue []pending
	if fresh {
		for i, g := range c.needs(o.node) {
			queue = enqueue(queue, o.node, i, g)
		}
	}
	for _, g := range o.commits {
		queue = enqueue(queue, p.of, p.index, g)
	}
	return queue, nil
}

func enqueue(queue []pending, of *bundle, index int, g *goal) []pending {
	switch g.kind {
	case allOf:
		for _, k := range g.kids {
			queue = enqueue(queue, of, index, k)
		}
	case match, anyOf:
		queue = append(queue, pending{of: of, index: index, part: of.goals[index].number(g), goal: g})
	}
	return queue
}

// complete verifies that what was chosen is the set, and that it is valid.
func (c *checker) complete(cert *resolver.Proof) error {
	var set []int
	for _, n := range c.members {
		set = append(set, n.id)
	}
	if !slices.Equal(set, cert.Set) {
		return &ClaimError{"set", "", "the set is not what the decisions choose"}
	}
	for _, n := range c.members {
		if c.bars(n) {
			return &ClaimError{"set", n.Name, n.Name + " must not be in the set"}
		}
		for _, g := range c.needs(n) {
			if !c.holds(g, nil) {
				return &ClaimError{"set", n.Name, "a constraint of " + n.Name + " does not hold in the set"}
			}
		}
	}
	return nil
}
