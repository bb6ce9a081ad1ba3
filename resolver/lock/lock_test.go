package lock_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/certificate"
	"github.com/seed109e2655/resolute/resolver/lock"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

var ctx = context.Background()

const shop = `
	db/stable db.v1 db.v2
	web/stable web.v1 needs=db@>=1.0.0
	other/stable other.v1`

// load reads a scenario with a catalog of a universe and more keys.
func load(t testing.TB, lines, keys string) (*scenario.Scenario, resolver.Request) {
	t.Helper()
	return parsed(t, "catalogs: [{name: c, blobs: "+universe.Array(t, lines)+"}]\n"+keys)
}

func parsed(t testing.TB, text string) (*scenario.Scenario, resolver.Request) {
	t.Helper()
	s := testkit.Must(scenario.Parse(ctx, "problem.yaml", []byte(text)))(t)
	return s, testkit.Must(s.Load(ctx))(t).Request
}

const wanted = "subscriptions: [{name: web, package: web}]\n"

// made locks the answer to a scenario.
func made(t testing.TB, lines, keys string) (*lock.Lock, resolver.Request) {
	t.Helper()
	s, req := load(t, lines, keys)
	return testkit.Must(lock.Make(ctx, resolver.New(), s, req.Catalogs))(t), req
}

func written(t testing.TB, l *lock.Lock) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, l.Write(&out))
	return out.String()
}

func read(text string) (*lock.Lock, error) {
	return lock.Read(ctx, strings.NewReader(text), "resolute.lock")
}

func TestLock(t *testing.T) {
	l, req := made(t, shop, wanted+"cluster: {apis: []}\nwhatif: [{name: x, drop: {subscriptions: [web]}}]\nexpect: {status: resolved}\n")
	require.Equal(t, []lock.Bundle{
		{Name: "db.v2", Package: "db", Version: "2.0.0", Catalog: "default/c", Channel: "stable", Image: l.Bundles[0].Image, Unpinned: true},
		{Name: "web.v1", Package: "web", Version: "1.0.0", Catalog: "default/c", Channel: "stable", Image: l.Bundles[1].Image, Unpinned: true},
	}, l.Bundles)
	require.NotEmpty(t, l.Bundles[0].Image)
	require.Equal(t, []certificate.Catalog{{Key: "default/c", Digest: req.Catalogs[0].Content.ContentDigest()}}, l.Catalogs)
	require.Empty(t, l.Question.WhatIf)
	require.Empty(t, l.Question.Expect)
	sameBytes(t, l)
	asked := testkit.Must(l.Request())(t)
	asked.Catalogs[0].Content = req.Catalogs[0].Content
	require.NoError(t, certificate.Check(ctx, asked, l.Certificate), "what the lock has proves itself")
}

// The digest of an image is in the lock, and a bundle whose image has none is marked.
func TestImageDigests(t *testing.T) {
	const digest = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	for image, want := range map[string]string{
		"quay.io/ns/b@" + digest: digest, "quay.io/ns/b:v1@" + digest: digest, "quay.io/ns/b:v1": "", "": "", "quay.io/ns/b@": "", "localhost:5000/b": "",
	} {
		s, req := parsed(t, `{catalogs: [{name: c, blobs: [{schema: olm.package, name: a, defaultChannel: s}, {schema: olm.channel, package: a, name: s, entries: [{name: a.v1}]},
			{schema: olm.bundle, package: a, name: a.v1, image: "`+image+`", properties: [{type: olm.package, value: {packageName: a, version: 1.0.0}}]}]}], subscriptions: [{name: a, package: a}]}`)
		l := testkit.Must(lock.Make(ctx, resolver.New(), s, req.Catalogs))(t)
		require.Equal(t, want, l.Bundles[0].ImageDigest, image)
		require.Equal(t, image != "" && want == "", l.Bundles[0].Unpinned, image)
		require.Equal(t, image, l.Bundles[0].Image)
	}
}

func TestMakeFails(t *testing.T) {
	locking := func(lines, keys string) error {
		s, req := load(t, lines, keys)
		_, err := lock.Make(ctx, resolver.New(), s, req.Catalogs)
		return err
	}
	testkit.As[*resolver.Conflict](t, locking(shop, "subscriptions: [{name: x, package: nowhere}]"))
	testkit.As[*resolver.RequestError](t, locking(shop, "subscriptions: [{name: x, package: a}, {name: x, package: b}]"))
	_, err := lock.Make(ctx, resolver.New(), nil, nil)
	testkit.As[*lock.Error](t, err)
	s, _ := load(t, shop, wanted)
	_, err = lock.Make(ctx, resolver.New(), s, nil)
	missing := testkit.As[*lock.CatalogError](t, err)
	require.Equal(t, "default/c", missing.Key.String())
	_, err = lock.Make(ctx, resolver.New(), s, []resolver.Catalog{{Key: missing.Key, Unavailable: io.ErrUnexpectedEOF}})
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	_, err = lock.Make(ctx, resolver.New(), &scenario.Scenario{Subscriptions: []scenario.Subscription{{}}}, nil)
	testkit.As[*scenario.Error](t, err)
}

