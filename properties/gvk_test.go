package properties

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
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
