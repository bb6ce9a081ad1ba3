package universe_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/blang/semver/v4"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// Each line becomes the blobs that a catalog author would write.
func TestBlobs(t *testing.T) {
	tests := map[string]struct {
		source string
		want   []string
	}{
		"a chain": {"a/x a.v1 a.v1.2 a.v1.2.3-rc.1", []string{
			`{"schema":"olm.package","name":"a","defaultChannel":"x"}`,
			`{"schema":"olm.channel","package":"a","name":"x","entries":[{"name":"a.v1"},{"name":"a.v1.2","replaces":"a.v1"},{"name":"a.v1.2.3-rc.1","replaces":"a.v1.2"}]}`,
			`{"schema":"olm.bundle","package":"a","name":"a.v1","image":"example.com/a.v1","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}}]}`,
			`{"schema":"olm.bundle","package":"a","name":"a.v1.2","image":"example.com/a.v1.2","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.2.0"}}]}`,
			`{"schema":"olm.bundle","package":"a","name":"a.v1.2.3-rc.1","image":"example.com/a.v1.2.3-rc.1","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.2.3-rc.1"}}]}`,
		}},
		"an entry without a bundle, another default channel": {"package a y\na/x a.v2 replaces=a.v1 skips=b,c range=\">=1.0.0 <2.0.0\" virtual\na/y a.v2 virtual", []string{
			`{"schema":"olm.package","name":"a","defaultChannel":"y"}`,
			`{"schema":"olm.channel","package":"a","name":"x","entries":[{"name":"a.v2","replaces":"a.v1","skips":["b","c"],"skipRange":">=1.0.0 <2.0.0"}]}`,
			`{"schema":"olm.channel","package":"a","name":"y","entries":[{"name":"a.v2"}]}`,
		}},
		"properties": {"package a -\nbundle a.v1 version=3.0.0 release=2 provides=K needs=g/v2/L needs=b@1.0.0\n" +
			"property a.v1 some.type [1, 2]\nbundle a.v1 max=4.18 kube=1.30.0 barred\nbundle a.v2 needs=K flawed", []string{
			`{"schema":"olm.bundle","package":"a","name":"a.v1","image":"example.com/a.v1","properties":[` +
				`{"type":"olm.package","value":{"packageName":"a","release":"2","version":"3.0.0"}},` +
				`{"type":"olm.gvk","value":{"group":"example.com","version":"v1","kind":"K"}},` +
				`{"type":"olm.gvk.required","value":{"group":"g","version":"v2","kind":"L"}},` +
				`{"type":"olm.package.required","value":{"packageName":"b","versionRange":"1.0.0"}},` +
				`{"type":"some.type","value":[1,2]},` +
				`{"type":"olm.maxOpenShiftVersion","value":"4.18"},` +
				`{"type":"olm.csv.metadata","value":{"minKubeVersion":"1.30.0"}},` +
				`{"type":"olm.deprecated","value":{}}]}`,
			`{"schema":"olm.bundle","package":"a","name":"a.v2","image":"example.com/a.v2","properties":[` +
				`{"type":"olm.gvk.required","value":{"group":"example.com","version":"v1","kind":"K"}}]}`,
		}},
		"constraints": {"package a -\nbundle a.v1\n" +
			`require a.v1 any(b@>=1.0.0 <2.0.0, all(K, not(cel(f(")") == '('))), c@1.0.0) ; needs a database; or two`, []string{
			`{"schema":"olm.bundle","package":"a","name":"a.v1","image":"example.com/a.v1","properties":[` +
				`{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}},` +
				`{"type":"olm.constraint","value":{"any":{"constraints":[` +
				`{"package":{"packageName":"b","versionRange":">=1.0.0 <2.0.0"}},` +
				`{"all":{"constraints":[{"gvk":{"group":"example.com","version":"v1","kind":"K"}},{"not":{"constraints":[{"cel":{"rule":"f(\")\") == '('"}}]}}]}},` +
				`{"package":{"packageName":"c","versionRange":"1.0.0"}}]},` +
				`"failureMessage":"needs a database; or two"}}]}`,
		}},
		"deprecations": {"package a -\na/x a.v1 virtual\ndeprecated a move on\ndeprecated x\ndeprecated a.v2  old", []string{
			`{"schema":"olm.channel","package":"a","name":"x","entries":[{"name":"a.v1"}]}`,
			`{"schema":"olm.deprecations","package":"a","entries":[` +
				`{"reference":{"schema":"olm.package"},"message":"move on"},` +
				`{"reference":{"schema":"olm.channel","name":"x"},"message":""},` +
				`{"reference":{"schema":"olm.bundle","name":"a.v2"},"message":"old"}]}`,
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, blob := range universe.Blobs(t, tt.source) {
				got = append(got, string(blob))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("blobs (-want +got):\n%s", diff)
			}
		})
	}
}

