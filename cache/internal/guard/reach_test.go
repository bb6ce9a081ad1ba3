package guard_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/internal/guard"
)

// The addresses are examples from IANA's special-purpose address registries.
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

// The rows of IANA's special-purpose address registries, each by its first and last address.
func TestSpecialRegistries(t *testing.T) {
	for row, kind := range map[string]guard.Kind{
		"0.0.0.0 0.255.255.255": guard.Special, "10.0.0.0 10.255.255.255": guard.Private, "100.64.0.0 100.127.255.255": guard.Private,
		"127.0.0.0 127.255.255.255": guard.Loopback, "169.254.0.0 169.254.255.255": guard.Link, "172.16.0.0 172.31.255.255": guard.Private,
		"192.0.0.0 192.0.0.8": guard.Special, "192.0.0.9 192.0.0.10": guard.Public, "192.0.0.11 192.0.0.255": guard.Special, "192.0.0.170 192.0.0.192": guard.Special,
		"192.0.2.0 192.0.2.255": guard.Special, "192.31.196.0 192.52.193.255": guard.Public, "192.88.99.0 192.88.99.255": guard.Special,
		"192.168.0.0 192.168.255.255": guard.Private, "192.175.48.0 192.175.48.255": guard.Public, "198.18.0.0 198.19.255.255": guard.Private,
		"198.51.100.0 198.51.100.255": guard.Special, "203.0.113.0 203.0.113.255": guard.Special, "240.0.0.0 255.255.255.255": guard.Special,
		"224.0.1.0 239.255.255.255": guard.Special, "::127.0.0.1 ::8.8.8.8": guard.Special, "64:ff9b:1:: 64:ff9b:1:ffff::808:808": guard.Special,
		"100:: 100::ffff:ffff:ffff:ffff": guard.Special, "100:0:0:1:: 100:0:0:1::1": guard.Special, "2001:: 2001:0:ffff::": guard.Special,
		"2001:1:: 2001:1::4": guard.Special, "2001:1::1 2001:1::3": guard.Public, "2001:2:: 2001:2:0:ffff::": guard.Private, "2001:3:: 2001:3:ffff::": guard.Public,
		"2001:4:112:: 2001:4:112:ffff::": guard.Public, "2001:10:: 2001:1f::": guard.Special, "2001:20:: 2001:2f::": guard.Public, "2001:30:: 2001:3f::": guard.Public,
		"2001:40:: 2001:1ff:ffff::": guard.Special, "2001:200:: 2001:4860::8888": guard.Public, "2001:db8:: 2001:db8:ffff::": guard.Special,
		"2002:808:808:: 2620:4f:8000::": guard.Public, "2002:7f00:1:: 2002:7fff:ffff::": guard.Loopback, "3fff:: 3fff:fff::": guard.Special, "5f00:: 5f00:ffff::": guard.Special,
		"fc00:: fdff::": guard.Private, "fe80:: febf::": guard.Link, "fec0:: feff::": guard.Private, "ff0e:: ff05::1": guard.Special,
	} {
		for a := range strings.FieldsSeq(row) {
			require.Equal(t, kind, guard.Of(netip.MustParseAddr(a)), a)
		}
	}
}

func TestLiterals(t *testing.T) {
	for host, want := range map[string]string{
		"127.1": "127.0.0.1", "127.0.1": "127.0.0.1", "2130706433": "127.0.0.1", "0x7f.0.0.1": "127.0.0.1", "0X7F000001": "127.0.0.1",
		"127.0.0.1.": "127.0.0.1", "0177.0.0.1": "127.0.0.1 177.0.0.1", "010.0.0.1": "8.0.0.1 10.0.0.1", "0": "0.0.0.0", "0x": "0.0.0.0",
		"0xa9.254.43518": "169.254.169.254", "09.0.0.1": "9.0.0.1", "::1": "::1", "256.0.0.1": "invalid IP", "4294967296": "invalid IP",
		"1.2.3.4.5": "invalid IP", "a.1": "invalid IP", "1.a": "", "a.example": "", "": "", "1_0.0.0.1": "invalid IP",
	} {
		var got []string
		for _, a := range guard.Literals(host) {
			got = append(got, a.String())
		}
		require.Equal(t, want, strings.Join(got, " "), host)
	}
	for _, a := range []string{"169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "fd00:ec2::254"} {
		require.True(t, guard.IsMetadata(netip.MustParseAddr(a)), a)
	}
	require.False(t, guard.IsMetadata(netip.MustParseAddr("169.254.1.1")))
	require.True(t, guard.IsMetadataName("Metadata.Google.Internal."))
	require.False(t, guard.IsMetadataName("registry.example.com"))
	require.True(t, guard.IsLocalName("LOCALHOST.") && guard.IsLocalName("a.localhost") && !guard.IsLocalName("localhost.example.com"))
}
