package libsolv_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/benchmarks/libsolv"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// world writes a scenario of one catalog in which each bundle is one line:
// "package version channel-position properties". Package a is always subscribed to
// unless the rest says otherwise.
func world(bundles []string, rest string) string {
	var b strings.Builder
	b.WriteString("catalogs:\n- name: c\n  blobs:\n")
	channels := map[string][]string{}
	var order []string
	for _, line := range bundles {
		words := strings.SplitN(line, " ", 3)
		pkg, version, props := words[0], words[1], ""
		if len(words) > 2 {
			props = ", " + words[2]
		}
		name := pkg + ".v" + version
		b.WriteString("  - {schema: olm.bundle, package: " + pkg + ", name: " + name + ", image: i, properties: [{type: olm.package, value: {packageName: " +
			pkg + ", version: " + version + "}}" + props + "]}\n")
		if len(channels[pkg]) == 0 {
			order = append(order, pkg)
		}
		channels[pkg] = append(channels[pkg], name)
	}
	for _, pkg := range order {
		b.WriteString("  - {schema: olm.package, name: " + pkg + ", defaultChannel: s}\n  - {schema: olm.channel, package: " + pkg + ", name: s, entries: [")
		for i, name := range channels[pkg] {
			if i > 0 {
				b.WriteString(", {name: " + name + ", replaces: " + channels[pkg][i-1] + "}")
			} else {
				b.WriteString("{name: " + name + "}")
			}
		}
		b.WriteString("]}\n")
	}
	if rest == "" {
		rest = "subscriptions: [{name: a, package: a}]\n"
	}
	return b.String() + rest
}

const (
	needB     = "{type: olm.package.required, value: {packageName: b, versionRange: '>=1.0.0'}}"
	provides  = "{type: olm.gvk, value: {group: g.example.com, version: v1, kind: K}}"
	needsAPI  = "{type: olm.gvk.required, value: {group: g.example.com, version: v1, kind: K}}"
	subscribe = "subscriptions: [{name: a, package: a}, {name: b, package: b}]\n"
)

func constraint(c string) string { return "{type: olm.constraint, value: {" + c + "}}" }

// renamed is a package whose operator takes over from that of another package, which
// then has to go.
const renamed = `
catalogs:
- name: c
  blobs:
  - {schema: olm.package, name: new, defaultChannel: s}
  - {schema: olm.channel, package: new, name: s, entries: [{name: new.v1.0.0, replaces: old.v1.0.0}]}
  - schema: olm.bundle
    package: new
    name: new.v1.0.0
    image: i
    properties:
    - {type: olm.package, value: {packageName: new, version: 1.0.0}}
    - {type: olm.constraint, value: {not: {constraints: [{package: {packageName: old, versionRange: '>=0.0.0'}}]}}}
installed: [{name: old.v1.0.0, package: old, version: 1.0.0}]
subscriptions: [{name: s, package: new, installedCSV: old.v1.0.0}, {name: t, package: new}]
`

// twins are two bundles of one version, of which the wanted one is the second.
const twins = `
catalogs:
- name: c
  blobs:
  - {schema: olm.package, name: a, defaultChannel: s}
  - {schema: olm.channel, package: a, name: s, entries: [{name: a.first}, {name: a.second, replaces: a.first}]}
  - {schema: olm.bundle, package: a, name: a.first, image: i, properties: [{type: olm.package, value: {packageName: a, version: 1.0.0}}]}
  - schema: olm.bundle
    package: a
    name: a.second
    image: i
    properties: [{type: olm.package, value: {packageName: a, version: 1.0.0}}, {type: olm.package.required, value: {packageName: x, versionRange: '1.0.0'}}]
subscriptions: [{name: a, package: a, startingCSV: a.first}]
`