// A request has catalogs, installed bundles and subscriptions.
func TestRequest(t *testing.T) {
	req := universe.Request(t, `
		# two catalogs
		catalog apps/one 3
		a/x a.v1 a.v2
		catalog apps/two
		b/y b.v1
		installed a.v1 by=a
		installed z.v1 package=z version=1.2.3 automatic
		forbid a.v2
		subscribe a in=x,y range=<2.0.0 hold
		subscribe s package=b starting=b.v1 pin=b.v1`)
	require.Equal(t, "apps", req.Namespace)
	require.Len(t, req.Catalogs, 2)
	require.Equal(t, cache.Key{Namespace: "apps", Name: "one"}, req.Catalogs[0].Key)
	require.Equal(t, 3, req.Catalogs[0].Priority)
	require.Equal(t, "a.v2", req.Catalogs[0].Content.Package("a").Channel("x").Head().Name)
	require.NotNil(t, req.Catalogs[1].Content.Package("b").Bundle("b.v1"))
	require.Equal(t, []resolver.Installed{{Name: "a.v1", Subscription: "a"}, {Name: "z.v1", Package: "z", Version: &semver.Version{Major: 1, Minor: 2, Patch: 3}, Automatic: true}}, req.Installed)
	require.Len(t, req.Forbid, 1)
	require.Equal(t, resolver.BundleRef{Name: "a.v2"}, req.Forbid[0].Bundle)
	versions := testkit.Must(properties.ParseRange("<2.0.0"))(t)
	require.Equal(t, versions.String(), req.Subscriptions[0].VersionRange.String())
	req.Subscriptions[0].VersionRange = properties.Range{}
	require.Equal(t, []resolver.Subscription{
		{Name: "a", Package: "a", Channels: []string{"x", "y"}, Hold: "not approved"},
		{Name: "s", Package: "b", StartingCSV: "b.v1", Pin: "b.v1"},
	}, req.Subscriptions)
}

func TestSyntaxErrors(t *testing.T) {
	for source, want := range map[string]string{
		"bundle":                                 `line 1: "bundle" needs a name`,
		"a/x a.v1\n\n# note\nbundel a.v1":        "line 4: unknown line type \"bundel\"; did you mean bundle?",
		"a/x a.v1 repalces=a.v0":                 "line 1: unknown word \"repalces\"; did you mean replaces?",
		"bundle a.v1 replaces=a.v0":              "unknown word \"replaces\"",
		"a/x a.v1 a.v2 barred":                   "words need a line with one bundle",
		`a/x a.v1 range=">1`:                     "lacks its closing quote",
		"bundle a.v1 provides=g/K":               "\"g/K\" is not an API",
		"bundle a.v1 needs=":                     "\"\" is not an API",
		"bundle a.v1 flawed version=1.0.0":       "bundle \"a.v1\" is flawed and has no version",
		"catalog one":                            "one",
		"catalog a/b high":                       "the priority \"high\" is not a number",
		"property a.v1 t {":                      "the value of property \"t\" is not JSON",
		"require a.v1 any(K, L":                  "a closing parenthesis is missing",
		"require a.v1 any(K) L":                  "\"L\" after the end of the expression",
		"require a.v1 some(K)":                   "\"some\" is not an operator",
		"require a.v1 cel(f()":                   "the closing parenthesis of a rule is missing",
		"require a.v1 any()":                     "is not an API",
		"subscribe a range=new":                  "new",
		"installed a.v1 version=new":             "No Major",
		"require a.v1 " + string(deep('(', 200)): "nested too deep",
	} {
		_, err := universe.Parse(source)
		require.ErrorContains(t, err, want, source)
		require.ErrorContains(t, err, "universe: line ", source)
	}
}

// deep nests an operator.
func deep(open byte, n int) []byte {
	var out []byte
	for range n {
		out = append(append(out, "not"...), open)
	}
	return out
}

// FuzzParse: Parse never panics, and its output is a file-based catalog.
func FuzzParse(f *testing.F) {
	f.Add("a/x a.v1 a.v2\nbundle a.v2 needs=b@>=1.0.0 provides=K\nrequire a.v1 any(K, not(cel(true))) ; m\ndeprecated a.v1 old")
	f.Add("catalog a/b 1\npackage a -\nproperty a.v1 t {}\ninstalled a.v1 by=a\nsubscribe a in=x,y hold")
	f.Add("a/x a.v1 replaces=\"a b\" skips=b,c range=<1 virtual version=1 release=2 max=4 kube=1 barred flawed")
	f.Fuzz(func(t *testing.T, source string) {
		u, err := universe.Parse(source)
		if err != nil || !utf8.ValidString(source) {
			return // not representable in JSON
		}
		for _, c := range u.Catalogs {
			content := testkit.Must(fbc.FromBlobs(t.Context(), c.Blobs(), fbc.Options{}))(t)
			for _, p := range c.Packages {
				if p.Name != "" && len(p.Bundles) > 0 {
					require.NotNil(t, content.Package(p.Name), source)
				}
			}
		}
	})
}

func TestCases(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cases.txt")
	require.NoError(t, os.WriteFile(file, []byte("# a comment\ncase one: why\nhas a\n  a/x a.v1\n  b/x b.v1\nwants x\nwants y\n\ncase two\n"), 0o600))
	cases := testkit.Cases(t, file, "has", "wants")
	require.Len(t, cases, 2)
	one := cases[0]
	require.Equal(t, "one", one.Name)
	require.Equal(t, testkit.Part{Verb: "has", Rest: "a", Lines: []string{"a/x a.v1", "b/x b.v1"}}, one.Part("has"))
	require.Equal(t, "a/x a.v1\nb/x b.v1", one.Part("has").Text())
	require.Equal(t, []string{"x", "y"}, one.Rests("wants"))
	require.Len(t, one.All("wants"), 2)
	require.Equal(t, testkit.Part{}, cases[1].Part("has"))
}

// The example in CONTRIBUTING.md parses and resolves.
func TestContributing(t *testing.T) {
	guide := testkit.Must(os.ReadFile("../../../CONTRIBUTING.md"))(t)
	_, shown, _ := strings.Cut(string(guide), "universe.Request(t, `")
	shown, _, ok := strings.Cut(shown, "`)")
	require.True(t, ok)
	sol := universe.Solution(t, universe.Request(t, shown))
	require.Equal(t, []string{"db.v2", "web.v2"}, sol.Set())
}
