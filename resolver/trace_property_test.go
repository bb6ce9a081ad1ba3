package resolver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/oracle"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// everything hears all hooks and replays what they say.
type everything struct {
	began, ended int
	end          resolver.ResolveEnded
	calls        int // of the solver
	explanations int // under way
	set          map[resolver.BundleRef]int
	choices      []resolver.BundleRef // by decision, what it chose
	open         *resolver.Decision
	passed       map[int][]resolver.BundleRef // by decision, what it refused
	opened       int
	wrong        error
}

func (e *everything) fail(format string, args ...any) {
	if e.wrong == nil {
		e.wrong = fmt.Errorf(format, args...)
	}
}

func (e *everything) hooks() resolver.Hooks {
	type ctx = context.Context
	return resolver.Hooks{
		ResolveBegan: func(c ctx, _ resolver.ResolveBegan) ctx {
			e.began++
			return context.WithValue(c, e, "this one")
		},
		ResolveEnded: func(c ctx, end resolver.ResolveEnded) {
			e.ended++
			e.end = end
			e.owns(c)
		},
		SearchBegan: func(c ctx, _ resolver.SearchBegan) {
			e.owns(c)
			e.set, e.choices, e.passed = make(map[resolver.BundleRef]int), nil, make(map[int][]resolver.BundleRef)
		},
		Decide: func(c ctx, d resolver.Decision) {
			e.owns(c)
			if e.open != nil {
				e.fail("decision %d is taken up inside of decision %d", d.Index, e.open.Index)
			}
			e.open = &d
			e.opened++
		},
		Candidate: func(_ ctx, d resolver.Decision, c resolver.Candidate) { e.candidate(d, c) },
		Decided:   func(_ ctx, d resolver.Decision, r resolver.Decided) { e.decided(d, r) },
		Back:      func(_ ctx, b resolver.Back) { e.back(b) },
		Solve: func(c ctx, s resolver.SolveCall) {
			e.owns(c)
			e.calls++
			switch s.Purpose {
			case resolver.SolveExplain, resolver.SolveMinimize, resolver.SolveFewest:
				if e.explanations != 1 {
					e.fail("a call to %s outside of an explanation", s.Purpose)
				}
			}
			if s.Clauses == 0 || s.Result == "" {
				e.fail("a solver call that says nothing: %+v", s)
			}
		},
		ExplainBegan: func(c ctx) ctx { e.owns(c); e.explanations++; return nil },
		ExplainEnded: func(c ctx, x resolver.ExplainEnded) {
			e.owns(c)
			e.explanations--
			if (x.Conflict == nil) == (x.Err == nil) {
				e.fail("an explanation with the conflict %v and the error %v", x.Conflict, x.Err)
			}
		},
	}
}

// owns checks that a call has the context that ResolveBegan made.
func (e *everything) owns(c context.Context) {
	if c.Value(e) != "this one" {
		e.fail("a hook gets a context that is not made from the one that ResolveBegan returned")
	}
}

func (e *everything) candidate(d resolver.Decision, c resolver.Candidate) {
	if e.open == nil || e.open.Index != d.Index {
		e.fail("a candidate of decision %d, which was not taken up", d.Index)
	}
	if c.Chosen == (c.Reason != "") {
		e.fail("candidate %s of decision %d: chosen %v, reason %q", c.Bundle, d.Index, c.Chosen, c.Reason)
	}
	// A bundle that a candidate would prohibit, or be prohibited by, may be itself.
	if c.By != (resolver.BundleRef{}) && e.set[c.By] == 0 && c.By != c.Bundle {
		e.fail("%s stands in the way of %s without being in the set", c.By, c.Bundle)
	}
	if !c.Chosen && c.Bundle != (resolver.BundleRef{}) {
		e.passed[d.Index] = append(e.passed[d.Index], c.Bundle)
	}
}

