package olm_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// readBack returns the request that capture makes of a cluster with the manifests and the catalogs
// of a request. It has the policy, the facts of the cluster and the content of the catalogs of that
// request, which no object of OLM holds.
func readBack(t *testing.T, req resolver.Request, m *olm.Manifests) resolver.Request {
	t.Helper()
	var c olm.Cluster
	require.NoError(t, c.Read(t.Context(), bytes.NewReader(m.YAML()), "manifests.yaml"))
	global := ""
	for _, k := range req.Catalogs {
		object := fmt.Sprintf(`{"apiVersion":"operators.coreos.com/v1alpha1","kind":"CatalogSource","metadata":{"name":%q,"namespace":%q},"spec":{"sourceType":"grpc","image":"i","priority":%d}}`,
			k.Key.Name, k.Key.Namespace, k.Priority)
		if len(req.Extensions) > 0 {
			labels := testkit.Must(json.Marshal(k.Labels))(t)
			object = fmt.Sprintf(`{"apiVersion":"olm.operatorframework.io/v1","kind":"ClusterCatalog","metadata":{"name":%q,"labels":%s},"spec":{"priority":%d}}`, k.Key.Name, labels, k.Priority)
		}
		require.NoError(t, c.Add([]byte(object)))
		if k.Key.Namespace != req.Namespace {
			global = k.Key.Namespace
		}
	}
	require.Empty(t, c.Problems())
	capture := testkit.Must(c.Capture(t.Context(), olm.Options{GlobalNamespace: global}))(t)
	var s *scenario.Scenario
	if len(req.Extensions) > 0 {
		s = capture.Extensions.Scenario
	} else {
		require.Len(t, capture.Namespaces, 1)
		for _, f := range capture.Namespaces[0].Findings {
			require.NotContains(t, []string{"noOperatorGroup", "severalOperatorGroups", "missingCatalog"}, f.Code, f.Message)
		}
		s = capture.Namespaces[0].Scenario
	}
	again := testkit.Must(s.Request())(t)
	for i := range again.Catalogs {
		for _, k := range req.Catalogs {
			if k.Key.Name == again.Catalogs[i].Key.Name && (len(req.Extensions) > 0 || k.Key == again.Catalogs[i].Key) {
				again.Catalogs[i].Content, again.Catalogs[i].Unavailable = k.Content, k.Unavailable
			}
		}
	}
	again.Policy, again.Cluster, again.Now, again.Relax = req.Policy, req.Cluster, req.Now, req.Relax
	if len(req.Extensions) == 0 {
		require.NotNil(t, again.OperatorGroup)
		require.Equal(t, append([]string{}, m.Targets...), again.OperatorGroup.TargetNamespaces)
	}
	return again
}

// roundTrip holds that the manifests of an answer have the same answer. It returns false for an
// answer that has none, or that an empty cluster cannot have: something installed is not offered any
// more, has properties of its own, or nothing subscribes to it.
func roundTrip(t *testing.T, req resolver.Request) bool {
	t.Helper()
	sol, err := resolver.New().Resolve(t.Context(), req)
	if err != nil {
		return false
	}
	m, err := olm.ManifestsOf(req, sol)
	var none *olm.ManifestError
	if errors.As(err, &none) {
		return false
	}
	require.NoError(t, err)
	require.Equal(t, m.YAML(), testkit.Must(olm.ManifestsOf(req, sol))(t).YAML())
	for _, note := range m.Notes {
		if strings.Contains(note, "no object installs it") || strings.Contains(note, "cannot install it") {
			return false
		}
	}
	kept := func(s resolver.Step) bool {
		return s.Action == resolver.Keep && slices.ContainsFunc(req.Installed, func(in resolver.Installed) bool { return in.Name == s.Bundle && in.Properties != nil })
	}
	if len(sol.Steps) == 0 || slices.ContainsFunc(sol.Steps, kept) { // the catalog's bundle may require something else
		return false
	}
	again := readBack(t, req, m)
	again.Policy.Failures = resolver.FailuresAll // omitted subscriptions are not in the manifests
	got, err := resolver.New().Resolve(t.Context(), again)
	if err != nil && slices.ContainsFunc(sol.Steps, func(s resolver.Step) bool { return s.Action == resolver.Keep }) {
		return false // what stays may be excluded from new installations
	}
	require.NoError(t, err, "%s", m.YAML())
	require.Equal(t, sol.Set(), got.Set(), "%s", m.YAML())
	return true
}

