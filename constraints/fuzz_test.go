package constraints

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

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
