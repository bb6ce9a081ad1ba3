package growth_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/graph/draw"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/change"
)

// operation does something with a world.
type operation func(ctx context.Context, w *world) error

// pictures draws each of the first packages.
func pictures(write func(context.Context, io.Writer, *graph.Package, draw.Options) error, o draw.Options) operation {
	return func(ctx context.Context, w *world) error {
		for _, p := range w.packages[:min(8, len(w.packages))] {
			if err := write(ctx, io.Discard, p, o); err != nil {
				return err
			}
		}
		return nil
	}
}

// said renders a conflict in every form; other errors are returned.
func said(err error) error {
	var c *resolver.Conflict
	if err == nil || !errors.As(err, &c) {
		return err
	}
	_, err = json.Marshal(c)
	a := c.Argument()
	_, _, _, _ = c.Text(), a.HTML(), a.DOT(), a.Mermaid()
	return err
}

// operations are what is held against the shapes.
var operations = map[string]operation{
	"resolve": func(ctx context.Context, w *world) error {
		s, err := resolver.New().Resolve(ctx, w.request)
		if err != nil {
			return said(err)
		}
		_, err = json.Marshal(s)
		_, _ = s.DOT(), s.Mermaid()
		return err
	},
	"resolve, partial": func(ctx context.Context, w *world) error {
		req := w.request
		req.Policy.Failures = resolver.FailuresPartial
		if len(req.Subscriptions) > 8 {
			req.Subscriptions = req.Subscriptions[:8]
		}
		_, err := resolver.New().Resolve(ctx, req)
		return said(err)
	},
	"dimacs": func(ctx context.Context, w *world) error {
		req := w.request
		if len(req.Subscriptions) > 8 { // each has a clause with its candidates
			req.Subscriptions = req.Subscriptions[:8]
		}
		return said(resolver.New().WriteDIMACS(ctx, io.Discard, req))
	},
	"audit of a few": func(ctx context.Context, w *world) error {
		var names []string
		for _, p := range w.packages[:min(2, len(w.packages))] {
			names = append(names, p.Name)
		}
		if len(w.packages[0].Bundles) > 100 {
			return nil // an answer for each bundle
		}
		_, err := audit.Run(ctx, resolver.New(), w.request.Catalogs, audit.Options{Packages: names, Workers: 1})
		return err
	},
	"text":            pictures(draw.Text, draw.Options{}),
	"text, all edges": pictures(draw.Text, draw.Options{AllEdges: true}),
	"dot":             pictures(draw.DOT, draw.Options{}),
	"dot, all edges":  pictures(draw.DOT, draw.Options{AllEdges: true}),
	"mermaid":         pictures(draw.Mermaid, draw.Options{AllEdges: true}),
	"svg":             pictures(draw.SVG, draw.Options{AllEdges: true}),
	"data": func(ctx context.Context, w *world) error {
		for _, p := range w.packages[:min(8, len(w.packages))] {
			channels, err := draw.Data(ctx, p, draw.Options{})
			if err != nil {
				return err
			}
			if _, err := json.Marshal(channels); err != nil {
				return err
			}
		}
		return nil
	},
	"update graph": func(ctx context.Context, w *world) error {
		for _, p := range w.packages[:min(8, len(w.packages))] {
			if len(p.Channels) > 100 {
				continue // a search for each channel
			}
			u := p.Updates()
			if _, err := u.DeadEnds(ctx); err != nil {
				return err
			}
			u.ZStreams()
			u.Unreachable()
		}
		return nil
	},
	"compare": func(ctx context.Context, w *world) error {
		for _, p := range w.packages[:min(8, len(w.packages))] {
			if len(p.Channels) > 100 || len(p.Bundles) == 0 {
				continue // a search for each channel
			}
			with := p.Clone()
			with.Bundles = with.Bundles[:len(with.Bundles)-1]
			if _, err := graph.Compare(ctx, with, p); err != nil {
				return err
			}
		}
		return nil
	},
	"why not": func(ctx context.Context, w *world) error {
		s, err := resolver.New().Session(ctx, w.request)
		if err != nil {
			return said(err)
		}
		for _, p := range w.packages[:min(2, len(w.packages))] {
			for _, b := range p.Bundles[:min(2, len(p.Bundles))] {
				e, err := s.WhyNot(ctx, resolver.BundleRef{Name: b.Name})
				if err != nil {
					return said(err)
				}
				_ = e.Text()
			}
		}
		return nil
	},
	"what-ifs": func(ctx context.Context, w *world) error {
		s, err := resolver.New().Session(ctx, w.request)
		if err != nil {
			return said(err)
		}
		for _, p := range w.packages[:min(3, len(w.packages))] {
			for _, b := range p.Bundles[:min(1, len(p.Bundles))] {
				if _, err := s.Resolve(ctx, change.ForbidBundle(resolver.BundleRef{Name: b.Name}, "no")); said(err) != nil {
					return err
				}
			}
		}
		return nil
	},
	"converge": func(ctx context.Context, w *world) error {
		_, err := resolver.New().Converge(ctx, w.request, resolver.ConvergeOptions{MaxRounds: 3})
		var over *resolver.IncompleteError
		if errors.As(err, &over) && over.Limit == resolver.LimitRounds {
			return nil
		}
		return said(err)
	},
	"catalog": func(_ context.Context, w *world) error {
		c := cache.NewCatalog(w.packages, nil)
		cache.Digest(c)
		return nil
	},
}

