package resolver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/trace"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// hostile collects the blobs of a catalog that wants to do harm.
type hostile struct{ text []byte }

func (h *hostile) add(blob any) {
	line, err := json.Marshal(blob)
	if err != nil {
		panic(err)
	}
	h.text = append(append(h.text, line...), '\n')
}

type object = map[string]any

// pkg adds a package with one channel "c", whose entries are the bundles in
// ascending order.
func (h *hostile) pkg(name string, bundles ...string) {
	h.add(object{"schema": "olm.package", "name": name, "defaultChannel": "c"})
	var entries []object
	for i, b := range bundles {
		e := object{"name": b}
		if i > 0 {
			e["replaces"] = bundles[i-1]
		}
		entries = append(entries, e)
	}
	h.add(object{"schema": "olm.channel", "package": name, "name": "c", "entries": entries})
}

// bundle adds a bundle.
func (h *hostile) bundle(pkg, name, version string, more ...object) {
	props := append([]object{{"type": "olm.package", "value": object{"packageName": pkg, "version": version}}}, more...)
	h.add(object{"schema": "olm.bundle", "package": pkg, "name": name, "image": "i", "properties": props})
}

// one adds a package with one bundle, named after it.
func (h *hostile) one(pkg string, more ...object) {
	h.pkg(pkg, pkg+".v1")
	h.bundle(pkg, pkg+".v1", "1.0.0", more...)
}

func provides(kind string) object {
	return object{"type": "olm.gvk", "value": object{"group": "example.com", "version": "v1", "kind": kind}}
}

func requires(constraint any) object { return object{"type": "olm.constraint", "value": constraint} }

func rule(text string) object { return requires(object{"cel": object{"rule": text}}) }

func packageAtom(name string) object {
	return object{"package": object{"packageName": name, "versionRange": ">=0.0.0"}}
}

func (h *hostile) request(t testing.TB, subscriptions ...string) resolver.Request {
	t.Helper()
	c := testkit.Must(fbc.Read(context.Background(), newReader(h.text), "hostile.jsonl", fbc.Options{}))(t)
	req := resolver.Request{Namespace: "ns", Catalogs: []resolver.Catalog{{Key: cache.Key{Namespace: "ns", Name: "c"}, Content: c}}}
	for _, s := range subscriptions {
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: s, Package: s})
	}
	return req
}

func numbered(prefix string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s%d", prefix, i)
	}
	return out
}

// attack is a request that wants to cost more than it may, and what answers it.
type attack struct {
	name    string
	limits  resolver.Limits
	request func(t testing.TB) resolver.Request
	// long says that it takes too long for every day.
	long bool
	// outcome is what has to come of it, limit the one that stops it.
	outcome trace.Outcome
	limit   string
	// says is part of the argument, or of the error.
	says string
	// bytes bounds the argument and, 20 times that, the conflict in JSON.
	bytes int
}

