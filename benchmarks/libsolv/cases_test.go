package libsolv_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/benchmarks/libsolv"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// request makes the request of a case; without a subscription, it subscribes
// to a.
func request(t testing.TB, c testkit.Case, lines string) resolver.Request {
	t.Helper()
	if !strings.Contains(lines, "subscribe ") {
		lines += "\nsubscribe a"
	}
	req := universe.Request(t, "catalog default/c\n"+lines)
	req.Policy = resolver.Policy{Upgrades: resolver.Upgrades(c.Part("upgrades").Rest), Compounds: resolver.Compounds(c.Part("compounds").Rest)}
	for _, kind := range c.Rests("serves") {
		req.Cluster.APIs = append(req.Cluster.APIs, properties.GVK{Group: "example.com", Version: "v1", Kind: kind})
	}
	for range c.All("needsB") {
		needs := properties.NewSet(universe.Property(t, properties.TypePackageRequired, `{"packageName":"b","versionRange":">=1.0.0"}`))
		req.Installed[0].Properties = &needs
	}
	return req
}

func cases(t testing.TB) []testkit.Case {
	return testkit.Cases(t, "testdata/cases.txt", "satisfiable", "refused", "upgrades", "compounds", "serves", "needsB")
}

func TestEachPartIsTranslated(t *testing.T) {
	needTestsolv(t)
	for _, c := range cases(t) {
		t.Run(c.Name, func(t *testing.T) {
			for _, want := range append(c.All("satisfiable"), c.All("refused")...) {
				require.Equal(t, want.Verb == "satisfiable", agree(t.Context(), t, t.TempDir(), request(t, c, want.Text())))
			}
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
		testkit.As[*libsolv.InexpressibleError](t, err)
		require.ErrorContains(t, err, what)
	}
}

func TestTranslateGivesTheSameBytes(t *testing.T) {
	req := universe.Request(t, "catalog default/c\na/s a.v1\nb/s b.v1\nd/s d.v1\nsubscribe a\nrequire a.v1 not(all(b@>=1.0.0, d@>=1.0.0))")
	one := testkit.Must(libsolv.Translate(t.Context(), req))(t)
	two := testkit.Must(libsolv.Translate(t.Context(), req))(t)
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
	require.ErrorContains(t, err, "testsolv cannot solve")
	ctx := testkit.Ended()
	_, err = libsolv.Run(ctx, broken)
	require.ErrorIs(t, err, context.Canceled)
	_, err = (&libsolv.Testcase{}).Write(filepath.Join(t.TempDir(), "nowhere"))
	require.Error(t, err)
}
