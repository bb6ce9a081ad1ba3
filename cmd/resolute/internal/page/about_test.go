package page

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/listing"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

const related = `
catalogs:
- name: c
  blobs:
  - {schema: olm.package, name: app, defaultChannel: stable, description: Sells things., icon: {mediatype: image/png, base64data: iVBORw0KGgo=}}
  - {schema: olm.channel, package: app, name: beta, entries: [{name: app.v2}]}
  - {schema: olm.channel, package: app, name: stable, entries: [{name: app.v1}, {name: app.v1.1, replaces: app.v1}]}
  - {schema: olm.bundle, package: app, name: app.v1, image: i, properties: [{type: olm.package, value: {packageName: app, version: 1.0.0}}, {type: olm.package.required, value: {packageName: db, versionRange: ">=1.0.0"}}]}
  - {schema: olm.bundle, package: app, name: app.v1.1, image: i, properties: [{type: olm.package, value: {packageName: app, version: 1.1.0}}, {type: olm.package.required, value: {packageName: db, versionRange: ">=2.0.0"}}, {type: olm.gvk.required, value: {group: x.io, version: v1, kind: Queue}}]}
  - {schema: olm.bundle, package: app, name: app.v2, image: i, properties: [{type: olm.package, value: {packageName: app, version: 2.0.0}}, {type: olm.package.required, value: {packageName: db, versionRange: ">=2.0.0"}}]}
  - {schema: olm.package, name: db, defaultChannel: stable}
  - {schema: olm.channel, package: db, name: stable, entries: [{name: db.v1}]}
  - {schema: olm.bundle, package: db, name: db.v1, image: i, properties: [{type: olm.package, value: {packageName: db, version: 1.0.0}}]}
  - {schema: olm.package, name: mq, defaultChannel: stable}
  - {schema: olm.channel, package: mq, name: stable, entries: [{name: mq.v1}]}
  - {schema: olm.bundle, package: mq, name: mq.v1, image: i, properties: [{type: olm.package, value: {packageName: mq, version: 1.0.0}}, {type: olm.gvk, value: {group: x.io, version: v1, kind: Queue}},
     {type: olm.constraint, value: {any: {constraints: [{package: {packageName: db, versionRange: "1.0.0"}}, {not: {constraints: [{package: {packageName: app, versionRange: "1.0.0"}}]}}]}}}]}
`

// The page of a package has its channels, what it needs with the packages that meet that, and who
// needs it, each with how many versions.
func TestAbout(t *testing.T) {
	s, err := scenario.Parse(t.Context(), "s.yaml", []byte(related))
	require.NoError(t, err)
	h := handlerOf(t, s)
	for _, raw := range s.Catalogs[0].Blobs {
		h.listings[0].Raw(raw)
	}
	ask := func(target string) (out about) {
		answer, err := h.Answer(t.Context(), target, nil)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(answer, &out))
		return out
	}
	app := ask("api/about?catalog=default/c&name=app")
	require.Equal(t, "Sells things.", app.Summary)
	require.Equal(t, []string{"stable", "beta"}, []string{app.Channels[0].Name, app.Channels[1].Name})
	require.Equal(t, []version{{Bundle: "app.v1.1", Version: "1.1.0"}, {Bundle: "app.v1", Version: "1.0.0"}}, app.Channels[0].Entries)
	require.Equal(t, []need{
		{Text: "package db in range >=2.0.0", Packages: []string{}, Bundles: 2, Head: true},
		{Text: "an operator that provides x.io/v1/Queue", Packages: []string{"mq"}, Bundles: 1, Head: true},
		{Text: "package db in range >=1.0.0", Packages: []string{"db"}, Bundles: 1},
	}, app.Needs)
	require.Empty(t, app.Dependents, "what is ruled out is not needed")
	db := ask("api/about?catalog=default/c&name=db")
	require.Len(t, db.Dependents, 2)
	require.Equal(t, dependent{Package: "app", Text: "package db in range >=1.0.0", Bundles: 1, Only: true}, db.Dependents[0])
	require.Equal(t, "mq", db.Dependents[1].Package)
	require.Equal(t, []string{"x.io/v1/Queue"}, ask("api/about?catalog=default/c&name=mq").Provides)

	require.Equal(t, "api/icon?catalog=default%2Fc&name=app", app.Icon)
	answer, err := h.Answer(t.Context(), app.Icon, nil)
	require.NoError(t, err)
	require.JSONEq(t, `{"icon":"data:image/png;base64,iVBORw0KGgo="}`, string(answer))
	for target, want := range map[string]int{"catalog=default/c&name=none": StatusNotFound, "catalog=default/x&name=app": StatusNotFound, "catalog=!&name=app": StatusBadRequest} {
		for _, call := range []string{"api/about?", "api/icon?"} {
			_, err := h.Answer(t.Context(), call+target, nil)
			status, _ := h.Failure(err)
			require.Equal(t, want, status, call+target)
		}
	}
}

// An icon of a static site is a file, which the page fetches itself.
func TestIconOfASite(t *testing.T) {
	s, err := scenario.Parse(t.Context(), "s.yaml", []byte(related))
	require.NoError(t, err)
	h := handlerOf(t, s)
	h.listings[0].Describe(&listing.Description{Name: "db", Icon: "icons/1.json"})
	answer, err := h.Answer(t.Context(), "api/search?q=db", nil)
	require.NoError(t, err)
	require.Contains(t, string(answer), `"icon":"icons/1.json"`)
}