func attacks() []attack {
	return []attack{
		{
			name: "a thousand subscriptions for one API", long: true, outcome: trace.OutcomeUnsatisfiable, says: "example.com/v1/Same", bytes: 4_000, // of JSON with all independent conflicts that are told, twenty times that
			request: func(t testing.TB) resolver.Request {
				h, names := &hostile{}, numbered("p", 1000)
				for _, p := range names {
					h.one(p, provides("Same"))
				}
				return h.request(t, names...)
			},
		},
		{
			name: "a conflict that takes four hundred subscriptions", long: true, outcome: trace.OutcomeUnsatisfiable, says: "cannot all be met", bytes: 200_000,
			request: func(t testing.TB) resolver.Request {
				h, names := &hostile{}, numbered("p", 400)
				var options []object
				for i, p := range names {
					h.one(p, provides(fmt.Sprintf("K%d", i)))
					h.one("other-"+p, provides(fmt.Sprintf("K%d", i)))
					options = append(options, packageAtom("other-"+p))
				}
				h.one("z", requires(object{"any": object{"constraints": options}}))
				return h.request(t, append(names, "z")...)
			},
		},
		{
			name: "rules that burn cost", limits: resolver.Limits{CELCost: 1_000_000},
			outcome: trace.OutcomeIncomplete, limit: "CEL cost", says: "more than 1000000 CEL cost",
			request: func(t testing.TB) resolver.Request {
				h := &hostile{}
				var burn []object
				for i := range 30 {
					burn = append(burn, rule(fmt.Sprintf("properties.all(a, properties.all(b, a.type + b.type != 'x%d')) && properties[0].value.packageName == 'none'", i)))
				}
				names := numbered("p", 50)
				for _, p := range names {
					h.one(p, burn...)
				}
				return h.request(t, names...)
			},
		},
		{
			name: "regular expressions that are large, nested, or many", outcome: trace.OutcomeUnsatisfiable, says: "cannot be met", bytes: 20_000,
			request: func(t testing.TB) resolver.Request {
				h := &hostile{}
				var rules []object
				for _, pattern := range []string{"((((a{1,30}){1,30}){1,30}){1,30})", "(a*)*(b*)*c", strings.Repeat("(x|", 500) + strings.Repeat(")", 500), strings.Repeat("a?", 900)} {
					rules = append(rules, rule(fmt.Sprintf("properties.exists(p, p.type.matches('%s'))", pattern)))
				}
				for range 100 {
					rules = append(rules, rule("properties.all(p, properties.all(q, (p.type + q.type).matches(p.type)))"), object{"type": strings.Repeat("a", 2_000), "value": 1})
				}
				h.one("p", rules...)
				return h.request(t, "p")
			},
		},
		{
			name: "more bundles than allowed", limits: resolver.Limits{Bundles: 100},
			outcome: trace.OutcomeIncomplete, limit: "candidate bundles", says: "more than 100 candidate bundles",
			request: func(t testing.TB) resolver.Request {
				h := &hostile{}
				var names []string
				for i := range 1000 {
					names = append(names, fmt.Sprintf("p.v%d", i))
					h.bundle("p", names[i], fmt.Sprintf("%d.0.0", i), requires(packageAtom("nowhere")))
				}
				h.pkg("p", names...)
				return h.request(t, "p")
			},
		},
		{
			name: "pigeons", limits: resolver.Limits{Solves: 3},
			outcome: trace.OutcomeUnsatisfiable, says: "by its limit of time or of solver calls", bytes: 20_000,
			request: func(t testing.TB) resolver.Request { return pigeons(t, 7) },
		},
		{
			name: "constraints at the limits of size and nesting, a thousand", long: true, outcome: trace.OutcomeResolved,
			request: func(t testing.TB) resolver.Request {
				h, names := &hostile{}, numbered("p", 100)
				deep := packageAtom("p0")
				for i := range constraints.MaxDepth {
					kind := []string{"any", "all"}[i%2]
					deep = object{kind: object{"constraints": []object{deep, packageAtom("p1"), packageAtom(fmt.Sprintf("p%d", i))}}}
				}
				var wide []object
				for i := range 900 {
					wide = append(wide, packageAtom(fmt.Sprintf("p%d", i%100)))
				}
				large := object{"any": object{"constraints": wide}}
				for i, p := range names {
					more := []object{requires(large)}
					for range 9 {
						more = append(more, requires(deep))
					}
					h.one(p, append(more, provides(fmt.Sprintf("K%d", i)))...)
				}
				return h.request(t, names...)
			},
		},
		{
			name: "an any of 5,000", outcome: trace.OutcomeResolved,
			request: func(t testing.TB) resolver.Request {
				h := &hostile{}
				h.one("p")
				names := numbered("q", 5000)
				for _, q := range names[4000:] {
					h.one(q)
				}
				req := h.request(t, "p")
				req.Constraints = []resolver.BundleConstraint{{Bundle: resolver.BundleRef{Name: "p.v1"}, Constraint: anyOf(t, names)}}
				return req
			},
		},
		{
			name: "an any of 5,000 packages that do not exist", outcome: trace.OutcomeUnsatisfiable, bytes: 200_000,
			request: func(t testing.TB) resolver.Request {
				h := &hostile{}
				h.one("p")
				req := h.request(t, "p")
				req.Constraints = []resolver.BundleConstraint{{Bundle: resolver.BundleRef{Name: "p.v1"}, Constraint: anyOf(t, numbered("q", 5000))}}
				return req
			},
		},
		{
			name: "an any of 5,000 in a catalog", outcome: trace.OutcomeUnsatisfiable, says: "at most 65536 are allowed", bytes: 2_000,
			request: func(t testing.TB) resolver.Request {
				h := &hostile{}
				var options []object
				for _, q := range numbered("q", 5000) {
					options = append(options, packageAtom(q))
				}
				h.one("p", requires(object{"any": object{"constraints": options}}))
				return h.request(t, "p")
			},
		},
		{
			name: "a thousand versions that each want one of a thousand others", long: true, outcome: trace.OutcomeUnsatisfiable, bytes: 200_000,
			request: func(t testing.TB) resolver.Request {
				h := &hostile{}
				var ps, qs []string
				for i := range 1000 {
					ps, qs = append(ps, fmt.Sprintf("p.v%d", i)), append(qs, fmt.Sprintf("q.v%d", i))
					h.bundle("p", ps[i], fmt.Sprintf("%d.0.0", i), requires(packageAtom("q")))
					h.bundle("q", qs[i], fmt.Sprintf("%d.0.0", i), provides("Taken"))
				}
				h.pkg("p", ps...)
				h.pkg("q", qs...)
				h.one("r", provides("Taken"))
				return h.request(t, "p", "r")
			},
		},
		{
			name: "huge integers", outcome: trace.OutcomeUnsatisfiable, says: "is not a semantic version", bytes: 2_000,
			request: func(t testing.TB) resolver.Request {
				h := &hostile{}
				h.pkg("p", "p.v1")
				h.bundle("p", "p.v1", "99999999999999999999999999.0.0", object{"type": "x", "value": json.RawMessage("1e999999999")})
				return h.request(t, "p")
			},
		},
		{
			name: "priorities at the ends of the integers", outcome: trace.OutcomeResolved,
			request: func(t testing.TB) resolver.Request {
				h := &hostile{}
				h.one("p", rule("properties.exists(p, p.type == 'x' && p.value > 9.0e18)"),
					object{"type": "x", "value": json.RawMessage("9223372036854775807")})
				req := h.request(t, "p")
				low := req.Catalogs[0]
				low.Key.Name, low.Priority = "low", math.MinInt
				req.Catalogs[0].Priority = math.MaxInt
				req.Catalogs = append(req.Catalogs, low)
				return req
			},
		},
		{
			name: "kilometre-long prereleases", outcome: trace.OutcomeUnsatisfiable, bytes: 20_000, says: "is ignored, because the catalog is broken",
			request: func(t testing.TB) resolver.Request {
				h := &hostile{}
				long := strings.Repeat("a.1-b.", 20_000) + "z"
				var names []string
				for i := range 20 {
					names = append(names, fmt.Sprintf("p.v%d", i))
					h.bundle("p", names[i], fmt.Sprintf("1.0.0-%s%d", long, i))
				}
				h.pkg("p", names...)
				return h.request(t, "p")
			},
		},
		{
			name: "everything twice", outcome: trace.OutcomeUnsatisfiable, says: "is ignored, because the catalog is broken", bytes: 4_000,
			request: func(t testing.TB) resolver.Request {
				h := &hostile{}
				for range 2 {
					h.pkg("p", "p.v1", "p.v1")
					h.bundle("p", "p.v1", "1.0.0", provides("K"), provides("K"), requires(packageAtom("p")), requires(packageAtom("p")))
				}
				return h.request(t, "p")
			},
		},
		{
			name: "bundles that require each other in a circle of 20,000", long: true, outcome: trace.OutcomeResolved,
			request: func(t testing.TB) resolver.Request {
				h, names := &hostile{}, numbered("p", 20_000)
				for i, p := range names {
					h.one(p, requires(packageAtom(names[(i+1)%len(names)])))
				}
				return h.request(t, names[0])
			},
		},
		{
			name: "a channel of 50,000 entries", outcome: trace.OutcomeResolved,
			request: func(t testing.TB) resolver.Request {
				h := &hostile{}
				names := numbered("p.v", 50_000)
				h.pkg("p", names...)
				h.bundle("p", names[0], "1.0.0")
				return h.request(t, "p")
			},
		},
	}
}

