package scenario_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/testkit"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func TestWriteAndRead(t *testing.T) {
	readsTheSame(t, everythingRead())
}

// readsTheSame checks the law of Write, and of JSON.
func readsTheSame(t require.TestingT, s *scenario.Scenario) {
	want := testkit.Must(json.Marshal(s))(t)
	var out bytes.Buffer
	require.NoError(t, s.Write(&out))
	for _, text := range [][]byte{out.Bytes(), want} {
		again, err := scenario.Parse(context.Background(), "p.yaml", text)
		require.NoError(t, err, string(text))
		require.Equal(t, string(want), string(testkit.Must(json.Marshal(again))(t)), string(text))
	}
}

// A key may be longer than the maximum of YAML without a question mark.
func TestLongKeysAreWritten(t *testing.T) {
	for _, length := range []int{90, 990, 997, 998, 999, 1000, 1020, 1021, 1022, 1023, 1024, 1025, 5000} {
		for _, letter := range []string{"k", "é", "\"", " "} {
			key := testkit.Must(json.Marshal(strings.Repeat(letter, length)))(t)
			for _, value := range []string{`1`, `"x"`, `{}`, `[]`, `{"a":{"b":"` + strings.Repeat("x", 120) + `"}}`, `["` + strings.Repeat("x", 120) + `",[1]]`} {
				text := `{"catalogs":[{"name":"c","blobs":[{"schema":"x","before":1,` + string(key) + `:` + value + `,"after":2}]}]}`
				readsTheSame(t, parse(t, text))
			}
		}
	}
}

// TestYAMLIsWrittenForPeople checks the layout, because people read scenarios in bug reports.
func TestYAMLIsWrittenForPeople(t *testing.T) {
	s := &scenario.Scenario{
		Namespace: "operators",
		Catalogs:  []scenario.Catalog{{Name: "community", Path: "catalogs/community"}},
		Subscriptions: []scenario.Subscription{
			{Name: "etcd", Package: "etcd", VersionRange: ">=0.9.0"},
			{Name: "a-rather-long-name-of-a-subscription", Package: "a-rather-long-name-of-a-package", StartingCSV: "a-rather-long-name-of-a-package.v1.0.0"},
		},
		Policy: resolver.Policy{Goal: resolver.Oldest},
		Expect: json.RawMessage(`{"status":"resolved","set":["etcd.v0.9.4"]}`),
	}
	var out bytes.Buffer
	require.NoError(t, s.Write(&out))
	require.Equal(t, `namespace: operators
catalogs:
- {name: community, path: catalogs/community}
subscriptions:
- {name: etcd, package: etcd, versionRange: ">=0.9.0"}
- name: a-rather-long-name-of-a-subscription
  package: a-rather-long-name-of-a-package
  startingCSV: a-rather-long-name-of-a-package.v1.0.0
policy: {goal: Oldest}
expect: {status: resolved, set: [etcd.v0.9.4]}
`, out.String())
}

// text draws strings that YAML may read as other types.
var text = rapid.OneOf(
	rapid.StringMatching(`[a-z][a-z0-9-]{0,12}`),
	rapid.StringMatching(`[a-z]{1,8}\.v[0-9]\.[0-9]{1,2}\.[0-9]`),
	rapid.SampledFrom([]string{
		"1.0", "0x1F", "1e3", "1_000", ".inf", "-", "- a", "a: b", "a #b", "#", "null", "~", "Yes", "y", "on", "true",
		"2001-01-01", "=", "<<", "*a", "&a", "!!str", "'", `"`, `\`, "|", ">", "%", "@", "`", "{", "[a", "]", ",", "?", ": ",
		" a", "a ", "\ta", "a\nb", "a\r\nb", "\n", "\u0000", "\u007f", "\u0085", "\u00a0", "\u2028", "\ufeff", "\ufffd", "ß", "日本", "🚀",
		strings.Repeat("word ", 60), strings.Repeat("x", 300), "1:30", "1.2.3", "01", "+1", "a.", "a-",
	}),
	rapid.StringN(1, 20, 80),
)

var name = text.Filter(func(s string) bool { return s != "" })

// values draws JSON values.
var values = rapid.Custom(func(t *rapid.T) json.RawMessage {
	var v any
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		v = text.Draw(t, "text")
	case 1:
		v = rapid.Int64().Draw(t, "int")
	case 2:
		v = rapid.Float64Range(-1e300, 1e300).Draw(t, "float")
	case 3:
		v = rapid.Bool().Draw(t, "bool")
	case 4:
		v = rapid.SliceOfN(text, 0, 5).Draw(t, "list")
	default:
		v = map[string]any{text.Draw(t, "key"): []any{map[string]any{"a": text.Draw(t, "value"), "b": nil}, []any{[]any{}}}}
	}
	return testkit.Must(json.Marshal(v))(t)
})

