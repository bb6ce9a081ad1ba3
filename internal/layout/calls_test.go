package layout_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"go/types"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/disk"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/fbc/bundledir"
	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/growth"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
	"github.com/seed109e2655/resolute/resolver/certificate"
	"github.com/seed109e2655/resolute/resolver/draw"
	"github.com/seed109e2655/resolute/resolver/lock"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/upgradetest"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// subject is a world, and what calls need of it.
type subject struct {
	*growth.World
	dir      string
	data     []byte // the catalog, in JSON lines
	blobs    []json.RawMessage
	loaded   resolver.Request // of the scenario
	scenario *scenario.Scenario
	written  []byte
	solution *resolver.Solution
	conflict *resolver.Conflict
	session  *resolver.Session
	cert     *certificate.Certificate
	lock     *lock.Lock // nil without a solution
	locked   string
	objects  string // of a cluster
	picture  draw.Picture
}

// newSubject writes a world to files and answers it.
func newSubject(t *testing.T, w *growth.World) *subject {
	s := &subject{World: w, dir: t.TempDir(), objects: objects}
	w.Write(t, s.dir)
	s.data = testkit.Must(os.ReadFile(w.Files.Catalog))(t)
	s.scenario, s.written = testkit.Must(scenario.ReadFile(t.Context(), w.Files.Scenario))(t), testkit.Must(os.ReadFile(w.Files.Scenario))(t)
	for line := range bytes.Lines(s.data) {
		s.blobs = append(s.blobs, json.RawMessage(bytes.TrimSpace(line)))
	}
	s.loaded = testkit.Must(s.scenario.Load(t.Context()))(t).Request
	sol, err := resolver.New().Resolve(t.Context(), w.Request)
	if s.solution = sol; err != nil {
		s.conflict = testkit.As[*resolver.Conflict](t, err)
		s.picture = draw.Conflict(s.conflict.Argument())
	} else {
		s.picture = draw.Solution(sol)
		s.lock = testkit.Must(lock.Make(t.Context(), resolver.New(), s.scenario, s.loaded.Catalogs))(t)
		var out bytes.Buffer
		require.NoError(t, s.lock.Write(&out))
		s.locked = out.String()
	}
	s.session = testkit.Must(resolver.New().Session(t.Context(), w.Request))(t)
	s.cert = testkit.Must(certificate.Make(t.Context(), resolver.New(), w.Request))(t)
	return s
}

// render renders the catalog: reading it in one context, and writing it in another.
func (s *subject) render(reading, writing context.Context, write func(*fbc.Renderer, context.Context, io.Writer) error) error {
	r := fbc.NewRenderer(fbc.RenderOptions{})
	defer r.Close()
	dir, name := filepath.Split(s.Files.Catalog)
	if err := r.AddFS(reading, os.DirFS(dir), name); err != nil {
		return err
	}
	return write(r, writing, io.Discard)
}

// bundle is a bundle directory.
const bundle = "../../cache/fbc/bundledir/testdata/etcd"

// objects are objects of a cluster.
const objects = `apiVersion: v1
kind: List
items:
- {apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {name: c, namespace: olm}}
- {apiVersion: operators.coreos.com/v1, kind: OperatorGroup, metadata: {name: g, namespace: ns}}
- {apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: s, namespace: ns}, spec: {name: p, channel: stable, source: c, sourceNamespace: olm}}
`

// second drops a result.
func second[T any](_ T, err error) error { return err }

// onSolution is a call that needs a solution.
func onSolution(call func(ctx context.Context, s *subject) error) func(context.Context, *subject) error {
	return func(ctx context.Context, s *subject) error {
		if s.solution == nil {
			return errNothing
		}
		return call(ctx, s)
	}
}

// onConflict is a call that needs a conflict.
func onConflict(call func(ctx context.Context, s *subject) error) func(context.Context, *subject) error {
	return func(ctx context.Context, s *subject) error {
		if s.conflict == nil {
			return errNothing
		}
		return call(ctx, s)
	}
}

