package constraints

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/testkit"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/properties"
)

func TestWords(t *testing.T) {
	rule := func(text string) Constraint { return &CEL{Rule: text} }
	blue := newPackage("blue", ranged(t, ">=1.0.0"))
	tests := []struct {
		c    Constraint
		want string
	}{
		{newGVK(foo), "an operator that provides foos.example.com/v1/Foo"},
		{blue, "package blue in range >=1.0.0"},
		{newLabel("certified"), "an operator with the label 'certified'"},
		{rule(`properties.exists(p, p.type == "x")`), `an operator for which the rule 'properties.exists(p, p.type == "x")' holds`},
		{rule("\n  cluster.exists(c,\n\t\tc.type == 'a  b')\r\n"), "an operator for which the rule 'cluster.exists(c, c.type == 'a  b')' holds"},
		{rule("a  b \t"), "an operator for which the rule 'a  b' holds"},
		{rule("\n"), "an operator for which the rule '' holds"},
		{NewAll(newGVK(foo), blue), "all of (an operator that provides foos.example.com/v1/Foo; package blue in range >=1.0.0)"},
		{NewAny(blue, NewNot(newGVK(foo))), "any of (package blue in range >=1.0.0; none of (an operator that provides foos.example.com/v1/Foo))"},
		{NewAll(), "all of nothing"},
		{NewAny(), "any of nothing"},
		{NewNot(), "none of nothing"},
		{NewAll(nil), "all of ()"},
		{WithMessage(blue, "please"), "package blue in range >=1.0.0"},
		// foreign text neither breaks lines nor steers a terminal
		{newLabel("a\nb\x1b[31m\u202e\xff\ufffdé"), `an operator with the label 'a b\x1b[31m\u202e\xff` + "\ufffdé'"},
		{rule("\x1b\u0085"), `an operator for which the rule '\x1b' holds`},
	}
	for _, test := range tests {
		t.Run(test.want, func(t *testing.T) { require.Equal(t, test.want, test.c.String()) })
	}
}

// constraint draws a constraint.
func constraint(t *rapid.T, depth int) Constraint {
	message := rapid.SampledFrom([]string{"", "", "no <b>", "two\nlines"}).Draw(t, "message")
	return WithMessage(bare(t, depth), message)
}

var program = sync.OnceValue(func() Program {
	p, err := newCompiler()("properties.size() > 0 && 'a<b' != \"\"")
	if err != nil {
		panic(err)
	}
	return p
})

// bare draws a constraint without a message.
func bare(t *rapid.T, depth int) Constraint {
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if depth == 0 {
		kind %= 4
	}
	switch kind {
	case 0:
		return newGVK(properties.GVK{Group: "a.b", Version: rapid.SampledFrom([]string{"v1", "v2"}).Draw(t, "version"), Kind: "K"})
	case 1, 2:
		r, err := properties.ParseRange(rapid.SampledFrom([]string{">=1.0.0", "<2.0.0 || 3.x"}).Draw(t, "range"))
		require.NoError(t, err)
		return newPackage(rapid.SampledFrom([]string{"blue", `r"e,d)`}).Draw(t, "name"), r)
	case 3:
		return NewCEL(program())
	}
	var children []Constraint
	for range rapid.IntRange(0, 3).Draw(t, "children") {
		children = append(children, constraint(t, depth-1))
	}
	switch kind {
	case 4:
		return NewAll(children...)
	case 5:
		return NewAny(children...)
	}
	return NewNot(children...)
}

// shape is the formula without its messages, in a form that is easy to
// compare: the JSON with the messages taken out.
func shape(t require.TestingT, c Constraint) string {
	data := testkit.Must(json.Marshal(c))(t)
	var v any
	require.NoError(t, json.Unmarshal(data, &v))
	var strip func(any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			delete(v, "failureMessage")
			for _, x := range v {
				strip(x)
			}
		case []any:
			for _, x := range v {
				strip(x)
			}
		}
	}
	strip(v)
	data = testkit.Must(json.Marshal(v))(t)
	return string(data)
}

// Keys are equal exactly when the formulas are, whatever the messages.
func TestKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := constraint(t, 2), constraint(t, 2)
		require.Equal(t, shape(t, a) == shape(t, b), a.Key() == b.Key(), "%s\n%s", a.Key(), b.Key())
		require.Equal(t, a.Key(), WithMessage(a, "other").Key())
	})
	// texts do not run into each other
	require.NotEqual(t, newLabel(`a","b`).Key(), (&GVK{GVK: properties.GVK{Group: "a", Version: "b"}}).Key())
	require.NotEqual(t, NewAll(newLabel("a"), newLabel("b")).Key(), NewAll(newLabel(`a"),label("b`)).Key())
	require.NotEqual(t, NewAll(newLabel("a"), newLabel("b")).Key(), NewAll(newLabel("b"), newLabel("a")).Key())
	require.NotEqual(t, NewAll().Key(), NewAny().Key())
	require.Equal(t, NewAll(nil).Key(), NewAll(nil).Key())
}

