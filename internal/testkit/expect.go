package testkit

import "github.com/stretchr/testify/require"

// Must returns what a call gives, or fails the test where that is an error:
//
//	data := testkit.Must(os.ReadFile(name))(t)
func Must[T any](v T, err error) func(t require.TestingT) T {
	return func(t require.TestingT) T {
		helper(t)
		require.NoError(t, err)
		return v
	}
}

// As returns the error of that type in a chain of errors, or fails the test where there is none.
func As[E error](t require.TestingT, err error) (found E) {
	helper(t)
	require.ErrorAs(t, err, &found)
	return found
}

// helper takes its caller out of the places at which a failure is reported.
func helper(t require.TestingT) {
	if h, is := t.(interface{ Helper() }); is {
		h.Helper()
	}
}
