package properties

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/testkit"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
)

func TestParse(t *testing.T) {
	s := testkit.Must(Parse([]byte(` [ ] `)))(t)
	require.Zero(t, s.Len())
	s = testkit.Must(Parse([]byte(`null`)))(t)
	require.Zero(t, s.Len())

	// what can be used is, and each error says where it is from
	s, err := Parse([]byte(`[
		{"value": 1, "type": "a", "comment": {"type": "b"}},
		{"type": "a"},
		{"value": 1},
		{"type": 1, "value": 1},
		{"type": "a", "type": "a", "value": 1},
		{"type": "a", "value": 1, "value": 2},
		"a",
		{"type": "olm.gvk", "value": {"group": "G", "version": "v1", "kind": "K"}},
		{"type": "b", "value": null}
	]`))
	require.Equal(t, `[{"type":"a","value":1},{"type":"b","value":null}]`, marshal(t, s))
	joined, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok)
	want := []Error{
		{Type: "a", Field: "value", Index: 1}, {Field: "type", Index: 2}, {Field: "type", Index: 3}, {Field: "type", Index: 4},
		{Type: "a", Field: "value", Index: 5}, {Field: "value", Index: 6}, {Type: "olm.gvk", Field: "group", Index: 7},
	}
	require.Len(t, joined.Unwrap(), len(want))
	for i, err := range joined.Unwrap() {
		e := asError(t, err)
		require.Equal(t, want[i], Error{Type: e.Type, Field: e.Field, Index: e.Index}, err)
	}

	for _, data := range []string{``, `[`, `[{]`, `{}`, `"a"`, `[] []`, "[\"\xff\"]"} {
		s, err := Parse([]byte(data))
		require.Error(t, err, data)
		asError(t, err)
		require.Zero(t, s.Len())
	}
}

func TestUnmarshalErrors(t *testing.T) {
	p := newProperty(t, "a", `1`)
	for _, data := range []string{`[]`, `{}`, `{"type": "a"}`, `{"type": "olm.gvk", "value": {}}`} {
		asError(t, json.Unmarshal([]byte(data), p))
		require.Equal(t, `{"type":"a","value":1}`, p.String(), "an error changes nothing")
	}
	require.Error(t, p.UnmarshalJSON([]byte(`{`)))

	s := NewSet(p)
	require.Error(t, json.Unmarshal([]byte(`[{"type": "a"}]`), &s))
	require.Equal(t, 1, s.Len())
}

// What is typed goes into JSON as it is written in a catalog.
func TestMarshalValues(t *testing.T) {
	for _, test := range []struct{ typ, value string }{
		{TypePackage, `{"packageName":"blue","version":"1.2.3"}`},
		{TypeGVK, `{"group":"example.com","version":"v1","kind":"Foo"}`},
		{TypeGVKRequired, `{"group":"example.com","version":"v1","kind":"Foo"}`},
		{TypePackageRequired, `{"packageName":"blue","versionRange":">=1.0.0"}`},
		{TypeMaxOpenShiftVersion, `"4.9"`},
		{TypeConstraint, `{"all":{}}`},
		{TypeDeprecated, `{}`},
	} {
		require.JSONEq(t, test.value, marshal(t, newProperty(t, test.typ, test.value).Value()))
	}
}

// A property comes back from JSON as the same JSON value.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []*Property
		for range rapid.IntRange(0, 4).Draw(t, "n") {
			value := testkit.Must(json.Marshal(jsonValue(t, 3)))(t)
			typ := rapid.StringMatching(`[a-z."é]{1,5}`).Draw(t, "type")
			p := testkit.Must(New(typ, value))(t)
			list = append(list, p)
		}
		s := NewSet(list...)

		var fromJSON Set
		require.NoError(t, json.Unmarshal([]byte(marshal(t, s)), &fromJSON))
		require.True(t, s.Equal(fromJSON))

		for i, p := range list {
			var q Property
			require.NoError(t, json.Unmarshal([]byte(marshal(t, p)), &q))
			require.JSONEq(t, s.At(i).String(), q.String())
			require.Equal(t, p.String(), marshal(t, p))
		}
	})
}

// jsonValue draws a JSON value.
func jsonValue(t *rapid.T, depth int) any {
	switch kind := rapid.IntRange(0, 8).Draw(t, "kind"); {
	case kind == 0:
		return nil
	case kind == 1:
		return rapid.Bool().Draw(t, "bool")
	case kind == 2:
		return rapid.Int64().Draw(t, "int")
	case kind == 3:
		return rapid.Float64Range(-1e300, 1e300).Draw(t, "float")
	case kind <= 5 || depth == 0:
		return strings.ToValidUTF8(rapid.SampledFrom([]string{"", "yes", "1.0", "null", "2020-01-01", "<<", "# x", "\u2028\x00"}).Draw(t, "text"), "?")
	case kind == 6:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "len") {
			list = append(list, jsonValue(t, depth-1))
		}
		return list
	}
	m := map[string]any{}
	for range rapid.IntRange(0, 3).Draw(t, "len") {
		m[rapid.SampledFrom([]string{"", "a", "b", "<<", "1", "true", "é"}).Draw(t, "key")] = jsonValue(t, depth-1)
	}
	return m
}

