package guard_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/internal/guard"
)

// The addresses are examples of the registries of special addresses of IANA.
func TestOf(t *testing.T) {
	for kind, addrs := range map[guard.Kind][]string{
		guard.Public:   {"8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1", "64:ff9b::808:808", "::ffff:8.8.8.8"},
		guard.Private:  {"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.127.255.255", "198.18.0.1", "fd00::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::"},
		guard.Loopback: {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"},
		guard.Link:     {"169.254.169.254", "fe80::1", "fe80::1%eth0", "224.0.0.1", "ff02::1"},
		guard.Special:  {"0.0.0.0", "0.1.2.3", "::", "240.0.0.1", "255.255.255.255", "239.1.1.1", "ff0e::1"},
	} {
		for _, a := range addrs {
			require.Equal(t, kind, guard.Of(netip.MustParseAddr(a)), a)
		}
	}
	require.Equal(t, guard.Special, guard.Of(netip.Addr{}))
}

func TestMayLead(t *testing.T) {
	all := []guard.Kind{guard.Public, guard.Private, guard.Loopback, guard.Link, guard.Special}
	for _, from := range all {
		for _, to := range all {
			require.Equal(t, to == guard.Public || from == to && to != guard.Special, guard.MayLead(from, to), "%s to %s", from, to)
		}
	}
}
