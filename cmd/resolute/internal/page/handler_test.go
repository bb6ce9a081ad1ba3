package page

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An answer has a bound, whatever it is of, and its writing ends with the context.
func TestAnswersAreBounded(t *testing.T) {
	answer := func(ctx context.Context, size int) ([]byte, error) {
		names := make([]string, size>>10)
		for i := range names {
			names[i] = strings.Repeat("x", 1<<10)
		}
		return encoded(ctx, names)
	}
	_, err := answer(t.Context(), MaxAnswer/2)
	require.NoError(t, err)
	_, err = answer(t.Context(), 2*MaxAnswer)
	status, body := new(Handler).Failure(err)
	require.Equal(t, StatusUnprocessable, status)
	require.JSONEq(t, `{"error":"the answer exceeds 16777216 bytes; narrow the request"}`, string(body))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = answer(gone, MaxAnswer/2)
	require.ErrorIs(t, err, context.Canceled)
	_, body = new(Handler).Failure(err)
	require.Empty(t, body)
}

// A call without a handler, and one that is too long, are errors of the caller.
func TestCalls(t *testing.T) {
	h := new(Handler)
	h.calls = h.answerers()
	for target, want := range map[string]int{"api/none": StatusNotFound, "/index.html": StatusNotFound, "api/search?q=%zz": StatusBadRequest} {
		_, err := h.Answer(t.Context(), target, nil)
		status, body := h.Failure(err)
		require.Equal(t, want, status, target)
		require.Contains(t, string(body), `"error":`)
	}
	_, err := h.Answer(t.Context(), "api/resolve", make([]byte, MaxBody+1))
	status, _ := h.Failure(err)
	require.Equal(t, StatusTooLarge, status)
	require.Len(t, Calls(), len(h.calls))
}
