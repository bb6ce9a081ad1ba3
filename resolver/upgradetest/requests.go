package upgradetest

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// requestCases lists subscriptions to each channel, on an empty cluster. They are
// the requests by which Unrelated, BlobOrder and Priority look at a catalog.
func requestCases(_ context.Context, c *check) (list []*situation, _ int, _ error) {
	for _, p := range packagesOf(c.own) {
		if !c.wants(p.pkg) {
			continue
		}
		list = append(list, c.plain(p, ""))
		for _, ch := range p.in(c.own).Channels {
			list = append(list, c.plain(p, ch.Name))
		}
	}
	return list, len(list), nil
}

// plain is a situation whose request asks for a package of any catalog.
func (c *check) plain(p packageOf, channel string) *situation {
	req := c.base(nil)
	req.Subscriptions = []resolver.Subscription{{Name: p.pkg, Package: p.pkg, Channels: text.NonEmpty(channel)}}
	return &situation{packageOf: p, channel: channel, request: req, whole: true}
}

// outline is what a property compares of an answer: what happens to which bundle,
// and why; of a conflict that it is one. Words, and what was looked at on the way,
// are left out: they may speak of what plays no part.
type outline struct {
	Status scenario.Status `json:"status"`
	Set    []string        `json:"set,omitempty"`
	Steps  []resolver.Step `json:"steps,omitempty"`
	Left   []string        `json:"unresolved,omitempty"`
}

func (q *question) outline(ctx context.Context, req resolver.Request) (o outline) {
	if q.err != nil {
		return o
	}
	ans := scenario.NewAnswer(q.cfg.Resolver.Resolve(ctx, req))
	q.err = ctx.Err()
	o.Status, o.Set, o.Steps = ans.Status, ans.Set, ans.Steps
	for _, u := range ans.Unresolved {
		o.Left = append(o.Left, u.Subscription)
	}
	return o
}

func (o outline) text() string {
	data, err := json.Marshal(o)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// plain is the outline without what was passed over.
func (o outline) plain() outline {
	o.Steps = slices.Clone(o.Steps)
	for i := range o.Steps {
		o.Steps[i].PassedOver = nil
	}
	return o
}

func (o outline) words() string {
	if o.Status != scenario.Resolved {
		return string(o.Status)
	}
	if len(o.Set) == 0 {
		return "nothing is installed"
	}
	return few(o.Set)
}

// differs is the failure of an answer that is not what it should be.
func differs(req resolver.Request, code, what string, want, got outline) *failure {
	f := &failure{code: code, request: req, expect: &expected{Status: want.Status, Set: want.Set},
		want: fmt.Sprintf("%s: %s", what, want.words()), got: got.words()}
	if want.words() == got.words() {
		f.want, f.got = what+": "+want.text(), got.text()
	}
	return f
}

// askUnrelated leaves out all packages that are not within reach.
func askUnrelated(ctx context.Context, q *question) *failure {
	req := q.request()
	fewer := req
	var less bool
	if fewer.Catalogs, less = relatedTo(&req).only(); !less {
		return nil
	}
	got, want := q.outline(ctx, req), q.outline(ctx, fewer)
	if want.text() == got.text() {
		return nil
	}
	return differs(req, "unrelated", "what is answered without the unrelated packages", want, got)
}

// orderCases are requestCases, with the whole catalogs put into other orders once for
// all of them.
func orderCases(ctx context.Context, c *check) ([]*situation, int, error) {
	var err error
	if c.mixed, err = c.reorder(ctx, c.cats, 0); err != nil {
		return nil, 0, err
	}
	return requestCases(ctx, c)
}

// reorder builds catalogs of their blobs in order, backwards, and mixed.
func (a *asker) reorder(ctx context.Context, cats []resolver.Catalog, salt uint64) ([][]resolver.Catalog, error) {
	rng := rand.New(rand.NewPCG(a.cfg.Seed, salt))
	var out [][]resolver.Catalog
	for _, order := range []func([]json.RawMessage){
		func([]json.RawMessage) {},
		slices.Reverse[[]json.RawMessage],
		func(blobs []json.RawMessage) {
			rng.Shuffle(len(blobs), func(i, j int) { blobs[i], blobs[j] = blobs[j], blobs[i] })
		},
	} {
		built := slices.Clone(cats)
		for i, c := range cats {
			blobs := Declare(c).Blobs()
			order(blobs)
			var err error
			if built[i].Content, err = fbc.FromBlobs(ctx, blobs, fbc.Options{Catalog: c.Key}); err != nil {
				return nil, err
			}
		}
		out = append(out, built)
	}
	return out, nil
}

// askBlobOrder asks the same of catalogs whose blobs come in another order.
func askBlobOrder(ctx context.Context, q *question) *failure {
	req := q.request()
	orders := q.mixed
	if orders == nil || !sameContent(q.cats, q.all) {
		near, _ := relatedTo(&req).only()
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(q.s.pkg + "\x00" + q.s.channel)) // a hash takes everything
		if orders, q.err = q.reorder(ctx, near, hash.Sum64()); q.err != nil {
			return nil
		}
	}
	req.Catalogs = orders[0]
	want := q.outline(ctx, req)
	for _, cats := range orders[1:] {
		other := req
		other.Catalogs = cats
		if got := q.outline(ctx, other); got.text() != want.text() {
			return differs(req, "blobOrder", "what is answered with the blobs in order", want, got)
		}
	}
	return nil
}

