package constraints

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

func TestParse(t *testing.T) {
	blue := newPackage("blue", ranged(t, ">=1.0.0"))
	tests := []struct {
		raw     string
		want    Constraint
		message string
	}{
		{gvkJSON, newGVK(foo), ""},
		{packageJSON, blue, ""},
		{`{"package": {"name": "blue", "versionRange": ">=1.0.0"}}`, blue, ""},
		{` {"failureMessage" : "needs blue", "package": {"versionRange": ">=1.0.0", "packageName": "blue"}} `, blue, "needs blue"},
		{`{"package": {"packageName": "bl\u0075e", "versionRange": ">=1.0.0"}, "message": "needs\nblue"}`, blue, "needs\nblue"},
		{`{"failureMessage": "", "gvk": {"group": "foos.example.com", "version": "v1", "kind": "Foo"}}`, newGVK(foo), ""},
		{`{"all": {"constraints": [` + gvkJSON + `,` + packageJSON + `]}}`, NewAll(newGVK(foo), blue), ""},
		{`{"any": {"constraints": [` + packageJSON + `,` + gvkJSON + `]}}`, NewAny(blue, newGVK(foo)), ""},
		{`{"not": {"constraints": [` + gvkJSON + `]}}`, NewNot(newGVK(foo)), ""},
		{`{"none": {"constraints": [` + gvkJSON + `]}}`, NewNot(newGVK(foo)), ""},
		{`{"all": {"constraints": []}}`, NewAll(), ""},
		{`{"any": {}}`, NewAny(), ""},
		{`{"not": {"constraints": [{"any": {"constraints": [` + gvkJSON + `]}}]}}`, NewNot(NewAny(newGVK(foo))), ""},
	}
	for _, test := range tests {
		t.Run(test.raw, func(t *testing.T) {
			c := parse(t, test.raw)
			require.IsType(t, test.want, c)
			require.Equal(t, test.want.Key(), c.Key())
			require.Equal(t, test.want.String(), c.String())
			require.Equal(t, test.message, c.Message())
		})
	}
}

func TestParseFields(t *testing.T) {
	require.Equal(t, foo, parse(t, gvkJSON).(*GVK).GVK)
	p := parse(t, packageJSON).(*Package)
	require.Equal(t, "blue", p.Name)
	require.Equal(t, ">=1.0.0", p.Range.String())
	c := parse(t, celJSON).(*CEL)
	require.Equal(t, "properties.exists(p, p.type == 'certified')", c.Rule)
	require.Equal(t, c.Rule, c.Program.Rule())

	nested := parse(t, `{"all": {"constraints": [{"message": "inner", "not": {"constraints": [`+gvkJSON+`]}}]}, "message": "outer"}`)
	require.Equal(t, "outer", nested.Message())
	require.Equal(t, "inner", children(nested)[0].Message())
	require.Empty(t, children(children(nested)[0])[0].Message())
}

func TestParseErrors(t *testing.T) {
	check := func(raw, code, path, reason string) {
		t.Run(raw, func(t *testing.T) {
			c, err := Parse([]byte(raw))
			require.Nil(t, c)
			e := testkit.As[*Error](t, err)
			require.Equal(t, code, e.Code, e.Reason)
			require.Equal(t, path, e.Path)
			require.Contains(t, e.Reason, reason)
			require.Contains(t, e.Error(), path)
			require.NotContains(t, e.Error(), "\n")
		})
	}
	check(``, codeSyntax, "", "it is empty")
	check(` `, codeSyntax, "", "it is empty")
	check("{\"message\": \"\xff\"}", codeSyntax, "message", "UTF-8")
	for _, c := range testkit.Cases(t, "testdata/errors.txt", codeSyntax, codeType, codeUnknownKey, codeDuplicateKey, codeNoKind,
		codeSeveralKinds, codeMissing, codeValue, codeRule) {
		for _, part := range c.Parts {
			for _, line := range part.Lines {
				raw, said, _ := strings.Cut(strings.ReplaceAll(line, "$gvk", gvkJSON), " ⇒ ")
				path, reason, _ := strings.Cut(said, ": ")
				check(raw, part.Verb, strings.TrimPrefix(path, "-"), reason)
			}
		}
	}
}

func TestErrorsAreShortAndInert(t *testing.T) {
	long := strings.Repeat("k\u202e", 5000)
	for _, raw := range []string{
		fmt.Sprintf(`{"%s": 1}`, long),
		fmt.Sprintf(`{"all": {"%s": 1}}`, long),
		fmt.Sprintf(`{"gvk": {"%s": 1}}`, long),
		fmt.Sprintf(`{"gvk": {"group": "%s", "version": "v1", "kind": "K"}}`, long),
		fmt.Sprintf(`{"package": {"name": "a", "versionRange": "%s"}}`, long),
		fmt.Sprintf(`{"cel": {"rule": "'%s"}}`, long),
		fmt.Sprintf(`{"cel": {"rule": "\u001b[31m"}, "%s": 1, "%s": 1}`, long, long),
		fmt.Sprintf(`{"%s" 1}`, long),
	} {
		_, err := Parse([]byte(raw))
		require.Error(t, err)
		require.Less(t, len(err.Error()), 1500)
		for _, r := range err.Error() {
			require.NotContains(t, "\n\x1b\u202e", string(r), err.Error())
		}
	}
	_, err := Parse([]byte(`{}`))
	require.EqualError(t, err, "constraint: it has none of gvk, package, cel, all, any, not")
}

// nested returns a gvk inside n compounds.
func nested(n int, kinds ...string) string {
	raw := gvkJSON
	for i := range n {
		raw = fmt.Sprintf(`{%q: {"constraints": [%s]}}`, kinds[i%len(kinds)], raw)
	}
	return raw
}

func TestLimits(t *testing.T) {
	for _, kinds := range [][]string{{"all"}, {"any", "not", "none"}} {
		parse(t, nested(MaxDepth, kinds...))
		_, err := Parse([]byte(nested(MaxDepth+1, kinds...)))
		e := testkit.As[*Error](t, err)
		require.Equal(t, codeDepth, e.Code)
		require.Equal(t, MaxDepth, strings.Count(e.Path, "["))
	}
	// deep nesting costs no stack
	_, err := Parse([]byte(nested(1500, "all")))
	require.ErrorContains(t, err, "deeper than 10 levels")

	fits := `{"message": "` + strings.Repeat("m", MaxBytes-len(`{"message": "", `)-len(gvkJSON)+1) + `", ` + gvkJSON[1:]
	require.Len(t, fits, MaxBytes)
	parse(t, fits)
	_, err = Parse([]byte(fits + " "))
	e := testkit.As[*Error](t, err)
	require.Equal(t, codeSize, e.Code)
	require.Contains(t, e.Reason, "65537 bytes; at most 65536")
}
