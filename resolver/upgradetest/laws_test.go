package upgradetest_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
	ut "github.com/seed109e2655/resolute/resolver/upgradetest"
	"github.com/seed109e2655/resolute/resolver/upgradetest/draw"
)

// faulty is a resolver with a fault: it answers another request than it was asked, or
// changes the answer.
type faulty struct {
	*resolver.Resolver
	asked    func(req resolver.Request) resolver.Request
	answered func(sol *resolver.Solution)
}

func (f *faulty) Resolve(ctx context.Context, req resolver.Request) (*resolver.Solution, error) {
	if f.asked != nil {
		req = f.asked(req)
	}
	sol, err := f.Resolver.Resolve(ctx, req)
	if err == nil && f.answered != nil {
		f.answered(sol)
	}
	return sol, err
}

func (f *faulty) Converge(ctx context.Context, req resolver.Request, opts resolver.ConvergeOptions) (*resolver.Road, error) {
	if f.asked != nil {
		req = f.asked(req)
	}
	road, err := f.Resolver.Converge(ctx, req, opts)
	if road != nil && f.answered != nil {
		for _, sol := range road.Rounds {
			f.answered(sol)
		}
	}
	return road, err
}

// TestLawsFindFaultyResolvers has resolvers with one fault each answer about a sound
// catalog: the law that is about the fault tells, and the right one tells nothing.
func TestLawsFindFaultyResolvers(t *testing.T) {
	oldest := func(req resolver.Request) resolver.Request {
		req.Policy.Goal = resolver.GoalOldest
		return req
	}
	tests := []struct {
		name  string
		law   ut.Property
		fault faulty
	}{
		{"it counts packages", ut.Unrelated, faulty{asked: func(req resolver.Request) resolver.Request {
			n := 0
			for range req.Catalogs[0].Content.Packages() {
				n++
			}
			if n > 2 {
				return oldest(req)
			}
			return req
		}}},
		{"it goes by which blob comes first", ut.BlobOrder, faulty{asked: func(req resolver.Request) resolver.Request {
			if p := req.Catalogs[0].Content.Package("db"); p != nil && p.Pos.File > p.Bundles[0].File {
				return oldest(req)
			}
			return req
		}}},
		{"it forgets priorities", ut.Priority, faulty{asked: func(req resolver.Request) resolver.Request {
			cats := append([]resolver.Catalog(nil), req.Catalogs...)
			for i := range cats {
				cats[i].Priority = 0
			}
			req.Catalogs = cats
			return req
		}}},
		{"it turns priorities round", ut.Priority, faulty{asked: func(req resolver.Request) resolver.Request {
			cats := append([]resolver.Catalog(nil), req.Catalogs...)
			for i := range cats {
				cats[i].Priority = -cats[i].Priority
			}
			req.Catalogs = cats
			return req
		}}},
		{"it refuses what has a priority", ut.Priority, faulty{asked: func(req resolver.Request) resolver.Request {
			for _, c := range req.Catalogs {
				if c.Priority > 0 {
					req.Forbid = []resolver.Forbidden{{Bundle: resolver.BundleRef{Name: "app.v1.0.0"}}, {Bundle: resolver.BundleRef{Name: "app.v1.1.0"}}}
				}
			}
			return req
		}}},
		{"it leaves out a dependency", ut.Dependents, faulty{answered: func(sol *resolver.Solution) {
			if len(sol.Steps) > 1 {
				sol.Steps = sol.Steps[1:]
			}
		}}},
	}
	content, err := small().Build(t.Context())
	require.NoError(t, err)
	req := resolver.Request{Catalogs: []resolver.Catalog{{Key: cache.Key{Namespace: "olm", Name: "catalog"}, Content: content}},
		Subscriptions: []resolver.Subscription{{Name: "app", Package: "app"}}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.fault.Resolver = resolver.New()
			right, err := ut.RunRequest(t.Context(), req, ut.Options{NoFiles: true})
			require.NoError(t, err)
			require.Empty(t, right.Findings)
			wrong, err := ut.RunRequest(t.Context(), req, ut.Options{NoFiles: true, Resolver: &tt.fault, Only: []ut.Property{tt.law}})
			require.NoError(t, err)
			require.Len(t, wrong.Findings, 1)
			require.Equal(t, tt.law, wrong.Findings[0].Property)

			if tt.law == ut.Dependents {
				return // catalogs have it in Dependents for a catalog, too, but on the road
			}
			wrong, err = ut.Run(t.Context(), content, ut.Options{NoFiles: true, Resolver: &tt.fault, Only: []ut.Property{tt.law}})
			require.NoError(t, err)
			require.NotEmpty(t, wrong.Findings)
			right, err = ut.Run(t.Context(), content, ut.Options{NoFiles: true, Only: []ut.Property{tt.law}})
			require.NoError(t, err)
			require.Empty(t, right.Findings)
		})
	}
}

