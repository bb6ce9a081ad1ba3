package libsolv

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// Testcase is a problem in the language of testsolv.
type Testcase struct {
	// Repos are the repositories, in the order of the testcase.
	Repos []Repo
	// Jobs are the lines of the testcase after the repositories.
	Jobs []string
}

// Repo is one repository.
type Repo struct {
	Name     string
	Priority int
	Text     []byte // in the testtags format
}

// InexpressibleError reports a part of a request that libsolv cannot express.
type InexpressibleError struct{ What string }

// Error describes the part and the reason.
func (e *InexpressibleError) Error() string {
	return "cannot translate the request for libsolv: " + e.What
}

// unmeetable is required by unsatisfiable parts; no package provides it.
const unmeetable = "unmeetable"

const (
	systemRepo = "system"
	auxRepo    = "auxiliary"
)

// Translate converts a request to a testcase. It holds all of it in memory,
// some hundred bytes per bundle.
//
// The error is an *InexpressibleError, or that of the context or of the budget
// for CEL rules.
func Translate(ctx context.Context, req resolver.Request) (*Testcase, error) {
	if err := expressible(&req); err != nil {
		return nil, err
	}
	t := &translation{
		ctx: ctx, req: &req,
		eval: constraints.NewEvaluator(constraints.EvaluatorOptions{Cluster: req.Cluster.Properties, APIs: req.Cluster.APIs}),
		at:   map[*graph.Bundle]int{}, inst: map[string]int{}, plain: map[string]bool{},
		versions: map[string][]*graph.Bundle{}, providers: map[properties.GVK][]*graph.Bundle{},
		found: map[string][]*graph.Bundle{}, names: map[string]string{},
		extra: map[*graph.Bundle][]string{}, subjects: map[*graph.Bundle]*constraints.Subject{},
	}
	t.order()
	if err := t.addInstalled(); err != nil {
		return nil, err
	}
	t.addCatalogs()
	t.index()
	// Requirements add provided names to bundles, so they come first.
	for i := range t.all {
		if err := t.require(&t.all[i]); err != nil {
			return nil, err
		}
	}
	t.subscribe()
	return t.testcase(), nil
}

func expressible(req *resolver.Request) error {
	switch {
	case req.Policy.Failures == resolver.FailuresPartial:
		return &InexpressibleError{"policy Partial drops unsatisfiable subscriptions; libsolv solves all or nothing"}
	case len(req.Extensions) > 0:
		return &InexpressibleError{"extensions of OLM v1 are not translated"}
	case req.Veto != nil || len(req.Policy.Veto) > 0:
		return &InexpressibleError{"vetoes, and rules of the policy, are not translated"}
	case len(req.Force) > 0 || len(req.Constraints) > 0 || len(req.Relax) > 0:
		return &InexpressibleError{"forced bundles, and constraints that the caller adds or relaxes, are not translated"}
	}
	if len(req.Cluster.CRDs) > 0 && req.Policy.Compatibility == resolver.CompatibilityRequire {
		return &InexpressibleError{"resource definitions of the cluster are not translated"}
	}
	for _, c := range req.Catalogs {
		if c.Content == nil {
			return &InexpressibleError{fmt.Sprintf("the catalog %s has no content", c.Key)}
		}
	}
	return nil
}

// translation is the state of translating one request.
type translation struct {
	ctx  context.Context
	req  *resolver.Request
	eval *constraints.Evaluator
	cats []*resolver.Catalog // by key

	all  []solvable            // installed ones first, then by catalog
	at   map[*graph.Bundle]int // index into all
	inst map[string]int        // the installed ones by name, index into all

	bundles   []*graph.Bundle                    // all bundles
	versions  map[string][]*graph.Bundle         // by package
	providers map[properties.GVK][]*graph.Bundle // by API
	plain     map[string]bool                    // packages with only plain versions
	found     map[string][]*graph.Bundle         // matches of an atom, by its key
	names     map[string]string                  // the name that the matches of an atom provide
	extra     map[*graph.Bundle][]string         // such names, by bundle
	subjects  map[*graph.Bundle]*constraints.Subject
	aux       []auxiliary
	jobs      []string
}

