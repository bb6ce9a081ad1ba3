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
	"github.com/seed109e2655/resolute/internal/declared"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
	ut "github.com/seed109e2655/resolute/resolver/upgradetest"
)

// recorder is a test that records its messages.
type recorder struct{ errors, logs []string }

func (r *recorder) Helper() {}
func (r *recorder) Logf(format string, args ...any) {
	r.logs = append(r.logs, fmt.Sprintf(format, args...))
}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// flawed returns the small catalog with several errors and more edits.
func flawed(edits ...string) *declared.Catalog {
	return small(append([]string{"", "bundle app.v1.1.0 needs=Cache\npackage web beta", headOfDB, "db/stable db.v1.2.0 replaces=db.v1.1.0"}, edits...)...)
}

// TestFailureMessage checks the complete message of a failing test.
func TestFailureMessage(t *testing.T) {
	c := small(headOfDB, "db/stable db.v1.2.0 replaces=db.v1.1.0")
	content := testkit.Must(c.Build(t.Context()))(t)
	rec, dir := &recorder{}, t.TempDir()
	got := ut.CheckAll(rec, content, ut.Options{Dir: dir})
	require.Len(t, got.Findings, 1)
	file := got.Findings[0].Small.File
	const hit = "clusters on app.v1.1.0 and package db reach only db.v1.1.0 (channel stable), not the head db.v1.2.0: app.v1.1.0 requires an operator that provides example.com/v1/DB"
	require.Equal(t, []string{strings.ReplaceAll("blob 4:1: dependentBroken: "+hit+`
  smallest case: 3 bundles, in FILE
  replay: resolute upgrade FILE db-stable-catalog-olm=db.v1.2.0
`, "FILE", file)}, rec.errors)
	require.Empty(t, rec.logs)

	data := testkit.Must(os.ReadFile(file))(t)
	want := testkit.Must(os.ReadFile("testdata/failure.yaml"))(t)
	require.Equal(t, string(want), strings.ReplaceAll(string(data), filepath.Base(file), "FILE"))
}

// TestDeterministic checks the same catalog twice and with different numbers of workers: reports
// and files are identical.
func TestDeterministic(t *testing.T) {
	var first string
	for _, workers := range []int{1, 4, 4} {
		dir := t.TempDir()
		r := report(t, flawed(), ut.Options{Dir: dir, Around: catalogdiff.Options{Workers: workers}})
		text := ""
		for i := range r.Findings {
			text += strings.ReplaceAll(r.Findings[i].Lines(), dir, "DIR")
		}
		entries := testkit.Must(os.ReadDir(dir))(t)
		require.NotEmpty(t, entries)
		for _, e := range entries {
			data := testkit.Must(os.ReadFile(filepath.Join(dir, e.Name())))(t)
			text += e.Name() + "\n" + string(data)
		}
		if first == "" {
			first = text
		}
		require.Equal(t, first, text)
	}
}

// TestExceptions: known flaws do not fail the test.
func TestExceptions(t *testing.T) {
	content := testkit.Must(flawed().Build(t.Context()))(t)
	rec := &recorder{}
	r := ut.CheckAll(rec, content, ut.Options{NoFiles: true, Exceptions: []ut.Exception{{Name: "web", Reason: "beta comes next week"}, {Code: "notInstallable", Name: "app.v1.1.0", Reason: "withdrawn"}, {Name: "gone", Reason: "was there once"}}})
	require.Len(t, r.Excepted, 2)
	require.Equal(t, []string{"gone"}, r.Idle)
	require.Len(t, rec.errors, 1)
	require.Contains(t, rec.errors[0], "headUnreachable: clusters on app.v1.0.0 (channel stable) cannot upgrade")
	require.Contains(t, strings.Join(rec.logs, "\n"), "known: blob 10:1: newProblem: the default channel")
	require.Contains(t, strings.Join(rec.logs, "\n"), "no finding matches the exception for gone: remove it")
}

// TestOptions checks invalid options, and a check that ends early.
func TestOptions(t *testing.T) {
	content := testkit.Must(small().Build(t.Context()))(t)
	run := func(opts ut.Options) error {
		_, err := ut.Run(t.Context(), content, opts)
		return err
	}
	require.ErrorContains(t, run(ut.Options{Only: []string{"beauty"}}), `there is no code "beauty"`)
	require.ErrorContains(t, run(ut.Options{Exceptions: []ut.Exception{{Name: "db", Reason: ""}}}), "has no reason")
	require.ErrorContains(t, run(ut.Options{Packages: []string{"dba"}}), `no package "dba"`)
	_, err := ut.Run(t.Context(), nil, ut.Options{})
	require.ErrorContains(t, err, "no catalog")

	ctx := testkit.Ended()
	_, err = ut.Run(ctx, content, ut.Options{})
	testkit.As[*resolver.IncompleteError](t, err)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, run(ut.Options{Within: time.Nanosecond}), context.DeadlineExceeded)

	rec := &recorder{}
	ut.CheckAll(rec, content, ut.Options{Within: time.Nanosecond})
	require.Len(t, rec.errors, 1)
	require.Contains(t, rec.errors[0], "give it more time, or fewer packages")

	bad := testkit.Must(flawed().Build(t.Context()))(t)
	_, err = ut.Run(t.Context(), bad, ut.Options{Dir: filepath.Join(notAFolder(t), "x")})
	require.ErrorContains(t, err, "choose another one")
	require.NoError(t, run(ut.Options{Packages: []string{"web"}, Skip: []string{"newProblem"}, Around: catalogdiff.Options{Namespace: "ns", Key: cache.Key{Namespace: "a", Name: "b"}}}))
}

func notAFolder(t *testing.T) string {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	return file
}

// TestBeside uses dependencies in another catalog and APIs of the cluster.
func TestBeside(t *testing.T) {
	c := small()
	app := declared.Catalog{Packages: c.Packages[:1]}
	require.NotEmpty(t, report(t, &app, ut.Options{}).Findings, "nothing provides DB")

	db := testkit.Must(declared.Offer(t.Context(), &declared.Catalog{Key: cache.Key{Namespace: "olm", Name: "other"}, Packages: c.Packages[1:2]}))(t)
	require.Empty(t, report(t, &app, ut.Options{Around: catalogdiff.Options{Beside: db}}).Findings)
	require.Empty(t, report(t, &app, ut.Options{Around: catalogdiff.Options{Cluster: resolver.Cluster{APIs: []properties.GVK{{Group: "example.com", Version: "v1", Kind: "DB"}}}}}).Findings)
	require.Empty(t, report(t, &app, ut.Options{Around: catalogdiff.Options{Beside: db, Policy: resolver.Policy{Compounds: resolver.CompoundsPerBundle}}}).Findings)
}