func (e *everything) decided(d resolver.Decision, r resolver.Decided) {
	if e.open == nil || e.open.Index != d.Index {
		e.fail("decision %d is over without having been taken up", d.Index)
	}
	e.open = nil
	switch r.Result {
	case resolver.DecisionChosen:
		if b := r.Choice.Bundle; b != (resolver.BundleRef{}) {
			e.set[b]++
		}
	case resolver.DecisionSatisfied:
		for _, b := range r.By {
			if e.set[b] == 0 {
				e.fail("%s satisfies decision %d without being in the set", b, d.Index)
			}
		}
	case resolver.DecisionDeadEnd:
	default:
		e.fail("decision %d ends with %q", d.Index, r.Result)
	}
}

func (e *everything) back(b resolver.Back) {
	for _, u := range b.Undecided {
		if e.set[u] == 0 {
			e.fail("%s is undone without having been chosen", u)
		}
		delete(e.set, u)
	}
	for i := range e.passed {
		if i > b.Decision.Index {
			delete(e.passed, i)
		}
	}
	if r := b.Refused.Bundle; r != (resolver.BundleRef{}) {
		e.passed[b.Decision.Index] = append(e.passed[b.Decision.Index], r)
	}
}

// names are the bundles that the choices leave, in ascending order.
func (e *everything) names() []string {
	var names []string
	for b := range e.set {
		names = append(names, b.Name)
	}
	slices.Sort(names)
	return names
}

// bytesOf is an answer as it is written.
func bytesOf(sol *resolver.Solution, err error) string {
	text, failed := json.Marshal(scenario.NewAnswer(sol, err))
	return fmt.Sprintf("%s%v", text, failed)
}

// TestPropertyHooksChangeNothingAndMissNothing: with hooks, the answer is the same
// to the byte, counts of work included; each solver call is heard of; and whoever
// follows the decisions has the result set in the end.
func TestPropertyHooksChangeNothingAndMissNothing(t *testing.T) {
	c := newConverter()
	checkProperty(t, 0.5, func(p *oracle.Problem) error {
		req := c.request(p)
		sol, err := resolver.New().Resolve(context.Background(), req)
		e := &everything{}
		seen, seenErr := resolver.New(resolver.WithHooks(e.hooks())).Resolve(context.Background(), req)
		if plain, watched := bytesOf(sol, err), bytesOf(seen, seenErr); plain != watched {
			return fmt.Errorf("the answer differs with hooks:\n%s\n%s", plain, watched)
		}
		if sharesReference(p) {
			return nil // what the hooks call by one name may be two bundles
		}
		if e.wrong != nil {
			return e.wrong
		}
		return e.check(seen, seenErr)
	})
}

// sharesReference reports whether one name in one catalog may mean two bundles: of two
// of its packages, or of one and of what was installed from there.
func sharesReference(p *oracle.Problem) bool {
	packages := make(map[resolver.BundleRef]string)
	shared := false
	add := func(key oracle.Key, bundle, pkg string) {
		ref := resolver.BundleRef{Catalog: cache.Key{Namespace: key.Namespace, Name: key.Name}, Name: bundle}
		if other, known := packages[ref]; known && other != pkg {
			shared = true
		}
		packages[ref] = pkg
	}
	for _, c := range p.Catalogs {
		for _, pkg := range c.Packages {
			for _, b := range pkg.Bundles {
				add(c.Key, b.Name, pkg.Name)
			}
		}
	}
	for _, in := range p.Installed {
		add(in.Catalog, in.Bundle.Name, in.Package)
	}
	return shared
}

