package properties

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// The rules as Kubernetes writes them down.
var (
	subdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	label     = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
)

// validGVK is the oracle: it names the first field that is wrong.
func invalidField(g GVK) string {
	switch {
	case len(g.Group) > 253 || !subdomain.MatchString(g.Group):
		return "group"
	case len(g.Version) > 63 || !label.MatchString(g.Version):
		return "version"
	case len(g.Kind) > 63 || !label.MatchString(asciiLower(g.Kind)):
		return "kind"
	}
	return ""
}

// asciiLower keeps what is not ASCII: strings.ToLower makes a k of the Kelvin
// sign.
func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 128 {
			return []rune(strings.ToLower(string(r)))[0]
		}
		return r
	}, s)
}

func checkGVK(t require.TestingT, g GVK) {
	field := invalidField(g)
	err := g.Validate()
	if field == "" {
		require.NoError(t, err, "%+v", g)
		return
	}
	require.Error(t, err, "%+v", g)
	e, ok := err.(*Error) //nolint:errorlint // it is returned bare
	require.True(t, ok)
	require.Equal(t, TypeGVK, e.Type)
	require.Equal(t, field, e.Field, "%+v", g)
	require.NotContains(t, e.Error(), "\n")
}

func TestGVKValidate(t *testing.T) {
	tests := []struct{ group, version, kind, field string }{
		{"example.com", "v1", "Foo", ""},
		{"example.com", "v1", "AZaz09-Z", ""}, // the first and the last of each
		{"az09.example", "a-z0-9z", "Z", ""},
		{"1.example", "v1beta1", "FooBar", ""},
		{"a-b.c-d", "alpha", "foo-bar", ""},
		{strings.Repeat("a", 253), strings.Repeat("v", 63), strings.Repeat("K", 63), ""},
		{strings.Repeat("a.", 126) + "a", "v1", "Foo", ""},
		{"", "v1", "Foo", "group"},
		{strings.Repeat("a", 254), "v1", "Foo", "group"},
		{"Example.com", "v1", "Foo", "group"},
		{"example..com", "v1", "Foo", "group"},
		{".example.com", "v1", "Foo", "group"},
		{"example.com.", "v1", "Foo", "group"},
		{"-example.com", "v1", "Foo", "group"},
		{"example-.com", "v1", "Foo", "group"},
		{"example.com-", "v1", "Foo", "group"},
		{"example_com", "v1", "Foo", "group"},
		{"example.com\n", "v1", "Foo", "group"},
		{"example.com", "", "Foo", "version"},
		{"example.com", "1", "Foo", "version"},
		{"example.com", "V1", "Foo", "version"},
		{"example.com", "v1.1", "Foo", "version"},
		{"example.com", "v1-", "Foo", "version"},
		{"example.com", strings.Repeat("v", 64), "Foo", "version"},
		{"example.com", "v1", "", "kind"},
		{"example.com", "v1", "Foo.Bar", "kind"},
		{"example.com", "v1", "1Foo", "kind"},
		{"example.com", "v1", "Foo-", "kind"},
		{"example.com", "v1", "Foo Bar", "kind"},
		{"example.com", "v1", "\u212aind", "kind"},
		{"example.com", "v1", strings.Repeat("K", 64), "kind"},
	}
	for _, test := range tests {
		g := GVK{test.group, test.version, test.kind}
		require.Equal(t, test.field, invalidField(g), "the oracle, for %+v", g)
		checkGVK(t, g)
	}
}

