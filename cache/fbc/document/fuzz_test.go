package document_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/internal/testkit"
)

func FuzzDecode(f *testing.F) {
	f.Add([]byte("{\"a\": [1, true, null, \"x\"], \"b\": {}}"))
	f.Add([]byte("a: &a {b: [1, 2]}\nc: {<<: *a, d: 0x10}\n"))
	f.Add([]byte("{a: b, \"c\": }"))
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := document.Decode(context.Background(), text, "f", document.Limits{MaxBytes: 1 << 12, MaxNodes: 500, MaxDepth: 20})
		if err != nil {
			testkit.As[*document.SyntaxError](t, err)
			return
		}
		require.True(t, json.Valid(n.JSON()), "%s", n.JSON())
		again, err := document.Decode(context.Background(), n.JSON(), "f.json", document.Limits{})
		if n.Kind == document.KindMapping {
			require.NoError(t, err)
			require.Equal(t, string(n.JSON()), string(again.JSON()))
		}
	})
}
