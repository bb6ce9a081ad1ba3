package fbc

import (
	"context"
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSpoiltFile: what was written to the temporary file and cannot be read again is
// an error, wherever it was cut off, and so is a file that can no longer be used.
func TestSpoiltFile(t *testing.T) {
	for size := int64(0); ; size++ {
		r := NewRenderer(RenderOptions{MaxMemory: 1, Dir: t.TempDir()})
		require.NoError(t, r.Add(json.RawMessage(`{"schema":"s"}`)))
		whole := r.written
		require.NoError(t, r.file.Truncate(size))
		err := r.Write(context.Background(), io.Discard)
		if size == whole {
			require.NoError(t, err)
			require.NoError(t, r.file.Close())
			require.ErrorContains(t, r.Add(json.RawMessage(`{"schema":"s"}`)), "the temporary file cannot be used")
			require.ErrorContains(t, r.WriteYAML(context.Background(), io.Discard), "the temporary file cannot be used")
			require.Error(t, r.Close())
			break
		}
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%d of %d bytes", size, whole)
		require.NoError(t, r.Close())
	}
}
