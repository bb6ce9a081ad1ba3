package lock_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/lazy"
	"github.com/seed109e2655/resolute/resolver/lock"
)

func names(list []lock.Bundle) []string {
	var out []string
	for _, b := range list {
		out = append(out, b.Name)
	}
	return out
}

const components = `
	db/stable db.v1 db.v2
	web/stable web.v1 needs=db@>=2.0.0
	worker/stable worker.v1 needs=db@<2.0.0
	other/stable other.v1`

// TestComponents: one lock has the bundles of several components, and tells which component needs what.
func TestComponents(t *testing.T) {
	l, _ := made(t, components, "subscriptions: [{name: web, package: web}, {name: other, package: other}]\n")
	sameBytes(t, l)
	require.Equal(t, []string{"db.v2", "other.v1", "web.v1"}, names(l.Bundles))
	require.Equal(t, []string{"db.v2", "web.v1"}, names(l.Of("web")))
	require.Equal(t, []string{"other.v1"}, names(l.Of("other")))
	require.Empty(t, l.Of("none"))

	alone, _ := made(t, components, wanted)
	require.Equal(t, alone.Bundles, alone.Of("web"))
	require.Empty(t, alone.Bundles[0].Subscriptions)
}

// TestComponentsInScopes: components that need different versions of a package have one lock if each has a
// scope, and none otherwise.
func TestComponentsInScopes(t *testing.T) {
	question, req := load(t, components, "subscriptions: [{name: web, package: web}, {name: worker, package: worker}]\n")
	_, err := lock.Make(ctx, resolver.New(), question, req.Catalogs)
	var conflict *resolver.Conflict
	require.ErrorAs(t, err, &conflict)

	question, req = load(t, components, `subscriptions: [{name: web, package: "web@front"}, {name: worker, package: "worker@back"}]`)
	scopes := lazy.Scopes{Names: []string{"front", "back"}}
	req.Catalogs[0].Content = testkit.Must(scopes.Catalog(ctx, req.Catalogs[0].Content))(t)
	l := testkit.Must(lock.Make(ctx, resolver.New(), question, req.Catalogs))(t)
	sameBytes(t, l)
	require.Equal(t, []string{"db.v2@front", "web.v1@front"}, names(l.Of("web")))
	require.Equal(t, []string{"db.v1@back", "worker.v1@back"}, names(l.Of("worker")))

	now := testkit.Must(l.Request())(t)
	now.Catalogs = req.Catalogs
	v := testkit.Must(lock.Verify(ctx, resolver.New(), l, now))(t)
	require.True(t, v.Valid && v.Best, "%+v", v)
}
