package resolver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/resolver"
)

// cnf is a formula as read from DIMACS text.
type cnf struct {
	vars    int
	clauses [][]int
	bundles map[int][2]string // by variable: where from, and name
}

// readCNF reads DIMACS text and is strict about it.
func readCNF(text string) (*cnf, error) {
	f := &cnf{bundles: make(map[int][2]string)}
	clauses := -1
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || !strings.HasSuffix(line, "\n"):
			return nil, fmt.Errorf("a broken line %q", line)
		case words[0] == "c" && len(words) == 4 && clauses < 0:
			if v, err := strconv.Atoi(words[1]); err == nil {
				f.bundles[v] = [2]string{words[2], words[3]}
			}
		case words[0] == "c" && clauses < 0:
		case words[0] == "p" && len(words) == 4 && words[1] == "cnf" && clauses < 0:
			f.vars, clauses = must(strconv.Atoi(words[2])), must(strconv.Atoi(words[3]))
		default:
			var clause []int
			for i, w := range words {
				l, err := strconv.Atoi(w)
				if err != nil || clauses < 0 || max(l, -l) > f.vars || (l == 0) != (i == len(words)-1) {
					return nil, fmt.Errorf("a broken clause %q", line)
				}
				clause = append(clause, l)
			}
			f.clauses = append(f.clauses, clause[:len(clause)-1])
		}
	}
	if clauses != len(f.clauses) {
		return nil, fmt.Errorf("%d clauses announced, %d there", clauses, len(f.clauses))
	}
	return f, nil
}

// solve finds a model; nil if there is none.
func (f *cnf) solve(assumed ...int) map[int]bool {
	s := sat.New(sat.Options{})
	for range f.vars {
		s.NewVar()
	}
	lits := func(list []int) (out []sat.Lit) {
		for _, l := range list {
			out = append(out, sat.Lit(l))
		}
		return out
	}
	for _, clause := range f.clauses {
		s.Add(lits(clause)...)
	}
	if must(s.Solve(context.Background(), lits(assumed)...)) != sat.Satisfiable {
		return nil
	}
	model := make(map[int]bool, f.vars)
	for v := 1; v <= f.vars; v++ {
		model[v] = s.Value(sat.Lit(v))
	}
	return model
}

// TestPropertyDIMACS holds the written formula against the resolver: it has a model
// exactly if there is a solution; the answer's set is one, with nothing else
// chosen; and each model that is found is a set that can be had.
func TestPropertyDIMACS(t *testing.T) {
	r, c := resolver.New(), newConverter()
	checkProperty(t, 0.5, func(p *oracle.Problem) error {
		req := c.request(p)
		req.Policy.Failures = resolver.FailuresAll
		var text, again bytes.Buffer
		if err := errors.Join(r.WriteDIMACS(context.Background(), &text, req), r.WriteDIMACS(context.Background(), &again, c.request(p))); err != nil {
			return err
		}
		if text.String() != again.String() {
			return fmt.Errorf("the second text differs:\n%s\n%s", &text, &again)
		}
		f, err := readCNF(text.String())
		if err != nil {
			return fmt.Errorf("%w in\n%s", err, &text)
		}
		if err := f.agrees(r, req); err != nil {
			return fmt.Errorf("%w\n%s", err, &text)
		}
		return nil
	})
}

// agrees holds a formula against the answer of a resolver.
func (f *cnf) agrees(r *resolver.Resolver, req resolver.Request) error {
	sol, err := r.Resolve(context.Background(), req)
	var conflict *resolver.Conflict
	if err != nil && !errors.As(err, &conflict) {
		return err
	}
	model := f.solve()
	if (model != nil) != (sol != nil) {
		return fmt.Errorf("the formula has the model %v, the answer is %v", model, err)
	}
	if sol == nil || ambiguous(req) { // what is ambiguous cannot be asked for by name
		return nil
	}
	if f.solve(f.exactly(sol)...) == nil {
		return fmt.Errorf("the answer %v is no model", sol.Set())
	}
	var want []string
	forced := req
	forced.Force = slices.Clone(req.Force)
	forced.Forbid = slices.Clone(req.Forbid)
	for v, b := range f.bundles {
		if model[v] {
			want = append(want, b[1])
			forced.Force = append(forced.Force, refTo(b))
		}
	}
	for v, b := range f.bundles {
		if !model[v] && !slices.Contains(want, b[1]) {
			forced.Forbid = append(forced.Forbid, resolver.Forbidden{Bundle: refTo(b)})
		}
	}
	slices.Sort(want)
	sol, err = r.Resolve(context.Background(), forced)
	if err != nil {
		return fmt.Errorf("the model %v is no result set: %w", want, err)
	}
	if !slices.Equal(sol.Set(), want) {
		return fmt.Errorf("the model %v, asked for, gives %v", want, sol.Set())
	}
	return nil
}

// ambiguous reports whether a catalog has two bundles of one name.
func ambiguous(req resolver.Request) bool {
	for _, c := range req.Catalogs {
		for b := range c.Content.Bundles() {
			if len(c.Content.Named(b.Name)) > 1 {
				return true
			}
		}
	}
	return false
}

// exactly assumes the bundles of a solution, and that there are no others.
func (f *cnf) exactly(sol *resolver.Solution) []int {
	var lits []int
	for v, b := range f.bundles {
		lit := -v
		for _, s := range sol.Steps {
			from := s.Catalog.String()
			if s.Action == resolver.Keep {
				from = "installed"
			}
			if b == [2]string{from, s.Bundle} {
				lit = v
			}
		}
		lits = append(lits, lit)
	}
	return lits
}

func refTo(b [2]string) resolver.BundleRef {
	if b[0] == "installed" {
		return resolver.BundleRef{Name: b[1]}
	}
	return resolver.BundleRef{Catalog: must(cache.ParseKey(b[0])), Name: b[1]}
}
