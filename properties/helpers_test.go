package properties

import (
	"errors"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// newProperty parses a property that must parse.
func newProperty(t testing.TB, typ, value string) *Property {
	t.Helper()
	return testkit.Must(New(typ, []byte(value)))(t)
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