// errNothing means that a call does not apply to a subject.
var errNothing = errors.New("nothing to do")

func ofAnswer(ctx context.Context, a *scenario.Answer) error {
	if a.Status == scenario.Incomplete {
		return cmp.Or(ctx.Err(), errors.New(a.Error))
	}
	return nil
}

// calls are the public calls with a context, by name.
var calls = map[string]func(ctx context.Context, s *subject) error{
	"cache/disk.Write": func(ctx context.Context, s *subject) error {
		return disk.Write(ctx, filepath.Join(s.dir, "copy"), cache.NewContent(s.Catalog), disk.Options{})
	},
	"cache/disk.Read": func(ctx context.Context, s *subject) error {
		name := filepath.Join(s.dir, "kept")
		if err := disk.Write(context.Background(), name, cache.NewContent(s.Catalog), disk.Options{}); err != nil {
			return err
		}
		return second(disk.Read(ctx, name, disk.Options{}))
	},
	"cache/fbc.Load": func(ctx context.Context, s *subject) error {
		dir, name := filepath.Split(s.Files.Catalog)
		return second(fbc.Load(ctx, os.DirFS(dir), fbc.Options{File: name, Parallel: 1}))
	},
	"cache/fbc.LoadPath": func(ctx context.Context, s *subject) error {
		return second(fbc.LoadPath(ctx, s.Files.Catalog, fbc.Options{Parallel: 1}))
	},
	"cache/fbc.Read": func(ctx context.Context, s *subject) error {
		return second(fbc.Read(ctx, bytes.NewReader(s.data), "c.jsonl", fbc.Options{Parallel: 1}))
	},
	"cache/fbc.FromBlobs": func(ctx context.Context, s *subject) error {
		return second(fbc.FromBlobs(ctx, s.blobs, fbc.Options{Parallel: 1}))
	},
	"cache/fbc.FromNodes": func(ctx context.Context, s *subject) error {
		var nodes []*document.Node
		for _, raw := range s.blobs {
			n, err := document.Decode(ctx, raw, "c.json", document.Limits{})
			if err != nil {
				return err
			}
			nodes = append(nodes, n)
		}
		return second(fbc.FromNodes(ctx, nodes, "c.json", fbc.Options{Parallel: 1}))
	},
	"cache/fbc.Blobs": func(ctx context.Context, s *subject) error {
		dir, name := filepath.Split(s.Files.Catalog)
		for _, err := range fbc.Blobs(ctx, os.DirFS(dir), fbc.Options{File: name}) {
			if err != nil {
				return err
			}
		}
		return nil
	},
	"cache/fbc.Renderer.AddFS": func(ctx context.Context, s *subject) error {
		return s.render(ctx, context.Background(), (*fbc.Renderer).Write)
	},
	"cache/fbc.Renderer.Write": func(ctx context.Context, s *subject) error {
		return s.render(context.Background(), ctx, (*fbc.Renderer).Write)
	},
	"cache/fbc.Renderer.WriteYAML": func(ctx context.Context, s *subject) error {
		return s.render(context.Background(), ctx, (*fbc.Renderer).WriteYAML)
	},
	"cache/fbc/bundledir.Read": func(ctx context.Context, _ *subject) error {
		return second(bundledir.Read(ctx, os.DirFS(bundle), bundledir.Options{}))
	},
	"cache/fbc/bundledir.ReadDir": func(ctx context.Context, _ *subject) error {
		return second(bundledir.ReadDir(ctx, bundle, bundledir.Options{}))
	},
	"cache/fbc/document.Decode": func(ctx context.Context, s *subject) error {
		return second(document.Decode(ctx, s.written, "s.json", document.Limits{}))
	},
	"cache/fbc/document.All": func(ctx context.Context, s *subject) error {
		return second(document.All(ctx, s.written, 1, document.Limits{}))
	},
	"cache/fbc/document.AppendYAML": func(ctx context.Context, s *subject) error {
		return second(document.AppendYAML(ctx, nil, s.written))
	},
	"cache/fbc/document.Transcoder.Each": func(ctx context.Context, s *subject) error {
		return new(document.Transcoder).Each(ctx, s.written, 1, document.Limits{}, func(json.RawMessage, document.Marks) error { return nil })
	},
	"constraints.Parser.Veto": func(ctx context.Context, _ *subject) error {
		return second(constraints.NewParser().Veto(ctx, []string{"bundle.name == 'x'"}))
	},
	"constraints.Evaluator.Match": func(ctx context.Context, s *subject) error {
		e := constraints.NewEvaluator(constraints.EvaluatorOptions{})
		for b := range s.Catalog.Bundles() {
			for _, q := range b.Constraints {
				if _, err := e.Match(ctx, q.Constraint, constraints.NewSubject(b.Properties)); err != nil {
					return err
				}
			}
		}
		return ctx.Err() // only rules check it
	},
	"constraints.Evaluator.Judge": func(ctx context.Context, s *subject) error {
		veto, err := constraints.NewParser().Veto(context.Background(), []string{"bundle.name.startsWith('x')"})
		if err != nil {
			return err
		}
		e := constraints.NewEvaluator(constraints.EvaluatorOptions{})
		for b := range s.Catalog.Bundles() {
			if _, err := e.Judge(ctx, veto, s.Catalog.Package(b.Package).Candidate(b, "c"), &constraints.Environment{}); err != nil {
				return err
			}
		}
		return nil
	},
	"graph.NewUpdates": func(ctx context.Context, s *subject) error {
		return second(graph.NewUpdates(ctx, s.Packages[0], graph.UpdateOptions{}))
	},
	"graph.Channel.DeadEnds": func(ctx context.Context, s *subject) error { return second(s.Packages[0].Channels[0].DeadEnds(ctx)) },
	"graph.Package.DroppedVersions": func(ctx context.Context, s *subject) error {
		return second(s.Packages[0].DroppedVersions(ctx))
	},
	"resolver.Resolver.Resolve": func(ctx context.Context, s *subject) error { return second(resolver.New().Resolve(ctx, s.Request)) },
	"resolver.Resolver.Session": func(ctx context.Context, s *subject) error { return second(resolver.New().Session(ctx, s.Request)) },
	"resolver.Resolver.Converge": func(ctx context.Context, s *subject) error {
		return second(resolver.New().Converge(ctx, s.Request, resolver.ConvergeOptions{}))
	},
	"resolver.Resolver.Prove": func(ctx context.Context, s *subject) error { return second(resolver.New().Prove(ctx, s.Request)) },
	"resolver.Resolver.WriteDIMACS": func(ctx context.Context, s *subject) error {
		return resolver.New().WriteDIMACS(ctx, io.Discard, s.Request)
	},
	"resolver.Resolver.WriteDRAT": onConflict(func(ctx context.Context, s *subject) error {
		return resolver.New().WriteDRAT(ctx, io.Discard, s.Request)
	}),
	"resolver.Session.Resolve": func(ctx context.Context, s *subject) error { return second(s.session.Resolve(ctx)) },
	"resolver.Session.WhyNot": onSolution(func(ctx context.Context, s *subject) error {
		return second(s.session.WhyNot(ctx, resolver.BundleRef{Name: s.Files.Bundle}))
	}),
	"resolver.Path.Follow": onSolution(func(ctx context.Context, s *subject) error {
		path := resolver.Path{Final: s.Request}
		for _, err := range path.Follow(ctx, 0, resolver.New().Resolve) {
			if err != nil {
				return err
			}
		}
		return nil
	}),
	"resolver/audit.Run": func(ctx context.Context, s *subject) error {
		return second(audit.Run(ctx, resolver.New(), s.Request.Catalogs, audit.Options{Workers: 1}))
	},
	"resolver/catalogdiff.Compare": func(ctx context.Context, s *subject) error {
		return second(catalogdiff.Compare(ctx, s.Catalog, s.Catalog, catalogdiff.Options{Workers: 1}))
	},
	"resolver/catalogdiff.Check": func(ctx context.Context, s *subject) error {
		return second(catalogdiff.Check(ctx, s.Catalog, nil, catalogdiff.Options{Workers: 1}))
	},
	"resolver/catalogdiff.Needed": func(ctx context.Context, s *subject) error {
		return second(catalogdiff.Needed(ctx, s.Request.Catalogs, s.Packages[0].Name))
	},
	"resolver/certificate.Make": func(ctx context.Context, s *subject) error {
		return second(certificate.Make(ctx, resolver.New(), s.Request))
	},
	"resolver/certificate.Check":         func(ctx context.Context, s *subject) error { return certificate.Check(ctx, s.Request, s.cert) },
	"resolver/draw.Picture.WriteSVG":     func(ctx context.Context, s *subject) error { return s.picture.WriteSVG(ctx, io.Discard) },
	"resolver/draw.Picture.WriteDOT":     func(ctx context.Context, s *subject) error { return s.picture.WriteDOT(ctx, io.Discard) },
	"resolver/draw.Picture.WriteMermaid": func(ctx context.Context, s *subject) error { return s.picture.WriteMermaid(ctx, io.Discard) },
	"resolver/draw.SVG": func(ctx context.Context, s *subject) error {
		return draw.SVG(ctx, io.Discard, s.Packages[0], draw.Options{})
	},
	"resolver/draw.DOT": func(ctx context.Context, s *subject) error {
		return draw.DOT(ctx, io.Discard, s.Packages[0], draw.Options{})
	},
	"resolver/draw.Mermaid": func(ctx context.Context, s *subject) error {
		return draw.Mermaid(ctx, io.Discard, s.Packages[0], draw.Options{})
	},
	"resolver/draw.Text": func(ctx context.Context, s *subject) error {
		return draw.Text(ctx, io.Discard, s.Packages[0], draw.Options{})
	},
	"resolver/draw.Data": func(ctx context.Context, s *subject) error {
		return second(draw.Data(ctx, s.Packages[0], draw.Options{}))
	},
	"resolver/lock.Make": onSolution(func(ctx context.Context, s *subject) error {
		return second(lock.Make(ctx, resolver.New(), s.scenario, s.loaded.Catalogs))
	}),
	"resolver/lock.Read": onSolution(func(ctx context.Context, s *subject) error {
		return second(lock.Read(ctx, strings.NewReader(s.locked), "lock"))
	}),
	"resolver/lock.Verify": onSolution(func(ctx context.Context, s *subject) error {
		return second(lock.Verify(ctx, resolver.New(), s.lock, s.loaded))
	}),
	"resolver/lock.Lock.Resolve": onSolution(func(ctx context.Context, s *subject) error {
		return second(s.lock.Resolve(ctx, resolver.New(), s.loaded))
	}),
	"resolver/olm.Cluster.Read": func(ctx context.Context, s *subject) error {
		return new(olm.Cluster).Read(ctx, strings.NewReader(s.objects), "dump.yaml")
	},
	"resolver/olm.Cluster.ReadFile": func(ctx context.Context, s *subject) error {
		name := filepath.Join(s.dir, "dump.yaml")
		if err := os.WriteFile(name, []byte(s.objects), 0o600); err != nil {
			return err
		}
		return new(olm.Cluster).ReadFile(ctx, name)
	},
	"resolver/olm.Cluster.Capture": func(ctx context.Context, s *subject) error {
		var c olm.Cluster
		if err := c.Read(context.Background(), strings.NewReader(s.objects), "dump.yaml"); err != nil {
			return err
		}
		return second(c.Capture(ctx, olm.Options{}))
	},
	"resolver/olm.PendingPlan.Judge": onSolution(func(ctx context.Context, s *subject) error {
		return (&olm.PendingPlan{Plan: "p", Bundles: s.solution.Set()}).Judge(ctx, resolver.New(), s.Request)
	}),
	"resolver/scenario.Parse": func(ctx context.Context, s *subject) error { return second(scenario.Parse(ctx, "s.json", s.written)) },
	"resolver/scenario.Read": func(ctx context.Context, s *subject) error {
		dir, name := filepath.Split(s.Files.Scenario)
		return second(scenario.Read(ctx, os.DirFS(dir), name))
	},
	"resolver/scenario.ReadFile":      func(ctx context.Context, s *subject) error { return second(scenario.ReadFile(ctx, s.Files.Scenario)) },
	"resolver/scenario.Scenario.Load": func(ctx context.Context, s *subject) error { return second(s.scenario.Load(ctx)) },
	"resolver/scenario.Loader.Load":   func(ctx context.Context, s *subject) error { return second(new(scenario.Loader).Load(ctx, s.scenario)) },
	"resolver/scenario.Loader.Catalog": func(ctx context.Context, s *subject) error {
		return second(new(scenario.Loader).Catalog(ctx, s.Request.Catalogs[0].Key, s.Files.Catalog))
	},
	"resolver/scenario.Runner.Run": func(ctx context.Context, s *subject) error {
		return ofAnswer(ctx, new(scenario.Runner).Run(ctx, s.scenario))
	},
	"resolver/scenario.Runner.RunWhatIf": func(ctx context.Context, s *subject) error {
		return ofAnswer(ctx, new(scenario.Runner).RunWhatIf(ctx, s.scenario))
	},
	"resolver/scenario.Runner.Converge": func(ctx context.Context, s *subject) error {
		if p := new(scenario.Runner).Converge(ctx, s.scenario, nil); p.Status == scenario.Incomplete {
			return cmp.Or(ctx.Err(), errors.New(p.Error))
		}
		return nil
	},
	"resolver/scenario.Runner.Test": func(ctx context.Context, s *subject) error {
		expecting := *s.scenario
		expecting.Expect = []byte(`{"status":"resolved"}`)
		a, _, err := new(scenario.Runner).Test(ctx, &expecting)
		if err == nil {
			err = ofAnswer(ctx, a)
		}
		return err
	},
	"resolver/scenario.Runner.WriteDIMACS": func(ctx context.Context, s *subject) error {
		return new(scenario.Runner).WriteDIMACS(ctx, io.Discard, s.scenario)
	},
	"resolver/scenario.Runner.Explain": onSolution(func(ctx context.Context, s *subject) error {
		return second(new(scenario.Runner).Explain(ctx, s.scenario, s.Files.Bundle))
	}),
	"resolver/scenario.Explain": onSolution(func(ctx context.Context, s *subject) error {
		return second(scenario.Explain(ctx, resolver.New(), s.Request, s.Files.Bundle))
	}),
	"resolver/upgradetest.Run": func(ctx context.Context, s *subject) error {
		return second(upgradetest.Run(ctx, s.Catalog, upgradetest.Options{NoFiles: true, Around: catalogdiff.Options{Workers: 1}}))
	},
	"resolver/whatif.FindCorrections": onConflict(func(ctx context.Context, s *subject) error {
		return whatif.FindCorrections(ctx, resolver.New(), s.Request, s.conflict, whatif.FindOptions{})
	}),
	"resolver/whatif.ApplyCorrections": onConflict(func(ctx context.Context, s *subject) error {
		return second(whatif.ApplyCorrections(ctx, resolver.New(), s.Request, whatif.FindOptions{}))
	}),
	"resolver/whatif.FindBlocked": onSolution(func(ctx context.Context, s *subject) error {
		_, err := whatif.FindBlocked(ctx, resolver.New(), s.Request, s.solution)
		return cmp.Or(err, ctx.Err()) // nothing is installed, so nothing is blocked
	}),
}

