package scenario_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// everything has every key of the format.
const everything = `
namespace: operators
catalogs:
- name: community
  namespace: olm
  priority: 100
  path: catalogs/community
- name: inline
  blobs:
  - {schema: olm.package, name: etcd, defaultChannel: stable}
cluster:
  properties: [{type: olm.kubeversion, value: {version: 1.33.0}}]
  apis: [{group: monitoring.coreos.com, version: v1, kind: ServiceMonitor}]
installed:
- name: etcd.v0.9.2
  package: etcd
  version: 0.9.2
  catalog: olm/community
  channel: stable
  automatic: true
  replacedBy: etcd.v0.9.4
  properties: []
subscriptions:
- name: etcd
  package: etcd
  channel: stable
  catalog: olm/community
  startingCSV: etcd.v0.9.2
  versionRange: ">=0.9.0"
  installedCSV: etcd.v0.9.2
policy:
  upgrades: SelfCertified
  compounds: PerBundle
  goal: MinimalChange
  deprecations: Avoid
  failures: Partial
forbid: [{bundle: etcd.v0.9.3, message: known data loss, catalog: olm/community}]
whatif:
- name: without prometheus
  drop: {subscriptions: [etcd], installed: [etcd.v0.9.2]}
  add: {subscriptions: [{name: kafka, package: kafka}], installed: [{name: old.v1}]}
  pin: {kafka: kafka.v1.0.0}
  forbid: [{bundle: etcd.v0.9.4}]
  force: [kafka.v1.0.0]
  priority: {olm/community: 5}
expect:
  status: resolved
  set: [etcd.v0.9.4]
`

// everythingRead returns the scenario of everything.
func everythingRead() *scenario.Scenario {
	return &scenario.Scenario{
		Namespace: "operators",
		Catalogs: []scenario.Catalog{
			{Name: "community", Namespace: "olm", Priority: 100, Path: "catalogs/community"},
			{Name: "inline", Blobs: []json.RawMessage{json.RawMessage(`{"schema":"olm.package","name":"etcd","defaultChannel":"stable"}`)}},
		},
		Cluster: scenario.Cluster{
			Properties: []scenario.Property{{Type: "olm.kubeversion", Value: json.RawMessage(`{"version":"1.33.0"}`)}},
			APIs:       []properties.GVK{{Group: "monitoring.coreos.com", Version: "v1", Kind: "ServiceMonitor"}},
		},
		Installed: []scenario.Installed{{
			Name: "etcd.v0.9.2", Package: named("etcd"), Version: "0.9.2", Catalog: "olm/community", Channel: "stable",
			Automatic: true, ReplacedBy: "etcd.v0.9.4", Properties: []scenario.Property{},
		}},
		Subscriptions: []scenario.Subscription{{
			Name: "etcd", Package: "etcd", Channel: "stable", Catalog: "olm/community",
			StartingCSV: "etcd.v0.9.2", VersionRange: ">=0.9.0", InstalledCSV: "etcd.v0.9.2",
		}},
		Policy: resolver.Policy{Upgrades: resolver.UpgradesSelfCertified, Compounds: resolver.CompoundsPerBundle, Goal: resolver.MinimalChange, Deprecations: resolver.DeprecationsAvoid, Failures: resolver.FailuresPartial},
		Forbid: []scenario.Forbid{{Bundle: "etcd.v0.9.3", Catalog: "olm/community", Message: "known data loss"}},
		WhatIf: []scenario.WhatIf{{
			Name:     "without prometheus",
			Drop:     scenario.Drop{Subscriptions: []string{"etcd"}, Installed: []string{"etcd.v0.9.2"}},
			Add:      scenario.Add{Subscriptions: []scenario.Subscription{{Name: "kafka", Package: "kafka"}}, Installed: []scenario.Installed{{Name: "old.v1"}}},
			Pin:      map[string]string{"kafka": "kafka.v1.0.0"},
			Forbid:   []scenario.Forbid{{Bundle: "etcd.v0.9.4"}},
			Force:    []string{"kafka.v1.0.0"},
			Priority: map[string]int{"olm/community": 5},
		}},
		Expect: json.RawMessage(`{"status":"resolved","set":["etcd.v0.9.4"]}`),
	}
}

func TestEveryKeyIsRead(t *testing.T) {
	require.Empty(t, cmp.Diff(asJSON(t, everythingRead()), asJSON(t, parse(t, everything))))
}

func TestJSONReadsLikeYAML(t *testing.T) {
	s := testkit.Must(scenario.Parse(context.Background(), "problem.json", []byte(asJSON(t, everythingRead()))))(t)
	require.Equal(t, asJSON(t, everythingRead()), asJSON(t, s))
}

