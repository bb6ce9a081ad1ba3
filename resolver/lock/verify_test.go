package lock_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/lock"
)

func marshal(v any) ([]byte, error) { return json.Marshal(v) }

// verify verifies a lock for a scenario as it is now.
func verify(t testing.TB, l *lock.Lock, lines, keys string) *lock.Verification {
	t.Helper()
	_, now := load(t, lines, keys)
	return testkit.Must(lock.Verify(ctx, resolver.New(), l, now))(t)
}

// TestDrift: changes and their effects have kinds.
func TestDrift(t *testing.T) {
	const both = "subscriptions: [{name: web, package: web}, {name: other, package: other}]\n"
	const upgrading = "installed: [{name: db.v1, package: db, version: 1.0.0}]\nsubscriptions: [{name: db, package: db, installedCSV: db.v1}]\n"
	for name, c := range map[string]struct {
		then, lines, now string
		valid, best      bool
		drift            []string // kind and subject
	}{
		"nothing":         {wanted, shop, wanted, true, true, nil},
		"a package more":  {wanted, shop + "\nmore/stable more.v1", wanted, true, true, []string{"catalog default/c"}},
		"a newer version": {wanted, strings.Replace(shop, "db.v2", "db.v2 db.v3", 1), wanted, true, false, []string{"catalog default/c", "catalog db.v2"}},
		"a version less":  {wanted, strings.Replace(shop, " db.v2", "", 1), wanted, false, false, []string{"catalog default/c", "catalog db.v2"}},
		"a version less that was rejected": {"subscriptions: [{name: db, package: db, versionRange: <2.0.0}]\n", strings.Replace(shop, " db.v2", "", 1),
			"subscriptions: [{name: db, package: db, versionRange: <2.0.0}]\n", true, true, []string{"catalog default/c"}},
		"a requirement more":                {wanted, shop + "\nneeded/stable needed.v1\nrequire db.v2 needed@>=1.0.0 ; x", wanted, false, false, []string{"catalog default/c", "catalog needed.v1"}},
		"a requirement that nothing meets":  {wanted, shop + "\nrequire db.v2 gone@>=1.0.0 ; x", wanted, false, false, []string{"catalog default/c", "catalog db.v2", "catalog db.v2"}},
		"another goal":                      {wanted, shop, wanted + "policy: {goal: Oldest}", true, false, []string{"policy policy.goal", "policy db.v2"}},
		"a policy that makes no difference": {wanted, shop, wanted + "policy: {deprecations: Avoid}", true, true, []string{"policy policy.deprecations"}},
		"forbidden":                         {wanted, shop, wanted + "forbid: [{bundle: db.v2, message: broken}]", false, false, []string{"policy db.v2", "policy db.v2", "policy db.v2"}},
		"relaxed":                           {wanted, shop, wanted + "relax: [{bundle: web.v1}]", false, false, []string{"policy web.v1", "policy db.v2"}},
		"another Kubernetes":                {wanted, shop, wanted + "cluster: {kubernetesVersion: 1.33.0}", true, true, []string{"cluster cluster.kubernetesVersion"}},
		"a subscription more":               {wanted, shop, both, false, false, []string{"cluster other", "cluster other.v1"}},
		"a subscription less":               {both, shop, wanted, false, false, []string{"cluster other", "cluster other.v1"}},
		"another channel":                   {wanted, shop, "subscriptions: [{name: web, package: web, channel: beta}]", false, false, []string{"cluster web", "cluster web"}},
		"carried out":                       {wanted, shop, "installed: [{name: db.v2, catalog: default/c, channel: stable, automatic: true}, {name: web.v1, catalog: default/c, channel: stable}]\nsubscriptions: [{name: web, package: web, installedCSV: web.v1}, {name: db-stable-c-default, package: db, channel: stable, catalog: default/c, installedCSV: db.v2}]", true, true, nil},
		"upgraded":                          {upgrading, shop, "installed: [{name: db.v2, package: db, version: 2.0.0}]\nsubscriptions: [{name: db, package: db, installedCSV: db.v2}]\n", true, true, nil},
		"something installed":               {wanted, shop, "installed: [{name: other.v1}]\n" + wanted, false, false, []string{"cluster other.v1", "cluster other.v1"}},
		"uninstalled":                       {upgrading, shop, "subscriptions: [{name: db, package: db}]\n", true, true, []string{"cluster db.v1"}},
		"a catalog and a policy, of which the policy matters":   {wanted, shop + "\nmore/stable more.v1", wanted + "policy: {goal: Oldest}", true, false, []string{"catalog default/c", "policy policy.goal", "policy db.v2"}},
		"a catalog and a cluster, of which the catalog matters": {wanted, strings.Replace(shop, "db.v2", "db.v2 db.v3", 1), wanted + "cluster: {kubernetesVersion: 1.33.0}", true, false, []string{"catalog default/c", "cluster cluster.kubernetesVersion", "catalog db.v2"}},
	} {
		t.Run(name, func(t *testing.T) {
			l, _ := made(t, shop, c.then)
			v := verify(t, l, c.lines, c.now)
			got := testkit.Map(v.Drift, func(d lock.Drift) string { return string(d.Kind) + " " + d.Subject })
			require.ElementsMatch(t, c.drift, got, "%v", v)
			require.Equal(t, []bool{c.valid, c.best}, []bool{v.Valid, v.Best}, "%v", v)
		})
	}
}

