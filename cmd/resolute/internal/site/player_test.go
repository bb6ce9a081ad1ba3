package site

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// played returns a player of the small catalog.
func played(t testing.TB) *Player {
	t.Helper()
	content, err := fbc.Load(t.Context(), os.DirFS("../../../../examples/catalogs/community"), fbc.Options{})
	require.NoError(t, err)
	var lean bytes.Buffer
	require.NoError(t, fbc.Write(&lean, content, fbc.WriteOptions{Exact: true}))
	p, err := New(t.Context(), manifest(), func(file string) (io.Reader, error) {
		require.Equal(t, "c.json", file)
		return &lean, nil
	})
	require.NoError(t, err)
	return p
}

func manifest() *Manifest {
	return &Manifest{Catalogs: []Catalog{{Catalog: scenario.Catalog{Namespace: "default", Name: "community", Path: "examples/catalogs/community"}, Content: "c.json", Listing: "l.json"}}}
}

// started is the answer to a call that opens or starts something.
type started struct {
	Error    string
	State    json.RawMessage
	Catalogs []struct {
		Key     string
		Bundles int
	}
}

// opened opens files, given by name.
func opened(t testing.TB, p *Player, files map[string]string) (status int, said started) {
	t.Helper()
	tree, names := fstest.MapFS{}, []string{}
	for name, content := range files {
		tree[name] = &fstest.MapFile{Data: []byte(content)}
		names = append(names, name)
	}
	status, body := p.Open(tree, names)
	return status, parsed(t, body)
}

func parsed(t testing.TB, body []byte) (out started) {
	t.Helper()
	require.NoError(t, json.Unmarshal(body, &out), "%s", body)
	return out
}

const (
	catalogFile = `{"schema":"olm.package","name":"p","defaultChannel":"c"}
{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"p.v1"}]}
{"schema":"olm.bundle","package":"p","name":"p.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}}]}
`
	near = "catalogs: [{name: mine, namespace: olm, path: mine.json}]\nsubscriptions: [{name: s, package: p}]\n"
	own  = "catalogs: [{name: community, path: elsewhere}]\nsubscriptions: [{name: s, package: etcd}]\n"
	none = "subscriptions: [{name: s, package: etcd}]\n"
)

// A visitor opens a catalog, a scenario of the catalogs of the site, or one with its own.
func TestOpen(t *testing.T) {
	for name, c := range map[string]struct {
		files         map[string]string
		catalog, want string
	}{
		"catalog":                       {map[string]string{"mine.json": catalogFile}, "default/mine", ""},
		"catalog of several files":      {map[string]string{"mine/a.json": catalogFile, "mine/README.md": "x"}, "default/mine", ""},
		"scenario":                      {map[string]string{"s.yaml": none}, "default/community", "etcd"},
		"scenario of a known catalog":   {map[string]string{"s.yaml": own}, "default/community", "etcd"},
		"scenario with its catalog":     {map[string]string{"s.yaml": near, "mine.json": catalogFile}, "olm/mine", `"p"`},
		"scenario with inline catalogs": {map[string]string{"s.yaml": "catalogs: [{name: mine, blobs: [" + strings.ReplaceAll(strings.TrimSpace(catalogFile), "\n", ",") + "]}]\n"}, "default/mine", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := played(t)
			status, said := opened(t, p, c.files)
			require.Equal(t, 200, status, said.Error)
			require.Len(t, said.Catalogs, 1)
			require.Equal(t, c.catalog, said.Catalogs[0].Key)
			require.Contains(t, string(said.State), c.want)
			said = parsed(t, second(p.Close()))
			require.Equal(t, "default/community", said.Catalogs[0].Key)
		})
	}
}

func second(_ int, body []byte) []byte { return body }

// What cannot be opened is named, and changes nothing.
func TestOpenRefused(t *testing.T) {
	p := played(t)
	before := second(p.Answer("api/start", nil))
	for name, files := range map[string]map[string]string{
		"broken.yaml": {"broken.yaml": "a: ["}, "empty.json": {"empty.json": ""}, "x.csv": {"x.csv": "a,b\n"},
		"s.yaml names catalog default/far at \"elsewhere\"": {"s.yaml": "catalogs: [{name: far, path: elsewhere}]\n"},
		"As a scenario: ":             {"s.yaml": "subscriptions: 5\n"},
		"there is no file to open":    {},
		"5001 files exceed the limit": many(MaxOpenedFiles + 1),
	} {
		status, said := opened(t, p, files)
		require.Equal(t, 422, status, name)
		require.Contains(t, said.Error, name)
		require.Equal(t, before, second(p.Answer("api/start", nil)), name)
	}
}

func many(n int) map[string]string {
	out := make(map[string]string, n)
	for i := range n {
		out[fmt.Sprintf("f%d.json", i)] = ""
	}
	return out
}

// A site whose catalog or descriptions are damaged says so.
func TestDamagedSite(t *testing.T) {
	for _, content := range []string{"", "{", catalogFile[:60]} {
		_, err := New(t.Context(), manifest(), func(string) (io.Reader, error) { return strings.NewReader(content), nil })
		require.ErrorContains(t, err, "catalog default/community cannot be read", content)
	}
	_, err := New(t.Context(), manifest(), func(string) (io.Reader, error) { return nil, errors.New("it is missing") })
	require.ErrorContains(t, err, "it is missing")
	p := played(t)
	require.Error(t, p.Describe(0, []byte("{")))
	require.Error(t, p.Describe(1, []byte("[]")))
	require.NoError(t, p.Describe(0, []byte(`[{"name":"etcd","description":"keeps keys"},{"name":"unknown"},{}]`)))
	require.Contains(t, string(second(p.Answer("api/search?q=keeps+keys", nil))), `"name":"etcd"`)
}

// The clock of a call ends it although no timer can fire.
func TestClock(t *testing.T) {
	ctx := until(time.Hour)
	require.NoError(t, ctx.Err())
	ctx = until(0)
	require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)
	end, ok := ctx.Deadline()
	require.True(t, ok)
	require.WithinDuration(t, time.Now(), end, time.Minute)
}

// FuzzOpen: whatever a visitor opens is answered, with JSON.
func FuzzOpen(f *testing.F) {
	for _, seed := range []string{catalogFile, near, own, none, "a: [", "", "[]", "catalogs: [{name: x, image: quay.io/a/b}]"} {
		f.Add([]byte(seed))
	}
	p := played(f)
	f.Fuzz(func(t *testing.T, content []byte) {
		status, body := p.Open(fstest.MapFS{"x.yaml": &fstest.MapFile{Data: content}}, []string{"x.yaml"})
		require.Contains(t, []int{200, 422}, status)
		require.True(t, json.Valid(body))
		p.Close()
	})
}