func TestPropertiesThatAreNotGivenAreNotAnEmptyList(t *testing.T) {
	s := parse(t, "installed: [{name: a.v1}, {name: b.v1, properties: []}, {name: c.v1, properties: null}]")
	require.Nil(t, s.Installed[0].Properties)
	require.NotNil(t, s.Installed[1].Properties)
	require.Nil(t, s.Installed[2].Properties)
}

// TestWrongFiles checks line, path and words of the message of each error.
func TestWrongFiles(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		line int
		path string
		says string
	}{
		"unknown key":                     {"namespace: a\nsubscription: []\n", 2, "", `unknown key "subscription"; the keys here are namespace, catalogs,`},
		"unknown key inside":              {"subscriptions:\n- name: a\n  package: a\n  chanel: b\n", 4, "subscriptions[0]", `versionRange, installedCSV; did you mean channel or channels?`},
		"key of another object":           {"forbid: [{name: a.v1}]", 1, "forbid[0]", `unknown key "name"`},
		"list for a mapping":              {"policy:\n- goal: Newest\n", 2, "policy", "want a mapping with keys, got an array"},
		"mapping for a list":              {"catalogs: {name: a}", 1, "catalogs", "want a list, got an object"},
		"list for a table":                {"whatif: [{name: w, pin: [a]}]", 1, "whatif[0].pin", "want a mapping with keys, got an array"},
		"number for text":                 {"installed:\n- name: a.v1\n  version: 1.0\n", 3, "installed[0].version", "want text, got a number, 1.0; put it in quotes"},
		"text for a number":               {"catalogs: [{name: a, path: p, priority: high}]", 1, "catalogs[0].priority", "want a whole number, got a string"},
		"fraction":                        {"catalogs: [{name: a, path: p, priority: 1.5}]", 1, "catalogs[0].priority", "want a whole number, got a number, 1.5"},
		"text for a boolean":              {"installed: [{name: a.v1, automatic: maybe}]", 1, "installed[0].automatic", "want true or false, got a string"},
		"scalar file":                     {"hello", 1, "", "want a mapping with keys, got a string"},
		"empty file":                      {"", 0, "", "empty"},
		"broken YAML":                     {"namespace: [", 1, "", "YAML"},
		"broken JSON":                     {"{\n\"namespace\":\n", 2, "", "not valid"},
		"two documents":                   {"namespace: a\n---\nnamespace: b\n", 3, "", "only one"},
		"key twice":                       {"namespace: a\nnamespace: b\n", 2, "", "more than once"},
		"catalog without name":            {"catalogs:\n- {path: p}\n", 2, "catalogs[0]", "name is missing"},
		"catalog without content":         {"catalogs: [{name: c}]", 1, "catalogs[0]", "no content"},
		"catalog with both":               {"catalogs: [{name: c, path: p, blobs: []}]", 1, "catalogs[0]", "both a path and blobs"},
		"catalog, path and image":         {"catalogs: [{name: c, path: p, image: i}]", 1, "catalogs[0]", "both a path and an image"},
		"catalog with all":                {"catalogs: [{name: c, path: p, image: i, blobs: []}]", 1, "catalogs[0]", "a path, an image and blobs"},
		"subscription, no name":           {"subscriptions: [{package: p}]", 1, "subscriptions[0]", "name is missing"},
		"subscription, no package":        {"subscriptions: [{name: p}]", 1, "subscriptions[0]", "package is missing"},
		"bad range":                       {"subscriptions:\n- name: a\n  package: a\n  versionRange: newest\n", 4, "subscriptions[0].versionRange", `"newest" is not a version range`},
		"bad catalog key":                 {"subscriptions: [{name: a, package: a, catalog: community}]", 1, "subscriptions[0].catalog", "namespace/name"},
		"installed without name":          {"installed: [{package: a}]", 1, "installed[0]", "name is missing"},
		"bad version":                     {"installed: [{name: a.v1, version: '1.0'}]", 1, "installed[0].version", `"1.0" is not a semantic version`},
		"bad property":                    {"installed:\n- name: a.v1\n  properties:\n  - {type: olm.gvk, value: {group: A B, version: v1, kind: K}}\n", 4, "installed[0].properties[0]", "group"},
		"property without value":          {"cluster: {properties: [{type: olm.kubeversion}]}", 1, "cluster.properties[0]", "value is missing"},
		"property without type":           {"cluster: {properties: [{value: 1}]}", 1, "cluster.properties[0]", "type is missing"},
		"bad api":                         {"cluster:\n  apis:\n  - {group: g.example.com, version: v1}\n", 3, "cluster.apis[0]", "kind"},
		"unknown policy value":            {"policy:\n  goal: Latest\n", 2, "policy.goal", `"Latest" is not one of its values; use Newest, MinimalChange, Oldest or Nearest`},
		"policy in another case":          {"policy: {failures: partial}", 1, "policy.failures", "use All or Partial"},
		"forbid without bundle":           {"forbid: [{message: no}]", 1, "forbid[0]", "bundle is missing"},
		"what-if without name":            {"whatif: [{force: [a.v1]}]", 1, "whatif[0]", "name is missing"},
		"what-if named twice":             {"whatif:\n- name: w\n- name: w\n", 3, "whatif[1].name", "names must differ"},
		"force of nothing":                {"whatif: [{name: w, force: ['']}]", 1, "whatif[0].force[0]", "a name is needed"},
		"drop of an unknown subscription": {"subscriptions: [{name: a, package: a}]\nwhatif:\n- name: w\n  drop: {subscriptions: [b]}\n", 4, "whatif[0].drop.subscriptions[0]", `there is no subscription "b"; there is a`},
		"removal of an unknown bundle":    {"whatif: [{name: w, drop: {installed: [b.v1]}}]", 1, "whatif[0].drop.installed[0]", `there is no installed bundle "b.v1"`},
		"pin of a dropped subscription":   {"subscriptions: [{name: a, package: a}]\nwhatif: [{name: w, drop: {subscriptions: [a]}, pin: {a: a.v1}}]", 2, "whatif[0].pin.a", `there is no subscription "a"`},
		"pin to nothing":                  {"subscriptions: [{name: a, package: a}]\nwhatif: [{name: w, pin: {a: ''}}]", 2, "whatif[0].pin.a", "a name is needed"},
		"priority of an unknown catalog":  {"catalogs: [{name: c, path: p}]\nwhatif: [{name: w, priority: {olm/c: 5}}]", 2, "whatif[0].priority.olm/c", `there is no catalog "olm/c"; there is default/c`},
		"added, no package":               {"whatif: [{name: w, add: {subscriptions: [{name: a}]}}]", 1, "whatif[0].add.subscriptions[0]", "package is missing"},
		"what-if forbids nothing":         {"whatif: [{name: w, forbid: [{}]}]", 1, "whatif[0].forbid[0]", "bundle is missing"},
		"expect, unknown key":             {"expect:\n  status: resolved\n  sets: []\n", 3, "expect", `unknown key "sets"`},
		"expect, unknown inside":          {"expect:\n  steps:\n  - {bundel: a.v1}\n", 3, "expect.steps[0]", `unknown key "bundel"`},
		"expect, wrong type":              {"expect: {set: a.v1}", 1, "expect.set", "want a list"},
		"expect, unknown status":          {"expect:\n  status: solved\n", 2, "expect.status", `there is no status "solved"`},
		"expect, what-if's status":        {"expect: {whatif: [{name: w, status: ok}]}", 1, "expect.whatif[0].status", `there is no status "ok"`},
		"expect, list":                    {"expect: [resolved]", 1, "expect", "want a mapping with keys"},
		"more than one":                   {"subscriptions:\n- package: a\n- name: b\n", 2, "subscriptions[0]", "name is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := scenario.Parse(context.Background(), "dir/problem.yaml", []byte(tc.text))
			bad := testkit.As[*scenario.Error](t, err)
			require.Equal(t, "dir/problem.yaml", bad.File)
			first := bad.Problems[0]
			require.Contains(t, first.String(), tc.says)
			require.Equal(t, tc.path, first.Path)
			if tc.line > 0 {
				require.Equal(t, tc.line, first.Line, "%v", err)
				require.True(t, strings.HasPrefix(err.Error(), "dir/problem.yaml:"), "%v", err)
			}
		})
	}
}

