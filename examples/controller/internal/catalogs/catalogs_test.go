package catalogs

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/stretchr/testify/require"
)

const blobs = `{"schema":"olm.package","name":"a","defaultChannel":"stable"}
{"schema":"olm.channel","package":"a","name":"stable","entries":[{"name":"a.v1.0.0"}]}
{"schema":"olm.bundle","package":"a","name":"a.v1.0.0","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}},{"type":"olm.bundle.object","value":{"data":"x"}}]}
`

func TestParseConfig(t *testing.T) {
	c, err := ParseConfig([]byte(`
keep: kept
catalogs:
- {name: olm/near, directory: near, priority: 5, refresh: 1m, timeout: 2s, retryMax: 10s, maxStale: 1h}
- {name: olm/one, file: /abs/one.yaml}
- {name: olm/far, url: "https://far/catalogs/x", caFile: ca.crt, tokenFile: token}
`), "/etc/resolute")
	require.NoError(t, err)
	require.Equal(t, "/etc/resolute/kept", c.Keep)
	require.Equal(t, "/etc/resolute/near", c.Catalogs[0].Directory)
	require.Equal(t, "/abs/one.yaml", c.Catalogs[1].File)
	require.Equal(t, "/etc/resolute/ca.crt", c.Catalogs[2].CAFile)
	require.Equal(t, "/etc/resolute/token", c.Catalogs[2].TokenFile)
	got := c.Catalogs[0].sourceConfig(nil)
	require.Equal(t, cache.SourceConfig{Key: cache.Key{Namespace: "olm", Name: "near"}, Priority: 5,
		Refresh: time.Minute, Timeout: 2 * time.Second, MaxStale: time.Hour,
		Backoff: cache.Backoff{Min: time.Second, Max: 10 * time.Second}}, got)
}

func TestParseConfigRefuses(t *testing.T) {
	for problem, config := range map[string]string{
		"unknown field":                     "catalog: []",
		"catalogs[0].name":                  "catalogs: [{name: near, directory: a}]",
		"exactly one of":                    "catalogs: [{name: olm/near}]",
		"catalogs[0]: set exactly":          "catalogs: [{name: olm/near, directory: a, file: b}]",
		`two catalogs are named "olm/near"`: "catalogs: [{name: olm/near, directory: a}, {name: olm/near, file: b}]",
		"tokenFile is for":                  "catalogs: [{name: olm/near, image: a, tokenFile: b}]",
		"caFile is for":                     "catalogs: [{name: olm/near, directory: a, caFile: b}]",
		"pullSecrets are for":               "catalogs: [{name: olm/near, directory: a, pullSecrets: [a/b]}]",
		"catalogs[0].pullSecrets[1]: ":      "catalogs: [{name: olm/near, image: a, pullSecrets: [a/b, c]}]",
		"catalogs[0]: set exactly one":      "catalogs: [{name: olm/near, image: a, url: b}]",
		"catalogs[0].refresh: -1s":          "catalogs: [{name: olm/near, directory: a, refresh: -1s}]",
		"catalogs[0].maxStale: -1s":         "catalogs: [{name: olm/near, directory: a, maxStale: -1s}]",
		"cannot parse the configuration: ":  "catalogs: [{name: olm/near, directory: a, refresh: often}]",
	} {
		_, err := ParseConfig([]byte(config), ".")
		require.ErrorContains(t, err, problem, config)
	}
}

// open opens a configuration and waits until every catalog was read or has
// failed.
func open(t *testing.T, c *Config) *cache.Cache {
	t.Helper()
	kept, err := Open(c, slog.New(slog.DiscardHandler), nil, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kept.Close()) })
	AwaitFirstLoad(t.Context(), kept, 20*time.Second)
	for _, h := range kept.Health() {
		require.True(t, !h.LastSuccess.IsZero() || h.Failures > 0)
	}
	return kept
}

