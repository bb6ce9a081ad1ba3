package upgradetest_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/declared"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
	ut "github.com/seed109e2655/resolute/resolver/upgradetest"
)

// recorder is a test that remembers what it was told.
type recorder struct{ errors, logs []string }

func (r *recorder) Helper() {}
func (r *recorder) Logf(format string, args ...any) {
	r.logs = append(r.logs, fmt.Sprintf(format, args...))
}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// flawed is the small catalog with several mistakes.
func flawed() *declared.Catalog {
	c := small()
	with(appHead(c), wants("Cache"))
	c.Package("web").DefaultChannel = "beta"
	dbBundle(c, 2).Properties = dbBundle(c, 2).Properties[:1]
	return c
}

// TestFailureMessage reads the whole of what a failing test says.
func TestFailureMessage(t *testing.T) {
	c := small()
	dbBundle(c, 2).Properties = dbBundle(c, 2).Properties[:1]
	content := testkit.Must(c.Build(t.Context()))(t)
	rec, dir := &recorder{}, t.TempDir()
	got := ut.CheckAll(rec, content, ut.Options{Dir: dir, Only: []ut.Property{ut.Dependents}})
	require.Len(t, got.Findings, 1)
	file := got.Findings[0].Small.File
	require.Equal(t, []string{strings.ReplaceAll(`dependents: package db, channel stable, at db.v1.1.0: app.v1.0.0 and app.v1.1.0 [stuck+constraint+package]
  property: no update breaks a dependent
  expected: with app.v1.1.0 installed, db.v1.1.0 gets to the head of channel stable as it does without
  happened: it is stuck at db.v1.1.0, because it cannot be upgraded to db.v1.2.0: app.v1.1.0 requires an operator that provides example.com/v1/DB
  smallest case: 3 bundles, in FILE
  replay: resolute resolve FILE
  replay: resolute whatif FILE
  replay: resolute test FILE
`, "FILE", file)}, rec.errors)
	require.Equal(t, []string{"seed 1"}, rec.logs)

	data := testkit.Must(os.ReadFile(file))(t)
	require.Equal(t, `# dependents: no update breaks a dependent.
# expected: with app.v1.1.0 installed, db.v1.1.0 gets to the head of channel stable as it does without
# happened: it is stuck at db.v1.1.0, because it cannot be upgraded to db.v1.2.0: app.v1.1.0 requires an operator that provides example.com/v1/DB
# replay:   resolute resolve `+filepath.Base(file)+`
# replay:   resolute whatif `+filepath.Base(file)+`
# replay:   resolute test `+filepath.Base(file)+`
catalogs:
- name: catalog
  namespace: olm
  blobs:
  - {schema: olm.package, name: app, defaultChannel: stable}
  - {schema: olm.channel, package: app, name: stable, entries: [{name: app.v1.1.0}]}
  - schema: olm.bundle
    package: app
    name: app.v1.1.0
    image: example.com/app.v1.1.0
    properties:
    - {type: olm.package, value: {packageName: app, version: 1.1.0}}
    - {type: olm.gvk.required, value: {group: example.com, version: v1, kind: DB}}
  - {schema: olm.package, name: db, defaultChannel: stable}
  - schema: olm.channel
    package: db
    name: stable
    entries: [{name: db.v1.1.0}, {name: db.v1.2.0, replaces: db.v1.1.0}]
  - schema: olm.bundle
    package: db
    name: db.v1.1.0
    image: example.com/db.v1.1.0
    properties:
    - {type: olm.package, value: {packageName: db, version: 1.1.0}}
    - {type: olm.gvk, value: {group: example.com, version: v1, kind: DB}}
  - schema: olm.bundle
    package: db
    name: db.v1.2.0
    image: example.com/db.v1.2.0
    properties: [{type: olm.package, value: {packageName: db, version: 1.2.0}}]
installed:
- {name: db.v1.1.0, catalog: olm/catalog, channel: stable, automatic: true}
- {name: app.v1.1.0, catalog: olm/catalog, channel: stable}
subscriptions:
- {name: app, package: app, channel: stable, catalog: olm/catalog, installedCSV: app.v1.1.0}
- name: db-stable-catalog-olm
  package: db
  channel: stable
  catalog: olm/catalog
  startingCSV: db.v1.1.0
  installedCSV: db.v1.1.0
whatif:
- {name: "on to db.v1.2.0", pin: {db-stable-catalog-olm: db.v1.2.0}}
expect: {whatif: [{name: "on to db.v1.2.0", status: resolved}]}
`, string(data))
}