func sameContent(a, b []resolver.Catalog) bool {
	return slices.EqualFunc(a, b, func(x, y resolver.Catalog) bool { return x.Key == y.Key && x.Content == y.Content })
}

// askPriority puts a copy of each catalog below all catalogs, and above all.
func askPriority(ctx context.Context, q *question) *failure {
	req := q.request()
	near, _ := relatedTo(&req).only()
	if len(near) == 0 || namesCatalogs(&req) {
		return nil
	}
	req.Catalogs = near
	want := q.outline(ctx, req)
	low, high := near[0].Priority, near[0].Priority
	for _, c := range near {
		low, high = min(low, c.Priority), max(high, c.Priority)
	}
	span := high - low + 1
	below, above := req, req
	below.Catalogs, above.Catalogs = withCopies(near, -span), withCopies(near, span)
	got := q.outline(ctx, below)
	// the copies of what was passed over were passed over as well
	if want, got = want.plain(), got.plain(); got.text() != want.text() {
		return differs(below, "below", "what is answered without the copies below all others", want, got)
	}
	if got = q.outline(ctx, above); got.Status != want.Status {
		return differs(above, "above", "what is answered without the copies above all others", want, got)
	}
	return notFromAbove(above, want, got)
}

// copyPrefix marks the keys of copies.
const copyPrefix = "copy-of-"

// withCopies adds a copy of each catalog, its priority moved by some amount.
func withCopies(cats []resolver.Catalog, by int) []resolver.Catalog {
	out := slices.Clone(cats)
	for _, c := range cats {
		c.Key.Name = copyPrefix + c.Key.Name
		c.Priority += by
		out = append(out, c)
	}
	return out
}

// notFromAbove looks for a newly chosen bundle of a subscription that names no
// catalog, and that does not come from a copy.
func notFromAbove(req resolver.Request, want, got outline) *failure {
	for _, st := range got.Steps {
		if st.Action == resolver.Keep || strings.HasPrefix(st.Catalog.Name, copyPrefix) {
			continue
		}
		if anyCatalog(&req, st.Because) {
			return &failure{code: "above", request: req,
				want: fmt.Sprintf("%s comes from the catalog of the highest priority that has it", text.Name(st.Bundle)),
				got:  fmt.Sprintf("it comes from %s (without the copies: %s)", text.Name(st.Catalog.String()), want.words())}
		}
	}
	return nil
}

// anyCatalog reports whether a bundle meets subscriptions, none of which names a
// catalog.
func anyCatalog(req *resolver.Request, because []resolver.Reason) bool {
	met := false
	for _, r := range because {
		for _, s := range req.Subscriptions {
			if s.Name == r.Subscription {
				if !s.Catalog.IsZero() {
					return false
				}
				met = true
			}
		}
	}
	return met
}

// namesCatalogs reports whether a request means bundles of one catalog and not their
// copies.
func namesCatalogs(req *resolver.Request) bool {
	named := func(r resolver.BundleRef) bool { return !r.Catalog.IsZero() }
	return slices.ContainsFunc(req.Forbid, func(f resolver.Forbidden) bool { return named(f.Bundle) }) ||
		slices.ContainsFunc(req.Force, named) ||
		slices.ContainsFunc(req.Constraints, func(c resolver.BundleConstraint) bool { return named(c.Bundle) }) ||
		slices.ContainsFunc(req.Relax, func(r resolver.BundleConstraint) bool { return named(r.Bundle) })
}