// What is satisfiable here was worked out by hand from the semantics.
func cases() map[string]struct {
	problem     string
	satisfiable bool
} {
	notB := constraint("not: {constraints: [{package: {packageName: b, versionRange: '>=1.0.0'}}]}")
	return map[string]struct {
		problem     string
		satisfiable bool
	}{
		"barred bundles are never newly chosen":       {world([]string{"a 1.0.0 " + needB, "b 1.0.0 {type: olm.deprecated, value: {}}"}, ""), false},
		"what is forbidden cannot be chosen":          {world([]string{"a 1.0.0 " + needB, "b 1.0.0"}, "subscriptions: [{name: a, package: a}]\nforbid: [{bundle: b.v1.0.0}]\n"), false},
		"what is forbidden leaves the others":         {world([]string{"a 1.0.0 " + needB, "b 1.0.0", "b 1.1.0"}, "subscriptions: [{name: a, package: a}]\nforbid: [{bundle: b.v1.0.0}]\n"), true},
		"not excludes others":                         {world([]string{"a 1.0.0 " + notB, "b 1.0.0"}, subscribe), false},
		"not excludes the bundle itself":              {world([]string{"a 1.0.0 " + constraint("not: {constraints: [{gvk: {group: g.example.com, version: v1, kind: K}}]}") + ", " + provides}, ""), false},
		"not of an absent thing holds":                {world([]string{"a 1.0.0 " + notB, "b 1.0.0"}, ""), true},
		"any chooses the not":                         {world([]string{"a 1.0.0 " + constraint("any: {constraints: [{package: {packageName: nowhere, versionRange: '>=1.0.0'}}, {not: {constraints: [{package: {packageName: b, versionRange: '>=1.0.0'}}]}}]}"), "b 1.0.0"}, ""), true},
		"any of impossible and excluded":              {world([]string{"a 1.0.0 " + constraint("any: {constraints: [{package: {packageName: nowhere, versionRange: '>=1.0.0'}}, {not: {constraints: [{package: {packageName: b, versionRange: '>=1.0.0'}}]}}]}"), "b 1.0.0"}, subscribe), false},
		"any whose not the bundle itself breaks":      {world([]string{"a 1.0.0 " + constraint("any: {constraints: [{package: {packageName: nowhere, versionRange: '>=1.0.0'}}, {not: {constraints: [{package: {packageName: a, versionRange: '>=1.0.0'}}]}}]}")}, ""), false},
		"not of all needs one of them absent":         {world([]string{"a 1.0.0 " + constraint("not: {constraints: [{all: {constraints: [{package: {packageName: b, versionRange: '>=1.0.0'}}, {package: {packageName: d, versionRange: '>=1.0.0'}}]}}]}"), "b 1.0.0", "d 1.0.0"}, subscribe), true},
		"not of all fails where all are there":        {world([]string{"a 1.0.0 " + constraint("not: {constraints: [{all: {constraints: [{package: {packageName: b, versionRange: '>=1.0.0'}}, {package: {packageName: d, versionRange: '>=1.0.0'}}]}}]}"), "b 1.0.0", "d 1.0.0"}, "subscriptions: [{name: a, package: a}, {name: b, package: b}, {name: d, package: d}]\n"), false},
		"double negation requires":                    {world([]string{"a 1.0.0 " + constraint("not: {constraints: [{not: {constraints: [{package: {packageName: nowhere, versionRange: '>=1.0.0'}}]}}]}")}, ""), false},
		"an empty any does not hold":                  {world([]string{"a 1.0.0 " + constraint("any: {constraints: []}")}, ""), false},
		"an empty all holds":                          {world([]string{"a 1.0.0 " + constraint("all: {constraints: []}")}, ""), true},
		"pre-releases come before the release":        {world([]string{"a 1.0.0 {type: olm.package.required, value: {packageName: b, versionRange: '>=1.0.0'}}", "b 1.0.0-alpha"}, ""), false},
		"numeric pre-releases are ordered":            {world([]string{"a 1.0.0 {type: olm.package.required, value: {packageName: b, versionRange: '>1.0.0-beta.2'}}", "b 1.0.0-beta.11"}, ""), true},
		"a range may have alternatives":               {world([]string{"a 1.0.0 {type: olm.package.required, value: {packageName: b, versionRange: '<1.0.0 || >2.0.0'}}", "b 1.5.0"}, ""), false},
		"a range may have two ends":                   {world([]string{"a 1.0.0 {type: olm.package.required, value: {packageName: b, versionRange: '>=1.0.0 <2.0.0'}}", "b 0.5.0", "b 2.0.0"}, ""), false},
		"a version is met by itself alone":            {world([]string{"a 1.0.0 {type: olm.package.required, value: {packageName: b, versionRange: '1.0.0'}}", "b 1.0.1"}, ""), false},
		"the cluster serves the API":                  {world([]string{"a 1.0.0 " + needsAPI}, "cluster: {apis: [{group: g.example.com, version: v1, kind: K}]}\nsubscriptions: [{name: a, package: a}]\n"), true},
		"nothing provides the API":                    {world([]string{"a 1.0.0 " + needsAPI}, ""), false},
		"two providers clash":                         {world([]string{"a 1.0.0 " + provides, "b 1.0.0 " + provides}, subscribe), false},
		"one provider does not clash with itself":     {world([]string{"a 1.0.0 " + provides + ", " + needsAPI}, ""), true},
		"a label is provided":                         {world([]string{"a 1.0.0 {type: olm.label.required, value: {label: l}}", "b 1.0.0 {type: olm.label, value: {label: l}}"}, ""), true},
		"a label is missing":                          {world([]string{"a 1.0.0 {type: olm.label.required, value: {label: l}}", "b 1.0.0 {type: olm.label, value: {label: m}}"}, ""), false},
		"an installed bundle nobody owns stays":       {world([]string{"a 1.0.0 {type: olm.package.required, value: {packageName: b, versionRange: '>=2.0.0'}}", "b 1.0.0", "b 2.0.0"}, "installed: [{name: b.v1.0.0}]\nsubscriptions: [{name: a, package: a}]\n"), false},
		"an owned one moves one edge":                 {world([]string{"a 1.0.0 {type: olm.package.required, value: {packageName: b, versionRange: '>=2.0.0'}}", "b 1.0.0", "b 2.0.0"}, "installed: [{name: b.v1.0.0}]\nsubscriptions: [{name: a, package: a}, {name: b, package: b, installedCSV: b.v1.0.0}]\n"), true},
		"an owned one does not move two edges":        {world([]string{"a 1.0.0 {type: olm.package.required, value: {packageName: b, versionRange: '>=3.0.0'}}", "b 1.0.0", "b 2.0.0", "b 3.0.0"}, "installed: [{name: b.v1.0.0}]\nsubscriptions: [{name: a, package: a}, {name: b, package: b, installedCSV: b.v1.0.0}]\n"), false},
		"self-certified moves anywhere":               {world([]string{"a 1.0.0 {type: olm.package.required, value: {packageName: b, versionRange: '>=3.0.0'}}", "b 1.0.0", "b 2.0.0", "b 3.0.0"}, "installed: [{name: b.v1.0.0}]\nsubscriptions: [{name: a, package: a}, {name: b, package: b, installedCSV: b.v1.0.0}]\npolicy: {upgrades: SelfCertified}\n"), true},
		"an edge may lead to another package":         {world([]string{"a 0.9.0", "a 1.0.0 " + notB, "b 1.0.0"}, "installed: [{name: a.v0.9.0}]\nsubscriptions: [{name: a, package: a, installedCSV: a.v0.9.0}]\n"), true},
		"an installed bundle's constraints count":     {world([]string{"a 1.0.0"}, "installed: [{name: old.v1, package: old, version: 1.0.0, properties: ["+needB+"]}]\nsubscriptions: [{name: a, package: a}]\n"), false},
		"startingCSV is the only one":                 {world([]string{"a 1.0.0 {type: olm.package.required, value: {packageName: b, versionRange: '>=1.0.0'}}", "a 1.1.0"}, "subscriptions: [{name: a, package: a, startingCSV: a.v1.0.0}]\n"), false},
		"no package of that name":                     {world([]string{"a 1.0.0"}, "subscriptions: [{name: x, package: x}]\n"), false},
		"CEL finds its match":                         {world([]string{"a 1.0.0 " + constraint(`cel: {rule: "properties.exists(p, p.type == 'x' && p.value == 1)"}`), "b 1.0.0 {type: x, value: 1}"}, ""), true},
		"CEL finds none":                              {world([]string{"a 1.0.0 " + constraint(`cel: {rule: "properties.exists(p, p.type == 'x' && p.value == 2)"}`), "b 1.0.0 {type: x, value: 1}"}, ""), false},
		"one bundle alone, of all":                    {world([]string{"a 1.0.0 " + constraint("all: {constraints: [{package: {packageName: b, versionRange: '>=1.0.0'}}, {package: {packageName: d, versionRange: '>=1.0.0'}}]}"), "b 1.0.0", "d 1.0.0"}, "subscriptions: [{name: a, package: a}]\npolicy: {compounds: PerBundle}\n"), false},
		"all through two bundles":                     {world([]string{"a 1.0.0 " + constraint("all: {constraints: [{package: {packageName: b, versionRange: '>=1.0.0'}}, {package: {packageName: d, versionRange: '>=1.0.0'}}]}"), "b 1.0.0", "d 1.0.0"}, ""), true},
		"build metadata does not count":               {world([]string{"a 1.0.0 {type: olm.package.required, value: {packageName: b, versionRange: '1.0.0'}}", "b 1.0.0+x"}, ""), true},
		"an edge may come from another package":       {renamed, true},
		"two bundles of one version are two":          {twins, true},
		"two versions with equal precedence, one out": {world([]string{"a 1.0.0 " + needB, "b 1.0.0+x {type: olm.deprecated, value: {}}", "b 1.0.0+y"}, ""), true},
	}
}