// Whatever is left of a lock, or changed in it, it is refused with a sentence.
func TestReadRefuses(t *testing.T) {
	l, _ := made(t, shop, wanted)
	text := written(t, l)
	for i := range len(text) - 1 {
		_, err := read(text[:i])
		require.NotEmpty(t, testkit.As[*lock.Error](t, err).Message, "the first %d bytes", i)
	}
	edit := func(old, now string) string {
		require.Contains(t, text, old)
		return strings.Replace(text, old, now, 1)
	}
	for name, c := range map[string]struct{ text, says string }{
		"another version":     {edit("\nversion: 1", "\nversion: 2"), "it is of version 2; this program reads version 1"},
		"a version in words":  {edit("\nversion: 1", "\nversion: one"), `it is of version "one"`},
		"a list":              {"[]", "it has no version"},
		"a scenario":          {"subscriptions: []", "it has no version; resolute lock makes locks"},
		"a bundle's version":  {edit("version: 2.0.0", "version: 2.0.1"), "edited by hand or damaged"},
		"the question":        {edit("package: web}", "package: web, channel: stable}"), "edited by hand or damaged"},
		"the proof":           {edit("chosen: 1", "chosen: 2"), "edited by hand or damaged"},
		"the digest":          {edit("digest: \"sha256:", "digest: \"sha512:"), "edited by hand or damaged"},
		"an unknown key":      {edit("\nversion: 1\n", "\nversion: 1\nsigned: true\n"), `unknown key "signed"`},
		"a key twice":         {edit("\nversion: 1\n", "\nversion: 1\nversion: 1\n"), "version"},
		"no such certificate": {edit("status: resolved", "status: maybe"), "its certificate: not a usable certificate"},
		"no such question":    {edit("package: web}", "package: [web]}"), "its question: "},
		"too large":           {strings.Repeat(" ", lock.MaxBytes+1), "more than"},
		"too many values":     {"version: 1\nx: [" + strings.Repeat("1,", lock.MaxValues) + "1]", "values"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(c.text)
			require.ErrorContains(t, testkit.As[*lock.Error](t, err), c.says)
			require.ErrorContains(t, err, "resolute.lock")
			require.ErrorContains(t, err, "not a usable lock: ")
		})
	}
	for name, text := range map[string]string{
		"comments": "# mine\n" + text + "# too\n", "line breaks of Windows": strings.ReplaceAll(text, "\n", "\r\n"),
		"JSON": string(testkit.Must(marshal(l))(t)),
	} {
		again, err := read(text)
		require.NoError(t, err, name)
		require.Equal(t, l.Digest, again.Digest, name)
	}
	_, err := lock.Read(ctx, io.MultiReader(strings.NewReader("version"), failing{}), "x")
	require.ErrorIs(t, err, io.ErrNoProgress)
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrNoProgress }

// What contradicts its certificate is neither written nor used.
func TestPartsAgree(t *testing.T) {
	whole, req := made(t, shop, wanted)
	other, _ := made(t, shop, "subscriptions: [{name: other, package: other}]\n")
	none := testkit.Must(certificate.Make(ctx, resolver.New(), func() resolver.Request {
		_, req := load(t, shop, "subscriptions: [{name: x, package: nowhere}]")
		return req
	}()))(t)
	for name, change := range map[string]func(l *lock.Lock){
		"nothing":              func(l *lock.Lock) { *l = lock.Lock{} },
		"another version":      func(l *lock.Lock) { l.Version = 2 },
		"a bundle less":        func(l *lock.Lock) { l.Bundles = l.Bundles[:1] },
		"a bundle more":        func(l *lock.Lock) { l.Bundles = append(slices.Clone(l.Bundles), other.Bundles...) },
		"another bundle":       func(l *lock.Lock) { l.Bundles[0].Name = "db.v1" },
		"another catalog":      func(l *lock.Lock) { l.Bundles[0].Catalog = "default/d" },
		"another image digest": func(l *lock.Lock) { l.Bundles[0].ImageDigest = "sha256:00" },
		"another digest":       func(l *lock.Lock) { l.Catalogs = []certificate.Catalog{{Key: "default/c", Digest: "sha256:00"}} },
		"another certificate":  func(l *lock.Lock) { l.Certificate = other.Certificate },
		"no certificate":       func(l *lock.Lock) { l.Certificate = nil },
		"no solution":          func(l *lock.Lock) { l.Certificate = none },
		"another question":     func(l *lock.Lock) { l.Question = other.Question },
		"no question":          func(l *lock.Lock) { l.Question = nil },
		"a number too large":   func(l *lock.Lock) { c := *l.Certificate; c.Set = []int{99}; l.Certificate = &c },
	} {
		t.Run(name, func(t *testing.T) {
			l := *whole
			l.Bundles = slices.Clone(whole.Bundles)
			change(&l)
			testkit.As[*lock.Error](t, l.Write(io.Discard))
			_, err := lock.Verify(ctx, resolver.New(), &l, req)
			testkit.As[*lock.Error](t, err)
			_, err = l.Resolve(ctx, resolver.New(), req)
			testkit.As[*lock.Error](t, err)
			require.Error(t, l.WriteFile(filepath.Join(t.TempDir(), "x")))
		})
	}
	_, err := (*lock.Lock)(nil).Request()
	require.Error(t, err)
	require.Empty(t, lock.Compare(nil, nil))
	require.Empty(t, new(lock.Verification).Statement("", nil, nil, resolver.Request{}, "").Predicate.Bundles)
}

