package lock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/certificate"
)

// Verification is the result of verifying a lock.
type Verification struct {
	// Valid reports whether the locked bundles satisfy the current question: each is still
	// offered as it was locked, and together they are a result set.
	Valid bool `json:"valid"`
	// Best reports whether they are still the answer: no demand has a better candidate.
	Best bool `json:"best"`
	// Drift lists the changes since the lock and their effects on the locked bundles. It is
	// never nil, and includes changes without an effect on the answer.
	Drift []Drift `json:"drift"`
	// Unread are the keys of catalogs that were not read. The result then concerns the lock alone.
	Unread []string `json:"unread,omitempty"`
}

// Drift is a difference between a lock and the current catalogs and cluster.
type Drift struct {
	// Kind is the kind of change.
	Kind DriftKind `json:"kind"`
	// Subject names it: a catalog, a bundle, a subscription, or a key of the scenario.
	Subject string `json:"subject"`
	// Text is a sentence. It may change in any release.
	Text string `json:"text"`
}

// DriftKind is the kind of a change since a lock was made.
type DriftKind string

// The kinds of drift.
const (
	// DriftCatalog: a catalog has another content, or other catalogs are used.
	DriftCatalog DriftKind = "catalog"
	// DriftCluster: the cluster, its installed bundles or its subscriptions differ.
	DriftCluster DriftKind = "cluster"
	// DriftPolicy: the policy or the forbidden bundles differ.
	DriftPolicy DriftKind = "policy"
	// DriftAnswer: the lock holds another answer than its question has, although nothing else
	// changed.
	DriftAnswer DriftKind = "answer"
)

// Verify decides whether a locked answer is still valid, and still the best one, for a request:
// the question of the lock as it is now, with the content of its catalogs. For the question
// itself that is [Lock.Request] with its catalogs filled in.
//
// The certificate of the lock decides without a search as long as it holds for the request. If
// it does not, the request is resolved, to tell what the answer is now.
//
// If catalogs have neither content nor an error, they were not read. Nothing but the lock itself
// is then verified, which [Read] has done: its digest, and that its bundles, its question and its
// catalogs are those of its certificate. The error is a [*CatalogError] if that is not enough
// because something changed, or if a catalog cannot be read. Otherwise it is an [*Error] for a
// lock that cannot be used, a [*resolver.RequestError] for an invalid request, or a
// [*resolver.IncompleteError].
func Verify(ctx context.Context, r *resolver.Resolver, l *Lock, now resolver.Request) (*Verification, error) {
	if err := l.validate(); err != nil {
		return nil, err
	}
	then, err := l.Request()
	if err != nil {
		return nil, err
	}
	d, err := l.changes(&then, &now)
	if err != nil {
		return nil, err
	}
	v := &Verification{Valid: true, Best: true, Drift: append([]Drift{}, slices.Concat(d[DriftCatalog], d[DriftPolicy], d[DriftCluster])...)}
	for _, c := range now.Catalogs {
		switch {
		case c.Unavailable != nil:
			return nil, &CatalogError{c.Key, c.Unavailable}
		case c.Content == nil && len(v.Drift) > 0:
			return nil, &CatalogError{Key: c.Key}
		case c.Content == nil:
			v.Unread = append(v.Unread, c.Key.String())
		}
	}
	if len(v.Unread) > 0 {
		return v, nil
	}
	return v, v.judge(ctx, r, l, then, now, d)
}

// judge decides about the answer, and adds what is wrong with it under the kind of change that
// caused it.
func (v *Verification) judge(ctx context.Context, r *resolver.Resolver, l *Lock, then, now resolver.Request, d map[DriftKind][]Drift) error {
	altered := make(map[string]bool)
	for _, b := range l.altered(&now) {
		altered[b.Subject] = true
		if b.Kind = DriftAnswer; len(d[DriftCatalog]) > 0 {
			b.Kind = DriftCatalog
		}
		v.Valid, v.Best, v.Drift = false, false, append(v.Drift, b)
	}
	decided, err := l.decide(ctx, r, now)
	if err != nil || decided.best {
		return err
	}
	kind, err := l.cause(ctx, r, then, now, d)
	if err != nil {
		return err
	}
	v.Valid, v.Best = decided.valid, false
	for _, what := range l.outdated(decided) {
		what.Kind = kind
		if !altered[what.Subject] {
			v.Drift = append(v.Drift, what)
		}
	}
	return nil
}

// cause returns the kind of the first change, in the order catalog, policy, cluster, after which
// the locked answer is not the best one any more.
func (l *Lock) cause(ctx context.Context, r *resolver.Resolver, then, now resolver.Request, d map[DriftKind][]Drift) (DriftKind, error) {
	kind := DriftAnswer
	q := then
	q.Catalogs = now.Catalogs
	for _, step := range []struct {
		kind   DriftKind
		change func()
	}{
		{DriftCatalog, func() {}},
		{DriftPolicy, func() {
			q.Policy, q.Forbid, q.Veto, q.Relax, q.Constraints = now.Policy, now.Forbid, now.Veto, now.Relax, now.Constraints
		}},
		{DriftCluster, func() { q = now }},
	} {
		step.change()
		if len(d[step.kind]) == 0 {
			continue
		}
		kind = step.kind
		if step.kind == DriftCluster {
			break
		}
		decided, err := l.decide(ctx, r, q)
		var invalid *resolver.RequestError
		if errors.As(err, &invalid) { // half of the changes may not go together
			continue
		}
		if err != nil || !decided.best {
			return kind, err
		}
	}
	return kind, nil
}

