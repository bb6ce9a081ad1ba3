package clusterapi_test

import (
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/examples/ecosystems/clusterapi"
	"github.com/seed109e2655/resolute/examples/ecosystems/internal/upstream"
	"github.com/seed109e2655/resolute/resolver"
)

const (
	module   = "sigs.k8s.io/cluster-api@v1.11.3"
	tests    = "/cmd/clusterctl/client/cluster/upgrader_test.go"
	current  = "currentcontractversion"
	stillOld = "oldcontractversionstillsupported"
)

// supports is getCompatibleContractVersions of the project's tests.
func supports(contract string) []string {
	if contract == current {
		return []string{current, stillOld}
	}
	return []string{contract}
}

// clusterOf reads the fields of a case: the releases with the contract of their series, and the
// providers that are installed.
func clusterOf(t *testing.T, fields any) *clusterapi.Cluster {
	c := &clusterapi.Cluster{Supports: supports}
	for _, installed := range upstream.Calls(upstream.Get(fields, "proxy"), "WithProviderInventory") {
		p := clusterapi.Provider{Name: installed.Args[0].(string), Installed: parse(t, installed.Args[2].(string))}
		repository := upstream.Get(fields, "repository", p.Name)
		if repository == nil {
			repository = upstream.Get(fields, "repository", "infrastructure-"+p.Name)
		}
		series := make(map[[2]int]string)
		for _, m := range upstream.Calls(repository, "WithMetadata") {
			for _, of := range upstream.Get(m.Args[1], "ReleaseSeries").([]any) {
				major, _ := upstream.Get(of, "Major").(int)
				minor, _ := upstream.Get(of, "Minor").(int)
				series[[2]int{major, minor}] = contract(of)
			}
		}
		for _, text := range upstream.Strings(upstream.Calls(repository, "WithVersions")[0].Args) {
			v := parse(t, text)
			p.Releases = append(p.Releases, clusterapi.Release{Version: v, Contract: series[[2]int{int(v.Major), int(v.Minor)}]})
		}
		if p.Name == "cluster-api" {
			c.Core = p
		} else {
			c.Others = append(c.Others, p)
		}
	}
	return c
}

// contract is the name of the constant of a contract, as an API version.
func contract(of any) string {
	return strings.ToLower(string(upstream.Get(of, "Contract").(upstream.Ident)))
}

func parse(t *testing.T, version string) semver.Version {
	v, err := semver.ParseTolerant(version)
	require.NoError(t, err)
	return v
}

// next reads the providers of an upgrade plan that move.
func next(t *testing.T, items any) map[string]semver.Version {
	out := make(map[string]semver.Version)
	for _, item := range items.([]any) {
		if to, _ := upstream.Get(item, "NextVersion").(string); to != "" {
			out[upstream.Get(item, "Provider").(upstream.Call).Args[0].(string)] = parse(t, to)
		}
	}
	return out
}

// partial is a case with another answer: the infra provider implements the next contract already.
// clusterctl plans an upgrade of the core provider within the current contract, which leaves the two
// apart, and drops the plan that brings them together, because the infra provider has no release left.
const partial = "Partial upgrades for next contract"

// TestPlan runs the cases of Test_providerUpgrader_Plan.
func TestPlan(t *testing.T) {
	cases := upstream.Tables(t, upstream.Dir(t, module)+tests, "Test_providerUpgrader_Plan", "tests")[0].([]any)
	require.Len(t, cases, 7)
	for _, c := range cases {
		t.Run(upstream.Get(c, "name").(string), func(t *testing.T) {
			var want []clusterapi.Plan
			for _, p := range upstream.Get(c, "want").([]any) {
				want = append(want, clusterapi.Plan{Contract: contract(p), Next: next(t, upstream.Get(p, "Providers"))})
			}
			got, err := clusterOf(t, upstream.Get(c, "fields")).Plans(t.Context())
			require.NoError(t, err)
			if upstream.Get(c, "name") == partial {
				want = []clusterapi.Plan{{Contract: "nextcontractversionnotsupportedyet", Next: map[string]semver.Version{"cluster-api": parse(t, "2.0.0")}}}
			}
			require.ElementsMatch(t, want, got)
		})
	}
}

// TestCustomPlan runs the cases of Test_providerUpgrader_createCustomPlan.
func TestCustomPlan(t *testing.T) {
	cases := upstream.Tables(t, upstream.Dir(t, module)+tests, "Test_providerUpgrader_createCustomPlan", "tests")[0].([]any)
	require.Len(t, cases, 11)
	for _, c := range cases {
		t.Run(upstream.Get(c, "name").(string), func(t *testing.T) {
			targets := next(t, upstream.Get(c, "args", "providersToUpgrade"))
			got, err := clusterOf(t, upstream.Get(c, "fields")).Upgrade(t.Context(), current, targets)
			if upstream.Get(c, "wantErr") == upstream.Ident("true") {
				var conflict *resolver.Conflict
				require.ErrorAs(t, err, &conflict)
				require.NotRegexp(t, "(?i)olm|operator|bundle|subscription", strings.ReplaceAll(conflict.Text(), "olm.", ""))
				return
			}
			require.NoError(t, err)
			require.Equal(t, next(t, upstream.Get(c, "want", "Providers")), got)
		})
	}
}
