package upgradetest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
	ut "github.com/seed109e2655/resolute/resolver/upgradetest"
)

// compound is an olm.constraint property.
func compound(c constraints.Constraint) scenario.Property { return ut.Prop("olm.constraint", c) }

func pkg(name, versions string) constraints.Constraint {
	r, err := properties.ParseRange(versions)
	if err != nil {
		panic(err)
	}
	return &constraints.Package{Name: name, Range: r}
}

// TestShrinksToTheCause buries a mistake under what has nothing to do with it, and
// reads what is left.
func TestShrinksToTheCause(t *testing.T) {
	c := small()
	c.Priority = 7
	for i := range c.Package("app").Bundles {
		b := &c.Package("app").Bundles[i]
		b.Properties = append(b.Properties[:1:1],
			compound(constraints.WithMessage(constraints.NewAll(
				pkg("web", ">=1.0.0"),
				constraints.NewAny(constraints.NewAll(pkg("cache", ">=1.0.0"), pkg("db", ">=1.0.0")), pkg("queue", "=1.0.0")),
				constraints.NewNot(pkg("legacy", ">=0.1.0")),
			), "needs a lot")),
			ut.Prop("example.com.tier", "gold"), ut.Prop("olm.label", map[string]string{"label": "blue"}))
	}
	c.Package("app").Deprecations = []ut.Deprecation{{Schema: graph.SchemaBundle, Name: "app.v1.0.0", Message: "old"}, {Schema: graph.SchemaPackage, Message: "all of it"}}
	c.Package("app").Channels = append(c.Package("app").Channels, ut.Channel{Name: "other", Entries: []ut.Entry{{Name: "app.v1.0.0", SkipRange: "<1.0.0", Skips: []string{"app.v0.9.0"}}}})
	r := report(t, c, ut.Options{Only: []ut.Property{ut.Installable}, Packages: []string{"app"}})
	require.Len(t, r.Findings, 1)
	require.Equal(t, []string{"app.v1.0.0", "app.v1.1.0"}, r.Findings[0].Bundles)
	small := r.Findings[0].Small
	require.Equal(t, 1, small.Bundles)
	var text strings.Builder
	for _, b := range small.Scenario.Catalogs[0].Blobs {
		text.WriteString(string(b) + "\n")
	}
	require.Equal(t, `{"schema":"olm.package","name":"app","defaultChannel":"stable"}
{"schema":"olm.channel","package":"app","name":"stable","entries":[{"name":"app.v1.0.0"}]}
{"schema":"olm.bundle","package":"app","name":"app.v1.0.0","image":"example.com/app.v1.0.0","properties":[{"type":"olm.package","value":{"packageName":"app","version":"1.0.0"}},{"type":"olm.constraint","value":{"package":{"packageName":"cache","versionRange":">=1.0.0"}}}]}
`, text.String())
	require.Zero(t, small.Scenario.Catalogs[0].Priority)
}

// TestShrinksLongChains joins the ends of a chain where it takes versions out of it.
func TestShrinksLongChains(t *testing.T) {
	p := ut.Package{Name: "db", DefaultChannel: "stable", Channels: []ut.Channel{{Name: "stable"}}}
	name := func(i int) string { return fmt.Sprintf("db.v1.%d.0", i) }
	for i := range 12 {
		e := ut.Entry{Name: name(i)}
		if i > 0 {
			e.Replaces = name(i - 1)
		}
		if i == 11 {
			e.Replaces, e.Skips = name(3), []string{name(10)}
		}
		p.Channels[0].Entries = append(p.Channels[0].Entries, e)
		p.Bundles = append(p.Bundles, ut.NewBundle("db", name(i), fmt.Sprintf("1.%d.0", i)))
	}
	r := report(t, &ut.Catalog{Packages: []ut.Package{p}}, ut.Options{Only: []ut.Property{ut.ReachesHead}})
	require.Len(t, r.Findings, 1)
	require.Equal(t, []string{name(4), name(5), name(6), name(7), name(8), name(9)}, r.Findings[0].Bundles)
	require.Equal(t, 3, r.Findings[0].Small.Bundles, "%s", r.Findings[0].Text())
}