// TestReplays reads every scenario that a flawed catalog leads to and answers it.
func TestReplays(t *testing.T) {
	r := report(t, flawed(), ut.Options{})
	require.Len(t, r.Findings, 5)
	for _, f := range r.Findings {
		require.NotNil(t, f.Small, "%s", &f)
		require.LessOrEqual(t, f.Small.Bundles, 3, "%s", f.Text())
		s := testkit.Must(scenario.ReadFile(t.Context(), f.Small.File))(t)
		requireReplayed(t, &f, s)
	}
}

// TestDeterministic checks the same twice and with other numbers of workers: the
// reports and the files are the same, byte for byte.
func TestDeterministic(t *testing.T) {
	var first string
	for _, workers := range []int{1, 4, 4} {
		dir := t.TempDir()
		r := report(t, flawed(), ut.Options{Dir: dir, Workers: workers})
		text := fmt.Sprintf("%+v %+v\n", r.Seed, r.Looked)
		for i := range r.Findings {
			text += strings.ReplaceAll(r.Findings[i].Text(), dir, "DIR")
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

// TestSample looks at a part of the cases: which part, the seed says.
func TestSample(t *testing.T) {
	chosen := func(seed uint64) string {
		r := report(t, wide(40), ut.Options{Only: []ut.Property{ut.Addition}, Sample: 8, Seed: seed, Shrink: -1})
		require.Equal(t, []ut.Looked{{Property: ut.Addition, Cases: 8, Of: 40}}, r.Looked)
		text := ""
		for i := range r.Findings {
			text += r.Findings[i].String() + "\n"
		}
		require.Equal(t, 8, strings.Count(text, "\n"), "every case that is looked at fails")
		return text
	}
	require.Equal(t, chosen(1), chosen(1))
	require.NotEqual(t, chosen(1), chosen(2))

	rec := &recorder{}
	content := testkit.Must(wide(40).Build(t.Context()))(t)
	ut.CheckAll(rec, content, ut.Options{Sample: 8, Seed: 7, Shrink: -1, Only: []ut.Property{ut.Addition}})
	require.Len(t, rec.errors, 8)
	require.Equal(t, []string{"addition: looked at 8 of 40 cases; see Options.Sample", "seed 7"}, rec.logs)
}

// wide is a catalog of so many packages whose heads make two heads.
func wide(n int) *declared.Catalog {
	c := &declared.Catalog{}
	for i := range n {
		name := fmt.Sprintf("pkg-%02d", i)
		c.Packages = append(c.Packages, declared.Package{Name: name, DefaultChannel: "stable",
			Channels: []declared.Channel{{Name: "stable", Entries: []declared.Entry{{Name: name + ".v1.0.0"}, {Name: name + ".v1.1.0", Replaces: name + ".v1.0.0"}, {Name: name + ".v1.2.0"}}}},
			Bundles:  []declared.Bundle{declared.NewBundle(name, name+".v1.0.0", "1.0.0"), declared.NewBundle(name, name+".v1.1.0", "1.1.0"), declared.NewBundle(name, name+".v1.2.0", "1.2.0")}})
	}
	for i := range c.Packages {
		// only one of the heads came last
		c.Packages[i].Channels = append(c.Packages[i].Channels, declared.Channel{Name: "fast", Entries: []declared.Entry{{Name: c.Packages[i].Bundles[1].Name}, {Name: c.Packages[i].Bundles[2].Name, Replaces: c.Packages[i].Bundles[1].Name}}})
	}
	return c
}

// TestExceptions leaves flaws that are known out of the failures.
func TestExceptions(t *testing.T) {
	content := testkit.Must(flawed().Build(t.Context()))(t)
	rec := &recorder{}
	r := ut.CheckAll(rec, content, ut.Options{NoFiles: true, Exceptions: []ut.Exception{{Name: "web", Reason: "beta comes next week"}, {Property: ut.Dependents, Name: "db.v1.1.0", Reason: "app is going away"}, {Name: "app.v1.1.0", Reason: "withdrawn"}, {Name: "gone", Reason: "was there once"}}})
	require.Len(t, r.Excepted, 4)
	require.Equal(t, []string{"gone"}, r.Idle)
	require.Len(t, rec.errors, 1)
	require.Contains(t, rec.errors[0], "reachesHead: package app, channel stable: app.v1.0.0 [stuck+constraint]")
	require.Contains(t, strings.Join(rec.logs, "\n"), "known: sound: package web [defaultChannelUnknown] (beta comes next week)")
	require.Contains(t, strings.Join(rec.logs, "\n"), "nothing was found for the exception of gone: it is no longer needed")
}

// TestKnown holds a catalog to not getting worse.
func TestKnown(t *testing.T) {
	old := report(t, flawed(), ut.Options{Shrink: -1}).Findings
	var kept bytes.Buffer
	require.NoError(t, ut.WriteFindings(&kept, old))
	read := testkit.Must(ut.ReadFindings(&kept))(t)
	require.Empty(t, report(t, flawed(), ut.Options{Known: read}).Findings)

	worse := flawed()
	dbEntry(worse, 1).Replaces = "elsewhere" // db.v1.0.0 is a head, too, and no slip of the pen
	fresh := report(t, worse, ut.Options{Known: read, Only: []ut.Property{ut.Sound}})
	require.Len(t, fresh.Findings, 1)
	require.Equal(t, "sound: package db, channel stable [severalHeads]", fresh.Findings[0].String())
	require.Equal(t, 1, fresh.Known)

	_, err := ut.ReadFindings(strings.NewReader(`{"property":"beauty","code":"x"}`))
	require.ErrorContains(t, err, `finding 1 is of the unknown property "beauty"`)
	_, err = ut.ReadFindings(strings.NewReader(`[`))
	require.ErrorContains(t, err, "finding 1 cannot be read")
	more := []ut.Finding{{Property: ut.ReachesHead, Package: "p", Bundles: []string{"a", "b"}}}
	require.Equal(t, []ut.Finding{{Property: ut.ReachesHead, Package: "p", Bundles: []string{"b"}}},
		ut.Since([]ut.Finding{{Property: ut.ReachesHead, Package: "p", Bundles: []string{"a"}}}, more))
}

// TestOptions uses what does not fit together, and what ends early.
func TestOptions(t *testing.T) {
	content := testkit.Must(small().Build(t.Context()))(t)
	run := func(opts ut.Options) error {
		_, err := ut.Run(t.Context(), content, opts)
		return err
	}
	require.ErrorContains(t, run(ut.Options{Only: []ut.Property{"beauty"}}), `there is no property "beauty"`)
	require.ErrorContains(t, run(ut.Options{Exceptions: []ut.Exception{{Name: "db", Reason: ""}}}), "gives no reason")
	require.ErrorContains(t, run(ut.Options{Packages: []string{"dba"}}), `no package "dba"`)
	_, err := ut.Run(t.Context(), nil, ut.Options{})
	require.ErrorContains(t, err, "no catalog")

	ctx := testkit.Ended()
	_, err = ut.Run(ctx, content, ut.Options{})
	incomplete := testkit.As[*ut.IncompleteError](t, err)
	require.ErrorIs(t, err, context.Canceled)
	require.NotNil(t, incomplete.Report)
	require.ErrorIs(t, run(ut.Options{Within: time.Nanosecond}), context.DeadlineExceeded)

	rec := &recorder{}
	ut.CheckAll(rec, content, ut.Options{Within: time.Nanosecond})
	require.Len(t, rec.errors, 1)
	require.Contains(t, rec.errors[0], "give it more time, or less to look at")

	tight := resolver.New(resolver.WithLimits(resolver.Limits{Bundles: 1}))
	require.ErrorContains(t, run(ut.Options{Dir: filepath.Join(notAFolder(t), "x"), Resolver: tight}), "choose another one with Options.Dir")
	require.NoError(t, run(ut.Options{Packages: []string{"web"}, Skip: []ut.Property{ut.Addition}, Namespace: "ns", Key: cache.Key{Namespace: "a", Name: "b"}}))
}

func notAFolder(t *testing.T) string {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	return file
}

// TestBeside depends on another catalog, and serves APIs from the cluster.
func TestBeside(t *testing.T) {
	c := small()
	app := declared.Catalog{Packages: c.Packages[:1]}
	require.NotEmpty(t, report(t, &app, ut.Options{}).Findings, "nothing provides DB")

	db, err := declared.Offer(t.Context(), &declared.Catalog{Key: cache.Key{Namespace: "olm", Name: "other"}, Packages: c.Packages[1:2]})
	require.NoError(t, err)
	require.Empty(t, report(t, &app, ut.Options{Beside: db}).Findings)
	require.Empty(t, report(t, &app, ut.Options{Cluster: resolver.Cluster{APIs: []properties.GVK{gvk("DB")}}}).Findings)
	require.Empty(t, report(t, &app, ut.Options{Beside: db, Policy: resolver.Policy{Compounds: "PerBundle"}}).Findings)
}
