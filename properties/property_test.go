package properties

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

func TestNew(t *testing.T) {
	r := testkit.Must(ParseRange(">=1.0.0"))(t)
	tests := []struct {
		typ, value string
		want       any
	}{
		{TypePackage, `{"packageName": "blue", "version": "1.2.3"}`, Package{Name: "blue", Version: version("1.2.3")}},
		{TypePackage, `{"version":"1.2.3-a+b","packageName":"bl\u0075e","more":[{"packageName":"red"}]}`, Package{Name: "blue", Version: version("1.2.3-a+b")}},
		{TypePackage, `{"packageName":"blue","version":"1.2.3","release":"2.rc-1"}`, Package{"blue", version("1.2.3"), "2.rc-1"}},
		{TypePackage, `{"release":"","packageName":"blue","version":"1.2.3"}`, Package{Name: "blue", Version: version("1.2.3")}},
		{TypePackage, `{"packageName":"blue","release":null,"version":"1.2.3"}`, Package{Name: "blue", Version: version("1.2.3")}},
		{TypeGVK, `{"group": "example.com", "kind": "Foo", "version": "v1"}`, GVK{"example.com", "v1", "Foo"}},
		{TypeGVK, `{"group":"example.com","kind":"Foo","version":"v1","description":"a \"Foo\"","x":null,"y":[1,{"group":2},"]}"],"z":-1.5e3,"":true}`, GVK{"example.com", "v1", "Foo"}},
		{TypeGVKRequired, `{"group": "example.com", "kind": "Foo", "version": "v1"}`, GVKRequired{GVK: GVK{"example.com", "v1", "Foo"}}},
		{TypePackageRequired, `{"packageName": "blue", "versionRange": ">=1.0.0"}`, PackageRequired{Name: "blue", Range: r}},
		{TypeLabel, `{"label": "certified"}`, Label("certified")},
		{TypeLabelRequired, `{"label": "certified"}`, LabelRequired("certified")},
		{TypeDeprecated, `{}`, Deprecated{}},
		{TypeDeprecated, `{"since": "yesterday"}`, Deprecated{}},
		{TypeMaxOpenShiftVersion, `"4.9"`, MaxOpenShiftVersion("4.9")},
		{TypeMaxOpenShiftVersion, `"4.9.0"`, MaxOpenShiftVersion("4.9.0")},
		{TypeMaxOpenShiftVersion, `4.9`, MaxOpenShiftVersion("4.9")},
		{TypeMaxOpenShiftVersion, `4.10`, MaxOpenShiftVersion("4.10")},
		{TypeMaxOpenShiftVersion, `""`, MaxOpenShiftVersion("")},
		{TypeMaxOpenShiftVersion, `{"a": 1}`, MaxOpenShiftVersion(`{"a":1}`)},
		{TypeMaxOpenShiftVersion, `null`, MaxOpenShiftVersion("null")},
		{TypeConstraint, `{ "anything" : [ ] }`, Constraint(`{"anything":[]}`)},
		{"certified", `"yes"`, nil},
		{"certified", `null`, nil},
		{"certified", `{"a": 1, "a": 2}`, nil},
	}
	for _, test := range tests {
		t.Run(test.typ, func(t *testing.T) {
			p := testkit.Must(New(test.typ, []byte(test.value)))(t)
			require.Equal(t, test.typ, p.Type())
			if want, ok := test.want.(PackageRequired); ok {
				got := p.Value().(PackageRequired)
				require.Equal(t, want.Name, got.Name)
				require.True(t, want.Range.Equal(got.Range))
			} else {
				require.Equal(t, test.want, p.Value())
			}
			require.JSONEq(t, test.value, p.Raw())
			require.NotContains(t, p.Raw(), ": ")
		})
	}
}

func TestNewErrors(t *testing.T) {
	check := func(typ, value, field, reason string) {
		t.Run(typ+" "+reason, func(t *testing.T) {
			p, err := New(typ, []byte(value))
			require.Nil(t, p)
			e := asError(t, err)
			require.Equal(t, []any{typ, field, -1}, []any{e.Type, e.Field, e.Index})
			require.Contains(t, e.Reason, reason)
			require.Contains(t, e.Error(), typ)
			require.Contains(t, e.Error(), "field "+field)
			require.Less(t, len(e.Error()), 500)
			require.False(t, strings.ContainsAny(e.Error(), "\n\a\u202e"))
		})
	}
	check("", `{}`, "type", "missing")
	check("x", ``, "value", "is missing")
	check("x", ` `, "value", "not valid JSON")
	check("x", "\"\xff\"", "value", "not valid UTF-8")
	check(TypePackage, `{"packageName": "`+strings.Repeat("b", 254)+`", "version": "1.0.0"}`, "packageName", "too long")
	check(TypeLabelRequired, `{"label": "`+strings.Repeat("l", 1025)+`"}`, "label", "too long")
	for _, c := range testkit.Cases(t, "testdata/errors.txt", "value", "group", "version", "kind", "packageName", "release", "versionRange", "label") {
		for _, part := range c.Parts {
			for _, line := range part.Lines {
				value, reason, _ := strings.Cut(line, " ⇒ ")
				check(c.Name, value, part.Verb, reason)
			}
		}
	}
}