// growthOnly are operations of which only the growth is measured: ending each at many
// points takes minutes.
var growthOnly = []string{"why not", "what-ifs", "converge", "compare"}

// counting is a context that counts how often it is looked at, and that ends at
// one of these looks.
type counting struct {
	context.Context
	looks, ends int
	late        uint64 // what was allocated in all when it ended
}

func (c *counting) Err() error {
	if c.looks++; c.looks < c.ends {
		return nil
	}
	if c.late == 0 {
		c.late = allocated()
	}
	return context.Canceled
}

// allocated returns how many bytes were allocated so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// never is a number of looks that is not reached.
const never = math.MaxInt32

// measure runs an operation, and returns the bytes that it allocates and how often
// it looks at its context.
func measure(t *testing.T, op operation, w *world) (bytes uint64, looks int) {
	ctx := &counting{Context: t.Context(), ends: never}
	before := allocated()
	require.NoError(t, op(ctx, w))
	return allocated() - before, ctx.looks
}

// The two sizes, and how much more than eight times as much the larger one may
// take: the logarithm of the one is half as large again as that of the other, and
// tables double.
const (
	small, large = 250, 8 * 250
	mostGrowth   = 8 * 2.2
	slackBytes   = 2 << 20
	slackLooks   = 200
)

// What is done after a context has ended: looks until each part has seen it, and
// bytes, most of them for what is said of it.
const (
	mostLateLooks = 64
	mostLateBytes = 8 << 20
)

// knownLooks are what looks at its context more often than in proportion, for a
// known reason: it takes as long as the square of the size, if not as much memory,
// and can be ended at any time. What is not listed here must not.
var knownLooks = map[string]string{
	"many subscriptions to one package, why not": "open: measured, its cause is not found yet",
	"many providers, audit of a few":             "each provider of an API is compared with all others",
}

// knownBytes is the same for bytes.
var knownBytes = map[string]string{
	"many subscriptions to one package, why not": "open: measured, its cause is not found yet",
	"skipRange everywhere, compare":              "open: there is an edge for each pair; it is not yet told apart which part is needed",
	"deep, the last missing, resolve":            "each line of the argument is indented as deep as its fact, up to 2,000 lines",
	"deep, the last missing, why not":            "each line of the argument is indented as deep as its fact, up to 2,000 lines",
	"deep, the last missing, converge":           "each line of the argument is indented as deep as its fact, up to 2,000 lines",
}

// TestGrowth: eight times as much takes little more than eight times as much.
func TestGrowth(t *testing.T) {
	worst, where := 0.0, ""
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		a, b := newWorld(t, shapes[name], small), newWorld(t, shapes[name], large)
		for _, op := range slices.Sorted(maps.Keys(operations)) {
			bytesA, looksA := measure(t, operations[op], a)
			bytesB, looksB := measure(t, operations[op], b)
			if grown := float64(bytesB) / float64(bytesA); bytesB > slackBytes && grown > worst {
				worst, where = grown, name+", "+op
			}
			if _, known := knownBytes[name+", "+op]; !known && float64(bytesB) > mostGrowth*float64(bytesA)+slackBytes {
				t.Errorf("%s, %s: %d bytes for %d, %d for %d", name, op, bytesA, small, bytesB, large)
			}
			if _, known := knownLooks[name+", "+op]; !known && float64(looksB) > mostGrowth*float64(looksA)+slackLooks {
				t.Errorf("%s, %s: %d looks at the context for %d, %d for %d", name, op, looksA, small, looksB, large)
			}
		}
	}
	t.Logf("the worst: %.1f times the bytes, %s", worst, where)
}

// TestEndsAnywhere: whenever a context ends, the operation ends soon.
func TestEndsAnywhere(t *testing.T) {
	lateLooks, lateBytes, where := 0, uint64(0), ""
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		w := newWorld(t, shapes[name], large)
		for _, op := range slices.Sorted(maps.Keys(operations)) {
			if slices.Contains(growthOnly, op) {
				continue
			}
			_, looks := measure(t, operations[op], w)
			for _, ends := range points(looks) {
				ctx := &counting{Context: t.Context(), ends: ends}
				err := operations[op](ctx, w)
				late := allocated() - ctx.late
				if err == nil {
					continue // it was done, but for a last look
				}
				if n := ctx.looks - ends; n > lateLooks {
					lateLooks = n
				}
				if late > lateBytes {
					lateBytes, where = late, name+", "+op
				}
				if ctx.looks-ends > mostLateLooks || late > mostLateBytes {
					t.Errorf("%s, %s: ended at look %d of %d, and went on for %d looks and %d bytes", name, op, ends, looks, ctx.looks-ends, late)
				}
			}
		}
	}
	t.Logf("the worst: %d looks; %d bytes, %s", lateLooks, lateBytes, where)
}

// points are the looks at which a context ends.
func points(looks int) []int {
	var out []int
	for _, n := range []int{1, 2, looks / 7, looks / 3, looks / 2, looks * 9 / 10, looks - 1} {
		if n > 0 && n <= looks && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}