// A file is replaced in one rename: who has it open goes on reading the old lock, and what fails
// leaves it as it was, with nothing beside it.
func TestWriteFile(t *testing.T) {
	first, _ := made(t, shop, wanted)
	second, _ := made(t, shop, "subscriptions: [{name: other, package: other}]\n")
	dir := t.TempDir()
	file := filepath.Join(dir, "resolute.lock")
	require.NoError(t, first.WriteFile(file))
	open := testkit.Must(os.Open(file))(t)
	defer open.Close()
	require.NoError(t, os.Chmod(file, 0o640))
	before := testkit.Must(os.Stat(file))(t)

	require.NoError(t, first.WriteFile(file))
	require.True(t, os.SameFile(before, testkit.Must(os.Stat(file))(t)), "the same lock is not written again")

	require.NoError(t, second.WriteFile(file))
	require.Equal(t, written(t, first), string(testkit.Must(io.ReadAll(open))(t)))
	require.Equal(t, written(t, second), string(testkit.Must(os.ReadFile(file))(t)))
	require.Equal(t, os.FileMode(0o640), testkit.Must(os.Stat(file))(t).Mode().Perm())

	full := filepath.Join(dir, "folder")
	require.NoError(t, os.MkdirAll(filepath.Join(full, "within"), 0o755))
	require.Error(t, first.WriteFile(full), "a folder is not replaced")
	require.Error(t, first.WriteFile(filepath.Join(dir, "nowhere", "resolute.lock")))
	left := testkit.Must(os.ReadDir(dir))(t)
	require.Len(t, left, 2, "nothing is left beside the lock: %v", left)
}

// TestConformance locks the answer to each scenario that has one: the set that it expects is
// locked, and still the best.
func TestConformance(t *testing.T) {
	count := 0
	for _, dir := range []string{"../scenario/testdata/conformance", "../scenario/testdata/rules", "../../examples/scenarios"} {
		for _, file := range testkit.Must(filepath.Glob(filepath.Join(dir, "*.yaml")))(t) {
			s, err := scenario.ReadFile(ctx, file)
			if err != nil {
				continue // what is invalid has no answer
			}
			loaded := testkit.Must(s.Load(ctx))(t)
			l, err := lock.Make(ctx, resolver.New(), s, loaded.Request.Catalogs)
			var conflict *resolver.Conflict
			var invalid *resolver.RequestError
			var unread *lock.CatalogError
			if errors.As(err, &conflict) || errors.As(err, &invalid) || errors.As(err, &unread) || errors.Is(err, resolver.ErrNotProven) {
				continue
			}
			require.NoError(t, err, file)
			count++
			v := testkit.Must(lock.Verify(ctx, resolver.New(), l, loaded.Request))(t)
			require.Equal(t, &lock.Verification{Valid: true, Best: true, Drift: []lock.Drift{}}, v, file)
			sol := testkit.Must(resolver.New().Resolve(ctx, loaded.Request))(t)
			names := testkit.Map(l.Bundles, func(b lock.Bundle) string { return b.Name })
			require.ElementsMatch(t, sol.Set(), names, file)
			again := testkit.Must(l.Resolve(ctx, resolver.New(), loaded.Request))(t)
			require.Equal(t, sol.Set(), again.Set(), file)
			sameBytes(t, l)
		}
	}
	require.Greater(t, count, 60)
}

func key(name string) cache.Key { return cache.Key{Namespace: "default", Name: name} }