// TestManifestsOfScenarios: reading the manifests of each scenario back gives the same answer.
func TestManifestsOfScenarios(t *testing.T) {
	for dir, atLeast := range map[string]int{"../scenario/testdata/conformance": 20, "../scenario/testdata/rules": 30, "../../examples/scenarios": 5, "../../../shared/conformance/real": 0} {
		loader, done := new(scenario.Loader), 0
		files := testkit.Must(filepath.Glob(filepath.Join(dir, "*.yaml")))(t)
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) {
				s, err := scenario.ReadFile(t.Context(), file)
				if err != nil {
					t.Skip(err)
				}
				loaded, err := loader.Load(t.Context(), s)
				if err != nil {
					t.Skip(err)
				}
				if roundTrip(t, loaded.Request) {
					done++
				}
			})
		}
		t.Logf("%s: %d of %d", dir, done, len(files))
		require.GreaterOrEqual(t, done, atLeast, dir)
	}
}

// TestManifestsOfPackages: so does each package of a catalog, by itself, and as an extension.
func TestManifestsOfPackages(t *testing.T) {
	catalogs := map[string]*cache.Catalog{}
	for _, path := range []string{"../../examples/catalogs/community", "../../examples/catalogs/certified.yaml", "../../examples/catalogs/platform.jsonl"} {
		catalogs[path] = testkit.Must(fbc.LoadPath(t.Context(), path, fbc.Options{}))(t)
	}
	for _, name := range []string{"community-all.jsonl.gz", "community-v4.19-full.jsonl.gz"} {
		if path := "../../../shared/data/" + name; !testing.Short() {
			if content, err := fbc.LoadPath(t.Context(), path, fbc.Options{}); err == nil {
				catalogs[path] = content
			}
		}
	}
	for path, content := range catalogs {
		done, extensions, all := 0, 0, 0
		for p := range content.Packages() {
			all++
			req := resolver.Request{Namespace: "shop", Catalogs: []resolver.Catalog{{Key: cache.Key{Namespace: "olm", Name: "c"}, Content: content}},
				Subscriptions: []resolver.Subscription{{Name: "mine", Package: p.Name}}}
			if roundTrip(t, req) {
				done++
			}
			req.Catalogs[0].Key.Namespace = scenario.DefaultNamespace
			req.Subscriptions, req.Extensions = nil, []resolver.Extension{{Name: "mine", Package: p.Name}}
			req.Policy.Dependencies = resolver.DependenciesPlan
			if roundTrip(t, req) {
				extensions++
			}
		}
		t.Logf("%s: %d subscriptions and %d extensions of %d packages", filepath.Base(path), done, extensions, all)
		require.Greater(t, 2*done, all/2)
		require.Greater(t, 2*extensions, all/2)
	}
}

// TestPropertyManifests: so do drawn problems.
func TestPropertyManifests(t *testing.T) {
	first, done := int(testkit.Must(seed.Seed())(t)), 0
	generator, converter := draw.Problem(), draw.NewConverter()
	count := testkit.Times(300, 3000)
	for i := range count {
		req := converter.Request(generator.Example(first + i))
		t.Run(fmt.Sprint("seed ", first+i), func(t *testing.T) {
			if roundTrip(t, req) {
				done++
			}
		})
	}
	t.Logf("%d of %d", done, count)
	require.Greater(t, done, count/20)
}

// manifests returns the manifests for a request in words.
func manifests(t *testing.T, words string, change func(*resolver.Request)) (*olm.Manifests, error) {
	t.Helper()
	req := universe.Request(t, words)
	req.Namespace = "shop"
	if change != nil {
		change(&req)
	}
	return olm.ManifestsOf(req, universe.Solution(t, req))
}

// TestManifestsGroup: the group fits every operator of the namespace, or there are no manifests.
func TestManifestsGroup(t *testing.T) {
	for _, c := range []struct {
		modes [2][]string // of a and b
		want  []string
		fails string
	}{
		{[2][]string{}, nil, ""},
		{[2][]string{{"AllNamespaces", "OwnNamespace"}, nil}, nil, ""},
		{[2][]string{{"AllNamespaces", "OwnNamespace"}, {"OwnNamespace"}}, []string{"shop"}, ""},
		{[2][]string{{"OwnNamespace", "SingleNamespace"}, {"SingleNamespace", "OwnNamespace", "AllNamespaces"}}, []string{"shop"}, ""},
		{[2][]string{{"OwnNamespace"}, {"AllNamespaces"}}, nil, "a.v1 supports OwnNamespace; b.v1 supports AllNamespaces"},
		{[2][]string{{"MultiNamespace"}, nil}, nil, "a.v1 supports MultiNamespace"},
	} {
		m, err := manifests(t, "a/stable a.v1 needs=b@>=1.0.0\nb/stable b.v1\nsubscribe a", func(req *resolver.Request) {
			var blobs []json.RawMessage
			for i, name := range []string{"a", "b"} {
				props := []any{map[string]any{"type": "olm.package", "value": map[string]string{"packageName": name, "version": "1.0.0"}}}
				if name == "a" {
					props = append(props, map[string]any{"type": "olm.package.required", "value": map[string]string{"packageName": "b", "versionRange": ">=1.0.0"}})
				}
				if c.modes[i] != nil {
					var modes []any
					for _, mode := range c.modes[i] {
						modes = append(modes, map[string]any{"type": mode, "supported": true})
					}
					props = append(props, map[string]any{"type": "olm.csv.metadata", "value": map[string]any{"installModes": modes}})
				}
				for _, blob := range []any{map[string]any{"schema": "olm.package", "name": name, "defaultChannel": "stable"},
					map[string]any{"schema": "olm.channel", "package": name, "name": "stable", "entries": []any{map[string]string{"name": name + ".v1"}}},
					map[string]any{"schema": "olm.bundle", "package": name, "name": name + ".v1", "image": "i", "properties": props}} {
					blobs = append(blobs, testkit.Must(json.Marshal(blob))(t))
				}
			}
			req.Catalogs[0].Content = testkit.Must(fbc.FromBlobs(t.Context(), blobs, fbc.Options{}))(t)
		})
		if c.fails != "" {
			require.ErrorContains(t, err, c.fails)
			require.ErrorContains(t, err, "give the request an operatorGroup")
			require.NotEmpty(t, testkit.As[*olm.ManifestError](t, err).Bundles)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, m.Targets)
		require.Empty(t, m.Notes)
	}
}

