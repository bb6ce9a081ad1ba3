package constraints

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

func TestFromProperty(t *testing.T) {
	p := NewParser()
	tests := []struct {
		typ, value string
		want       Constraint
	}{
		{properties.TypeGVKRequired, `{"group": "foos.example.com", "version": "v1", "kind": "Foo"}`, newGVK(foo)},
		{properties.TypePackageRequired, `{"packageName": "blue", "versionRange": ">=1.0.0"}`, newPackage("blue", ranged(t, ">=1.0.0"))},
		{properties.TypeLabelRequired, `{"label": "certified"}`, newLabel("certified")},
		{properties.TypeConstraint, `{"message": "m", "any": {"constraints": [` + gvkJSON + `]}}`, NewAny(newGVK(foo))},
		{properties.TypeGVK, `{"group": "foos.example.com", "version": "v1", "kind": "Foo"}`, nil},
		{properties.TypeDeprecated, `{}`, nil},
		{"other", `{}`, nil},
	}
	for _, test := range tests {
		prop := testkit.Must(properties.New(test.typ, []byte(test.value)))(t)
		c, ok, err := p.FromProperty(prop)
		require.NoError(t, err)
		require.Equal(t, test.want != nil, ok, test.typ)
		if ok {
			require.Equal(t, test.want.Key(), c.Key())
			again, _, _ := p.FromProperty(prop)
			require.Equal(t, c, again)
			require.True(t, c == again, "the constraint of a property is kept")
		}
	}

	bad := testkit.Must(properties.New(properties.TypeConstraint, []byte(`{}`)))(t)
	c, ok, err := p.FromProperty(bad)
	require.True(t, ok)
	require.Nil(t, c)
	require.ErrorContains(t, err, "none of")

	_, ok, err = p.FromProperty(nil)
	require.False(t, ok)
	require.NoError(t, err)
}

// Equal rules are compiled once, whatever is around them.
func TestRulesAreCompiledOnce(t *testing.T) {
	p := NewParser()
	first := testkit.Must(p.Parse([]byte(celJSON)))(t)
	second := testkit.Must(p.Parse([]byte(`{"not": {"constraints": [{"message": "m", ` + celJSON[1:] + `]}}`)))(t)
	require.Same(t, first.(*CEL).Program, children(second)[0].(*CEL).Program)
}

func TestParserIsSafeForConcurrentUse(t *testing.T) {
	p := NewParser()
	prop := testkit.Must(properties.New(properties.TypeConstraint, json.RawMessage(celJSON)))(t)
	results := make([]Constraint, 8)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			c, _, err := p.FromProperty(prop)
			if err != nil {
				t.Error(err)
			}
			results[i] = c
		})
	}
	wg.Wait()
	for _, c := range results {
		require.Same(t, results[0], c)
	}
}

// parse parses a constraint that must parse.
func parse(t testing.TB, raw string) Constraint {
	t.Helper()
	c, err := Parse([]byte(raw))
	require.NoError(t, err, raw)
	return c
}

// set parses properties.
func set(t testing.TB, data string) properties.Set {
	t.Helper()
	return testkit.Must(properties.Parse([]byte(data)))(t)
}

// ranged parses a range.
func ranged(t testing.TB, text string) properties.Range {
	t.Helper()
	return testkit.Must(properties.ParseRange(text))(t)
}

var foo = properties.GVK{Group: "foos.example.com", Version: "v1", Kind: "Foo"}

const (
	gvkJSON     = `{"gvk": {"group": "foos.example.com", "version": "v1", "kind": "Foo"}}`
	packageJSON = `{"package": {"packageName": "blue", "versionRange": ">=1.0.0"}}`
	celJSON     = `{"cel": {"rule": "properties.exists(p, p.type == 'certified')"}}`
)

func newGVK(g properties.GVK) *GVK { return &GVK{GVK: g} }

func newLabel(label string) *Label { return &Label{Label: label} }

func newPackage(name string, r properties.Range) *Package { return &Package{Name: name, Range: r} }

// children returns the children of a compound, or nil for an atom.
func children(c Constraint) []Constraint { return c.parts().children }

// FuzzConstraint: any text is an *Error on one line, or a constraint that
// comes back the same from its JSON and that can be printed and tested.
func FuzzConstraint(f *testing.F) {
	for _, raw := range []string{
		``, `{}`, `null`, gvkJSON, packageJSON, celJSON, nested(3, "all", "any", "none"), nested(11, "all"),
		`{"failureMessage": "a\u0000\ud800", "none": {"constraints": [` + gvkJSON + `, {"any": {}}]}}`,
		`{"gvk": {"group": "a", "group": "b"}, "package": {"name": 1}}`, `{"all": {"constraints": [`, "{\"\xff\": 1}", `{"cel": {"rule": "'\u202e'=="}} x`,
	} {
		f.Add([]byte(raw))
	}
	parser := NewParser()
	subject := NewSubject(set(f, blueBundle))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := parser.Parse(raw)
		if err != nil {
			e := testkit.As[*Error](t, err)
			require.NotEmpty(t, e.Code)
			requireInert(t, err.Error())
			return
		}
		require.LessOrEqual(t, len(raw), MaxBytes)
		requireInert(t, c.String())
		for _, w := range Warnings(c) {
			requireInert(t, w)
		}
		data := testkit.Must(c.MarshalJSON())(t)
		if len(data) <= MaxBytes { // "none" may have become "not", but "message" "failureMessage"
			back, err := parser.Parse(data)
			require.NoError(t, err, "%s", data)
			require.Equal(t, c.Key(), back.Key())
			require.Equal(t, c.Message(), back.Message())
		}
		_, err = NewEvaluator(EvaluatorOptions{}).Match(t.Context(), c, subject)
		require.NoError(t, err)
	})
}

// requireInert fails where s could break a line or steer a terminal.
func requireInert(t *testing.T, s string) {
	t.Helper()
	for _, r := range s {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' {
			t.Fatalf("%q holds %U", s, r)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	p := NewParser()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := p.Parse(fmt.Appendf(nil, `{"failureMessage":"needs pkg-%d","cel":{"rule":"properties.exists(p, p.type == 'olm.package' && p.value.packageName == 'pkg-%d' && semver_compare(p.value.version, '1.2.0') >= 0)"}}`, i, i)); err != nil {
			b.Fatal(err)
		}
	}
}