// solvable is one package of libsolv.
type solvable struct {
	bundle    *graph.Bundle
	repo      string
	release   int
	requires  []string
	conflicts []string
	excluded  bool // excluded from the result
}

// auxiliary is a package that represents the absence of others.
type auxiliary struct{ name, conflict string }

// order sorts the catalogs independently of the request's order.
func (t *translation) order() {
	for i := range t.req.Catalogs {
		t.cats = append(t.cats, &t.req.Catalogs[i])
	}
	slices.SortFunc(t.cats, func(a, b *resolver.Catalog) int { return a.Key.Compare(b.Key) })
}

func repoName(key cache.Key) string {
	return strings.NewReplacer("/", "_", " ", "_").Replace(key.String())
}

// addCatalogs makes solvables of the candidates.
func (t *translation) addCatalogs() {
	for _, c := range t.cats {
		name := repoName(c.Key)
		for b := range c.Content.Bundles() {
			if len(b.Places) == 0 || b.Barred || b.Quarantine != nil || t.forbidden(c.Key, b.Name) {
				continue
			}
			t.add(solvable{bundle: b, repo: name})
		}
	}
}

// add adds a solvable. Two of one package, version and repository get
// different releases.
func (t *translation) add(s solvable) {
	s.release = 1
	for _, b := range t.versions[s.bundle.Package] {
		if o := &t.all[t.at[b]]; o.repo == s.repo && evr(b) == evr(s.bundle) {
			s.release = max(s.release, o.release+1)
		}
	}
	t.at[s.bundle] = len(t.all)
	t.all = append(t.all, s)
	t.versions[s.bundle.Package] = append(t.versions[s.bundle.Package], s.bundle)
}

func (t *translation) forbidden(key cache.Key, name string) bool {
	return slices.ContainsFunc(t.req.Forbid, func(f resolver.Forbidden) bool {
		return f.Bundle.Name == name && (f.Bundle.Catalog.IsZero() || f.Bundle.Catalog == key)
	})
}

// index finds the providers.
func (t *translation) index() {
	t.bundles = make([]*graph.Bundle, len(t.all))
	for i := range t.all {
		b := t.all[i].bundle
		t.bundles[i] = b
		for api := range b.Properties.GVKs() {
			if list := t.providers[api]; len(list) == 0 || list[len(list)-1] != b {
				t.providers[api] = append(list, b)
			}
		}
	}
	for name, bundles := range t.versions {
		t.plain[name] = !slices.ContainsFunc(bundles, func(b *graph.Bundle) bool { return !plainVersion(*b.Version) })
	}
}

// contended reports whether bundles of several packages provide an API. Those
// of one package already exclude each other.
func (t *translation) contended(api properties.GVK) bool {
	list := t.providers[api]
	return slices.ContainsFunc(list, func(b *graph.Bundle) bool { return b.Package != list[0].Package })
}

// require translates the constraints of a bundle.
func (t *translation) require(s *solvable) error {
	if s.excluded {
		s.requires = append(s.requires, unmeetable)
	}
	for _, r := range s.bundle.Constraints {
		f, err := t.formula(r.Constraint, false)
		if err != nil {
			return err
		}
		for _, part := range f.conjuncts() {
			t.demand(s, part)
		}
	}
	return nil
}

// demand adds a part of a constraint as a requirement, or a prohibition as a
// conflict. In libsolv, unlike in the semantics, a package may conflict with
// itself.
func (t *translation) demand(s *solvable, f *form) {
	switch {
	case f.op == holds:
	case f.op == absent && !slices.Contains(f.matches, s.bundle):
		s.conflicts = append(s.conflicts, f.name)
	case f.op == absent:
		s.requires = append(s.requires, unmeetable)
	default:
		s.requires = append(s.requires, t.text(f))
	}
}