// TestShrinksRequests has a resolver with a fault answer a request that asks for much,
// and reads what is left of the request, in the file of a fixed name.
func TestShrinksRequests(t *testing.T) {
	key := cache.Key{Namespace: "olm", Name: "catalog"}
	content, err := small().Build(t.Context())
	require.NoError(t, err)
	kube, err := properties.New("olm.kubeversion", []byte(`{"version":"1.33.0"}`))
	require.NoError(t, err)
	own := properties.NewSet(kube)
	req := resolver.Request{
		Namespace: "operators",
		Catalogs:  []resolver.Catalog{{Key: key, Content: content, Priority: 3}},
		Installed: []resolver.Installed{
			{Name: "web.v1.0.0", Package: "web", Catalog: key},
			{Name: "other.v3.0.0", Package: "other", Properties: &own, Automatic: true},
		},
		Subscriptions: []resolver.Subscription{
			{Name: "web", Package: "web", InstalledCSV: "web.v1.0.0", Channels: []string{"stable"}},
			{Name: "app", Package: "app", Channels: []string{"stable"}},
		},
		Cluster: resolver.Cluster{Properties: properties.NewSet(kube), APIs: []properties.GVK{gvk("Cluster")}},
		Policy:  resolver.Policy{Deprecations: resolver.DeprecationsAvoid},
		Forbid:  []resolver.Forbidden{{Bundle: resolver.BundleRef{Name: "db.v1.2.0"}, Message: "slow"}},
		Force:   []resolver.BundleRef{{Name: "db.v1.1.0"}},
		Relax:   []resolver.BundleConstraint{{Bundle: resolver.BundleRef{Name: "app.v1.0.0"}}},
		Constraints: []resolver.BundleConstraint{{Bundle: resolver.BundleRef{Name: "app.v1.1.0"},
			Constraint: constraints.NewNot(&constraints.Label{Label: "blue"})}},
	}
	turned := &faulty{Resolver: resolver.New(), asked: func(req resolver.Request) resolver.Request {
		cats := append([]resolver.Catalog(nil), req.Catalogs...)
		for i := range cats {
			cats[i].Priority = -cats[i].Priority
		}
		req.Catalogs = cats
		return req
	}}
	dir := t.TempDir()
	_, err = resolver.New().Resolve(t.Context(), req)
	require.NoError(t, err)
	right, err := ut.RunRequest(t.Context(), req, ut.Options{Dir: dir})
	require.NoError(t, err)
	require.Empty(t, right.Findings)
	wrong, err := ut.RunRequest(t.Context(), req, ut.Options{Dir: dir, Resolver: turned, Only: []ut.Property{ut.Priority}, File: "here"})
	require.NoError(t, err)
	require.Len(t, wrong.Findings, 1)
	require.Equal(t, filepath.ToSlash(filepath.Join(dir, "priority-here.yaml")), wrong.Findings[0].Small.File)
	s, err := scenario.ReadFile(t.Context(), wrong.Findings[0].Small.File)
	require.NoError(t, err)
	require.Len(t, s.Subscriptions, 1)
	require.Empty(t, s.Installed)
	require.Empty(t, s.Forbid)
	require.Empty(t, s.Cluster)
	require.Empty(t, s.Policy)
	require.Empty(t, s.WhatIf)

	all := ut.ScenarioOf(req)
	require.Equal(t, "operators", all.Namespace)
	other := "other"
	require.Equal(t, []scenario.Installed{
		{Name: "web.v1.0.0", Catalog: "olm/catalog"},
		{Name: "other.v3.0.0", Package: &other, Automatic: true, Properties: []scenario.Property{{Type: "olm.kubeversion", Value: []byte(`{"version":"1.33.0"}`)}}},
	}, all.Installed)
	require.Equal(t, []scenario.Forbid{{Bundle: "db.v1.2.0", Message: "slow"}}, all.Forbid)
	require.Equal(t, []string{"db.v1.1.0"}, all.WhatIf[0].Force)
	require.Equal(t, resolver.DeprecationsAvoid, all.Policy.Deprecations)
	require.Len(t, all.Cluster.Properties, 1)
	require.Len(t, all.Cluster.APIs, 1)
}

// TestUnanswered reports what a limit of the resolver kept from being answered: it is
// not known to be right.
func TestUnanswered(t *testing.T) {
	content, err := small().Build(t.Context())
	require.NoError(t, err)
	tight := resolver.New(resolver.WithLimits(resolver.Limits{Bundles: 1}))
	r, err := ut.Run(t.Context(), content, ut.Options{NoFiles: true, Resolver: tight, Only: []ut.Property{ut.Installable}})
	require.NoError(t, err)
	require.NotEmpty(t, r.Findings)
	require.Equal(t, "noAnswer", r.Findings[0].Code)
}

