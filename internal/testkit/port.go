package testkit

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// The range of ports to try. No system assigns them to listeners on port 0 or
// to outgoing connections: Linux starts at 32768, others at 49152. So they
// stay free between FreeAddress and their use.
const firstPort, endPort, attempts = 15_000, 30_000, 100

// FreeAddress returns an unused local address, host:port, for a server of
// another program that needs an explicit address, or for a request that nobody
// answers.
func FreeAddress(t testing.TB) string {
	t.Helper()
	for range attempts {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", firstPort+rand.IntN(endPort-firstPort)))
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return l.Addr().String()
	}
	t.Fatalf("none of %d ports from %d on is free", attempts, firstPort)
	return ""
}