// scenarios draws valid scenarios.
var scenarios = rapid.Custom(func(t *rapid.T) *scenario.Scenario {
	property := rapid.Custom(func(t *rapid.T) scenario.Property {
		return scenario.Property{Type: "x-" + text.Draw(t, "type"), Value: values.Draw(t, "value")}
	})
	installed := rapid.Custom(func(t *rapid.T) scenario.Installed {
		in := scenario.Installed{
			Name: name.Draw(t, "name"), Package: rapid.Ptr(text, true).Draw(t, "package"), Channel: text.Draw(t, "channel"),
			Version:   rapid.SampledFrom([]string{"", "1.2.3", "1.0.0-rc.1", "0.9.4+build"}).Draw(t, "version"),
			Automatic: rapid.Bool().Draw(t, "automatic"), ReplacedBy: text.Draw(t, "replacedBy"),
		}
		if rapid.Bool().Draw(t, "with properties") {
			in.Properties = append([]scenario.Property{}, rapid.SliceOfN(property, 0, 3).Draw(t, "properties")...)
		}
		return in
	})
	subscription := rapid.Custom(func(t *rapid.T) scenario.Subscription {
		return scenario.Subscription{
			Name: name.Draw(t, "name"), Package: name.Draw(t, "package"), Channel: text.Draw(t, "channel"),
			Catalog:      rapid.SampledFrom([]string{"", "olm/community"}).Draw(t, "catalog"),
			VersionRange: rapid.SampledFrom([]string{"", ">=1.0.0 <2.0.0", "1.2.3 || >3.0.0"}).Draw(t, "range"),
			StartingCSV:  text.Draw(t, "startingCSV"),
		}
	})
	s := &scenario.Scenario{
		Namespace:     text.Draw(t, "namespace"),
		Installed:     rapid.SliceOfN(installed, 0, 3).Draw(t, "installed"),
		Subscriptions: rapid.SliceOfN(subscription, 0, 3).Draw(t, "subscriptions"),
		Policy:        resolver.Policy{Goal: rapid.SampledFrom([]resolver.Goal{"", resolver.Newest, resolver.Oldest}).Draw(t, "goal")},
		Cluster: scenario.Cluster{
			Properties: append([]scenario.Property(nil), rapid.SliceOfN(property, 0, 2).Draw(t, "cluster")...),
		},
	}
	if rapid.Bool().Draw(t, "with APIs") {
		s.Cluster.APIs = []properties.GVK{{Group: "g.example.com", Version: "v1", Kind: "K"}}
	}
	if rapid.Bool().Draw(t, "with catalogs") {
		s.Catalogs = []scenario.Catalog{
			{Name: name.Draw(t, "catalog"), Priority: rapid.Int().Draw(t, "priority"), Path: name.Draw(t, "path")},
			{Name: name.Draw(t, "catalog"), Blobs: append([]json.RawMessage{}, rapid.SliceOfN(values, 0, 4).Draw(t, "blobs")...)},
		}
	}
	if rapid.Bool().Draw(t, "with what-if") {
		w := scenario.WhatIf{Name: name.Draw(t, "what-if"), Force: rapid.SliceOfN(name, 0, 3).Draw(t, "force"), Pin: map[string]string{}}
		for _, sub := range s.Subscriptions {
			w.Pin[sub.Name] = name.Draw(t, "pin")
		}
		s.WhatIf = append(s.WhatIf, w)
	}
	if rapid.Bool().Draw(t, "with expectation") {
		set := testkit.Must(json.Marshal(rapid.SliceOfN(text, 1, 8).Draw(t, "set")))(t)
		s.Expect = slices.Concat(json.RawMessage(`{"status":"resolved","set":`), set, json.RawMessage(`}`))
	}
	return s
})

func TestWriteRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scenarios.Draw(t, "scenario")
		require.NoError(t, s.Validate(), "the generator makes valid scenarios")
		readsTheSame(t, s)
	})
}

func TestWriteFails(t *testing.T) {
	s := &scenario.Scenario{Catalogs: []scenario.Catalog{{Name: "c", Blobs: []json.RawMessage{json.RawMessage(`{"schema":`)}}}}
	require.ErrorContains(t, s.Write(&bytes.Buffer{}), "cannot be written")
	require.ErrorIs(t, new(scenario.Scenario).Write(new(testkit.Full)), testkit.ErrFull)
}

func TestAnEmptyScenarioIsWritten(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, new(scenario.Scenario).Write(&out))
	require.Equal(t, "{}\n", out.String())
	require.Equal(t, "{}", asJSON(t, parse(t, out.String())))
}

// FuzzScenario parses any bytes as a scenario: parsing does not panic and explains each
// rejection; an accepted scenario is written and read back the same, and resolving it ends in one
// of the four statuses. Catalogs are read only from the file itself.
func FuzzScenario(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "[]", "null", "namespace: a", everything, upgrade, base,
		problem("subscriptions: [{name: b, package: backup}]\nexpect: {status: resolved, set: [backup.v1.0.0]}"),
		problem("subscriptions: [{name: b, package: backup}]\nwhatif: [{name: w, forbid: [{bundle: etcd.v0.9.4}]}]\nexpect: {whatif: [{name: w}]}"),
		"a: &a [*a]", "<<: {namespace: b}", "namespace: !!binary aGk=", "catalogs: [{name: c, blobs: [1, null, [], {}]}]",
		"installed: [{name: a.v1, properties: [{type: olm.constraint, value: {all: {constraints: []}}}]}]",
		"{\"namespace\": \"a\", \"namespace\": \"b\"}", "\xff\xfe", "\ufeffnamespace: a",
	} {
		f.Add([]byte(seed))
	}
	runner := &scenario.Runner{Resolver: resolver.New(resolver.WithLimits(resolver.Limits{Solves: 200, Bundles: 1000, CELCost: 100_000})), NoCorrections: true}
	f.Fuzz(func(t *testing.T, data []byte) {
		ctx := context.Background()
		s, err := scenario.Parse(ctx, "p.yaml", data)
		if err != nil {
			require.NotEmpty(t, testkit.As[*scenario.Error](t, err).Problems)
			require.NotEmpty(t, err.Error())
			return
		}
		readsTheSame(t, s)
		for _, c := range s.Catalogs {
			if c.Path != "" {
				return
			}
		}
		require.NotEmpty(t, runner.Run(ctx, s).Status)
		if _, _, err := runner.Test(ctx, s); !errors.Is(err, scenario.ErrNoExpectation) {
			require.NoError(t, err)
		}
	})
}