// TestRelated keeps for a law what some constraint within reach is about: by package,
// API, label, rule, name of an installed bundle. With less, sound requests would be
// found faulty.
func TestRelated(t *testing.T) {
	c := small()
	blue := ut.Prop("olm.label", map[string]string{"label": "blue"})
	with(&c.Package("web").Bundles[0], blue)
	c.Packages = append(c.Packages, ut.Package{Name: "spare", DefaultChannel: "stable",
		Channels: []ut.Channel{{Name: "stable", Entries: []ut.Entry{{Name: "spare.v1.0.0"}}}},
		Bundles:  []ut.Bundle{ut.NewBundle("spare", "spare.v1.0.0", "1.0.0", ut.Prop("tier", "gold"))}})
	needs := map[string]scenario.Property{
		"label":   ut.Prop("olm.label.required", map[string]string{"label": "blue"}),
		"package": wantsPackage("web", ">=1.0.0"),
		"api":     wants("Web"),
		"rule":    ut.Prop("olm.constraint", map[string]any{"cel": map[string]any{"rule": "properties.exists(p, p.type == 'tier')"}}),
		"not":     ut.Prop("olm.constraint", constraints.NewNot(pkg("db", "<1.2.0"))),
	}
	for name, need := range needs {
		t.Run(name, func(t *testing.T) {
			c := c.Clone()
			with(appHead(c), need)
			require.Empty(t, report(t, c, ut.Options{Packages: []string{"app"}, Only: []ut.Property{ut.Unrelated, ut.Priority, ut.BlobOrder, ut.Installable}}).Findings)
			cats, err := ut.Offer(t.Context(), c)
			require.NoError(t, err)
			set := cats[0].Content.Package("app").Bundle("app.v1.1.0").Properties
			req := resolver.Request{Catalogs: cats, Installed: []resolver.Installed{{Name: "mine.v1.0.0", Package: "mine", Properties: &set}},
				Force: []resolver.BundleRef{{Name: "web.v1.0.0"}}, Relax: []resolver.BundleConstraint{{Bundle: resolver.BundleRef{Name: "spare.v1.0.0"}}},
				Constraints: []resolver.BundleConstraint{{Bundle: resolver.BundleRef{Name: "web.v1.0.0"}, Constraint: pkg("spare", ">=1.0.0")}},
				Forbid:      []resolver.Forbidden{{Bundle: resolver.BundleRef{Name: "db.v1.1.0", Catalog: cats[0].Key}}}}
			r, err := ut.RunRequest(t.Context(), req, ut.Options{NoFiles: true})
			require.NoError(t, err)
			require.Empty(t, r.Findings)
		})
	}
}

// timed is a test with a context and a deadline.
type timed struct {
	recorder
	ctx      context.Context
	deadline time.Time
}

func (t *timed) Context() context.Context         { return t.ctx }
func (t *timed) Deadline() (d time.Time, ok bool) { return t.deadline, !t.deadline.IsZero() }

// TestEndsWithTheTest stops a check when its test is over, or about to be.
func TestEndsWithTheTest(t *testing.T) {
	content, err := small().Build(t.Context())
	require.NoError(t, err)
	late := &timed{ctx: t.Context(), deadline: time.Now().Add(time.Second)}
	ut.CheckAll(late, content, ut.Options{})
	require.Len(t, late.errors, 1)
	require.Contains(t, late.errors[0], "deadline exceeded")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	over := &timed{ctx: ctx}
	ut.CheckRequest(over, resolver.Request{Catalogs: []resolver.Catalog{{Key: cache.Key{Namespace: "a", Name: "b"}, Content: content}},
		Subscriptions: []resolver.Subscription{{Name: "app", Package: "app"}}}, ut.Options{})
	require.Len(t, over.errors, 1)
	require.Contains(t, over.errors[0], "canceled")

	fine := &timed{ctx: t.Context(), deadline: time.Now().Add(time.Hour)}
	ut.CheckAll(fine, content, ut.Options{})
	require.Empty(t, fine.errors)
	require.Empty(t, fine.logs)
}

// TestForeignNames keeps names from catalogs inert in messages and files.
func TestForeignNames(t *testing.T) {
	name := "db\x1b[31m\n# replay: rm\u2028"
	c := &ut.Catalog{Packages: []ut.Package{{Name: name, DefaultChannel: "gone",
		Channels: []ut.Channel{{Name: "a\nb"}, {Name: "s", Entries: []ut.Entry{{Name: name + ".v1"}, {Name: name + ".v2"}}}},
		Bundles:  []ut.Bundle{ut.NewBundle(name, name+".v1", "1.0.0"), ut.NewBundle(name, name+".v2", "2.0.0", scenario.Property{Type: "x", Value: []byte("{")})},
	}, {Name: "undefined", Surplus: -1, Bundles: []ut.Bundle{ut.NewBundle("undefined", "u.v1", "1.0.0")}}}}
	content, err := c.Build(t.Context())
	require.NoError(t, err)
	rec, dir := &recorder{}, t.TempDir()
	ut.CheckAll(rec, content, ut.Options{Dir: dir})
	require.NotEmpty(t, rec.errors)
	require.NotContains(t, strings.Join(rec.errors, ""), "\x1b")
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		require.NotContains(t, string(data), "\x1b")
		require.NotContains(t, string(data), "\n# replay: rm")
		_, err = scenario.ReadFile(t.Context(), f)
		require.NoError(t, err)
	}
}
