package image

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"

	"github.com/seed109e2655/resolute/cache/internal/guard"
)

// DialFrom opens and closes a connection, like a load from a registry with an address of the
// given kind.
func DialFrom(ctx context.Context, kind, addr string) error {
	opts, err := Options{}.withDefaults()
	if err != nil {
		return err
	}
	n := newNetwork(newLoader(ctx, Reference{Transport: Registry, Repository: "registry.example.com/x", Name: "v1"}, &opts, ""), "registry.example.com")
	defer n.close()
	n.reach = guard.Kind(kind)
	c, err := n.dial(ctx, "tcp", addr)
	if err != nil {
		return n.failure((&http.Request{URL: &url.URL{Host: addr}}).WithContext(ctx), err)
	}
	n.close()
	if !errors.Is(c.Close(), net.ErrClosed) {
		return errors.New("the connection outlives its load")
	}
	return nil
}

// Locations returns the repositories tried for an image.
func Locations(repository string, opts Options) []string { return opts.locations(repository) }

// Challenge returns the challenge selected for a credential.
func Challenge(c Credential, offers ...string) string {
	resp := &http.Response{Header: http.Header{"Www-Authenticate": offers}, Request: &http.Request{URL: &url.URL{Scheme: "https", Host: "quay.io"}}}
	(&client{credential: c}).challenge(resp)
	return resp.Header.Get("WWW-Authenticate")
}
