package resolver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/certificate"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Each property is held against fewProblems problems, or manyProblems at full length,
// drawn from the seeds 1, 2, 3, …. The environment variable RESOLUTE_CHECKS sets another
// number, RESOLUTE_SEED another first seed. A nightly run is
//
//	RESOLUTE_CHECKS=100000 RESOLUTE_SEED=$(date +%s) go test -timeout 4h -run Property ./resolver
//
// A failure names its seed; RESOLUTE_CHECKS=1 RESOLUTE_SEED=<seed> repeats it. What
// it prints is the problem cut down to the least that still fails, as a scenario.
const fewProblems, manyProblems = 200, 2000

// A property returns what is wrong with an answer to a problem, or nothing.
type property func(p *oracle.Problem) error

// checkProperty holds a property against drawn problems. share is the part of the
// usual number that is enough for it.
func checkProperty(t *testing.T, share float64, holds property) {
	t.Helper()
	problems, first := setting(t, "RESOLUTE_CHECKS", testkit.Times(fewProblems, manyProblems)), int(testkit.Must(seed.Seed())(t))
	problems = max(int(float64(problems)*share), 1)
	var next, failed atomic.Int64
	failed.Store(-1)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			generator := draw.Problem()
			for failed.Load() < 0 {
				i := next.Add(1) - 1
				if i >= int64(problems) {
					return
				}
				if holds(generator.Example(first+int(i))) != nil {
					failed.Store(i)
				}
			}
		})
	}
	wg.Wait()
	if i := failed.Load(); i >= 0 {
		report(t, first+int(i), holds)
	}
}

func setting(t *testing.T, name string, standard int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return standard
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, "%s is a number", name)
	return n
}

// report prints a failing problem.
func report(t *testing.T, seed int, holds property) {
	t.Helper()
	p := draw.Problem().Example(seed)
	t.Fatalf("seed %d: %v\n%s", seed, holds(p), p.Scenario())
}

// TestPropertyAgreesWithTheOracle holds every answer against brute force: the
// same status, set, steps and warnings, and conflicts whose facts are sufficient
// and minimal.
func TestPropertyAgreesWithTheOracle(t *testing.T) {
	r, c := resolver.New(), newConverter()
	checkProperty(t, 1, func(p *oracle.Problem) error { return c.agree(r, p) })
}

// TestPropertyNearest is TestPropertyAgreesWithTheOracle under goal Nearest, with and without edges.
func TestPropertyNearest(t *testing.T) {
	r, c := resolver.New(), newConverter()
	checkProperty(t, 0.5, func(p *oracle.Problem) error {
		near := *p
		near.Policy.Goal = resolver.Nearest
		if err := c.agree(r, &near); err != nil {
			return err
		}
		near.Policy.Upgrades = resolver.UpgradesSelfCertified
		return c.agree(r, &near)
	})
}

// agree compares the answers to one problem.
func (c converter) agree(r *resolver.Resolver, p *oracle.Problem) error {
	want, err := oracle.Solve(p)
	if err != nil {
		return err
	}
	got, err := r.Resolve(context.Background(), c.request(p))
	return c.compare(p, want, got, err)
}

// compare compares the resolver's answer to a problem with the oracle's.
func (c converter) compare(p *oracle.Problem, want oracle.Answer, got *resolver.Solution, err error) error {
	var conflict *resolver.Conflict
	switch {
	case errors.As(err, &conflict) && want.Resolved:
		return fmt.Errorf("a conflict where there is the solution %v:\n%s", want.Set, conflict.Text())
	case errors.As(err, &conflict):
		return c.checkConflicts(p, conflict, want.Broken)
	case err != nil:
		return err
	case !want.Resolved:
		return fmt.Errorf("the solution %v where there is none", got.Set())
	}
	if d := difference(c.fromOracle(want), fromSolution(got)); d != "" {
		return fmt.Errorf("the answers differ (- oracle, + resolver):\n%s", d)
	}
	return c.checkLeft(p, got)
}

// checkLeft checks the conflicts of what a partial answer leaves out: a certificate proves each.
func (c converter) checkLeft(p *oracle.Problem, got *resolver.Solution) error {
	if len(got.Unresolved) == 0 {
		return nil
	}
	req := c.request(p)
	cert, err := certificate.Make(context.Background(), resolver.New(), req)
	if err != nil {
		return err
	}
	for i, u := range got.Unresolved {
		var facts, proven []string
		for _, f := range u.Conflict.Facts {
			subject := f.Subject
			if f.Kind == argument.FactNoCandidate {
				subject = f.Subscription
			}
			facts = append(facts, string(f.Kind)+" "+subject)
		}
		for _, f := range cert.Left[i].Conflict.Facts {
			proven = append(proven, f.Kind+" "+f.Subject)
		}
		if slices.Sort(facts); !slices.Equal(facts, slices.Sorted(slices.Values(proven))) {
			return fmt.Errorf("subscription %s is left out, or installed %s is broken, for %v; proven is %v", u.Subscription, u.Installed, facts, proven)
		}
	}
	return certificate.Check(context.Background(), req, cert)
}

// TestPropertyThroughFiles goes the whole way: the catalogs are written out as
// file-based catalogs, JSON lines and YAML in turn, and read again.
func TestPropertyThroughFiles(t *testing.T) {
	r, c := resolver.New(), newConverter()
	checkProperty(t, 0.25, func(p *oracle.Problem) error {
		want, err := oracle.Solve(p)
		if err != nil {
			return err
		}
		yaml := false
		req := c.request(p)
		for i := range req.Catalogs {
			yaml = !yaml
			req.Catalogs[i].Content = c.read(&p.Catalogs[i], yaml)
		}
		got, err := r.Resolve(context.Background(), req)
		return c.compare(p, want, got, err)
	})
}