func TestEachPartIsTranslated(t *testing.T) {
	needTestsolv(t)
	for name, tt := range cases() {
		t.Run(name, func(t *testing.T) {
			s, err := scenario.Parse(t.Context(), "case.yaml", []byte(tt.problem))
			require.NoError(t, err)
			loaded, err := s.Load(t.Context())
			require.NoError(t, err)
			require.Equal(t, tt.satisfiable, agree(t.Context(), t, t.TempDir(), loaded.Request))
		})
	}
}

func TestWhatCannotBeTold(t *testing.T) {
	for what, req := range map[string]resolver.Request{
		"policy Partial":   {Policy: resolver.Policy{Failures: resolver.FailuresPartial}},
		"forced bundles":   {Force: []resolver.BundleRef{{Name: "x"}}},
		"has no content":   {Catalogs: make([]resolver.Catalog, 1)},
		"adds or relaxes,": {Relax: make([]resolver.BundleConstraint, 1)},
	} {
		_, err := libsolv.Translate(t.Context(), req)
		var cannot *libsolv.InexpressibleError
		require.ErrorAs(t, err, &cannot)
		require.ErrorContains(t, err, what)
	}
}

func TestTranslateGivesTheSameBytes(t *testing.T) {
	s, err := scenario.Parse(t.Context(), "case.yaml", []byte(cases()["not of all fails where all are there"].problem))
	require.NoError(t, err)
	loaded, err := s.Load(t.Context())
	require.NoError(t, err)
	one, err := libsolv.Translate(t.Context(), loaded.Request)
	require.NoError(t, err)
	two, err := libsolv.Translate(t.Context(), loaded.Request)
	require.NoError(t, err)
	require.Equal(t, one, two)
	require.Equal(t, "default_c", one.Repos[1].Name)
	require.Contains(t, string(one.Repos[2].Text), "=Con: b >= 1.0.0\n")
}

