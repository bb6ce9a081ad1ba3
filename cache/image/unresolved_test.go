package image

import (
	"net"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
)

// TestUnresolved: a failed DNS lookup of a host or proxy is reported as such, whatever the
// cause.
func TestUnresolved(t *testing.T) {
	const unresolved = "cannot be resolved (DNS, or no network)"
	lookup := func(err net.DNSError) error { return &net.OpError{Op: "dial", Net: "tcp", Err: &err} }
	for want, err := range map[string]error{
		"the image quay.io/a/b:c cannot be read: quay.io " + unresolved + ": check the name and the connection": lookup(net.DNSError{Err: "no such host", Name: "quay.io", IsNotFound: true}),
		"quay.io " + unresolved:                               lookup(net.DNSError{Err: "server misbehaving", Name: "quay.io.", IsTemporary: true}),
		"cannot be read: quay.io " + unresolved + ":":         &cache.TimeoutError{Source: "the image quay.io/a/b:c", Host: "quay.io", Waiting: "a connection", Err: lookup(net.DNSError{Err: "i/o timeout", Name: "quay.io", IsTimeout: true})},
		"behind proxy proxy.example.com, which " + unresolved: lookup(net.DNSError{Err: "no such host", Name: "proxy.example.com", IsNotFound: true}),
	} {
		n := &network{loader: &loader{ref: "quay.io/a/b:c"}}
		got := n.failure(&http.Request{URL: &url.URL{Scheme: "https", Host: "quay.io"}}, err)
		require.ErrorContains(t, got, want)
		require.ErrorAs(t, got, new(*ConnectionError))
		require.ErrorAs(t, got, new(*net.DNSError))
	}
}
