package upgrade_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/shards"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// fleet is clusters of three kinds: one that has to update before, one without a way on,
// and one that is ready; some are held back by two.
func fleet(t *testing.T) (*upgrade.Fleet, []string) {
	const others = "\nbar/stable bar.v1.0.0 max=4.18\nbaz/stable baz.v1.0.0"
	today := universe.Array(t, "foo/stable foo.v1.0.0 foo.v2.0.0\nbundle foo.v1.0.0 max=4.18"+others)
	next := universe.Content(t, "foo/stable foo.v2.0.0 replaces=foo.v1.0.0"+others)
	files := make([]string, 23)
	for i := range files {
		files[i] = fmt.Sprintf("cluster-%02d.yaml", i)
	}
	read := func(ctx context.Context, file string) (*scenario.Scenario, error) {
		var n int
		if _, err := fmt.Sscanf(file, "cluster-%d.yaml", &n); err != nil {
			return nil, err
		}
		if n == 7 {
			return nil, errors.New("this one cannot be read")
		}
		text := "catalogs:\n- name: community\n  namespace: olm\n  blobs: " + today + "\ncluster: {openshiftVersion: \"4.18\"}\n"
		var installed, subscriptions string
		for i, pkg := range []string{"foo", "bar", "baz"} {
			if n%4 == i || n%4 == 3 && i < 2 {
				installed += fmt.Sprintf("- {name: %s.v1.0.0}\n", pkg)
				subscriptions += fmt.Sprintf("- {name: %s, package: %s, channel: stable, installedCSV: %s.v1.0.0}\n", pkg, pkg, pkg)
			}
		}
		return scenario.Parse(ctx, file, []byte(text+"installed:\n"+installed+"subscriptions:\n"+subscriptions))
	}
	return &upgrade.Fleet{Read: read, Options: upgrade.Options{Versions: []upgrade.Version{{OpenShift: "4.19", Catalogs: []upgrade.NextCatalog{{For: "olm/community", Content: next}}}}}}, files
}

// lines are the JSON lines of a fleet, or of one shard of it.
func lines(t *testing.T, f *upgrade.Fleet, files []string) (string, *upgrade.Summary) {
	var out bytes.Buffer
	sum, err := f.Run(context.Background(), files, func(r *upgrade.Report) error { return r.WriteLine(&out) })
	require.NoError(t, err)
	require.NoError(t, sum.WriteLine(&out))
	return out.String(), sum
}

// TestShardsMakeTheWhole: byte for byte, for any number of shards and in any order.
func TestShardsMakeTheWhole(t *testing.T) {
	defer goleak.VerifyNone(t)
	f, files := fleet(t)
	whole, sum := lines(t, f, files)
	require.Equal(t, 23, sum.Clusters)
	require.Equal(t, 1, sum.Invalid)
	// Of 0 to 22 without 7: six have foo alone, six bar, six baz, and four foo and bar.
	require.Equal(t, []int{6, 6, 10}, []int{sum.Ready, sum.Before, sum.Blocked})
	require.Equal(t, "bar", sum.Operators[0].Package)
	require.Equal(t, []int{10, 6}, []int{sum.Operators[0].Clusters, sum.Operators[0].Alone})
	require.Equal(t, upgrade.Move{Bundle: "foo.v1.0.0", Verdict: upgrade.UpdateBefore, To: "foo.v2.0.0", Clusters: 10}, sum.Operators[1].Moves[0])
	require.Equal(t, []upgrade.Freed{{Package: "bar", Clusters: 6, Total: 6}, {Package: "foo", Clusters: 10, Total: 16}}, sum.Free)
	for _, shards := range []int{1, 2, 3, 23, 30} {
		var parts []io.Reader
		for i := range shards {
			part := *f
			part.Shard, part.Shards, part.Workers = shards-1-i, shards, 1+i%3
			text, _ := lines(t, &part, files)
			parts = append(parts, strings.NewReader(text))
		}
		var merged bytes.Buffer
		sum, err := upgrade.Merge(func(r *upgrade.Report) error { return r.WriteLine(&merged) }, parts...)
		require.NoError(t, err, "%d shards", shards)
		require.NoError(t, sum.WriteLine(&merged))
		require.Equal(t, whole, merged.String(), "%d shards", shards)
	}
}

func nothing(*upgrade.Report) error { return nil }

// TestMergeRefuses: input that is not a shard of a fleet, or missing shards.
func TestMergeRefuses(t *testing.T) {
	f, files := fleet(t)
	f.Shards = 2
	part, _ := lines(t, f, files)
	_, short, _ := strings.Cut(part, "\n")
	for want, input := range map[string]string{"missing shards 1/2; run them and merge again": part, "the input has 11 reports but its summary counts 12": short, "it has no status": "{}\n"} {
		_, err := upgrade.Merge(nothing, strings.NewReader(input))
		testkit.As[*shards.FormatError](t, err)
		require.ErrorContains(t, err, want)
	}
}

// TestUnusedCatalog: a catalog that replaces none is an error.
func TestUnusedCatalog(t *testing.T) {
	f, files := fleet(t)
	f.Versions[0].Catalogs[0].For = "olm/comunity"
	_, err := f.Run(context.Background(), files[:1], func(*upgrade.Report) error { return nil })
	testkit.As[*upgrade.UnusedCatalogError](t, err)
	require.ErrorContains(t, err, "did you mean olm/community?")
}