// TestHolds changes right answers and looks whether that is seen.
func TestHolds(t *testing.T) {
	c := small()
	c.Packages = append(c.Packages, ut.Package{Name: "rival", DefaultChannel: "stable",
		Channels: []ut.Channel{{Name: "stable", Entries: []ut.Entry{{Name: "rival.v1.0.0"}}}},
		Bundles:  []ut.Bundle{ut.NewBundle("rival", "rival.v1.0.0", "1.0.0", provides("DB"))}})
	content, err := c.Build(t.Context())
	require.NoError(t, err)
	key := cache.Key{Namespace: "olm", Name: "catalog"}
	req := resolver.Request{Catalogs: []resolver.Catalog{{Key: key, Content: content}},
		Installed:     []resolver.Installed{{Name: "app.v1.0.0", Package: "app", Catalog: key, Subscription: "app"}},
		Subscriptions: []resolver.Subscription{{Name: "app", Package: "app"}, {Name: "web", Package: "web"}}}
	tests := []struct {
		name   string
		change func(req *resolver.Request, sol *resolver.Solution)
		want   string
	}{
		{"right", func(*resolver.Request, *resolver.Solution) {}, ""},
		{"a dependency is gone", func(_ *resolver.Request, sol *resolver.Solution) { drop(sol, "db.v1.2.0") }, "app.v1.1.0 requires an operator that provides example.com/v1/DB, and does not have it"},
		{"but the cluster serves it", func(req *resolver.Request, sol *resolver.Solution) {
			drop(sol, "db.v1.2.0")
			req.Cluster.APIs = []properties.GVK{gvk("DB")}
		}, ""},
		{"but the constraint is relaxed", func(req *resolver.Request, sol *resolver.Solution) {
			drop(sol, "db.v1.2.0")
			req.Relax = []resolver.BundleConstraint{{Bundle: resolver.BundleRef{Name: "app.v1.1.0"}}}
		}, ""},
		{"what was installed is gone", func(_ *resolver.Request, sol *resolver.Solution) { drop(sol, "app.v1.1.0") }, "app.v1.0.0 was installed, and is neither kept nor replaced"},
		{"a package twice", func(_ *resolver.Request, sol *resolver.Solution) {
			sol.Steps = append(sol.Steps, resolver.Step{Action: resolver.Install, Bundle: "db.v1.1.0", Package: "db", Catalog: key})
		}, "db.v1.2.0 and db.v1.1.0 are both of package db"},
		{"an API twice", func(_ *resolver.Request, sol *resolver.Solution) {
			sol.Steps = append(sol.Steps, resolver.Step{Action: resolver.Install, Bundle: "rival.v1.0.0", Package: "rival", Catalog: key})
		}, "db.v1.2.0 and rival.v1.0.0 both provide example.com/v1/DB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req := req
			sol, err := resolver.New().Resolve(t.Context(), req)
			require.NoError(t, err)
			tt.change(&req, sol)
			got, err := ut.Holds(t.Context(), req, sol)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func drop(sol *resolver.Solution, bundle string) {
	for i := range sol.Steps {
		if sol.Steps[i].Bundle == bundle {
			sol.Steps = append(sol.Steps[:i:i], sol.Steps[i+1:]...)
			return
		}
	}
}

// TestHoldsOfEverySolution holds solutions of drawn requests to what they were asked,
// compound constraints and policies included, and sees where a bundle that another
// needs is left out.
func TestHoldsOfEverySolution(t *testing.T) {
	r := resolver.New()
	rapid.Check(t, func(t *rapid.T) {
		req := draw.Config{MaxRequires: 3}.Request().Draw(t, "request").Request
		sol, err := r.Resolve(t.Context(), req)
		if err != nil {
			return
		}
		wrong, err := ut.Holds(t.Context(), req, sol)
		require.NoError(t, err)
		require.Empty(t, wrong)
	})
}

// TestSweepAgreesWithAudit: on drawn catalogs of every kind, what is found of each
// bundle by itself is what an audit of the whole says.
func TestSweepAgreesWithAudit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := draw.Config{}.Catalog().Draw(t, "catalog")
		content, err := c.Build(t.Context())
		require.NoError(t, err)
		report, err := ut.Run(t.Context(), content, ut.Options{Shrink: -1, Workers: 1, Only: []ut.Property{ut.ReachesHead, ut.Converges}})
		require.NoError(t, err)
		found := map[string]bool{}
		for _, f := range report.Findings {
			for _, b := range f.Bundles {
				found[b] = true
			}
		}
		key, err := cache.ParseKey(ut.DefaultKey)
		require.NoError(t, err)
		_, err = audit.Run(t.Context(), resolver.New(), []resolver.Catalog{{Key: key, Content: content}}, audit.Options{
			Namespace: "default", Workers: 1,
			Each: func(b *audit.Bundle) error {
				require.Equal(t, b.ReachesHead != nil && !b.ReachesHead.Reaches, found[b.Bundle], b.Bundle)
				return nil
			}})
		require.NoError(t, err)
	})
}