func TestAllProblemsAreListedInTheOrderOfTheirLines(t *testing.T) {
	_, err := scenario.Parse(context.Background(), "p.yaml", []byte("installed: [{name: a.v1, version: '1'}]\npolicy: {goal: Best}\nsubscriptions: [{name: a}]\n"))
	bad := testkit.As[*scenario.Error](t, err)
	require.Equal(t, []int{1, 2, 3}, testkit.Map(bad.Problems, func(p scenario.Problem) int { return p.Line }))
	require.Len(t, strings.Split(err.Error(), "\n"), 3)
}

func TestReadFromFileSystems(t *testing.T) {
	ctx := context.Background()
	file := t.TempDir() + "/p.yaml"
	require.NoError(t, os.WriteFile(file, []byte(everything), 0o600))
	s := testkit.Must(scenario.ReadFile(ctx, file))(t)
	require.Equal(t, file, s.File())

	s = testkit.Must(scenario.Read(ctx, fstest.MapFS{"a/p.yaml": {Data: []byte(everything)}}, "a/p.yaml"))(t)
	require.Equal(t, "a/p.yaml", s.File())

	_, err := scenario.ReadFile(ctx, file+".missing")
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = scenario.Read(ctx, fstest.MapFS{}, "p.yaml")
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = scenario.ReadFile(ctx, t.TempDir())
	require.Error(t, err, "a directory")
	_, err = scenario.Read(ctx, fstest.MapFS{"p.yaml": {Data: []byte("catalogs: 1")}}, "p.yaml")
	testkit.As[*scenario.Error](t, err)

	ended := testkit.Ended()
	_, err = scenario.ReadFile(ended, file)
	require.ErrorIs(t, err, context.Canceled)
}

