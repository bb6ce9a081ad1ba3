package properties

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLengthOfVersions: a version of just the length that is allowed is one, and
// one byte more is too long; ranges likewise.
func TestLengthOfVersions(t *testing.T) {
	version := "1.0.0-" + strings.Repeat("a", MaxVersionLength-len("1.0.0-"))
	_, err := ParseVersion(version)
	require.NoError(t, err)
	_, err = ParseVersion(version + "a")
	require.ErrorContains(t, err, "longer than the 256 bytes")
	list := strings.Repeat(" ", MaxRangeLength-len(">=1.0.0")) + ">=1.0.0"
	_, err = ParseRange(list)
	require.NoError(t, err)
	_, err = ParseRange(list + " ")
	require.Error(t, err)
}

// TestInternedOnce: one value is one property, whatever white space it is written
// with, and the text of its type is shared.
func TestInternedOnce(t *testing.T) {
	in := NewInterner()
	first, err := in.Property("x", []byte(`{"a":1}`))
	require.NoError(t, err)
	for _, same := range []string{`{"a":1}`, `{ "a": 1 }`, `{ "a": 1 }`} {
		p, err := in.Property("x", []byte(same))
		require.NoError(t, err)
		require.Same(t, first, p)
	}
}

// TestInternedPackage: an "olm.package" property is the same as one that New makes,
// however it is written, and shares what it can.
func TestInternedPackage(t *testing.T) {
	in := NewInterner()
	var shared []*Property
	for _, value := range []string{
		`{"packageName":"blue","version":"1.2.3"}`, `{"packageName":"red","version":"1.2.3"}`, `{"packageName":"red","version":"10.0.999999999"}`,
		`{"packageName": "red","version":"1.2.3"}`, `{"version":"1.2.3","packageName":"red"}`, `{"packageName":"red","version":"1.2.3-rc.1+b"}`,
		`{"packageName":"red","version":"1.2.3","release":"7"}`, `{"packageName":"r\u0065d","version":"1.2.3"}`, `{"packageName":"röd","version":"1.2.3"}`,
		`{"packageName":"red","version":"01.2.3"}`, `{"packageName":"","version":"1.2.3"}`, "{\"packageName\":\"r\x01d\",\"version\":\"1.2.3\"}",
		"{\"packageName\":\"r\xffd\",\"version\":\"1.2.3\"}", `{"packageName":"` + strings.Repeat("a", MaxNameLength+1) + `","version":"1.2.3"}`,
	} {
		want, wanted := New(TypePackage, []byte(value))
		got, err := in.Property(TypePackage, []byte(value))
		require.Equal(t, wanted, err, value)
		if wanted != nil {
			continue
		}
		require.True(t, want.Equal(got) && got.Equal(want), value)
		require.Equal(t, want.String(), got.String())
		require.Equal(t, want.Value(), got.Value())
		shared = append(shared, got)
	}
	require.Same(t, shared[0].Version(), shared[1].Version())
	require.Same(t, shared[1].kind, shared[2].kind)
}

// TestPlainTextIsNotKept: a value that can be written again of what it says is not
// kept as text, however it was written first; any other is.
func TestPlainTextIsNotKept(t *testing.T) {
	for _, test := range []struct {
		typ, value string
		kept       bool
	}{
		{TypeGVK, `{"group":"a.b","version":"v1","kind":"K"}`, false}, {TypeGVK, ` { "group":"a.b", "version":"v1","kind":"K"}`, false},
		{TypeGVK, `{"group":"a.b","kind":"K","version":"v1"}`, true}, {TypeGVKRequired, `{"group":"a.b","version":"v1","kind":"K"}`, false},
		{TypePackageRequired, `{"packageName":"a","versionRange":">=1.0.0"}`, false}, {TypePackageRequired, `{"packageName":"a","versionRange":"\u003e=1.0.0"}`, true},
		{TypePackageRequired, `{"packageName":"a","versionRange":">=1.0.0","more":1}`, true}, {TypePackage, `{"packageName":"a","version":"1.0.0-rc.1+b"}`, false},
		{TypePackage, `{"packageName":"a","version":"1.0.0","release":"1"}`, true}, {"x", `{"packageName":"a","version":"1.0.0"}`, true},
	} {
		want, err := compact([]byte(test.value))
		require.Nil(t, err)
		p, _ := New(test.typ, []byte(test.value))
		require.NotNil(t, p, test.value)
		require.Equal(t, test.kept, p.kept() != nil, test.value)
		require.Equal(t, string(want), string(p.Raw()))
		require.True(t, p.isOf(want))
		require.False(t, p.isOf([]byte(string(want[:len(want)-1])+" }")))
	}
}

// TestLeading: a property that is recognized at the beginning of a text is the one that
// New makes of it, and no other text is recognized.
func TestLeading(t *testing.T) {
	in := NewInterner()
	for _, text := range []string{
		`{"type":"olm.package","value":{"packageName":"red","version":"1.2.3"}}`, `{"type":"olm.package","value":{"packageName":"red","version":"1.2.3-rc.1+b"}}`,
		`{"type":"olm.gvk","value":{"group":"a.b","version":"v1","kind":"K"}}`, `{"type":"olm.gvk.required","value":{"group":"a.b","version":"v1","kind":"K"}}`,
		`{"type":"olm.package.required","value":{"packageName":"a","versionRange":">=1.0.0"}}`, `{"type":"olm.label","value":{"label":"x y"}}`, `{"type":"olm.label.required","value":{"label":"x"}}`,
	} {
		var want Property
		require.NoError(t, want.UnmarshalJSON([]byte(text)), text)
		for _, behind := range []string{"", ",", "]", "}}"} {
			got, length := in.Leading([]byte(text+behind), len(text))
			require.Equal(t, len(text), length, text)
			require.True(t, want.Equal(got) && got.Equal(&want), text)
			require.Equal(t, want.Value(), got.Value())
			again, _ := in.Leading([]byte(text+behind), len(text))
			require.Equal(t, want.Version() == nil, again == got)
		}
		for i := range text {
			got, _ := in.Leading([]byte(text[:i]), len(text))
			require.Nil(t, got, text[:i])
			got, _ = in.Leading([]byte(text), i)
			require.Nil(t, got, text)
		}
	}
	for _, text := range []string{
		`{"type":"x","value":{"label":"x"}}`, `{"type":"olm.label", "value":{"label":"x"}}`, `{"type":"olm.label","value":{"label":""}}`, `{"type":"olm.label","value":{"label":"x" }}`,
		`{"type":"olm.label","value":{"label":"\u0041"}}`, `{"type":"olm.label","value":{"label":"ä"}}`, `{"type":"olm.label","value":{"label":"x","more":1}}`, `{"type":"olm.label","value":{"label":"x"},"more":1}`,
		`{"type":"olm.gvk","value":{"group":"a b","version":"v1","kind":"K"}}`, `{"type":"olm.package","value":{"packageName":"a","version":"01.2.3"}}`, `{"type":"olm.package","value":{"packageName":"a","version":"1.2.3","release":"1"}}`,
		`{"type":"olm.package.required","value":{"packageName":"a","versionRange":"?"}}`, `{"type":"olm.deprecated","value":{}}`, `{"type":"","value":{}}`,
	} {
		got, _ := in.Leading([]byte(text), len(text))
		require.Nil(t, got, text)
	}
}