// read writes a catalog as a file and reads that.
func (c converter) read(cat *oracle.Catalog, yaml bool) *cache.Catalog {
	separator, name := []byte("\n"), "catalog.jsonl"
	if yaml {
		separator, name = []byte("\n---\n"), "catalog.yaml"
	}
	var text bytes.Buffer
	for _, blob := range cat.Blobs() {
		text.Write(append(blob, separator...))
	}
	file := bytes.NewReader(text.Bytes())
	if file.Len() == 0 {
		return cache.NewCatalog(nil, nil) // a file without blobs is an error
	}
	return must(fbc.Read(context.Background(), file, name, fbc.Options{Catalog: cat.Key, Parser: c.Parser}))
}

// converter makes requests of the oracle's problems.
type converter struct{ draw.Converter }

func newConverter() converter { return converter{draw.NewConverter()} }

func (c converter) request(p *oracle.Problem) resolver.Request { return c.Request(p) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// answer is a solution in the words of both sides.
type answer struct {
	Set        []string
	Steps      []step
	Warnings   []oracle.Warning
	Broken     []string
	Unresolved []string
}

type step struct {
	Wave                                               int
	Action, Bundle, Package, Version, Catalog, Channel string
	Replaces, Because, PassedOver                      []string
	Subscription                                       string
}

// fromOracle puts the oracle's answer into words.
func (c converter) fromOracle(a oracle.Answer) answer {
	out := answer{Set: a.Set, Warnings: a.Warnings, Broken: a.Broken, Unresolved: a.Unresolved}
	for _, s := range a.Steps {
		st := step{Wave: s.Wave, Action: s.Action, Bundle: s.Bundle, Package: s.Package,
			Catalog: s.Catalog.String(), Channel: s.Channel, Replaces: s.Replaces}
		if s.Version != nil {
			st.Version = s.Version.String()
		}
		if sub := s.Subscription; sub != nil {
			st.Subscription = fmt.Sprint(sub.Package, sub.Channels, sub.Catalog, sub.StartingCSV)
		}
		for _, r := range s.Because {
			text := ""
			if r.Constraint != nil {
				text = c.Constraint(r.Constraint).String()
			}
			because := reason(r.Subscription, r.Installed, r.Forced, r.Bundle, text)
			if !slices.Contains(st.Because, because) { // two constraints can read the same
				st.Because = append(st.Because, because)
			}
		}
		for _, p := range s.PassedOver {
			st.PassedOver = append(st.PassedOver, p.String())
		}
		out.Steps = append(out.Steps, st)
	}
	return out
}

// fromSolution puts a solution into the same words.
func fromSolution(s *resolver.Solution) answer {
	out := answer{Set: s.Set()}
	for _, s := range s.Steps {
		st := step{Wave: s.Wave, Action: string(s.Action), Bundle: s.Bundle, Package: s.Package,
			Catalog: s.Catalog.String(), Channel: s.Channel, Replaces: s.Replaces}
		if s.Version != nil {
			st.Version = s.Version.String()
		}
		if sub, comes := s.Subscription(); comes {
			st.Subscription = fmt.Sprint(sub.Package, sub.Channels, sub.Catalog, sub.StartingCSV)
		}
		for _, r := range s.Because {
			st.Because = append(st.Because, reason(r.Subscription, r.Installed, r.Forced, r.Bundle, r.Constraint))
		}
		for _, p := range s.PassedOver {
			st.PassedOver = append(st.PassedOver, p.String())
		}
		out.Steps = append(out.Steps, st)
	}
	for _, w := range s.Warnings {
		ow := oracle.Warning{Kind: string(w.Kind), Bundle: w.Bundle, Subscription: w.Subscription}
		if !slices.Contains(out.Warnings, ow) { // one for each broken channel
			out.Warnings = append(out.Warnings, ow)
		}
	}
	for _, u := range s.Unresolved {
		if u.Installed != "" {
			out.Broken = append(out.Broken, u.Installed)
		} else {
			out.Unresolved = append(out.Unresolved, u.Subscription)
		}
	}
	return out
}

func reason(subscription string, installed, forced bool, bundle, constraint string) string {
	switch {
	case subscription != "":
		return "subscription " + subscription
	case installed:
		return "installed"
	case forced:
		return "forced"
	}
	return fmt.Sprintf("%s requires %s", bundle, constraint)
}

// difference compares two answers; the order of warnings does not count.
func difference(want, got answer) string {
	sorted := cmpopts.SortSlices(func(a, b oracle.Warning) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return cmp.Diff(want, got, sorted, cmpopts.EquateEmpty())
}

// TestPropertyThroughScenarios writes each problem out as the scenario that a
// failing test prints, and resolves what is read back.
func TestPropertyThroughScenarios(t *testing.T) {
	r, c := resolver.New(), newConverter()
	checkProperty(t, 0.15, func(p *oracle.Problem) error {
		p = p.Clone()
		p.Force, p.Added = nil, nil // what a scenario cannot say
		p.Catalogs = slices.DeleteFunc(p.Catalogs, func(c oracle.Catalog) bool { return len(c.Packages) == 0 })
		for i := range p.Subscriptions {
			p.Subscriptions[i].Pin = ""
		}
		want, err := oracle.Solve(p)
		if err != nil {
			return err
		}
		s, err := scenario.Parse(context.Background(), "problem.yaml", []byte(p.Scenario()))
		if err != nil {
			return err
		}
		loaded, err := s.Load(context.Background())
		if err != nil {
			return err
		}
		got, err := r.Resolve(context.Background(), loaded.Request)
		return c.compare(p, want, got, err)
	})
}
