package certificate

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver"
)

// pending is one entry of the queue of section 6: a goal that a node declares.
type pending struct {
	of    *node
	index int // of the goal of the node that it is, or is part of
	goal  *goal
}

// subject is a pending goal in the terms of the certificate.
func (c *checker) subject(p pending) resolver.ProofDemand {
	if p.of == c.root {
		return c.demands[p.index]
	}
	return resolver.ProofDemand{Bundle: p.of.id, Constraint: p.index, Part: slices.Index(p.of.goals[p.index].parts(), p.goal)}
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
	if len(proof.Decisions) > len(queue) {
		return wrong("decision", "", "decision %d is about nothing that the request asks for", len(queue)+1)
	}
	var set []int
	for _, n := range c.members {
		if n.Bundle != nil {
			set = append(set, n.id)
		}
		if slices.ContainsFunc(n.goals, func(g *goal) bool { return !c.holds(g) }) {
			return wrong("set", n.String(), "what %s requires does not hold in the set", n)
		}
	}
	if !slices.Equal(set, proof.Set) {
		return wrong("set", "", "the set is not what the decisions select")
	}
	return nil
}

// enqueue adds the goals of a node to a queue, the children of an `all` in its place.
func (c *checker) enqueue(queue []pending, n *node) []pending {
	for i, g := range c.required(n) {
		queue = pending{n, i, g}.enqueue(queue)
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
	settled := c.eval(p.goal, p.of) == isTrue
	switch {
	case settled != d.Satisfied:
		return nil, wrong("decision", "", "whether earlier choices satisfy %s is wrong", what)
	case settled:
		return nil, nil
	}
	i, options := 0, p.goal.list
	if p.goal.kind == anyOf {
		options = c.choices(p.goal, p.of)
	}
	for _, n := range options {
		switch {
		case p.goal.kind == match && !c.fulfils(p.goal, n):
			continue
		case i == len(d.Rejected):
			if n != c.nodes[d.Chosen] {
				return nil, wrong("decision", n.String(), "%s, option %d of %s, is neither selected nor rejected", n, i+1, what)
			}
			return c.choose(p, n)
		case n != c.nodes[d.Rejected[i]]:
			return nil, wrong("rejected", n.String(), "%s, option %d of %s, is not the one that is rejected", n, i+1, what)
		case !c.refutes(d.Hints, i, []int{n.id}, 1):
			return nil, wrong("rejected", n.String(), "%s is not shown to be impossible for %s: nothing that was selected before contradicts it", n, what)
		}
		i++
	}
	return nil, wrong("decision", "", "%s has no option that is not rejected", what)
}

// choose selects an option and returns what it queues: the goals of its bundle if that is new, then
// what the option commits to.
func (c *checker) choose(p pending, n *node) (queue []pending, err error) {
	bundle := n
	if n.of != nil {
		bundle = n.pick
	}
	fresh := bundle != nil && bundle.value == isOpen
	if c.include(n) {
		return nil, wrong("decision", n.String(), "%s, which %s selects, contradicts the choices before it", n, c.subject(p))
	}
	if fresh {
		queue = c.enqueue(queue, bundle)
	}
	if n.of != nil {
		for _, g := range n.goals {
			queue = pending{p.of, p.index, g}.enqueue(queue)
		}
	}
	return queue, nil
}