// TestAlternative: a better alternative that can stand beside the locked one makes the locked
// answer worse, but not invalid.
func TestAlternative(t *testing.T) {
	const before = "x/stable x.v1\nweb/stable web.v1\nrequire web.v1 any(x@>=1.0.0, a@>=1.0.0) ; x"
	l, _ := made(t, before, wanted)
	v := verify(t, l, before+"\na/stable a.v1", wanted)
	require.Equal(t, []bool{true, false}, []bool{v.Valid, v.Best}, "%v", v)
	_, now := load(t, before+"\na/stable a.v1", wanted)
	require.Equal(t, []string{"a.v1", "web.v1"}, testkit.Must(resolver.New().Resolve(ctx, now))(t).Set())
	sol := testkit.Must(l.Resolve(ctx, resolver.New(), now))(t)
	require.Equal(t, []string{"web.v1", "x.v1"}, sol.Set())
	for _, s := range sol.Steps {
		require.False(t, s.Because[0].Forced, "%s is there for what requires it, not because it is locked", s.Bundle)
	}
}

// TestCatalogsDrift: catalogs are compared by key, and by their content alone.
func TestCatalogsDrift(t *testing.T) {
	blobs, more := universe.Array(t, shop), universe.Array(t, "x/stable x.v1")
	catalog := func(keys, blobs string) string { return "{name: c, " + keys + "blobs: " + blobs + "}" }
	l, _ := made(t, shop, wanted)
	for name, c := range map[string]struct {
		catalogs    string
		valid, best bool
		drift       []string
	}{
		"the same":     {catalog("", blobs), true, true, nil},
		"elsewhere":    {"\n\n- " + catalog("", blobs), true, true, nil},
		"priority":     {catalog("priority: 3, ", blobs), true, true, []string{"the priority of catalog default/c is 3, and was 0"}},
		"labels":       {catalog("labels: {a: b}, ", blobs), true, true, []string{"the labels of catalog default/c changed"}},
		"another one":  {catalog("", blobs) + ", {name: d, blobs: " + more + "}", true, true, []string{"catalog default/d is new"}},
		"a better one": {catalog("", blobs) + ", {name: d, priority: 1, blobs: " + blobs + "}", true, false, []string{"catalog default/d is new", "web.v1 of catalog default/d would be selected instead of web.v1", "db.v2 of catalog default/d would be selected instead of db.v2"}},
		"another name": {"{name: d, blobs: " + blobs + "}", false, false, []string{"catalog default/d is new", "catalog default/c is not used any more", "catalog default/c no longer has web.v1", "catalog default/c no longer has db.v2"}},
	} {
		t.Run(name, func(t *testing.T) {
			list := "[" + c.catalogs + "]"
			if strings.Contains(c.catalogs, "- ") {
				list = c.catalogs
			}
			_, now := parsed(t, "catalogs: "+list+"\n"+wanted)
			v := testkit.Must(lock.Verify(ctx, resolver.New(), l, now))(t)
			require.ElementsMatch(t, c.drift, testkit.Map(v.Drift, func(d lock.Drift) string { return d.Text }))
			require.Equal(t, []bool{c.valid, c.best}, []bool{v.Valid, v.Best}, "%v", v)
			for _, d := range v.Drift {
				require.Equal(t, lock.DriftCatalog, d.Kind)
			}
		})
	}
}

