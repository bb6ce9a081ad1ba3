package page

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver/scenario"
)

// The page marks a verified answer, and lists the refuted candidates with their reasons.
func TestVerified(t *testing.T) {
	conflict, err := scenario.ReadFile(t.Context(), "../../../../examples/scenarios/conflict.yaml")
	require.NoError(t, err)
	answer, err := handlerOf(t, conflict).Answer(t.Context(), "api/resolve", []byte("{}"))
	require.NoError(t, err)
	var said part
	require.NoError(t, json.Unmarshal(answer, &said))
	require.Regexp(t, `verified</span> \d+ facts cannot hold together, each is needed; \d+ lemmas`, said.HTML)

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
	h := handlerOf(t, s)
	req, err := h.request(t.Context(), s)
	require.NoError(t, err)
	proof := h.proof(t.Context(), req)
	require.NotNil(t, proof)
	require.Equal(t, "1 option refuted, 0 lemmas", proof.Summary)
	require.Len(t, proof.Rejected, 1)
	require.Equal(t, "web.v2", proof.Rejected[0].Bundle)
	require.Contains(t, proof.Rejected[0].Reason, "its requirement cannot be met: package db")
	require.Equal(t, "for subscription shop", proof.Rejected[0].For)
}

// handlerOf returns a handler of a scenario.
func handlerOf(t testing.TB, s *scenario.Scenario) *Handler {
	t.Helper()
	base := *s
	base.WhatIf, base.Expect = nil, nil
	loaded, err := base.Load(t.Context())
	require.NoError(t, err)
	cfg := Config{Scenario: &base}
	for _, c := range loaded.Request.Catalogs {
		cfg.Catalogs = append(cfg.Catalogs, Catalog{Catalog: c})
	}
	h, err := New(cfg)
	require.NoError(t, err)
	return h
}