// The end of a context stops reading of a long scenario at any check: while decoding text,
// filling in values, and validating.
func TestParseEnds(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"catalogs":[],"subscriptions":[`)
	const n = 2000
	for i := range n {
		if i > 0 {
			text.WriteString(",")
		}
		fmt.Fprintf(&text, `{"name":"s%d","package":"p%d"}`, i, i)
	}
	text.WriteString(`],"whatif":[{"name":"w","drop":{"subscriptions":["s1"]}}]}`)
	checks := &testkit.CountingContext{Context: context.Background()}
	_, err := scenario.Parse(checks, "s.json", []byte(text.String()))
	require.NoError(t, err)
	all := checks.Count.Load()
	require.Greater(t, all, int64(n), "each subscription")
	for ends := int64(1); ends <= all; ends += 37 {
		checks := &testkit.CountingContext{Context: context.Background(), Ends: ends}
		_, err := scenario.Parse(checks, "s.json", []byte(text.String()))
		require.ErrorIs(t, err, context.Canceled, ends)
		require.LessOrEqual(t, checks.Count.Load(), ends+64)
	}
}

// A relaxed constraint is given by its property.
func TestRelax(t *testing.T) {
	problem := "catalogs: [{name: c, blobs: " + universe.Array(t, `
		a/s a.v1 needs=b@>=1.0.0
		property a.v1 olm.label.required {"label":"tested"}`) + "}]\nsubscriptions: [{name: a, package: a}]\n"
	for _, c := range []struct {
		relax string
		want  scenario.Status
	}{
		{"", scenario.Unsatisfiable},
		{"relax: [{bundle: a.v1}]", scenario.Resolved},
		{"relax: [{bundle: a.v1, catalog: default/c}]", scenario.Resolved},
		{"relax: [{bundle: a.v1, catalog: default/other}]", scenario.Unsatisfiable},
		{`relax: [{bundle: a.v1, constraint: {type: olm.package.required, value: {packageName: b, versionRange: ">=1.0.0"}}}]`, scenario.Unsatisfiable},
		{`relax: [{bundle: a.v1, constraint: {type: olm.package.required, value: {packageName: b, versionRange: ">=1.0.0"}}}, {bundle: a.v1, constraint: {type: olm.label.required, value: {label: tested}}}]`, scenario.Resolved},
		{`relax: [{bundle: a.v1, constraint: {type: olm.constraint, value: {package: {packageName: b, versionRange: ">=1.0.0"}}}}, {bundle: a.v1, constraint: {type: olm.label.required, value: {label: tested}}}]`, scenario.Resolved},
	} {
		s, err := scenario.Parse(t.Context(), "s.yaml", []byte(problem+c.relax+"\n"))
		require.NoError(t, err, c.relax)
		require.Equal(t, c.want, new(scenario.Runner).Run(t.Context(), s).Status, c.relax)
		var b bytes.Buffer
		require.NoError(t, s.Write(&b))
		require.Equal(t, s.Relax, testkit.Must(scenario.Parse(t.Context(), "s.yaml", b.Bytes()))(t).Relax)
	}
	for relax, want := range map[string]string{
		"relax: [{}]":                      "s.yaml:3: relax[0]: bundle is missing",
		"relax: [{bundle: b, catalog: c}]": "relax[0].catalog",
		"relax: [{bundle: b, constraint: {type: olm.package, value: {}}}]":                    "relax[0].constraint",
		"relax: [{bundle: b, constraint: {type: other, value: 1}}]":                           `"other" holds no constraint`,
		"relax: [{bundle: b, constraint: {type: olm.constraint, value: {cel: {rule: '('}}}}]": "relax[0].constraint",
	} {
		_, err := scenario.Parse(t.Context(), "s.yaml", []byte(problem+relax+"\n"))
		require.ErrorContains(t, err, want, relax)
	}
}