func anyOf(t testing.TB, names []string) constraints.Constraint {
	t.Helper()
	all := testkit.Must(properties.ParseRange(">=0.0.0"))(t)
	var list []constraints.Constraint
	for _, n := range names {
		list = append(list, &constraints.Package{Name: n, Range: all})
	}
	return constraints.NewAny(list...)
}

// attackTime is far more than any of the attacks takes, on a machine that does much else.
const attackTime = 2 * time.Minute

// TestAttacks: what wants to cost without bound is answered, or stopped by a
// limit that the error names; what is said about it stays readable.
func TestAttacks(t *testing.T) {
	for _, a := range attacks() {
		t.Run(a.name, func(t *testing.T) {
			if a.long {
				testkit.OnlyLong(t, "takes seconds")
			}
			req := a.request(t)
			ctx, cancel := context.WithTimeout(context.Background(), attackTime)
			defer cancel()
			r := resolver.New(resolver.WithLimits(a.limits))
			start := time.Now()
			record, sol, err := tracedBy(ctx, r, req, trace.Options{})
			t.Logf("%s in %s", record.Outcome, time.Since(start))
			require.Equal(t, a.outcome, record.Outcome, "%v", err)
			require.Less(t, len(record.Text()), 4<<20)
			requireTame(t, record.Text())
			if sol != nil {
				requireTame(t, sol.Mermaid())
				requireTame(t, sol.DOT())
			}
			var stopped *resolver.IncompleteError
			if errors.As(err, &stopped) {
				require.Equal(t, a.limit, stopped.Limit)
				require.ErrorContains(t, err, a.says)
			}
			var conflict *resolver.Conflict
			if errors.As(err, &conflict) {
				a.checkConflict(ctx, t, r, req, conflict)
			}
			a.checkCancel(t, req)
		})
	}
}

