package fbc_test

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestCausesAreFound: errors lead to what caused them.
func TestCausesAreFound(t *testing.T) {
	_, err := fbc.LoadFile(context.Background(), fstest.MapFS{}, "missing.json", fbc.Options{})
	unreadable := testkit.As[*fbc.UnreadableError](t, err)
	require.ErrorIs(t, err, fs.ErrNotExist)

	_, err = fbc.LoadFile(context.Background(), fstest.MapFS{"bad.json": {Data: []byte("{\n")}}, "bad.json", fbc.Options{})
	require.ErrorAs(t, err, &unreadable)
	p := testkit.As[*graph.Problem](t, err)
	require.Equal(t, "bad.json", p.File)

	cut := &fbc.CutError{Name: "far", Bytes: 7, Err: fbc.ErrHalfValue}
	require.ErrorIs(t, cut, fbc.ErrHalfValue)
	require.EqualError(t, cut, "the catalog far did not arrive whole, only 7 bytes of it: it ends in the middle of a value; what came is not used")
	require.False(t, errors.Is(cut, fs.ErrNotExist))
}