// TestDeclareIsFaithful: a catalog that was read, declared and built again answers as
// before, and declares the same again, quarantined parts included.
func TestDeclareIsFaithful(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := draw.Config{}.Catalog().Draw(t, "catalog")
		content, err := c.Build(t.Context())
		require.NoError(t, err)
		once := ut.Declare(resolver.Catalog{Key: c.Key, Content: content})
		again, err := once.Build(t.Context())
		require.NoError(t, err)
		require.Equal(t, content.Choosable(), again.Choosable())
		for b := range content.Bundles() {
			o := again.Package(b.Package).Bundle(b.Name)
			require.Equal(t, b.Quarantine != nil, o.Quarantine != nil, b.Name)
			require.Equal(t, len(b.Places), len(o.Places), b.Name)
			require.Equal(t, b.ID, o.ID)
		}
		twice := ut.Declare(resolver.Catalog{Key: c.Key, Content: again})
		require.Equal(t, len(once.Blobs()), len(twice.Blobs()))
	})
}

// TestDeclareKeepsWhatIsWrong: every kind of quarantine comes back as what it was.
func TestDeclareKeepsWhatIsWrong(t *testing.T) {
	wrong := map[graph.Code]func(p *ut.Package){
		graph.CodePackageMissing:            func(p *ut.Package) { p.Surplus = -1 },
		graph.CodePackageDuplicate:          func(p *ut.Package) { p.Surplus = 1 },
		graph.Code("defaultChannelUnknown"): func(p *ut.Package) { p.DefaultChannel = "gone" },
		graph.CodeChannelDuplicate:          func(p *ut.Package) { p.Channels = append(p.Channels, p.Channels[0]) },
		graph.CodeChannelEmpty:              func(p *ut.Package) { p.Channels = append(p.Channels, ut.Channel{Name: "empty"}) },
		graph.CodeSeveralHeads:              func(p *ut.Package) { p.Channels[0].Entries[2].Replaces = "" },
		graph.CodeReplacesCycle:             func(p *ut.Package) { p.Channels[0].Entries[0].Replaces = "db.v1.1.0" },
		graph.CodeEntryDuplicate:            func(p *ut.Package) { p.Channels[0].Entries = append(p.Channels[0].Entries, p.Channels[0].Entries[2]) },
		graph.CodeBundleDuplicate:           func(p *ut.Package) { p.Bundles = append(p.Bundles, p.Bundles[0]) },
		graph.CodePropertyInvalid:           func(p *ut.Package) { with(&p.Bundles[0], ut.Prop("olm.gvk", "no object")) },
		graph.CodeConstraintInvalid: func(p *ut.Package) {
			with(&p.Bundles[0], ut.Prop("olm.constraint", map[string]any{"none of those": 1}))
		},
		graph.CodePackagePropertyMissing: func(p *ut.Package) { p.Bundles[0].Properties = p.Bundles[0].Properties[1:] },
		graph.CodePackagePropertySeveral: func(p *ut.Package) { with(&p.Bundles[0], p.Bundles[0].Properties[0]) },
		graph.CodePackageMismatch:        func(p *ut.Package) { p.Bundles[0] = ut.NewBundle("web", "db.v1.0.0", "1.0.0") },
	}
	for code, spoil := range wrong {
		t.Run(string(code), func(t *testing.T) {
			c := small()
			spoil(c.Package("db"))
			once, err := c.Build(t.Context())
			require.NoError(t, err)
			require.Contains(t, flaws(once), string(code))
			again, err := ut.Declare(resolver.Catalog{Key: c.Key, Content: once}).Build(t.Context())
			require.NoError(t, err)
			require.Equal(t, flaws(once), flaws(again))
		})
	}
}

// flaws lists the errors of a catalog without their words.
func flaws(c *cache.Catalog) (out []string) {
	for _, p := range c.Problems() {
		if p.Severity == graph.SeverityError {
			out = append(out, string(p.Code))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
