package growth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/disk"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/growth"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
	"github.com/seed109e2655/resolute/resolver/impact"
	"github.com/seed109e2655/resolute/resolver/mirror"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/ready"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/trace"
	"github.com/seed109e2655/resolute/resolver/upgradetest"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// said renders a conflict in every form, and takes a limit of rounds for an answer; other
// errors are returned.
func said(err error) error {
	var c *resolver.Conflict
	var over *resolver.IncompleteError
	var unknown *impact.TargetError
	var invalid *resolver.RequestError
	switch {
	case errors.As(err, &unknown):
		return nil // there are only extensions
	case errors.As(err, &invalid) && strings.HasPrefix(invalid.Problems[0].Field, "extensions"):
		return nil // they are refused
	case errors.As(err, &over) && over.Limit == resolver.LimitRounds:
		return nil
	case err == nil || !errors.As(err, &c):
		return err
	}
	_, err = json.Marshal(c)
	a := c.Argument()
	_, _, _, _, _ = c.Text(), a.Text(), a.HTML(), a.DOT(), a.Mermaid()
	return err
}

// first is the first subscription.
func first(w *growth.World) string {
	if len(w.Request.Subscriptions) == 0 {
		return ""
	}
	return w.Request.Subscriptions[0].Name
}

// answers are operations that resolve.
var answers = map[string]growth.Operation{
	"resolve": func(ctx context.Context, w *growth.World) error {
		s, err := resolver.New().Resolve(ctx, w.Request)
		if err != nil {
			return said(err)
		}
		_, err = json.Marshal(s)
		_, _ = s.DOT(), s.Mermaid()
		return err
	},
	"resolve, partial": func(ctx context.Context, w *growth.World) error {
		req := w.Request
		req.Policy.Failures = resolver.FailuresPartial
		req.Subscriptions = req.Subscriptions[:min(8, len(req.Subscriptions))]
		_, err := resolver.New().Resolve(ctx, req)
		return said(err)
	},
	"trace": func(ctx context.Context, w *growth.World) error {
		recorder := trace.NewRecorder(trace.Options{})
		_, err := resolver.New(resolver.WithHooks(recorder.Hooks())).Resolve(ctx, w.Request)
		if err := said(err); err != nil {
			return err
		}
		record := recorder.Trace()
		_ = record.Text()
		_, err = json.Marshal(record)
		return err
	},
	"dimacs": func(ctx context.Context, w *growth.World) error {
		return said(resolver.New().WriteDIMACS(ctx, io.Discard, w.Request))
	},
	"corrections": func(ctx context.Context, w *growth.World) error {
		r := resolver.New()
		_, err := r.Resolve(ctx, w.Request)
		var c *resolver.Conflict
		if !errors.As(err, &c) {
			return err
		}
		if err := whatif.FindCorrections(ctx, r, w.Request, c, whatif.FindOptions{}); err != nil {
			return err
		}
		return said(c)
	},
	"why not": func(ctx context.Context, w *growth.World) error {
		s, err := resolver.New().Session(ctx, w.Request)
		if err != nil {
			return said(err)
		}
		for _, p := range w.Packages[:min(2, len(w.Packages))] {
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
	"what-ifs": func(ctx context.Context, w *growth.World) error {
		s, err := resolver.New().Session(ctx, w.Request)
		if err != nil {
			return said(err)
		}
		before, err := s.Resolve(ctx)
		if said(err) != nil {
			return err
		}
		for _, p := range w.Packages[:min(3, len(w.Packages))] {
			for _, b := range p.Bundles[:min(1, len(p.Bundles))] {
				after, err := s.Resolve(ctx, whatif.ForbidBundle(resolver.BundleRef{Name: b.Name}, "no"))
				if said(err) != nil {
					return err
				}
				if before != nil && after != nil {
					whatif.Compare(before, after)
				}
			}
		}
		return nil
	},
	"converge": func(ctx context.Context, w *growth.World) error {
		road, err := resolver.New().Converge(ctx, w.Request, resolver.ConvergeOptions{MaxRounds: 3})
		if err == nil {
			_, err = json.Marshal(scenario.NewRoad(road, nil))
		}
		return said(err)
	},
	"needs": func(ctx context.Context, w *growth.World) error {
		g, err := impact.Needs(ctx, resolver.New(), w.Request)
		if err != nil {
			return said(err)
		}
		_, err = g.Drop(ctx, resolver.New(), first(w))
		return said(err)
	},
	"upgrade": func(ctx context.Context, w *growth.World) error {
		_, err := impact.Upgrade(ctx, resolver.New(), w.Request, []impact.Target{{Subscription: first(w)}})
		return said(err)
	},
	"install plan": func(ctx context.Context, w *growth.World) error {
		s, err := resolver.New().Resolve(ctx, w.Request)
		if err == nil {
			_, err = json.Marshal(olm.InstallPlan(w.Request, s))
		}
		return said(err)
	},
	"ready": func(ctx context.Context, w *growth.World) error {
		r, err := ready.Check(ctx, resolver.New(), w.Request, ready.Options{Versions: []ready.Version{{Kubernetes: "1.33.0", Catalogs: w.Request.Catalogs}}, MaxRounds: 3})
		if err != nil {
			return said(err)
		}
		return ready.NewWriter(io.Discard).Report(r)
	},
}

// catalogs are operations on catalogs.
var catalogs = map[string]growth.Operation{
	"catalog": func(_ context.Context, w *growth.World) error {
		cache.Digest(cache.NewCatalog(w.Packages, nil))
		return nil
	},
	"write and read": func(ctx context.Context, w *growth.World) error {
		var b bytes.Buffer
		if err := fbc.Write(&b, w.Catalog, fbc.WriteOptions{}); err != nil {
			return err
		}
		_, err := fbc.Read(ctx, &b, "c.jsonl", fbc.Options{})
		return err
	},
	"copy on disk": func(ctx context.Context, w *growth.World) error {
		dir, err := os.MkdirTemp("", "growth")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		name := filepath.Join(dir, "copy")
		if err := disk.Write(ctx, name, cache.NewContent(w.Catalog), disk.Options{}); err != nil {
			return err
		}
		_, err = disk.Read(ctx, name, disk.Options{})
		return err
	},
	"scenario": func(ctx context.Context, w *growth.World) error {
		var b bytes.Buffer
		if err := upgradetest.ScenarioOf(w.Request).Write(&b, scenario.JSON); err != nil {
			return err
		}
		s, err := scenario.Parse(ctx, "s.json", b.Bytes())
		if err != nil {
			return err
		}
		_, err = s.Load(ctx)
		return err
	},
	"audit of a few": func(ctx context.Context, w *growth.World) error {
		var names []string
		for _, p := range w.Packages[:min(2, len(w.Packages))] {
			names = append(names, p.Name)
		}
		var b bytes.Buffer
		out := audit.NewWriter(&b)
		sum, err := audit.Run(ctx, resolver.New(), w.Request.Catalogs, audit.Options{Packages: names, Workers: 1, MaxRounds: 3, Each: out.Bundle})
		if err != nil {
			return err
		}
		if err := out.Summary(sum); err != nil {
			return err
		}
		_, err = audit.Merge(io.Discard, nil, &b)
		return err
	},
	"difference": func(ctx context.Context, w *growth.World) error {
		r, err := catalogdiff.Compare(ctx, w.Previous, w.Catalog, catalogdiff.Options{Workers: 1})
		if err != nil {
			return err
		}
		_, err = json.Marshal(r)
		return err
	},
	"mirror": func(ctx context.Context, w *growth.World) error {
		c := &mirror.Configuration{Operators: []mirror.Operator{{Catalog: "registry.example/c", Full: true}}}
		plan, err := mirror.Make(ctx, resolver.New(), c, mirror.Options{Catalogs: []mirror.Catalog{{Ref: "registry.example/c", Content: w.Catalog}}})
		var nothing *mirror.SelectionError
		if errors.As(err, &nothing) {
			return nil // there are no bundles
		}
		if err != nil {
			return said(err)
		}
		return plan.WriteText(io.Discard)
	},
}

// testKit runs the test kit, which writes what it finds into a folder.
func testKit(dir string) growth.Operation {
	return func(ctx context.Context, w *growth.World) error {
		_, err := upgradetest.Run(ctx, w.Catalog, upgradetest.Options{Sample: 3, Workers: 1, Dir: dir})
		return err
	}
}
