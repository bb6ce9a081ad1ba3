package testkit

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// The ports that are tried. No system gives one of them to a listener that asks for
// any port, or to an outgoing connection: those of Linux begin at 32768, those of
// others at 49152. So nobody else takes it between FreeAddress and its use.
const firstPort, endPort, attempts = 15_000, 30_000, 100

// FreeAddress returns an address of this machine, host:port, at which nobody listens: for a
// server of another program, which has to be told where to listen, or for a question that
// nobody answers.
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
