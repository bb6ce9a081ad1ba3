package constraints

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/constraints/cel"
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
	in := func(kind, value string) string {
		return fmt.Sprintf(`{"all": {"constraints": [%s, {%q: %s}]}}`, gvkJSON, kind, value)
	}
	at := func(path string) string { return "all.constraints[1]" + path }
	tests := []struct {
		raw    string
		code   string
		path   string
		reason string
	}{
		// not JSON
		{``, codeSyntax, "", "it is empty"},
		{` `, codeSyntax, "", "it is empty"},
		{`{`, codeSyntax, "", "not valid JSON"},
		{`{"gvk"`, codeSyntax, "gvk", "not valid JSON"},
		{`{"gvk": }`, codeSyntax, "gvk", "not valid JSON"},
		{`{"gvk": {"group": tru}}`, codeSyntax, "gvk.group", "not valid JSON"},
		{`{"all": {"constraints": [`, codeSyntax, "all.constraints", "not valid JSON"},
		{`{"all": {"constraints": [` + gvkJSON, codeSyntax, "all.constraints", "not valid JSON"},
		{`{"all": {"constraints": [}}`, codeSyntax, "all.constraints[0]", "not valid JSON"},
		{gvkJSON + `{}`, codeSyntax, "", "more after the end"},
		{gvkJSON + ` x`, codeSyntax, "", "more after the end"},
		{"{\"message\": \"\xff\"}", codeSyntax, "message", "UTF-8"},

		// wrong types
		{`[]`, codeType, "", "must be an object, not an array"},
		{`null`, codeType, "", "must be an object, not null"},
		{`"gvk"`, codeType, "", "must be an object, not a string"},
		{`{"gvk": "a/b/c"}`, codeType, "gvk", "must be an object, not a string"},
		{`{"gvk": null}`, codeType, "gvk", "must be an object, not null"},
		{`{"gvk": {"group": 1}}`, codeType, "gvk.group", "must be a string, not a number"},
		{`{"failureMessage": true}`, codeType, "failureMessage", "must be a string, not a boolean"},
		{`{"all": []}`, codeType, "all", "must be an object, not an array"},
		{`{"all": {"constraints": {}}}`, codeType, "all.constraints", "must be an array, not an object"},
		{`{"all": {"constraints": null}}`, codeType, "all.constraints", "must be an array, not null"},
		{`{"all": {"constraints": [1]}}`, codeType, "all.constraints[0]", "must be an object, not a number"},
		{in("cel", `{"rule": {}}`), codeType, at(".cel.rule"), "must be a string, not an object"},

		// keys
		{`{"GVK": {}}`, codeUnknownKey, "GVK", `unknown key "GVK"; known are failureMessage, gvk, package, cel, all, any, not`},
		{`{"label": {"label": "x"}}`, codeUnknownKey, "label", "unknown key"},
		{in("gvk", `{"group": "a", "Version": "v1"}`), codeUnknownKey, at(".gvk.Version"), "known are group, version, kind"},
		{in("package", `{"packageName": "blue", "version": "1"}`), codeUnknownKey, at(".package.version"), "known are packageName, versionRange"},
		{in("cel", `{"rule": "true", "failureMessage": "x"}`), codeUnknownKey, at(".cel.failureMessage"), "known are rule"},
		{in("any", `{"message": "x"}`), codeUnknownKey, at(".any.message"), "known are constraints"},
		{`{"gvk": {"name": "x"}}`, codeUnknownKey, "gvk.name", "unknown key"},
		{`{"packageName": {}}`, codeUnknownKey, "packageName", "unknown key"},
		{`{"gvk": {"group": "a", "group": "b"}}`, codeDuplicateKey, "gvk.group", "more than once"},
		{`{"message": "a", "message": "b"}`, codeDuplicateKey, "message", "more than once"},
		{`{"message": "a", "failureMessage": "b"}`, codeDuplicateKey, "failureMessage", "two names of the same key"},
		{`{"message": "", "failureMessage": ""}`, codeDuplicateKey, "failureMessage", "two names of the same key"},
		{`{"package": {"name": "a", "packageName": "a"}}`, codeDuplicateKey, "package.packageName", "two names of the same key"},
		{`{"package": {"name": "", "packageName": "a"}}`, codeDuplicateKey, "package.packageName", "two names of the same key"},
		{`{"not": {"constraints": []}, "none": {"constraints": []}}`, codeDuplicateKey, "none", "two names of the same key"},

		// kinds
		{`{}`, codeNoKind, "", "none of gvk, package, cel, all, any, not"},
		{`{"failureMessage": "x"}`, codeNoKind, "", "none of"},
		{`{"all": {"constraints": [{}]}}`, codeNoKind, "all.constraints[0]", "none of"},
		{`{"all": {"constraints": []}, "any": {"constraints": []}}`, codeSeveralKinds, "", "both all and any"},
		{`{"none": {"constraints": []}, "gvk": {}}`, codeSeveralKinds, "", "both none and gvk"},

		// fields
		{`{"gvk": {}}`, codeMissing, "gvk.group", "missing"},
		{`{"gvk": {"group": "a", "version": "v1"}}`, codeMissing, "gvk.kind", "missing"},
		{`{"gvk": {"group": "", "version": "v1", "kind": "K"}}`, codeMissing, "gvk.group", "empty"},
		{`{"package": {"packageName": "blue"}}`, codeMissing, "package.versionRange", "missing"},
		{`{"package": {"versionRange": "1.0.0"}}`, codeMissing, "package.packageName", "missing"},
		{`{"cel": {}}`, codeMissing, "cel.rule", "missing"},
		{`{"cel": {"rule": ""}}`, codeMissing, "cel.rule", "empty"},
		{`{"gvk": {"group": "A", "version": "v1", "kind": "K"}}`, codeValue, "gvk.group", `"A" is not a DNS-1123 subdomain`},
		{`{"gvk": {"group": "a", "version": "1", "kind": "K"}}`, codeValue, "gvk.version", "DNS-1035"},
		{`{"gvk": {"group": "a", "version": "v1", "kind": "!"}}`, codeValue, "gvk.kind", "not a kind"},
		{in("package", `{"name": "blue", "versionRange": "new"}`), codeValue, at(".package.versionRange"), `"new" is not a version range`},
		{in("cel", `{"rule": "properties.exists("}`), codeRule, at(".cel.rule"), "does not compile: line 1, column 19"},
		{in("cel", `{"rule": "1"}`), codeRule, at(".cel.rule"), "must be a boolean"},
	}
	for _, test := range tests {
		t.Run(test.raw, func(t *testing.T) {
			c, err := Parse([]byte(test.raw))
			require.Nil(t, c)
			e := testkit.As[*Error](t, err)
			require.Equal(t, test.code, e.Code, e.Reason)
			require.Equal(t, test.path, e.Path)
			require.Contains(t, e.Reason, test.reason)
			require.Contains(t, e.Error(), test.path)
			require.NotContains(t, e.Error(), "\n")
		})
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
	var compileError *cel.CompileError
	_, err := Parse([]byte(`{"cel": {"rule": "1"}}`))
	require.True(t, errors.As(err, &compileError))
	require.EqualError(t, err, "constraint: cel.rule: the rule does not compile: line 1, column 1: the rule must be a boolean, but is of type int")
	_, err = Parse([]byte(`{}`))
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
