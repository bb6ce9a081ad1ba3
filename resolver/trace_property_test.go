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
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// everything has all hooks and replays what they are called with.
type everything struct {
	began, ended int
	end          trace.Ended
	calls        int // of the solver
	explanations int // under way
	set          map[trace.Ref]int
	choices      []trace.Ref // by decision, what it chose
	open         *trace.Decision
	passed       map[int][]trace.Ref // by decision, what it refused
	opened       int
	wrong        error
}

func (e *everything) fail(format string, args ...any) {
	if e.wrong == nil {
		e.wrong = fmt.Errorf(format, args...)
	}
}

func (e *everything) hooks() trace.Hooks {
	return trace.Hooks{Search: e.search, Solver: e.solver, Resolution: func(c context.Context, event trace.Event) context.Context {
		if event.Began != nil {
			e.began++
			return context.WithValue(c, e, "this one")
		}
		e.owns(c)
		switch {
		case event.Ended != nil:
			e.ended++
			e.end = *event.Ended
		case event.Explain != nil:
			e.explanations++
		case event.Conflict != nil:
			e.explanations--
			if x := event.Conflict; (x.Facts == 0) == (x.Error == "") {
				e.fail("an explanation with %d facts and the error %q", x.Facts, x.Error)
			}
		}
		return nil
	}}
}

func (e *everything) search(c context.Context, event trace.Event) {
	e.owns(c)
	switch {
	case event.Search != nil:
		e.set, e.choices, e.passed = make(map[trace.Ref]int), nil, make(map[int][]trace.Ref)
	case event.Decide != nil:
		if e.open != nil {
			e.fail("decision %d is taken up inside of decision %d", event.Decide.Index, e.open.Index)
		}
		e.open = event.Decide
		e.opened++
	case event.Candidate != nil:
		e.candidate(*event.Candidate)
	case event.Decision != nil:
		e.decided(*event.Decision)
	case event.Back != nil:
		e.back(*event.Back)
	default:
		e.fail("an event of a search that says nothing: %+v", event)
	}
}

func (e *everything) solver(c context.Context, event trace.Event) {
	e.owns(c)
	s := event.Solve
	if s == nil {
		return
	}
	e.calls++
	switch s.Purpose {
	case trace.PurposeExplain, trace.PurposeMinimize, trace.PurposeFewest:
		if e.explanations != 1 {
			e.fail("a call to %s outside of an explanation", s.Purpose)
		}
	}
	if s.Clauses == 0 || s.Calls != 1 || s.Satisfiable+s.Unsatisfiable+s.Stopped != 1 {
		e.fail("a solver call that says nothing: %+v", *s)
	}
}

// owns checks that a call has the context that was made for Began.
func (e *everything) owns(c context.Context) {
	if c.Value(e) != "this one" {
		e.fail("a hook gets a context that is not made from the one that was returned for Began")
	}
}

// bare is a reference without a word on whether the bundle is installed.
func bare(r trace.Ref) trace.Ref { return trace.Ref{Bundle: r.Bundle, Catalog: r.Catalog} }

func (e *everything) candidate(c trace.Candidate) {
	d := e.open
	if d == nil {
		e.fail("a candidate, and no decision is taken up")
		return
	}
	if c.Verdict == "" {
		e.fail("candidate %s of decision %d has no verdict", c.Bundle, d.Index)
	}
	// A bundle that a candidate would prohibit, or be prohibited by, may be itself.
	ref := bare(c.Ref)
	if c.By != (trace.Ref{}) && e.set[c.By] == 0 && c.By != ref {
		e.fail("%s stands in the way of %s without being in the set", c.By.Bundle, c.Bundle)
	}
	if c.Verdict != trace.Chosen && c.Bundle != "" {
		e.passed[d.Index] = append(e.passed[d.Index], ref)
	}
}

func (e *everything) decided(d trace.Decision) {
	if e.open == nil || e.open.Index != d.Index {
		e.fail("decision %d is over without having been taken up", d.Index)
	}
	e.open = nil
	switch d.Result {
	case trace.ResultChosen:
		if b := bare(d.Choice); b != (trace.Ref{}) {
			e.set[b]++
		}
	case trace.ResultSatisfied:
		for _, b := range d.By {
			if e.set[b] == 0 {
				e.fail("%s satisfies decision %d without being in the set", b.Bundle, d.Index)
			}
		}
	case trace.ResultDeadEnd:
	default:
		e.fail("decision %d ends with %q", d.Index, d.Result)
	}
}

func (e *everything) back(b trace.Back) {
	for _, u := range b.Undecided {
		if e.set[u] == 0 {
			e.fail("%s is undone without having been chosen", u.Bundle)
		}
		delete(e.set, u)
	}
	for i := range e.passed {
		if i > b.Index {
			delete(e.passed, i)
		}
	}
	if r := bare(b.Refused); r != (trace.Ref{}) {
		e.passed[b.Index] = append(e.passed[b.Index], r)
	}
}

// names are the bundles that the choices leave, in ascending order.
func (e *everything) names() []string {
	var names []string
	for b := range e.set {
		names = append(names, b.Bundle)
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
// follows the decisions has the result set in the end. So has a trace, which is the same
// each time, to the byte, as text and as JSON, and reads the same once it is read back.
func TestPropertyHooksChangeNothingAndMissNothing(t *testing.T) {
	c, ctx := newConverter(), context.Background()
	checkProperty(t, 0.5, func(p *oracle.Problem) error {
		req := c.request(p)
		sol, err := resolver.New().Resolve(ctx, req)
		e := &everything{}
		record, seen, seenErr := tracedBy(ctx, resolver.New(resolver.WithHooks(e.hooks())), req, trace.Options{})
		if plain, watched := bytesOf(sol, err), bytesOf(seen, seenErr); plain != watched {
			return fmt.Errorf("the answer differs with hooks:\n%s\n%s", plain, watched)
		}
		again, _, _ := tracedBy(ctx, resolver.New(), c.request(p), trace.Options{})
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
		if n := decisions(record); n != e.opened || sol != nil && !slices.Equal(record.Set, sol.Set()) {
			return fmt.Errorf("the trace has %d decisions of %d and leads to %v:\n%s", n, e.opened, record.Set, record.Text())
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

// decisions counts the decisions of a trace, the last candidate of which is the chosen one.
func decisions(record *trace.Trace) (n int) {
	for _, e := range record.Events {
		if d := e.Decision; d != nil {
			n++
			if last := len(d.Candidates) - 1; d.Choice.Bundle != "" && (last < 0 || d.Candidates[last].Bundle != d.Choice.Bundle) {
				return -1
			}
		}
	}
	return n
}

// sharesReference reports whether one name in one catalog may mean two bundles: of two
// of its packages, or of one and of what was installed from there.
func sharesReference(p *oracle.Problem) bool {
	packages := make(map[trace.Ref]string)
	shared := false
	add := func(key oracle.Key, bundle, pkg string) {
		ref := trace.Ref{Catalog: cache.Key(key), Bundle: bundle}
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
	if got, _ := e.end.Solution.(*resolver.Solution); got != sol || !errors.Is(e.end.Err, err) {
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
	refused := make(map[trace.Ref]bool)
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
			if !refused[trace.Ref{Bundle: over.Name, Catalog: over.Catalog}] {
				return fmt.Errorf("%s was passed over for %s, which no decision tells", over, s.Bundle)
			}
		}
	}
	return nil
}
