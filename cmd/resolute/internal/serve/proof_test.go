package serve

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver/scenario"
)

// The page says of an answer that it is verified, and lists what was refuted with its reason.
func TestVerified(t *testing.T) {
	h := played(t, "conflict.yaml")
	begin, _ := get(t, h, "/api/start")
	conflict, _ := post(t, h, "/api/resolve", map[string]any{"state": begin.State})
	require.Regexp(t, `verified</span> \d+ facts cannot hold together, each is needed; \d+ lemmas`, conflict.HTML)

	file := filepath.Join(t.TempDir(), "s.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`
catalogs:
- name: c
  blobs:
  - {schema: olm.package, name: web, defaultChannel: stable}
  - {schema: olm.channel, package: web, name: stable, entries: [{name: web.v1}, {name: web.v2, replaces: web.v1}]}
  - {schema: olm.bundle, package: web, name: web.v1, image: i, properties: [{type: olm.package, value: {packageName: web, version: 1.0.0}}]}
  - {schema: olm.bundle, package: web, name: web.v2, image: i, properties: [{type: olm.package, value: {packageName: web, version: 2.0.0}}, {type: olm.package.required, value: {packageName: db, versionRange: ">=1.0.0"}}]}
subscriptions: [{name: shop, package: web}]
`), 0o600))
	s, err := scenario.ReadFile(t.Context(), file)
	require.NoError(t, err)
	server, err := New(t.Context(), Config{Scenario: s})
	require.NoError(t, err)
	req, err := server.request(t.Context(), s)
	require.NoError(t, err)
	proof := server.proof(t.Context(), req)
	require.NotNil(t, proof)
	require.Equal(t, "1 option refuted, 0 lemmas", proof.Summary)
	require.Len(t, proof.Rejected, 1)
	require.Equal(t, "web.v2", proof.Rejected[0].Bundle)
	require.Contains(t, proof.Rejected[0].Reason, "its requirement cannot be met: package db")
	require.Equal(t, "for subscription shop", proof.Rejected[0].For)
}
