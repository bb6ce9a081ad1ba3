//go:build !unix

package bundledir_test

import "testing"

// makePipe makes a named pipe.
func makePipe(t *testing.T, _ string) { t.Skip("there are no pipes in directories here") }