func TestErrorText(t *testing.T) {
	_, err := New(TypeGVK, []byte(`{"group": "Example.com", "version": "v1", "kind": "Foo"}`))
	require.EqualError(t, err, `property olm.gvk: field group: "Example.com" is not a DNS-1123 subdomain: it must be made of lower-case letters, digits, '-' and '.', and each part between dots must start and end with a letter or digit (for example monitoring.example.com)`)
	_, err = New("", nil)
	require.EqualError(t, err, `property: field type: is missing or empty`)
	_, err = New("\x1b[31m", []byte("{"))
	require.ErrorContains(t, err, `property "\x1b[31m": field value: is not valid JSON`)
	_, err = Parse([]byte(`[{"type": "olm.gvk", "value": 1}]`))
	require.EqualError(t, err, `property olm.gvk (number 1): field value: "1" must be an object, not a number`)
	_, err = Parse([]byte(`{}`))
	require.EqualError(t, err, `properties: "{}" must be an array, not an object`)
	_, err = Parse([]byte(`"` + strings.Repeat("x", 200) + `"`))
	require.EqualError(t, err, `properties: "\"`+strings.Repeat("x", 76)+`…" must be an array, not a string`)
}

// What New returns does not change with the bytes that it was made from.
func TestNewCopies(t *testing.T) {
	for typ, value := range map[string]string{TypeLabel: `{"label":"certified"}`, TypePackage: `{"packageName":"etcd","version":"1.2.3"}`, "x": `{"a":[1]}`} {
		data := json.RawMessage(value)
		p := testkit.Must(New(typ, data))(t)
		clear(data)
		require.Equal(t, value, p.Raw())
		require.True(t, p.Equal(newProperty(t, typ, value)))
	}
}

func TestPropertyEqual(t *testing.T) {
	a, b := newProperty(t, "x", `{"a": 1}`), newProperty(t, "x", `{"a":1}`)
	require.True(t, a.Equal(b))
	require.False(t, a.Equal(newProperty(t, "y", `{"a":1}`)))
	require.False(t, a.Equal(newProperty(t, "x", `{"a":2}`)))
	require.False(t, a.Equal(nil))
	require.True(t, (*Property)(nil).Equal(nil))
	require.Equal(t, `{"type":"x","value":{"a":1}}`, a.String())
	require.Equal(t, `null`, (*Property)(nil).String())
	require.Equal(t, `{"type":"","value":null}`, new(Property).String())
}

// TestNewPackage: it is the property that New makes of the same name and version.
func TestNewPackage(t *testing.T) {
	for name, version := range map[string]string{"etcd": "1.2.3", `a "quoted" \ name`: "0.0.1-rc.1+build.7", "größe": "10.0.0"} {
		v := semver.MustParse(version)
		own := testkit.Must(NewPackage(name, &v))(t)
		value := testkit.Must(json.Marshal(struct {
			Name    string `json:"packageName"`
			Version string `json:"version"`
		}{name, version}))(t)
		same := testkit.Must(New(TypePackage, value))(t)
		require.True(t, own.Equal(same), "%s, %s", own, same)
		require.Equal(t, string(value), own.Raw())
		require.Equal(t, same.Value(), own.Value())
		require.Same(t, &v, own.Version())
		require.Equal(t, same.Version(), own.Version())
		again := testkit.Must(Parse([]byte(testkit.Must(json.Marshal(NewSet(own)))(t))))(t)
		require.True(t, again.Equal(NewSet(same)))
	}
	v, odd := semver.MustParse("1.0.0"), semver.Version{Pre: []semver.PRVersion{{VersionStr: `"}`}}}
	for name, version := range map[string]*semver.Version{"": &v, "\xff": &v, "odd": &odd, "etcd": nil, "et\ncd": &v, strings.Repeat("x", 254): &v} {
		_, err := NewPackage(name, version)
		var e *Error
		require.ErrorAs(t, err, &e, "%q", name)
		require.Equal(t, TypePackage, e.Type)
	}
}

// TestNewPackageRequired: it is the property that New makes of the same name and range.
func TestNewPackageRequired(t *testing.T) {
	for name, versions := range map[string]string{"etcd": ">=1.2.3", `a "quoted" \ name`: ">=1.0.0-rc.1 <2.0.0 || 3.x", "größe": "<=10.0.0"} {
		own := testkit.Must(NewPackageRequired(name, MustParseRange(versions)))(t)
		quoted := testkit.Must(jsontext.AppendQuote(nil, name))(t)
		value := `{"packageName":` + string(quoted) + `,"versionRange":"` + versions + `"}`
		same := testkit.Must(New(TypePackageRequired, []byte(value)))(t)
		require.True(t, own.Equal(same), "%s, %s", own, same)
		require.Equal(t, value, own.Raw())
		require.Equal(t, TypePackageRequired, own.Type())
		got, want := own.Value().(PackageRequired), same.Value().(PackageRequired)
		require.Equal(t, want.Name, got.Name)
		require.True(t, want.Range.Equal(got.Range))
		again := testkit.Must(Parse(testkit.Must(NewSet(own).MarshalJSON())(t)))(t)
		require.True(t, again.Equal(NewSet(same)))
	}
	good := MustParseRange(">=1.0.0")
	odd := NewRange("all of them", func(semver.Version) bool { return true })
	for name, versions := range map[string]Range{"": good, "\xff": good, "odd": odd, "etcd": {}, "et\ncd": good, strings.Repeat("x", 254): good} {
		_, err := NewPackageRequired(name, versions)
		var e *Error
		require.ErrorAs(t, err, &e, "%q", name)
		require.Equal(t, TypePackageRequired, e.Type)
	}
}
