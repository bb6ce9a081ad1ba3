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

// testCase is a universe, whether its request can be satisfied, and what lines do not say
// of the request.
type testCase struct {
	lines       string
	satisfiable bool
	change      func(*resolver.Request)
}

// request makes the request of a case: without a line that subscribes, it is for a.
func (c testCase) request(t testing.TB) resolver.Request {
	t.Helper()
	if !strings.Contains(c.lines, "subscribe ") {
		c.lines += "\nsubscribe a"
	}
	req := universe.Request(t, "catalog default/c\n"+c.lines)
	if c.change != nil {
		c.change(&req)
	}
	return req
}

// What is satisfiable here was worked out by hand from the semantics.
func cases() map[string]testCase {
	const (
		needsB    = "a/s a.v1 needs=b@>=1.0.0\n"
		notB      = "a/s a.v1\nrequire a.v1 not(b@>=1.0.0)\n"
		anyOrNotB = "a/s a.v1\nrequire a.v1 any(nowhere@>=1.0.0, not(b@>=1.0.0))\nb/s b.v1\n"
		notBoth   = "a/s a.v1\nrequire a.v1 not(all(b@>=1.0.0, d@>=1.0.0))\nb/s b.v1\nd/s d.v1\nsubscribe a\nsubscribe b\n"
		both      = "a/s a.v1\nrequire a.v1 all(b@>=1.0.0, d@>=1.0.0)\nb/s b.v1\nd/s d.v1"
		finds     = "a/s a.v1\nb/s b.v1\nproperty b.v1 x 1\nrequire a.v1 cel(properties.exists(p, p.type == 'x' && p.value == "
		labelled  = "a/s a.v1\nb/s b.v1\nproperty a.v1 olm.label.required {\"label\":\"l\"}\nproperty b.v1 olm.label "
		owned     = "b/s b.v1 b.v2 b.v3\ninstalled b.v1\nsubscribe a\nsubscribe b at=b.v1\na/s a.v1 needs=b@>="
		andB      = "subscribe a\nsubscribe b"
	)
	return map[string]testCase{
		"barred bundles are never newly chosen":  {lines: needsB + "b/s b.v1 barred"},
		"what is forbidden cannot be chosen":     {lines: needsB + "b/s b.v1\nforbid b.v1"},
		"what is forbidden leaves the others":    {lines: needsB + "b/s b.v1.0 b.v1.1\nforbid b.v1.0", satisfiable: true},
		"not excludes others":                    {lines: notB + "b/s b.v1\n" + andB},
		"not excludes the bundle itself":         {lines: "a/s a.v1 provides=K\nrequire a.v1 not(K)"},
		"not of an absent thing holds":           {lines: notB + "b/s b.v1", satisfiable: true},
		"any chooses the not":                    {lines: anyOrNotB, satisfiable: true},
		"any of impossible and excluded":         {lines: anyOrNotB + andB},
		"any whose not the bundle itself breaks": {lines: "a/s a.v1\nrequire a.v1 any(nowhere@>=1.0.0, not(a@>=1.0.0))"},
		"not of all needs one of them absent":    {lines: notBoth, satisfiable: true},
		"not of all fails where all are there":   {lines: notBoth + "subscribe d"},
		"double negation requires":               {lines: "a/s a.v1\nrequire a.v1 not(not(nowhere@>=1.0.0))"},
		"an empty any does not hold":             {lines: "a/s a.v1\nproperty a.v1 olm.constraint {\"any\":{\"constraints\":[]}}"},
		"an empty all holds":                     {lines: "a/s a.v1\nproperty a.v1 olm.constraint {\"all\":{\"constraints\":[]}}", satisfiable: true},
		"pre-releases come before the release":   {lines: needsB + "b/s b.v1.0.0-alpha"},
		"numeric pre-releases are ordered":       {lines: "a/s a.v1 needs=b@>1.0.0-beta.2\nb/s b.v1.0.0-beta.11", satisfiable: true},
		"a range may have alternatives":          {lines: "a/s a.v1 needs=\"b@<1.0.0 || >2.0.0\"\nb/s b.v1.5"},
		"a range may have two ends":              {lines: "a/s a.v1 needs=\"b@>=1.0.0 <2.0.0\"\nb/s b.v0.5 b.v2"},
		"a version is met by itself alone":       {lines: "a/s a.v1 needs=b@1.0.0\nb/s b.v1.0.1"},
		"the cluster serves the API": {lines: "a/s a.v1 needs=K", satisfiable: true, change: func(req *resolver.Request) {
			req.Cluster.APIs = []properties.GVK{{Group: "example.com", Version: "v1", Kind: "K"}}
		}},
		"nothing provides the API":                   {lines: "a/s a.v1 needs=K"},
		"two providers clash":                        {lines: "a/s a.v1 provides=K\nb/s b.v1 provides=K\n" + andB},
		"one provider does not clash with itself":    {lines: "a/s a.v1 provides=K needs=K", satisfiable: true},
		"a label is provided":                        {lines: labelled + `{"label":"l"}`, satisfiable: true},
		"a label is missing":                         {lines: labelled + `{"label":"m"}`},
		"an installed bundle without an owner stays": {lines: "a/s a.v1 needs=b@>=2.0.0\nb/s b.v1 b.v2\ninstalled b.v1"},
		"an owned one moves one edge":                {lines: owned + "2.0.0", satisfiable: true},
		"an owned one does not move two edges":       {lines: owned + "3.0.0"},
		"self-certified moves anywhere": {lines: owned + "3.0.0", satisfiable: true, change: func(req *resolver.Request) {
			req.Policy.Upgrades = "SelfCertified"
		}},
		"an edge may lead to another package": {lines: "a/s a.v0.9 a.v1\nrequire a.v1 not(b@>=1.0.0)\nb/s b.v1\ninstalled a.v0.9\nsubscribe a at=a.v0.9", satisfiable: true},
		"an installed bundle's constraints count": {lines: "a/s a.v1\ninstalled old.v1 package=old version=1.0.0", change: func(req *resolver.Request) {
			req.Installed[0].Properties = &needsB1
		}},
		"startingCSV is the only one": {lines: "a/s a.v1.0 a.v1.1\nbundle a.v1.0 needs=b@>=1.0.0\nsubscribe a starting=a.v1.0"},
		"no package of that name":     {lines: "a/s a.v1\nsubscribe x"},
		"CEL finds its match":         {lines: finds + "1))", satisfiable: true},
		"CEL finds no match":          {lines: finds + "2))"},
		"one bundle alone, of all": {lines: both, change: func(req *resolver.Request) {
			req.Policy.Compounds = "PerBundle"
		}},
		"all through two bundles":       {lines: both, satisfiable: true},
		"build metadata does not count": {lines: "a/s a.v1 needs=b@1.0.0\nb/s b.v1.0.0+x", satisfiable: true},
		// The operator of one package takes over from that of another, which then has to go.
		"an edge may come from another package": {lines: "new/s new.v1 replaces=old.v1\nrequire new.v1 not(old@>=0.0.0)\n" +
			"installed old.v1 package=old version=1.0.0\nsubscribe s package=new at=old.v1\nsubscribe t package=new", satisfiable: true},
		// Of two bundles of one version, the wanted one is the second.
		"two bundles of one version are two":          {lines: "a/s a.first version=1.0.0\na/s a.second replaces=a.first version=1.0.0 needs=x@1.0.0\nsubscribe a starting=a.first", satisfiable: true},
		"two versions with equal precedence, one out": {lines: needsB + "b/s b.v1.0.0+x b.v1.0.0+y\nbundle b.v1.0.0+x barred", satisfiable: true},
	}
}

// needsB1 are the properties of a bundle that requires b.
var needsB1 = properties.NewSet(must(properties.New(properties.TypePackageRequired, []byte(`{"packageName":"b","versionRange":">=1.0.0"}`))))

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestEachPartIsTranslated(t *testing.T) {
	needTestsolv(t)
	for name, tt := range cases() {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.satisfiable, agree(t.Context(), t, t.TempDir(), tt.request(t)))
		})
	}
}

func TestWhatCannotBeTold(t *testing.T) {
	for what, req := range map[string]resolver.Request{
		"policy Partial":   {Policy: resolver.Policy{Failures: "Partial"}},
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
	req := cases()["not of all fails where all are there"].request(t)
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
	require.ErrorContains(t, err, "testsolv cannot answer")
	ctx := testkit.Ended()
	_, err = libsolv.Run(ctx, broken)
	require.ErrorIs(t, err, context.Canceled)
	_, err = (&libsolv.Testcase{}).Write(filepath.Join(t.TempDir(), "nowhere"))
	require.Error(t, err)
}
