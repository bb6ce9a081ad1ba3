package helm_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/seed109e2655/resolute/examples/ecosystems/helm"
	"github.com/seed109e2655/resolute/examples/ecosystems/internal/upstream"
	"github.com/seed109e2655/resolute/resolver"
)

// files has the charts and the index of the project's test data.
type files struct{ dir string }

func (f files) Versions(_ context.Context, d helm.Dependency) ([]string, error) {
	local, isLocal := strings.CutPrefix(d.Repository, "file://")
	switch {
	case d.Repository == "" || isLocal:
		if d.Repository == "" {
			local = filepath.Join("charts", d.Name)
		}
		var chart struct{ Version string }
		data, err := os.ReadFile(filepath.Join(f.dir, "chartpath", local, "Chart.yaml"))
		if os.IsNotExist(err) {
			return nil, nil
		} else if err == nil {
			err = yaml.Unmarshal(data, &chart)
		}
		return []string{chart.Version}, err
	case d.Name != "alpine" && d.Name != "redis": // repoNames of the test; others are not looked up
		return []string{d.Version}, nil
	}
	var index struct {
		Entries map[string][]struct{ Version string }
	}
	data, err := os.ReadFile(filepath.Join(f.dir, "repository", "kubernetes-charts-index.yaml"))
	if err == nil {
		err = yaml.Unmarshal(data, &index)
	}
	var out []string
	for _, v := range index.Entries[d.Name] {
		out = append(out, v.Version)
	}
	return out, err
}

// TestResolve runs the project's cases.
func TestResolve(t *testing.T) {
	dir := upstream.Dir(t, "helm.sh/helm/v4@v4.3.1") + "/internal/resolver"
	cases := upstream.Tables(t, dir+"/resolver_test.go", "TestResolve", "tests")[0].([]any)
	require.Len(t, cases, 11)
	for _, c := range cases {
		t.Run(upstream.Get(c, "name").(string), func(t *testing.T) {
			got, err := helm.Lock(t.Context(), files{dir + "/testdata"}, dependencies(upstream.Get(c, "req")))
			if upstream.Get(c, "err") == upstream.Ident("true") {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, dependencies(upstream.Get(c, "expect", "Dependencies")), got)
		})
	}
}

func dependencies(list any) (out []helm.Dependency) {
	for _, d := range list.([]any) {
		text := func(field string) string { s, _ := upstream.Get(d, field).(string); return s }
		out = append(out, helm.Dependency{Name: text("Name"), Repository: text("Repository"), Version: text("Version")})
	}
	return out
}

type listed map[string][]string

func (l listed) Versions(_ context.Context, d helm.Dependency) ([]string, error) {
	return l[d.Name], nil
}

func TestAliases(t *testing.T) {
	charts := listed{"redis": {"18.0.0", "17.3.1", "17.0.0", "latest"}}
	got, err := helm.Lock(t.Context(), charts, []helm.Dependency{{Name: "redis", Alias: "cache", Version: "^17.0.0"}, {Name: "redis"}})
	require.NoError(t, err)
	require.Equal(t, []helm.Dependency{{Name: "redis", Alias: "cache", Version: "17.3.1"}, {Name: "redis", Version: "18.0.0"}}, got)
	_, err = helm.Lock(t.Context(), charts, []helm.Dependency{{Name: "redis"}, {Name: "redis", Version: "17.0.0"}})
	require.EqualError(t, err, "dependency redis: there are two of this name: give one an alias")
}

func TestEveryMissingChartIsExplained(t *testing.T) {
	_, err := helm.Lock(t.Context(), listed{"redis": {"18.0.0"}}, []helm.Dependency{{Name: "reddis"}, {Name: "redis", Version: "^17"}})
	var conflict *resolver.Conflict
	require.ErrorAs(t, err, &conflict)
	require.Len(t, conflict.All(), 2)
	require.NotRegexp(t, "(?i)olm|operator|bundle|subscription", conflict.Text())
}