func TestGVKValidateAsKubernetes(t *testing.T) {
	text := rapid.StringMatching(`[-a-cA-C0-1.\x{212a}_]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		checkGVK(t, GVK{text.Draw(t, "group"), text.Draw(t, "version"), text.Draw(t, "kind")})
	})
}

func TestGVKText(t *testing.T) {
	g := GVK{"example.com", "v1", "Foo"}
	require.Equal(t, "example.com/v1/Foo", g.String())
}

func TestGVKCompare(t *testing.T) {
	sorted := []GVK{{"a", "v1", "A"}, {"a", "v1", "B"}, {"a", "v2", "A"}, {"b", "v1", "A"}}
	shuffled := []GVK{sorted[2], sorted[0], sorted[3], sorted[1]}
	slices.SortFunc(shuffled, GVK.Compare)
	require.Equal(t, sorted, shuffled)
	require.Zero(t, sorted[0].Compare(sorted[0]))
}

// FuzzProperty: any type and value either give an *Error or a property that
// comes back the same from its JSON.
func FuzzProperty(f *testing.F) {
	for _, value := range []string{
		``, `null`, `{}`, `[]`, `"4.9"`, `{"group":"example.com","version":"v1","kind":"Foo"}`,
		`{"packageName":"blue","version":"1.2.3","versionRange":">=1.0.0 || 2.x"}`, `{"label":"a\u0007\ud800"}`,
		`{"group":{"a":[1,"]}"]},"group":"\\\"","kind":-1e5}`, "{\"label\":\"\xff\"}", `{"a":1}{`,
	} {
		for _, typ := range []string{TypePackage, TypeGVK, TypeGVKRequired, TypePackageRequired, TypeLabel, TypeMaxOpenShiftVersion, TypeConstraint, TypeDeprecated, "x", ""} {
			f.Add(typ, []byte(value))
		}
	}
	f.Fuzz(func(t *testing.T, typ string, value []byte) {
		p, err := New(typ, value)
		if err != nil {
			require.NotEmpty(t, asError(t, err).Field)
			require.NotContains(t, err.Error(), "\n")
			return
		}
		again := testkit.Must(New(typ, []byte(p.Raw())))(t)
		require.True(t, p.Equal(again))
		require.Equal(t, decodable(typ), p.Value() != nil)
		require.True(t, json.Valid([]byte(p.Raw())))

		var back Property
		require.NoError(t, json.Unmarshal([]byte(p.String()), &back))
		require.Equal(t, p.Raw(), back.Raw())
	})
}

// decodable reports whether the package has a Go type for a property type.
func decodable(typ string) bool {
	switch typ {
	case TypePackage, TypeGVK, TypeGVKRequired, TypePackageRequired, TypeLabel, TypeLabelRequired,
		TypeMaxOpenShiftVersion, TypeConstraint, TypeDeprecated:
		return true
	}
	return false
}

// FuzzRange: any text is an error or a range that can be asked about any
// version, and that agrees with blang/semver where that does not panic.
func FuzzRange(f *testing.F) {
	for _, text := range []string{
		"", ">=1.0.0", ">=1.0.0 <2.0.0 || 3.x", "1.0.0 || || 2.0.0", "|| ||", "> 1.0.0", "!1.x.x", "1.x.x.x", "x.1", ".x1", "~1.x",
		"!=1.x <1.2.x", ">1.99999999999999999999.x", "1.0.0 | 2.0.0", "== 1.0.0-a.b+c", "\t1.0.0", "1.x-rc.1", "٣.x.x",
	} {
		f.Add(text, "1.2.3-rc.1")
	}
	f.Fuzz(func(t *testing.T, text, versionText string) {
		r, err := ParseRange(text)
		if err != nil {
			require.True(t, r.IsZero())
			return
		}
		require.Equal(t, text, r.String())
		for _, v := range []string{versionText, "0.0.0", "0.0.0-0", "1.2.3", "99999.0.0"} {
			parsed, err := ParseVersion(v)
			if err != nil {
				continue
			}
			if want, ok := oracleContains(text, parsed); ok {
				require.Equal(t, want, r.Contains(parsed), "%s in %q", v, text)
			} else {
				r.Contains(parsed)
			}
		}
	})
}

// oracleContains asks blang/semver. ok is false where it has no answer.
func oracleContains(text string, v semver.Version) (in, ok bool) {
	defer func() {
		if recover() != nil {
			in, ok = false, false
		}
	}()
	r, err := semver.ParseRange(text)
	if err != nil || r == nil {
		return false, false
	}
	return r(v), true
}

// FuzzGVK holds the validation against the regular expressions of Kubernetes.
func FuzzGVK(f *testing.F) {
	f.Add("example.com", "v1", "Foo")
	f.Add("", "", "")
	f.Add("a..b", "1v", "Foo-")
	f.Add("example.com\n", "v1\x00", "\u212aind")
	f.Fuzz(func(t *testing.T, group, version, kind string) {
		g := GVK{group, version, kind}
		checkGVK(t, g)
	})
}
