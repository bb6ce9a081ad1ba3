package scenario_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/draw"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// explained returns the explanation of a bundle in a problem over the small catalog, as JSON and
// as text.
func explained(t *testing.T, keys, bundle string) (asJSON, text string) {
	why := testkit.Must(new(scenario.Runner).Explain(context.Background(), parse(t, problem(keys)), bundle))(t)
	data := testkit.Must(json.Marshal(why))(t)
	return string(data), why.Text()
}

// The chain connects the request with a selected bundle; each link has a shape of the format.
func TestExplainSelected(t *testing.T) {
	for name, tc := range map[string]struct{ keys, bundle, chain string }{
		"asked for": {"subscriptions: [{name: b, package: backup}]", "backup.v1.0.0", `[{"subscription":"b"}]`},
		"required": {"subscriptions: [{name: b, package: backup}]", "etcd.v0.9.4",
			`[{"subscription":"b"},{"bundle":"backup.v1.0.0","constraint":"an operator that provides etcd.example.com/v1/EtcdCluster"}]`},
		"installed":         {"installed: [{name: etcd.v0.9.2}]", "etcd.v0.9.2", `[{"installed":true}]`},
		"kept by its owner": {"installed: [{name: etcd.v0.9.4}]\nsubscriptions: [{name: e, package: etcd, installedCSV: etcd.v0.9.4}]", "etcd.v0.9.4", `[{"subscription":"e"}]`},
		"admitted": {"subscriptions: [{name: x, package: none}, {name: e, package: etcd}]\npolicy: {failures: Partial}", "etcd.v0.9.4",
			`[{"subscription":"e"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			got, text := explained(t, tc.keys, tc.bundle)
			require.Equal(t, `{"bundle":"`+tc.bundle+`","in":true,"chain":`+tc.chain+`}`, got)
			require.True(t, strings.HasPrefix(text, tc.bundle+" is in the result"), text)
		})
	}
}

// The explanation names the preferred bundle and the rule.
func TestExplainBetterCandidate(t *testing.T) {
	why, err := new(scenario.Runner).Explain(context.Background(), parse(t, problem("subscriptions: [{name: e, package: etcd}]")), "etcd.v0.9.2")
	require.NoError(t, err)
	require.False(t, why.In)
	require.Nil(t, why.Conflict)
	require.Empty(t, why.Chain)
	require.Equal(t, "etcd.v0.9.4", why.Better.Bundle)
	require.NotEmpty(t, why.Better.Rule)
	require.Equal(t, []string{"bundle", "in", "better"}, keys(t, testkit.Must(json.Marshal(why))(t)))
	require.Contains(t, why.Text(), "etcd.v0.9.4 is selected instead")
	require.Contains(t, why.Text(), why.Better.Rule)
}

// Without demand no bundle is preferred, and the key is absent.
func TestExplainWithoutDemand(t *testing.T) {
	got, _ := explained(t, "subscriptions: [{name: e, package: etcd}]", "backup.v1.0.0")
	require.Equal(t, `{"bundle":"backup.v1.0.0","in":false,"better":{"rule":"nothing in the result requires it"}}`, got)
}

// The conflict is the one that selecting the bundle would cause.
func TestExplainConflict(t *testing.T) {
	why := testkit.Must(new(scenario.Runner).Explain(context.Background(), parse(t, problem(`
subscriptions: [{name: e, package: etcd}]
forbid: [{bundle: etcd.v0.9.2, message: known data loss}]
`)), "etcd.v0.9.2"))(t)
	require.False(t, why.In)
	require.Nil(t, why.Better)
	kinds := testkit.Map(why.Conflict.Facts, func(f argument.Fact) string { return string(f.Kind) })
	require.Contains(t, kinds, "forbidden")
	require.Contains(t, why.Text(), "cannot be")
	require.Contains(t, why.Text(), "known data loss")
	require.Equal(t, []string{"bundle", "in", "conflict"}, keys(t, testkit.Must(json.Marshal(why))(t)))
}

// Under policy Partial, the conflict of a subscription explains the absence of its package.
func TestExplainUnresolved(t *testing.T) {
	left := "installed: []\nsubscriptions: [{name: e, package: etcd}, {name: b, package: backup, channel: beta}]\npolicy: {failures: Partial}"
	why := testkit.Must(new(scenario.Runner).Explain(context.Background(), parse(t, problem(left)), "backup.v1.0.0"))(t)
	require.Nil(t, why.Better)
	require.Equal(t, argument.FactNoCandidate, why.Conflict.Facts[1].Kind)
	require.True(t, strings.HasPrefix(why.Text(), "backup.v1.0.0 is not in the result: its subscription is unresolved.\n"), why.Text())

	got, _ := explained(t, left, "etcd.v0.9.2")
	require.Contains(t, got, `"better":{"bundle":"etcd.v0.9.4"`)
}

// Bundles with the same name in two catalogs are distinguished.
func TestExplainABundleOfOneCatalog(t *testing.T) {
	s := parse(t, "catalogs:\n- name: c\n  namespace: olm\n  blobs:"+small+"- name: d\n  namespace: olm\n  priority: 1\n  blobs:"+small+
		"subscriptions: [{name: e, package: etcd}]")
	for bundle, in := range map[string]bool{"olm/c:etcd.v0.9.4": false, "olm/d:etcd.v0.9.4": true, "etcd.v0.9.4": true} {
		why := testkit.Must(new(scenario.Runner).Explain(context.Background(), s, bundle))(t)
		require.Equal(t, in, why.In, bundle)
		require.Equal(t, "etcd.v0.9.4", why.Bundle)
	}
}

func TestExplainErrors(t *testing.T) {
	ended := testkit.Ended()
	etcd := problem("subscriptions: [{name: e, package: etcd}]")

	_, err := new(scenario.Runner).Explain(context.Background(), parse(t, etcd), "etcd.v0.9.5")
	require.ErrorContains(t, err, `"etcd.v0.9.5": no catalog and nothing installed has a bundle of this name; did you mean`)
	_, err = new(scenario.Runner).Explain(context.Background(), parse(t, etcd), "default/c:")
	require.ErrorContains(t, err, "no catalog and nothing installed", "a catalog alone is no bundle")

	_, err = new(scenario.Runner).Explain(ended, parse(t, etcd), "etcd.v0.9.4")
	require.ErrorIs(t, err, context.Canceled)
	var incomplete *resolver.IncompleteError
	few := &scenario.Runner{Resolver: resolver.New(resolver.WithLimits(resolver.Limits{Bundles: 1}))}
	_, err = few.Explain(context.Background(), parse(t, problem("subscriptions: [{name: b, package: backup}]")), "etcd.v0.9.4")
	require.ErrorAs(t, err, &incomplete)

	_, err = new(scenario.Runner).Explain(context.Background(), &scenario.Scenario{Subscriptions: []scenario.Subscription{{Name: "a"}}}, "a.v1")
	malformed := testkit.As[*scenario.Error](t, err)
	_, err = new(scenario.Runner).Explain(context.Background(), parse(t, problem("subscriptions: [{name: e, package: etcd}, {name: e, package: etcd}]")), "etcd.v0.9.4")
	require.ErrorAs(t, err, &malformed)
	require.Contains(t, err.Error(), "problem.yaml:", "the line of the scenario's file")
}

// The conflict of the scenario itself is the error, with corrections if enabled.
func TestExplainWithoutASolution(t *testing.T) {
	s := parse(t, problem("subscriptions: [{name: e, package: etcd, channel: beta}]"))
	for _, without := range []bool{false, true} {
		_, err := (&scenario.Runner{NoCorrections: without}).Explain(context.Background(), s, "etcd.v0.9.4")
		require.Equal(t, without, len(testkit.As[*resolver.Conflict](t, err).Corrections) == 0)
	}
}

// The conflict in an answer has its argument and graph.
func TestAnswersHoldTheResolversConflict(t *testing.T) {
	a := new(scenario.Runner).Run(context.Background(), parse(t, problem("subscriptions: [{name: e, package: etcd, channel: beta}]")))
	require.Contains(t, testkit.Written(t, draw.Conflict(a.Conflict.Argument()).WriteMermaid), "flowchart")
	require.Equal(t, a.Conflict.Text(), a.Conflict.Argument().Text())

	a = new(scenario.Runner).Run(context.Background(), parse(t, problem("subscriptions: [{name: e, package: etcd, channel: beta}]\npolicy: {failures: Partial}")))
	require.NotEmpty(t, a.Unresolved[0].Conflict.Argument().Statements)
}
