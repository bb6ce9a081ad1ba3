package olm_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// capture captures dumps of the operating system.
func capture(t testing.TB, opts olm.Options, paths ...string) *olm.Capture {
	var c olm.Cluster
	for _, path := range paths {
		require.NoError(t, c.ReadFile(t.Context(), path))
	}
	return captureOf(t, &c, opts)
}

// captureOf captures a cluster.
func captureOf(t testing.TB, c *olm.Cluster, opts olm.Options) *olm.Capture {
	return testkit.Must(c.Capture(t.Context(), opts))(t)
}

// expected are the expected results of a dump, from the file beside it.
type expected struct {
	Catalogs          map[string]int
	KubernetesVersion string
	OpenShiftVersion  string
	Namespaces        map[string]struct {
		Automatic, Findings, Installed []string
		Status                         string
		Subscriptions                  map[string]*string
	}
}

func readExpected(t testing.TB, path string) expected {
	text := testkit.Must(os.ReadFile(path))(t)
	var want expected
	require.NoError(t, json.Unmarshal(text, &want))
	return want
}

// Both formats of the dump of a shop's cluster give the expected results.
func TestShop(t *testing.T) {
	want := readExpected(t, testkit.Real(t, "clusters/shop.expected.json"))
	catalog := testkit.Real(t, "community-v4.19-full.jsonl.gz")
	opts := olm.Options{Catalogs: map[string]string{"openshift-marketplace/community-operators": catalog}}
	for _, file := range []string{"clusters/shop.list.yaml.gz", "clusters/shop.must-gather.tar.gz"} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			got := capture(t, opts, testkit.Real(t, file))
			require.Empty(t, got.Problems)
			checkShop(t, want, got)
			if filepath.Ext(filepath.Base(file[:len(file)-3])) == ".tar" {
				require.Equal(t, want.OpenShiftVersion, got.Cluster.OpenShiftVersion)
				require.Equal(t, want.KubernetesVersion, got.Cluster.KubernetesVersion)
			}
		})
	}
}

func checkShop(t *testing.T, want expected, got *olm.Capture) {
	catalogs := make(map[string]int)
	for _, c := range got.Catalogs {
		catalogs[c.Key] = c.Priority
		require.True(t, c.Healthy)
	}
	require.Equal(t, want.Catalogs, catalogs)
	require.Len(t, got.Namespaces, len(want.Namespaces))
	for _, ns := range got.Namespaces {
		w, known := want.Namespaces[ns.Namespace]
		require.True(t, known, ns.Namespace)
		codes, installed, automatic := []string{}, []string{}, []string(nil)
		for _, f := range ns.Findings {
			codes = append(codes, string(f.Code))
			require.NotEmpty(t, f.Message)
		}
		for _, in := range ns.Scenario.Installed {
			installed = append(installed, in.Name)
			if in.Automatic {
				automatic = append(automatic, in.Name)
			}
		}
		require.ElementsMatch(t, w.Findings, codes, ns.Namespace)
		require.ElementsMatch(t, w.Installed, installed, ns.Namespace)
		require.ElementsMatch(t, w.Automatic, automatic, ns.Namespace)
		subs := make(map[string]*string)
		for _, s := range ns.Scenario.Subscriptions {
			subs[s.Name] = nil
			if s.InstalledCSV != "" {
				subs[s.Name] = &s.InstalledCSV
			}
		}
		require.Equal(t, w.Subscriptions, subs, ns.Namespace)
		if w.Status != "" {
			require.Equal(t, w.Status, string(ns.Observed.Status))
		}
	}
}

// Every scenario of the shop is answered as OLM answers it. If an unowned operator blocks it,
// adopting it is a correction.
func TestShopResolves(t *testing.T) {
	opts := olm.Options{Catalogs: map[string]string{"openshift-marketplace/community-operators": testkit.Real(t, "community-v4.19-full.jsonl.gz")}}
	got := capture(t, opts, testkit.Real(t, "clusters/shop.must-gather.tar.gz"))
	runner := scenario.Runner{Loader: new(scenario.Loader)}
	for _, ns := range got.Namespaces {
		answer := runner.Run(t.Context(), ns.Scenario)
		want := scenario.Resolved
		switch ns.Namespace {
		case "team-b": // the channel has two heads in this catalog
			want = scenario.Unsatisfiable
			require.Contains(t, answer.Conflict.Text(), "2 heads")
		case "team-c":
			want = scenario.Unsatisfiable
			require.True(t, slices.ContainsFunc(answer.Conflict.Corrections, func(c resolver.Correction) bool {
				return len(c.Changes) == 1 && c.Changes[0].Change.Kind() == resolver.ChangeAdoptInstalled && c.Changes[0].Change.Subject() == "argocd-operator.v0.8.0"
			}))
		}
		require.Equal(t, want, answer.Status, "%s: %s", ns.Namespace, answer.Error)
	}
}

// Both formats of a dump give identical scenarios, except for the ID and versions of the cluster,
// which a list of OLM's objects lacks: its ID is a digest, the same in each scenario.
func TestFormsAgree(t *testing.T) {
	list := capture(t, olm.Options{}, testkit.Real(t, "clusters/shop.list.yaml.gz"))
	gathered := capture(t, olm.Options{}, testkit.Real(t, "clusters/shop.must-gather.tar.gz"))
	require.NotEmpty(t, gathered.Cluster.OpenShiftVersion)
	for _, c := range []*olm.Capture{list, gathered} {
		for i := range c.Namespaces {
			s := c.Namespaces[i].Scenario
			require.NotEmpty(t, s.Cluster.ID)
			require.Equal(t, c.Cluster.ID, s.Cluster.ID)
			s.Cluster.ID, s.Cluster.KubernetesVersion, s.Cluster.OpenShiftVersion = "", "", ""
		}
		c.Cluster = olm.Versions{}
	}
	require.Equal(t, marshal(t, list), marshal(t, gathered))
}

func marshal(t testing.TB, v any) string {
	return string(testkit.Must(json.MarshalIndent(v, "", " "))(t))
}