func TestReadAnswer(t *testing.T) {
	require.Equal(t, &libsolv.Answer{Satisfiable: true, Packages: []string{"a-1.0.0-1", "b-2.0.0-1"}},
		libsolv.ReadAnswer([]byte("upgrade b-1.0.0-1.noarch@system b-2.0.0-1.noarch@c\ninstall a-1.0.0-1.noarch@c\n")))
	require.Equal(t, &libsolv.Answer{}, libsolv.ReadAnswer([]byte("install a-1.0.0-1.noarch@c\nproblem 76c8d148 info nothing provides x\n")))
	require.Equal(t, &libsolv.Answer{Satisfiable: true}, libsolv.ReadAnswer(nil))
}

func TestRunReportsWhatGoesWrong(t *testing.T) {
	needTestsolv(t)
	_, err := libsolv.Run(t.Context(), filepath.Join(t.TempDir(), "nothing.t"))
	require.ErrorIs(t, err, os.ErrNotExist)
	broken := filepath.Join(t.TempDir(), "broken.t")
	require.NoError(t, os.WriteFile(broken, []byte("repo x 0 testtags nowhere\n"), 0o666))
	_, err = libsolv.Run(t.Context(), broken)
	require.ErrorContains(t, err, "testsolv cannot answer")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = libsolv.Run(ctx, broken)
	require.ErrorIs(t, err, context.Canceled)
	_, err = (&libsolv.Testcase{}).Write(filepath.Join(t.TempDir(), "nowhere"))
	require.Error(t, err)
}