func marshal(t require.TestingT, v any) string {
	data := testkit.Must(json.Marshal(v))(t)
	return string(data)
}

const sample = `[
	{"type": "olm.gvk", "value": {"group": "example.com", "version": "v1", "kind": "Foo"}},
	{"type": "olm.package", "value": {"packageName": "blue", "version": "1.2.3"}},
	{"type": "olm.gvk", "value": {"group": "example.com", "version": "v2", "kind": "Foo"}},
	{"type": "olm.gvk.required", "value": {"group": "example.com", "version": "v3", "kind": "Foo"}},
	{"type": "olm.label", "value": {"label": "b"}},
	{"type": "olm.label", "value": {"label": "a"}},
	{"type": "olm.label.required", "value": {"label": "c"}},
	{"type": "olm.package", "value": {"packageName": "red", "version": "1.2.3"}}
]`

func TestSet(t *testing.T) {
	s := testkit.Must(Parse([]byte(sample)))(t)
	require.Equal(t, 8, s.Len())
	require.Equal(t, "olm.package", s.At(1).Type())
	require.Nil(t, s.At(8))
	require.Nil(t, s.At(-1))
	require.Len(t, slices.Collect(s.All()), 8)

	p, ok := s.Package()
	require.True(t, ok)
	require.Equal(t, Package{Name: "blue", Version: version("1.2.3")}, p)

	v1, v2, v3 := GVK{"example.com", "v1", "Foo"}, GVK{"example.com", "v2", "Foo"}, GVK{"example.com", "v3", "Foo"}
	require.Equal(t, []GVK{v1, v2}, slices.Collect(s.GVKs()))
	require.True(t, s.Provides(v2))
	require.False(t, s.Provides(v3), "required is not provided")

	for range s.GVKs() {
		break
	}
	require.True(t, s.HasLabel("a"))
	require.False(t, s.HasLabel("c"), "required is not had")

	require.True(t, s.HasType("olm.label.required"))
	require.False(t, s.HasType("olm"))
	require.False(t, s.Deprecated())
	require.True(t, NewSet(nil, newProperty(t, TypeDeprecated, `{}`)).Deprecated())
}

func TestEmptySet(t *testing.T) {
	var s Set
	require.Zero(t, s.Len())
	require.Empty(t, slices.Collect(s.All()))
	_, ok := s.Package()
	require.False(t, ok)
	require.False(t, s.Provides(GVK{}))
	require.True(t, s.Equal(NewSet(nil)))
	data := testkit.Must(s.MarshalJSON())(t)
	require.Equal(t, "[]", string(data))
}

func TestSetEqual(t *testing.T) {
	a, b := newProperty(t, "a", `1`), newProperty(t, "b", `1`)
	require.True(t, NewSet(a, b).Equal(NewSet(newProperty(t, "a", ` 1 `), b)))
	require.False(t, NewSet(a, b).Equal(NewSet(b, a)))
	require.False(t, NewSet(a).Equal(NewSet(a, b)))
}

// TestInterner: a set is the same however it is made, and shares what it can; equal
// properties become one.
func TestInterner(t *testing.T) {
	a, b, c := newProperty(t, "a", `1`), newProperty(t, "b", `1`), newProperty(t, "c", `1`)
	for _, list := range [][]*Property{{}, {a}, {c, b, c}, {a, c, b}, {a, b}, {a, b, c, a}} {
		var in Interner
		before := in.Set(a, b, c)
		got := in.Set(list...)
		require.True(t, got.Equal(NewSet(list...)))
		require.Equal(t, len(list) == 3 && list[1] == b, got.rest == before.rest)
	}
	var in Interner
	require.Nil(t, in.Intern(nil))
	require.Same(t, a, in.Intern(a))
	require.Same(t, a, in.Intern(newProperty(t, "a", ` 1 `)))
	require.Same(t, b, in.Intern(b), "another type")
	for i := range maxInterned {
		in.Intern(newProperty(t, "n", strconv.Itoa(i)))
	}
	require.Len(t, in.canonical, maxInterned)
	require.Same(t, a, in.Intern(newProperty(t, "a", `1`)))
}

// TestNewRangeNil: without a function there is no range.
func TestNewRangeNil(t *testing.T) {
	require.True(t, NewRange("all", nil).IsZero())
	require.Empty(t, NewRange("all", nil).String())
}

// newProperty parses a property that must parse.
func newProperty(t testing.TB, typ, value string) *Property {
	t.Helper()
	return testkit.Must(New(typ, []byte(value)))(t)
}

// asError returns the *Error in err.
func asError(t testing.TB, err error) *Error {
	t.Helper()
	var e *Error
	require.True(t, errors.As(err, &e), "%v is no *Error", err)
	return e
}

// version parses a version that must parse.
func version(text string) semver.Version { return semver.MustParse(text) }