// TestForgedAnswer: a lock that says something else than its unchanged question has is told as
// such, whoever made its digest.
func TestForgedAnswer(t *testing.T) {
	l, req := made(t, shop, wanted)
	old, _ := made(t, shop, "subscriptions: [{name: web, package: web}]\nforbid: [{bundle: db.v2}]\n")
	forged := *l
	forged.Bundles = old.Bundles
	cert := old.Certificate.For(req)
	forged.Certificate = cert
	v := testkit.Must(lock.Verify(ctx, resolver.New(), &forged, req))(t)
	require.Equal(t, &lock.Verification{Valid: true, Drift: []lock.Drift{{Kind: lock.DriftAnswer, Subject: "db.v1", Text: "db.v2 of catalog default/c would be selected instead of db.v1"}}}, v)

	image := *l
	image.Bundles = append([]lock.Bundle{}, l.Bundles...)
	image.Bundles[0].Image, image.Bundles[0].Unpinned = "evil.example/db", true
	v = testkit.Must(lock.Verify(ctx, resolver.New(), &image, req))(t)
	require.False(t, v.Valid || v.Best)
	require.Equal(t, lock.DriftAnswer, v.Drift[0].Kind)
	require.Contains(t, v.Drift[0].Text, "and was evil.example/db")
}

// TestAlteredBundle: a bundle that a catalog publishes again under its name, with another image
// or version, is not what was locked.
func TestAlteredBundle(t *testing.T) {
	text := func(image, version string) string {
		return `{catalogs: [{name: c, blobs: [{schema: olm.package, name: a, defaultChannel: s}, {schema: olm.channel, package: a, name: s, entries: [{name: a.v1}]},
			{schema: olm.bundle, package: a, name: a.v1, image: "` + image + `", properties: [{type: olm.package, value: {packageName: a, version: ` + version + `}}]}]}], subscriptions: [{name: a, package: a}]}`
	}
	s, req := parsed(t, text("r/a@sha256:01", "1.0.0"))
	l := testkit.Must(lock.Make(ctx, resolver.New(), s, req.Catalogs))(t)
	for _, c := range []struct{ image, version, says string }{
		{"r/a@sha256:02", "1.0.0", "the image of a.v1 is r/a@sha256:02, and was r/a@sha256:01"},
		{"r/a@sha256:01", "1.0.1", "the version of a.v1 is 1.0.1, and was 1.0.0"},
	} {
		_, now := parsed(t, text(c.image, c.version))
		v := testkit.Must(lock.Verify(ctx, resolver.New(), l, now))(t)
		require.False(t, v.Valid || v.Best)
		require.Equal(t, lock.Drift{Kind: lock.DriftCatalog, Subject: "a.v1", Text: c.says}, v.Drift[1])
		_, err := l.Resolve(ctx, resolver.New(), now)
		require.ErrorContains(t, testkit.As[*lock.StaleError](t, err), "the locked answer is not valid any more: "+c.says)
	}
}

// TestWithoutSearch: as long as the certificate holds, nothing is resolved. The resolver here can
// resolve nothing.
func TestWithoutSearch(t *testing.T) {
	unable := resolver.New(resolver.WithLimits(resolver.Limits{Bundles: 1}))
	l, req := made(t, shop, wanted)
	verify := func(now resolver.Request) error {
		_, err := lock.Verify(ctx, unable, l, now)
		return err
	}
	require.NoError(t, verify(req))
	_, more := load(t, shop+"\nmore/stable more.v1", wanted+"cluster: {kubernetesVersion: 1.33.0}\npolicy: {deprecations: Avoid}\n")
	require.NoError(t, verify(more), "what changed makes no difference")
	_, newer := load(t, strings.Replace(shop, "db.v2", "db.v2 db.v3", 1), wanted)
	testkit.As[*resolver.IncompleteError](t, verify(newer))
}

// TestUnreadCatalogs: without its catalogs a lock is verified by itself; that is not enough once
// something changed.
func TestUnreadCatalogs(t *testing.T) {
	l, _ := made(t, shop, wanted)
	now := testkit.Must(l.Request())(t)
	v := testkit.Must(lock.Verify(ctx, resolver.New(), l, now))(t)
	require.Equal(t, &lock.Verification{Valid: true, Best: true, Drift: []lock.Drift{}, Unread: []string{"default/c"}}, v)

	now.Policy.Goal = resolver.Oldest
	_, err := lock.Verify(ctx, resolver.New(), l, now)
	require.Equal(t, key("c"), testkit.As[*lock.CatalogError](t, err).Key)

	now = testkit.Must(l.Request())(t)
	now.Catalogs[0].Unavailable = io.ErrUnexpectedEOF
	_, err = lock.Verify(ctx, resolver.New(), l, now)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	_, err = l.Resolve(ctx, resolver.New(), now)
	require.Error(t, err)
}

