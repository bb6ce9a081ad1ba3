package properties_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

// TestRangeAsText: a range goes through JSON as its text; no text is no range.
func TestRangeAsText(t *testing.T) {
	var r properties.Range
	require.NoError(t, json.Unmarshal([]byte(`">=1.0.0 <2.0.0"`), &r))
	out := testkit.Must(json.Marshal(r))(t)
	require.JSONEq(t, `">=1.0.0 <2.0.0"`, string(out))
	require.NoError(t, r.UnmarshalText(nil))
	require.Equal(t, properties.Range{}, r)
	require.ErrorContains(t, r.UnmarshalText([]byte("one")), `"one"`)
}
