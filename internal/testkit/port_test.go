package testkit_test

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

func TestFreeAddress(t *testing.T) {
	address := testkit.FreeAddress(t)
	_, err := net.Dial("tcp", address)
	require.Error(t, err)
	l := testkit.Must(net.Listen("tcp", address))(t)
	defer l.Close()
	require.NotEqual(t, address, testkit.FreeAddress(t))
}