// TestManifestsContent: each object is there, in the order in which it can be applied, and whatever
// needs a person's attention is a note.
func TestManifestsContent(t *testing.T) {
	m, err := manifests(t, `
		db/stable db.v1 db.v2
		app/fast app.v1 needs=db@<2.0.0
		subscribe app`, func(req *resolver.Request) {
		req.OperatorGroup = &resolver.OperatorGroup{TargetNamespaces: []string{"b", "a"}}
	})
	require.NoError(t, err)
	require.Equal(t, []string{"subscription " + m.Subscriptions[1].Name + " has manual approval, because OLM would upgrade db.v1 to db.v2"}, m.Notes)
	require.Equal(t, []string{"a", "b"}, m.Targets)
	require.Equal(t, []string{"Automatic", "Manual"}, []string{m.Subscriptions[0].Approval, m.Subscriptions[1].Approval})
	require.Equal(t, "app", m.Subscriptions[0].Name)
	require.Equal(t, "fast", m.Subscriptions[0].Channel)
	var kinds []string
	for _, line := range strings.Split(string(m.YAML()), "\n") {
		if kind, found := strings.CutPrefix(line, "kind: "); found {
			kinds = append(kinds, kind)
		}
	}
	require.Equal(t, []string{"Namespace", "OperatorGroup", "Subscription", "Subscription"}, kinds)
	require.True(t, strings.HasPrefix(string(m.YAML()), "# subscription "))

	m, err = manifests(t, "db/stable db.v1\nsubscribe db", func(req *resolver.Request) {
		req.Namespace = "operators"
	})
	require.NoError(t, err)
	require.Contains(t, string(m.YAML()), `name: "global-operators"`, "the group that the namespace has already")

	_, err = manifests(t, "db/stable db.v1\nsubscribe db", func(req *resolver.Request) { req.Subscriptions[0].Name = "My DB" })
	require.ErrorContains(t, err, `subscription "My DB" cannot be an object`)

	m, err = manifests(t, "db/stable db.v1\ninstalled own.v1 package=own version=1.0.0\nsubscribe db", nil)
	require.NoError(t, err)
	require.Equal(t, []string{"nothing subscribes to own.v1, so no object installs it"}, m.Notes)
}

// FuzzManifests: whatever names a catalog has, the objects are valid YAML that holds them unchanged.
func FuzzManifests(f *testing.F) {
	f.Add("stable", "db", "catalog", "db.v1")
	f.Add("4.10: x", "- a", "\u2028", "#c")
	f.Add("true", "null", "1e3", "'")
	f.Fuzz(func(t *testing.T, channel, pkg, catalog, bundle string) {
		m := &olm.Manifests{Namespace: "shop", Notes: []string{channel + "\n" + pkg}, Subscriptions: []olm.PlannedSubscription{
			{Name: "mine", Package: pkg, Channel: channel, Source: catalog, SourceNamespace: "olm", StartingCSV: bundle, Approval: "Automatic"}}}
		text := m.YAML()
		for _, s := range []string{channel, pkg, catalog, bundle} {
			if !utf8.ValidString(s) || s == "" {
				return
			}
		}
		var c olm.Cluster
		require.NoError(t, c.Read(t.Context(), bytes.NewReader(text), "m.yaml"))
		require.Empty(t, c.Problems(), "%s", text)
		got := testkit.Must(c.Capture(t.Context(), olm.Options{}))(t)
		require.Len(t, got.Namespaces, 1, "%s", text)
		sub := got.Namespaces[0].Scenario.Subscriptions[0]
		require.Equal(t, []string{channel, pkg, bundle}, []string{sub.Channel, sub.Package, sub.StartingCSV})
	})
}