// TestLockedAnswer: the locked answer is a solution also if there is a better one, and even if
// the request would rather do less.
func TestLockedAnswer(t *testing.T) {
	const upgrading = "installed: [{name: db.v1, package: db, version: 1.0.0}]\nsubscriptions: [{name: db, package: db, installedCSV: db.v1}]\n"
	l, _ := made(t, shop, upgrading)
	for _, c := range []struct{ lines, keys string }{
		{shop, upgrading},
		{strings.Replace(shop, "db.v2", "db.v2 db.v3", 1), upgrading},
		{shop, upgrading + "policy: {goal: MinimalChange}\n"},
	} {
		_, now := load(t, c.lines, c.keys)
		sol := testkit.Must(l.Resolve(ctx, resolver.New(), now))(t)
		require.Equal(t, []string{"db.v2"}, sol.Set(), c.keys)
		require.Equal(t, resolver.Upgrade, sol.Steps[0].Action)
	}
	_, now := load(t, shop, upgrading+"forbid: [{bundle: db.v2}]\n")
	_, err := l.Resolve(ctx, resolver.New(), now)
	stale := testkit.As[*lock.StaleError](t, err)
	require.Equal(t, "db.v2", stale.Subject)
	testkit.As[*resolver.Conflict](t, err)

	vetoed := now
	vetoed.Forbid = nil
	vetoed.Veto = func(_ context.Context, _ cache.Key, b *graph.Bundle) (string, error) {
		if b.Name == "db.v2" {
			return "not here", nil
		}
		return "", nil
	}
	_, err = l.Resolve(ctx, resolver.New(), vetoed)
	testkit.As[*lock.StaleError](t, err)
}

func TestStatement(t *testing.T) {
	l, req := made(t, shop, wanted)
	file := []byte(written(t, l))
	v := testkit.Must(lock.Verify(ctx, resolver.New(), l, req))(t)
	var out struct {
		Type    string `json:"_type"`
		Subject []struct {
			Name   string
			Digest map[string]string
		}
		PredicateType string
		Predicate     struct {
			Verifier    struct{ ID, Version string }
			Lock        string
			Valid, Best bool
			Drift       []lock.Drift
			Catalogs    []struct{ Key, Digest string }
			Bundles     []lock.Bundle
		}
	}
	data := testkit.Must(json.Marshal(v.Statement("resolute.lock", file, l, req, "v1.2.3")))(t)
	require.NoError(t, json.Unmarshal(data, &out))
	require.Equal(t, "https://in-toto.io/Statement/v1", out.Type)
	require.Equal(t, "resolute.lock", out.Subject[0].Name)
	require.Equal(t, map[string]string{"sha256": fmt.Sprintf("%x", sha256.Sum256(file))}, out.Subject[0].Digest)
	require.True(t, out.Predicate.Valid && out.Predicate.Best && out.Predicate.Drift != nil)
	require.Equal(t, l.Digest, out.Predicate.Lock)
	require.Equal(t, l.Bundles, out.Predicate.Bundles)
	require.Equal(t, req.Catalogs[0].Content.ContentDigest(), out.Predicate.Catalogs[0].Digest)
	require.Equal(t, "v1.2.3", out.Predicate.Verifier.Version)

	// The document describes each key, and its address is the type.
	document := string(testkit.Must(os.ReadFile("predicate-v1.md"))(t))
	require.True(t, strings.HasSuffix(out.PredicateType, "/blob/main/resolver/lock/predicate-v1.md"))
	var keys map[string]map[string]any
	_ = json.Unmarshal(data, &keys) // the other members are no objects
	require.NotEmpty(t, keys["predicate"])
	for name := range keys["predicate"] {
		require.Contains(t, document, "| `"+name+"` |")
	}
}

func TestCompare(t *testing.T) {
	bundle := func(pkg, version string) lock.Bundle {
		return lock.Bundle{Name: pkg + ".v" + version, Package: pkg, Version: version, Channel: "stable"}
	}
	moved := bundle("e", "1.0.0")
	moved.Channel = "beta"
	before := []lock.Bundle{bundle("a", "1.0.0"), bundle("b", "2.0.0"), bundle("c", "1.0.0"), bundle("e", "1.0.0"), bundle("same", "1.0.0"), {Name: "old"}}
	after := []lock.Bundle{bundle("d", "1.0.0"), bundle("b", "1.0.0"), bundle("a", "1.1.0"), moved, bundle("same", "1.0.0"), {Name: "new"}}
	got := testkit.Map(lock.Compare(before, after), func(c lock.Change) string {
		text := string(c.Action) + " " + c.Package
		if c.From != nil {
			text += " " + c.From.Name
		}
		if c.To != nil {
			text += " " + c.To.Name
		}
		return text
	})
	require.Equal(t, []string{"add  new", "remove  old", "upgrade a a.v1.0.0 a.v1.1.0", "downgrade b b.v2.0.0 b.v1.0.0", "remove c c.v1.0.0", "add d d.v1.0.0", "change e e.v1.0.0 e.v1.0.0"}, got)
}