// decision is what is decided about the locked bundles for a request.
type decision struct {
	valid, best bool
	fresh       []Bundle           // the answer, if it is another one
	conflict    *resolver.Conflict // why there is none
	stale       *StaleError        // why the locked bundles are not valid
}

// decide decides whether the locked bundles are valid and the best answer to a request.
func (l *Lock) decide(ctx context.Context, r *resolver.Resolver, q resolver.Request) (*decision, error) {
	err := certificate.Check(ctx, q, l.Certificate.For(q))
	var untrue *certificate.ClaimError
	if err == nil {
		return &decision{valid: true, best: true}, nil
	}
	if !errors.As(err, &untrue) {
		return nil, err
	}
	sol, err := r.Resolve(ctx, q)
	var conflict *resolver.Conflict
	switch {
	case errors.As(err, &conflict):
		return &decision{conflict: conflict}, nil
	case err != nil:
		return nil, err
	case l.same(sol):
		return &decision{valid: true, best: true}, nil
	}
	d := &decision{fresh: bundlesOf(&q, sol)}
	_, err = l.Resolve(ctx, r, q)
	if d.valid = err == nil; errors.As(err, &d.stale) {
		err = nil
	}
	return d, err
}

// same reports whether a solution has exactly the locked bundles.
func (l *Lock) same(sol *resolver.Solution) bool {
	if len(sol.Steps) != len(l.Bundles) {
		return false
	}
	locked := make(map[string][]Bundle)
	for _, b := range l.Bundles {
		locked[b.Name] = append(locked[b.Name], b)
	}
	for _, s := range sol.Steps {
		catalog := ""
		if from := cmp.Or(s.Catalog, s.KeptFrom); !from.IsZero() {
			catalog = from.String()
		}
		list := locked[s.Bundle]
		i := slices.IndexFunc(list, func(b Bundle) bool {
			return b.Installed || s.Action == resolver.Keep || b.Package == s.Package && b.Catalog == catalog
		})
		if i < 0 {
			return false
		}
		locked[s.Bundle] = slices.Delete(list, i, i+1)
	}
	return true
}

// altered lists the locked bundles that their catalogs no longer have, or have otherwise.
func (l *Lock) altered(now *resolver.Request) []Drift {
	var out []Drift
	installed := installedIn(now)
	for _, b := range l.Bundles {
		if b.Installed || b.Catalog == "" {
			continue
		}
		of := bundleIn(now, b.Catalog, b.Package, b.Name)
		switch {
		case of == nil && !installed[b.Name]:
			out = append(out, Drift{Subject: b.Name, Text: fmt.Sprintf("catalog %s no longer has %s", b.Catalog, text.Inert(b.Name))})
		case of == nil: // it is installed as locked
		case of.Image != b.Image:
			out = append(out, Drift{Subject: b.Name, Text: fmt.Sprintf("the image of %s is %s, and was %s", text.Inert(b.Name), orNone(of.Image), orNone(b.Image))})
		case of.Version != nil && of.Version.String() != b.Version:
			out = append(out, Drift{Subject: b.Name, Text: fmt.Sprintf("the version of %s is %s, and was %s", text.Inert(b.Name), of.Version, orNone(b.Version))})
		}
	}
	return out
}

// installedIn returns the names of the installed bundles of a request.
func installedIn(q *resolver.Request) map[string]bool {
	names := make(map[string]bool, len(q.Installed))
	for i := range q.Installed {
		names[q.Installed[i].Name] = true
	}
	return names
}

func orNone(s string) string { return cmp.Or(text.Inert(s), "none") }

// outdated says what a decision means for the locked bundles.
func (l *Lock) outdated(d *decision) []Drift {
	if d.conflict != nil {
		return []Drift{{Subject: d.conflict.Facts[0].Subject, Text: "there is no solution any more: " + text.Inert(d.conflict.Error())}}
	}
	var out []Drift
	if d.stale != nil {
		out = append(out, Drift{Subject: d.stale.Subject, Text: "the locked answer is not valid any more: " + d.stale.Reason})
	}
	for _, c := range Compare(l.Bundles, d.fresh) {
		switch {
		case (c.From == nil || c.To == nil) && d.stale != nil && cmp.Or(c.From, c.To).Name == d.stale.Subject: // said
		case c.From == nil:
			out = append(out, Drift{Subject: c.To.Name, Text: fmt.Sprintf("%s would be selected in addition", text.Inert(c.To.Name))})
		case c.To == nil:
			out = append(out, Drift{Subject: c.From.Name, Text: fmt.Sprintf("%s would not be selected any more", text.Inert(c.From.Name))})
		case c.From.Name != c.To.Name || c.From.Catalog != c.To.Catalog:
			out = append(out, Drift{Subject: c.From.Name, Text: fmt.Sprintf("%s of catalog %s would be selected instead of %s", text.Inert(c.To.Name), orNone(c.To.Catalog), text.Inert(c.From.Name))})
		}
	}
	return out
}