// elsewhere are public calls, or packages, that need a server, another goroutine or real objects, with
// the tests of their contexts.
var elsewhere = map[string]string{
	"cache.Cache.Changes":                  "cache, stories",
	"cache.Cache.Refresh":                  "cache, stories",
	"cache.Cache.Snapshot":                 "cache, stories",
	"cache.Memory.Changed":                 "cache, stories",
	"cache.Memory.Load":                    "returns what it holds",
	"cache/image.Open":                     "cache/image, TestCancel",
	"cache/image.Source.Load":              "cache/image, TestCancel",
	"cache/image.Source.Warm":              "cache/image, TestCancel",
	"constraints/cel.Program.Eval":         "constraints/cel, TestEvalStopsWithTheContext",
	"resolver/lazy":                        "resolver/lazy, TestEndsAnywhere, TestPropertyFaults",
	"resolver/olm.Capture.JudgeMigrations": "resolver/olm, TestMigrationSidesOfShop",
}

// TestEveryCallIsListed: each public function and method with a context is in the table, or in the
// list of others.
func TestEveryCallIsListed(t *testing.T) {
	var found []string
	for _, pkg := range publicPackages(t) {
		for _, name := range pkg.Scope().Names() {
			switch obj := pkg.Scope().Lookup(name).(type) {
			case *types.Func:
				found = append(found, withContext(pkg, "", obj)...)
			case *types.TypeName:
				of, ok := obj.Type().(*types.Named)
				if !ok || !obj.Exported() || types.IsInterface(of) {
					continue
				}
				for m := range of.Methods() {
					found = append(found, withContext(pkg, name+".", m)...)
				}
			}
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	listed := slices.AppendSeq(slices.Collect(maps.Keys(calls)), maps.Keys(elsewhere))
	slices.Sort(listed)
	require.Equal(t, found, listed)
}

// withContext returns the name of an exported function with a context.
func withContext(pkg *types.Package, prefix string, f *types.Func) []string {
	params := f.Signature().Params()
	if !f.Exported() || params.Len() == 0 || params.At(0).Type().String() != "context.Context" {
		return nil
	}
	name := strings.TrimPrefix(pkg.Path(), module+"/")
	if elsewhere[name] != "" {
		return []string{name}
	}
	return []string{name + "." + prefix + f.Name()}
}

// worlds are the subjects of the calls: one with a solution, and one without.
var worlds = map[string]growth.Shape{"solution": growth.Shapes["wide"], "conflict": growth.Shapes["deep, the last missing"]}

// TestCallsEnd: each call returns the error of its context, wherever that ends.
func TestCallsEnd(t *testing.T) {
	applied := make(map[string]bool)
	for world, shape := range worlds {
		s := newSubject(t, growth.New(t, shape, 3))
		for name, call := range calls {
			t.Run(world+"/"+name, func(t *testing.T) {
				if call(t.Context(), s) == errNothing {
					return
				}
				applied[name] = true
				require.ErrorIs(t, call(testkit.Ended(), s), context.Canceled)
				growth.StopsAnywhere(t, func(ctx context.Context) error { return answered(ctx, call(ctx, s)) })
			})
		}
	}
	require.Len(t, applied, len(calls))
}

// answered drops answers that are errors. A conflict that is not minimal was cut short by the end of
// its context.
func answered(ctx context.Context, err error) error {
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		return ctx.Err()
	}
	return err
}

// growing are the calls that may take more of a shape than n log n.
var growing = slices.Concat([]growth.Exception{
	{Operations: []string{"resolver/whatif.ApplyCorrections"}, Why: "one correction is applied at a time, and the search repeated"},
	{Operations: []string{"resolver/draw.Picture"}, Why: "a picture has a maximum size, which small worlds do not reach"},
	{Shape: "rules about the same properties", Why: "each rule is evaluated on each bundle that has the property; resolver.Limits.CELCost bounds the cost of all of them"},
	{Shape: "a range for each subscription", Why: "each subscription has a list of candidates of its own; all lists together are bounded by resolver.Limits.Bundles"},
}, exceptions("each bundle is resolved, and needs all others", []string{"resolver/audit.Run", "resolver/catalogdiff.Check", "resolver/upgradetest.Run"},
	"deep", "deep, the last missing", "many installed"),
	exceptions("each conflict, 51 at most, is checked or corrected with the whole request", []string{"resolver/certificate.Check", "resolver/whatif.FindCorrections"},
		"broken subscriptions", "broken subscriptions that share a package", "conflicts about one package", "independent conflicts", "installed rivals",
		"contention", "names that are nearly right", "subscriptions that miss the same package", "subscriptions to rivals"),
	exceptions("corrections are tried, and each try resolves: 300 at most", []string{"resolver/scenario.Runner"}, "contention"))

// exceptions makes one of each shape.
func exceptions(why string, operations []string, shapes ...string) []growth.Exception {
	return testkit.Map(shapes, func(shape string) growth.Exception {
		return growth.Exception{Shape: shape, Operations: operations, Why: why}
	})
}

// TestCallsGrow: eight times as much takes each call little more than eight times as much.
func TestCallsGrow(t *testing.T) { callTable(8).Growth(t) }

// TestCallsEndSoon: each call ends soon after its context.
func TestCallsEndSoon(t *testing.T) { callTable(4).Ends(t) }

// callTable is a table of the calls.
func callTable(size int) *growth.Table {
	subjects := make(map[*growth.World]*subject)
	table := &growth.Table{Size: size, Operations: make(map[string]growth.Operation), Grows: growing,
		Prepare: func(t *testing.T, w *growth.World) { subjects[w] = newSubject(t, w) }}
	for name, call := range calls {
		table.Operations[name] = func(ctx context.Context, w *growth.World) error {
			if err := call(ctx, subjects[w]); err != errNothing {
				return answered(ctx, err)
			}
			return nil
		}
	}
	return table
}

// hostile are texts in the place of a catalog, a scenario, a lock and objects of a cluster.
var hostile = map[string]string{
	"nothing":             "",
	"a byte":              "\x00",
	"half a blob":         `{"schema":"olm.package","name":"p`,
	"control characters":  `{"schema":"olm.package","name":"p\u001b[31m\u202e","defaultChannel":"\nc"}` + "\n" + `{"schema":"olm.\u001bx"}`,
	"raw control":         "catalogs: [{name: \"a\x1b[31m\"}]",
	"unknown key":         `{"catalogs":[],"\u001b[31m\u202e":1}`,
	"invalid UTF-8":       "{\"schema\":\"olm.package\",\"name\":\"\xff\xfe\"}",
	"nested lists":        strings.Repeat("[", 20_000),
	"nested objects":      strings.Repeat(`{"a":`, 20_000),
	"aliases":             "a: &a [x,x,x,x,x,x,x,x,x]\n" + "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n",
	"an alias of itself":  "a: &a [*a]\n",
	"duplicate keys":      `{"schema":"olm.package","schema":"olm.bundle","name":"p","name":"q"}`,
	"a large number":      `{"schema":"olm.package","name":1e999999999}`,
	"a long line":         `{"schema":"` + strings.Repeat("x", 1<<20) + `"}`,
	"many documents":      strings.Repeat("---\n", 10_000),
	"a version directive": strings.Repeat("%YAML 1.2\n", 1000) + "---\na: b\n",
}

// TestCallsAreInert: no call panics on hostile input, takes long, or returns its control characters
// in an error.
func TestCallsAreInert(t *testing.T) {
	s := newSubject(t, growth.New(t, growth.Shapes["wide"], 3))
	for input, data := range hostile {
		s.data, s.written, s.locked, s.objects = []byte(data), []byte(data), data, data
		s.blobs, s.Files.Bundle = []json.RawMessage{s.data}, data
		for _, name := range []string{s.Files.Catalog, s.Files.Scenario} {
			require.NoError(t, os.WriteFile(name, s.data, 0o600))
		}
		for name, call := range calls {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			err := call(ctx, s)
			require.NoError(t, ctx.Err(), "%s of %s", name, input)
			if cancel(); err == nil {
				continue
			}
			for line := range strings.SplitSeq(err.Error(), "\n") {
				require.Equal(t, text.Inert(line), line, "%s of %s", name, input)
				require.Less(t, len(line), 8<<10, "%s of %s", name, input)
			}
		}
	}
}
