//go:build unix

package main

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// makePipe makes a named pipe.
func makePipe(t *testing.T, name string) { require.NoError(t, syscall.Mkfifo(name, 0o600)) }