func (e *everything) check(sol *resolver.Solution, err error) error {
	if e.began != 1 || e.ended != 1 || e.explanations != 0 || e.open != nil {
		return fmt.Errorf("began %d times, ended %d times, %d explanations and decision %v still going on",
			e.began, e.ended, e.explanations, e.open)
	}
	if e.end.Solution != sol || !errors.Is(e.end.Err, err) {
		return fmt.Errorf("the end tells of %v, %v", e.end.Solution, e.end.Err)
	}
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		if e.calls != conflict.Stats.Solves || e.end.Stats != conflict.Stats {
			return fmt.Errorf("%d solver calls, of which %d are heard of", conflict.Stats.Solves, e.calls)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if e.calls != sol.Stats.Solves {
		return fmt.Errorf("%d solver calls, of which %d are heard of", sol.Stats.Solves, e.calls)
	}
	// What is installed and what a catalog calls the same cannot be told apart here.
	if names := slices.Compact(e.names()); !slices.Equal(names, slices.Compact(sol.Set())) {
		return fmt.Errorf("the decisions lead to %v, the answer is %v", names, sol.Set())
	}
	refused := make(map[resolver.BundleRef]bool)
	for _, list := range e.passed {
		for _, b := range list {
			refused[b] = true
		}
	}
	for _, s := range sol.Steps {
		for _, over := range s.PassedOver {
			if over.Catalog.IsZero() { // installed; its catalog is told to hooks only
				continue
			}
			if !refused[over] {
				return fmt.Errorf("%s was passed over for %s, which no decision tells", over, s.Bundle)
			}
		}
	}
	return nil
}

// TestPropertyTraces: a trace is the same each time, to the byte, as text and as
// JSON; it goes with the answer that Resolve gives; following it leads to the
// answer's set; and reading it back from JSON gives the same text.
func TestPropertyTraces(t *testing.T) {
	c, ctx := newConverter(), context.Background()
	checkProperty(t, 0.25, func(p *oracle.Problem) error {
		req := c.request(p)
		sol, err := resolver.New().Resolve(ctx, req)
		record, traced, tracedErr := trace.Resolve(ctx, resolver.New(), req, trace.Options{})
		if plain, watched := bytesOf(sol, err), bytesOf(traced, tracedErr); plain != watched {
			return fmt.Errorf("the answer differs with a trace:\n%s\n%s", plain, watched)
		}
		again, _, _ := trace.Resolve(ctx, resolver.New(), c.request(p), trace.Options{})
		first, second := must(json.Marshal(record)), must(json.Marshal(again))
		if !bytes.Equal(first, second) || record.Text() != again.Text() {
			return fmt.Errorf("two traces of one request differ:\n%s\n%s", record.Text(), again.Text())
		}
		var read trace.Trace
		if err := json.Unmarshal(first, &read); err != nil {
			return err
		}
		if read.Text() != record.Text() {
			return fmt.Errorf("the text is another once the trace is read from JSON:\n%s\n%s", record.Text(), read.Text())
		}
		return followed(record, sol)
	})
}

// followed follows a trace and holds what comes out against the solution.
func followed(record *trace.Trace, sol *resolver.Solution) error {
	var set []trace.Ref
	for _, e := range record.Events {
		switch {
		case e.Search != nil:
			set = nil
		case e.Back != nil:
			for _, u := range e.Back.Undecided {
				set = slices.DeleteFunc(set, func(b trace.Ref) bool { return b.Bundle == u.Bundle && b.Catalog == u.Catalog })
			}
		case e.Decision != nil && e.Decision.Choice != nil:
			set = append(set, *e.Decision.Choice)
			last := e.Decision.Candidates[len(e.Decision.Candidates)-1]
			if last.Verdict != trace.Chosen || last.Bundle != e.Decision.Choice.Bundle {
				return fmt.Errorf("decision %d chose %v, and its last candidate is %v", e.Decision.Index, e.Decision.Choice, last)
			}
		}
	}
	if sol == nil {
		return nil
	}
	chosen := make(map[trace.Ref]bool) // two of one name can be of different catalogs
	var names []string
	for _, b := range set {
		if !chosen[b] {
			names = append(names, b.Bundle)
		}
		chosen[b] = true
	}
	slices.Sort(names)
	if !slices.Equal(names, sol.Set()) || !slices.Equal(record.Set, sol.Set()) {
		return fmt.Errorf("the trace leads to %v and says %v, the answer is %v:\n%s", names, record.Set, sol.Set(), record.Text())
	}
	return nil
}