// A constraint that was not made by a constructor has the same key.
func TestKeyOfLiterals(t *testing.T) {
	r := ranged(t, ">=1.0.0")
	for _, pair := range [][2]Constraint{
		{newGVK(foo), &GVK{GVK: foo}},
		{newPackage("a", r), &Package{Name: "a", Range: r}},
		{newLabel("a"), &Label{Label: "a"}},
		{NewCEL(program()), &CEL{Rule: program().Rule()}},
	} {
		require.Equal(t, pair[0].Key(), pair[1].Key())
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := constraint(t, 3)
		data := testkit.Must(json.Marshal(c))(t)
		back, err := Parse(data)
		require.NoError(t, err, string(data))
		require.Equal(t, c.Key(), back.Key())
		again := testkit.Must(back.MarshalJSON())(t)
		first := testkit.Must(c.MarshalJSON())(t)
		require.Equal(t, string(first), string(again), "messages come back too")
		require.NotContains(t, string(first), `\u003c`)
	})
}

func TestMarshalJSON(t *testing.T) {
	for raw, want := range map[string]string{
		`{"message": "m", "none": {}}`:                         `{"failureMessage":"m","not":{"constraints":[]}}`,
		`{"package": {"name": "a", "versionRange": "<1.0.0"}}`: `{"package":{"packageName":"a","versionRange":"<1.0.0"}}`,
		gvkJSON: `{"gvk":{"group":"foos.example.com","version":"v1","kind":"Foo"}}`,
		celJSON: `{"cel":{"rule":"properties.exists(p, p.type == 'certified')"}}`,
	} {
		data := testkit.Must(parse(t, raw).MarshalJSON())(t)
		require.Equal(t, want, string(data))
	}
}

// A label has no spelling in the language; the rule that stands for it means
// the same.
func TestMarshalLabel(t *testing.T) {
	for _, label := range []string{"certified", `"quoted" \ 'label'`, "é !"} {
		data := testkit.Must(json.Marshal(WithMessage(newLabel(label), "m")))(t)
		c := parse(t, string(data))
		require.Equal(t, "m", c.Message())
		for _, other := range []string{label, label + "x"} {
			s := NewSubject(set(t, `[{"type": "olm.label", "value": {"label": `+quoteJSON(other)+`}}]`))
			got := testkit.Must(NewEvaluator(EvaluatorOptions{}).Match(t.Context(), c, s))(t)
			require.Equal(t, other == label, got)
		}
	}
}

func quoteJSON(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		return strconv.Quote(s)
	}
	return string(data)
}

func TestWithMessage(t *testing.T) {
	for _, c := range []Constraint{newGVK(foo), newPackage("a", ranged(t, "1.0.0")), newLabel("a"), NewCEL(program()), NewAll(), NewAny(), NewNot()} {
		d := WithMessage(c, "why")
		require.Empty(t, c.Message())
		require.Equal(t, "why", d.Message())
		require.IsType(t, c, d)
		require.Equal(t, c.Key(), d.Key())
		require.Same(t, d, WithMessage(d, "why"))
	}
	require.Nil(t, WithMessage(nil, "why"))
}

func TestWalk(t *testing.T) {
	c := NewAll(newLabel("a"), NewAny(newLabel("b"), NewNot(newLabel("c"))), nil, newLabel("d"))
	var seen []string
	Walk(c, func(c Constraint) bool {
		seen = append(seen, strings.SplitN(c.Key(), "(", 2)[0])
		_, isNot := c.(*Not)
		return !isNot
	})
	require.Equal(t, []string{"all", "label", "any", "label", "not", "label"}, seen)
	Walk(nil, func(Constraint) bool { panic("called") })
}

func TestWarnings(t *testing.T) {
	require.Empty(t, Warnings(nil))
	require.Empty(t, Warnings(newLabel("a")))
	require.Empty(t, Warnings(NewAll(NewAny(NewNot(newLabel("a"))))))
	require.Equal(t, []string{
		"all.constraints[1].any: any without constraints never holds",
		"all.constraints[2].not.constraints[0].all: all without constraints always holds",
		"all.constraints[2].not.constraints[1].not: not without constraints always holds",
	}, Warnings(NewAll(newLabel("a"), NewAny(), NewNot(NewAll(), NewNot()))))
	require.Equal(t, []string{"any: any without constraints never holds"}, Warnings(NewAny()))
}

// TestOnlyWhatDoesNotPrintIsEscaped: in a text that has to be escaped somewhere,
// quotes and backslashes stay as they are.
func TestOnlyWhatDoesNotPrintIsEscaped(t *testing.T) {
	require.Equal(t, `an operator with the label '"a\b"\x1b\u200b'`, newLabel("\"a\\b\"\x1b\u200b").String())
}