// checkConflict bounds what is said about a conflict, corrections included.
func (a *attack) checkConflict(ctx context.Context, t *testing.T, r *resolver.Resolver, req resolver.Request, c *resolver.Conflict) {
	t.Helper()
	start := time.Now()
	limited, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	err := whatif.FindCorrections(limited, r, req, c, whatif.FindOptions{})
	found := c.Corrections
	t.Logf("%d corrections (%v) in %s, %d facts, %d bytes", len(found), err, time.Since(start), len(c.Facts), len(c.Text()))
	require.Less(t, time.Since(start), 6*time.Second, "a search for corrections that is stopped stops")
	if err == nil {
		require.LessOrEqual(t, len(found), 5)
	}
	require.Contains(t, c.Text(), a.says)
	require.LessOrEqual(t, len(c.Text()), a.bytes)
	requireTame(t, c.Text())
	requireTame(t, c.Argument().DOT())
	requireTame(t, c.Argument().Mermaid())
	data := testkit.Must(json.Marshal(c))(t)
	require.LessOrEqual(t, len(data), 20*a.bytes)
}

// stopsWithin is what a context's end may take to have an effect, on a machine
// that does much else at the same time or with the race detector. That it is 50 ms
// where nothing else runs is for benchmarks, and for internal/testkit/growth, which counts
// looks at the context instead of time.
const stopsWithin = 2 * time.Second

// checkCancel ends the context at several times, which has to take effect soon.
// One try of a few is enough: the others may have had to wait for the machine.
func (a *attack) checkCancel(t *testing.T, req resolver.Request) {
	t.Helper()
	r := resolver.New(resolver.WithLimits(a.limits))
	for _, after := range []time.Duration{time.Millisecond, 20 * time.Millisecond, 200 * time.Millisecond} {
		best := time.Hour
		for try := 0; try < 8 && best > stopsWithin; try++ {
			ctx, cancel := context.WithTimeout(context.Background(), after)
			start := time.Now()
			_, err := r.Resolve(ctx, req)
			best = min(best, max(0, time.Since(start)-after))
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) && best <= stopsWithin {
				break // it was faster than that
			}
		}
		require.LessOrEqual(t, best, stopsWithin, "the context ended after %s", after)
	}
}

// requireTame wants text without control characters besides the end of a line,
// and without characters that do not show or turn round what follows.
func requireTame(t testing.TB, text string) {
	t.Helper()
	for i, c := range text {
		if c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || c == '\u2028' || c == '\u2029') {
			t.Fatalf("%U in %.200q", c, text[max(0, i-50):])
		}
	}
}
