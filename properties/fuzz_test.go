package properties

import (
	"encoding/json"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

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
		again := testkit.Must(New(typ, p.Raw()))(t)
		require.True(t, p.Equal(again))
		require.Equal(t, decodable(typ), p.Value() != nil)
		require.True(t, json.Valid(p.Raw()))

		var back Property
		require.NoError(t, json.Unmarshal([]byte(p.String()), &back))
		require.Equal(t, string(p.Raw()), string(back.Raw()))
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
