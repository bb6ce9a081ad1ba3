package testkit

import (
	"context"
	"io"
	"strings"

	"github.com/stretchr/testify/require"
)

// Must returns the value of a call that must succeed, as in
// Must(os.ReadFile(name))(t). An error fails the test.
func Must[T any](v T, err error) func(require.TestingT) T {
	return func(t require.TestingT) T {
		if h, ok := t.(interface{ Helper() }); ok {
			h.Helper()
		}
		require.NoError(t, err)
		return v
	}
}

// As returns the error of type E in the chain of err. The test fails if there
// is none.
func As[E error](t require.TestingT, err error) E {
	if h, ok := t.(interface{ Helper() }); ok {
		h.Helper()
	}
	var as E
	require.ErrorAs(t, err, &as)
	return as
}

// Ended returns a cancelled context.
func Ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// Written returns the output of a function that writes, which must succeed.
func Written(t require.TestingT, write func(context.Context, io.Writer) error) string {
	if h, ok := t.(interface{ Helper() }); ok {
		h.Helper()
	}
	var b strings.Builder
	require.NoError(t, write(context.Background(), &b))
	return b.String()
}