// TestFleetStops: an error of the caller ends the work, and so does the context; no
// goroutine is left behind.
func TestFleetStops(t *testing.T) {
	defer goleak.VerifyNone(t)
	f, files := fleet(t)
	enough := errors.New("enough")
	_, err := f.Run(context.Background(), files, func(*upgrade.Report) error { return enough })
	require.ErrorIs(t, err, enough)
	ctx, cancel := context.WithCancel(context.Background())
	_, err = f.Run(ctx, files, func(*upgrade.Report) error { cancel(); return nil })
	require.ErrorIs(t, err, context.Canceled)
}

// TestScenariosOfOneCluster: they are counted and upgraded once, and blocked if one of them
// is; what is to do names its namespace.
func TestScenariosOfOneCluster(t *testing.T) {
	f, _ := fleet(t)
	read := f.Read
	ids := map[string]string{"cluster-00.yaml": "one", "cluster-01.yaml": "one", "cluster-02.yaml": "two"}
	f.Read = func(ctx context.Context, file string) (*scenario.Scenario, error) {
		s, err := read(ctx, file)
		if err == nil {
			s.Cluster.ID, s.Namespace = ids[file], "ns-"+strings.TrimSuffix(file, ".yaml")
		}
		return s, err
	}
	var reports []*upgrade.Report
	sum, err := f.Run(t.Context(), []string{"cluster-00.yaml", "cluster-02.yaml", "cluster-04.yaml", "cluster-01.yaml"}, func(r *upgrade.Report) error {
		reports = append(reports, r)
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []int{3, 1, 1, 1}, []int{sum.Clusters, sum.Ready, sum.Before, sum.Blocked})
	one := reports[0]
	require.Equal(t, upgrade.Blocked, one.Status, "bar of cluster-01 has no way on")
	require.Equal(t, []string{"one", ""}, []string{one.Cluster, one.File})
	require.Equal(t, []string{"ns-cluster-01", "ns-cluster-00"}, []string{one.Operators[0].Namespace, one.Operators[1].Namespace})
	require.Len(t, one.Order, 1, "a blocked cluster does not move")
	require.Equal(t, "ns-cluster-00", one.Order[0].Namespace)
	require.Equal(t, "two", reports[1].Cluster)
	require.Equal(t, "cluster-04.yaml", reports[2].File)
	require.Empty(t, reports[2].Operators[0].Namespace)
	var text bytes.Buffer
	require.NoError(t, one.WriteText(&text, nil))
	require.Contains(t, text.String(), "cluster-00.yaml and cluster-01.yaml: cluster one: blocked")
	require.Contains(t, text.String(), "1. before: upgrade foo.v1.0.0 to foo.v2.0.0 from channel stable of olm/community in namespace ns-cluster-00")
}

// TestMoveToTheSameVersion: it is a mistake, and no answer.
func TestMoveToTheSameVersion(t *testing.T) {
	req := resolver.Request{}
	req.Cluster.OpenShiftVersion, req.Cluster.KubernetesVersion = "4.19", "1.32.0"
	for _, next := range [][]upgrade.Version{{{OpenShift: "4.19"}}, {{Kubernetes: "1.32.0"}}, {{OpenShift: "4.20"}, {OpenShift: "4.20"}}, {{}}} {
		_, err := upgrade.Check(t.Context(), resolver.New(), req, upgrade.Options{Versions: next})
		testkit.As[*resolver.RequestError](t, err)
		require.ErrorContains(t, err, "the cluster already has this version")
	}
	_, err := upgrade.Check(t.Context(), resolver.New(), req, upgrade.Options{Versions: []upgrade.Version{{OpenShift: "4.20"}}})
	require.NoError(t, err)
}

// TestClusterNames: a report names its cluster as the scenario does, else by its files.
func TestClusterNames(t *testing.T) {
	for want, r := range map[string]upgrade.Report{
		"cluster prod-eu":          {ClusterName: "prod-eu", File: "a.yaml", Cluster: "sha256:1"},
		"a.yaml":                   {File: "a.yaml"},
		"a.yaml: cluster sha256:1": {File: "a.yaml", Cluster: "sha256:1"},
		"a.yaml, b.yaml, … d.yaml (4 in all): cluster x1": {Files: []string{"a.yaml", "b.yaml", "c.yaml", "d.yaml"}, Cluster: "x1"},
		"cluster x1": {Cluster: "x1"},
	} {
		require.Equal(t, want, r.Name())
	}
	f, _ := fleet(t)
	read := f.Read
	f.Read = func(ctx context.Context, file string) (*scenario.Scenario, error) {
		s, err := read(ctx, file)
		if err == nil {
			s.Cluster.Name = "eu-1"
		}
		return s, err
	}
	_, err := f.Run(t.Context(), []string{"cluster-00.yaml"}, func(r *upgrade.Report) error {
		require.Equal(t, "cluster eu-1", r.Name())
		require.Equal(t, "cluster-00.yaml", r.File)
		return nil
	})
	require.NoError(t, err)
}
