package properties

import (
	"errors"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"
)

// newProperty parses a property that must parse.
func newProperty(t testing.TB, typ, value string) *Property {
	t.Helper()
	p, err := New(typ, []byte(value))
	require.NoError(t, err)
	return p
}

// asError returns the *Error in err.
func asError(t testing.TB, err error) *Error {
	t.Helper()
	var e *Error
	require.True(t, errors.As(err, &e), "%v is no *Error", err)
	return e
}

// version parses a version that must parse.
func version(text string) semver.Version { return semver.MustParse(text) }