func TestOpenReadsEveryKind(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "near"), 0o755))
	for _, name := range []string{"near/a.jsonl", "one"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(blobs), 0o644))
	}
	token := filepath.Join(dir, "token")
	require.NoError(t, os.WriteFile(token, []byte("first\n"), 0o600))
	var tokens []string
	far := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tokens = append(tokens, r.Header.Get("Authorization"))
		_, _ = w.Write([]byte(blobs))
	}))
	defer far.Close()
	ca := filepath.Join(dir, "ca.crt")
	require.NoError(t, os.WriteFile(ca, pemOf(far), 0o644))
	config := &Config{Keep: filepath.Join(dir, "kept"), Catalogs: []Catalog{
		{Name: "olm/near", Directory: filepath.Join(dir, "near")},
		{Name: "olm/one", File: filepath.Join(dir, "one")},
		{Name: "olm/far", URL: far.URL, CAFile: ca, TokenFile: token},
		{Name: "olm/untrusted", URL: far.URL},
		{Name: "olm/missing", Directory: filepath.Join(dir, "missing")},
	}}
	kept := open(t, config)
	snapshot, err := kept.Snapshot(t.Context())
	require.NoError(t, err)
	available := make(map[string]bool)
	for _, c := range snapshot.Catalogs() {
		available[c.Key.Name] = c.Unavailable == nil
		if c.Content != nil {
			require.False(t, c.Content.Bundle(0).Properties.HasType("olm.bundle.object"))
		}
	}
	require.Equal(t, map[string]bool{"near": true, "one": true, "far": true, "untrusted": false, "missing": false}, available)

	// A renewed token is used.
	require.NoError(t, os.WriteFile(token, []byte("second"), 0o600))
	require.NoError(t, kept.Refresh(t.Context(), cache.Key{Namespace: "olm", Name: "far"}))
	require.Equal(t, []string{"Bearer first", "Bearer second"}, []string{tokens[0], tokens[len(tokens)-1]})

	// Another process uses the kept copies.
	far.Close()
	require.NoError(t, os.Rename(filepath.Join(dir, "near"), filepath.Join(dir, "away")))
	snapshot, err = open(t, config).Snapshot(t.Context())
	require.NoError(t, err)
	for _, c := range snapshot.Catalogs() {
		switch c.Key.Name {
		case "near", "far":
			require.Equal(t, 1, c.Content.Len(), c.Key)
			require.Error(t, c.Unavailable, c.Key)
		case "untrusted", "missing":
			require.Nil(t, c.Content, c.Key)
		}
	}
}

// The keychain of a catalog reads its Secrets each time, and reports their
// defects.
func TestPullSecret(t *testing.T) {
	data, err := map[string][]byte{}, error(nil)
	s := &pullSecret{namespace: "olm", name: "robot", read: func(_ context.Context, namespace, name string) (map[string][]byte, error) {
		require.Equal(t, "olm/robot", namespace+"/"+name)
		return data, err
	}}
	_, failed := s.Credentials(t.Context(), "quay.io/ns/catalog")
	require.ErrorContains(t, failed, "kubernetes.io/dockerconfigjson")
	data[".dockerconfigjson"] = []byte(`{"auths":{"quay.io/ns":{"auth":"dTpw"}}}`)
	found, failed := s.Credentials(t.Context(), "quay.io/ns/catalog")
	require.NoError(t, failed)
	require.Len(t, found, 1)
	require.Equal(t, "u", found[0].Username)
	require.Contains(t, found[0].Source, "olm/robot")
	found, failed = s.Credentials(t.Context(), "quay.io/other")
	require.NoError(t, failed)
	require.Empty(t, found)
	err = errors.New("forbidden")
	_, failed = s.Credentials(t.Context(), "quay.io/ns/catalog")
	require.ErrorIs(t, failed, err)

	for problem, c := range map[string]*Config{
		"registryMirrors":        {RegistryMirrors: []string{"x"}, Catalogs: []Catalog{{Name: "olm/a", Image: "quay.io/a/b"}}},
		"caFile":                 {Catalogs: []Catalog{{Name: "olm/a", Image: "quay.io/a/b", CAFile: "/nowhere/ca.crt"}}},
		"not an image reference": {Catalogs: []Catalog{{Name: "olm/a", Image: "quay.io/A"}}},
		"pullSecrets":            {Catalogs: []Catalog{{Name: "olm/a", Image: "quay.io/a/b", PullSecrets: []string{"a/b"}}}},
	} {
		_, err := Open(c, slog.New(slog.DiscardHandler), nil, nil)
		require.ErrorContains(t, err, problem)
	}
}

// A redirect does not receive the token.
func TestTokenStaysHome(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte("secret"), 0o600))
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer other.Close()
	home := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusFound))
	defer home.Close()
	health := open(t, &Config{Catalogs: []Catalog{{Name: "olm/far", URL: home.URL, TokenFile: token}}}).Health()
	require.ErrorContains(t, health[0].LastError, "302")
}

func TestOpenRefuses(t *testing.T) {
	for problem, c := range map[string]Catalog{
		"catalogs[0]: caFile": {Name: "olm/far", URL: "https://far", CAFile: "/nowhere/ca.crt"},
		"has no certificate":  {Name: "olm/far", URL: "https://far", CAFile: "catalogs_test.go"},
		"catalogs[0]: ":       {Name: "olm/far", URL: "ftp://far"},
	} {
		_, err := Open(&Config{Catalogs: []Catalog{c}}, slog.New(slog.DiscardHandler), nil, nil)
		require.ErrorContains(t, err, problem)
	}
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := Open(&Config{Keep: file}, slog.New(slog.DiscardHandler), nil, nil)
	require.ErrorContains(t, err, "keep")
}

// A hanging source does not block the start forever.
func TestFirstLoadEnds(t *testing.T) {
	release := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer hanging.Close()
	defer close(release)
	kept, err := Open(&Config{Catalogs: []Catalog{{Name: "olm/far", URL: hanging.URL}}}, slog.New(slog.DiscardHandler), nil, nil)
	require.NoError(t, err)
	began := time.Now()
	AwaitFirstLoad(t.Context(), kept, 50*time.Millisecond)
	require.Less(t, time.Since(began), 5*time.Second)
	require.NoError(t, kept.Close())
}
