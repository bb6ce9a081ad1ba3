package catalogd

import (
	"cmp"
	"net/http"
	"time"

	"github.com/seed109e2655/resolute/cache/fbc"
)

// Defaults returns the default options, without FBC.
func Defaults() Options {
	return Options{Client: http.DefaultClient, MaxBytes: 512 << 20,
		ConnectTimeout: 10 * time.Second, HeaderTimeout: 30 * time.Second, IdleTimeout: 30 * time.Second}
}

// Options configure a source. Zero means the default, see [Defaults]; a negative limit means no
// limit.
type Options struct {
	// Client sends the requests; nil means http.DefaultClient. Its transport provides
	// certificates and proxies, and tokens through a wrapping RoundTripper; its CheckRedirect
	// restricts redirects. It owns its idle connections: the source never closes them.
	Client *http.Client
	// FBC configures how the catalog is read and which parts are retained. Its MaxTotalBytes
	// bounds the decompressed catalog, which stops compression bombs.
	FBC fbc.Options
	// MaxBytes bounds the response body as transferred, before decompression.
	MaxBytes int64
	// ConnectTimeout limits each connection, including TLS.
	ConnectTimeout time.Duration
	// HeaderTimeout limits the wait for the response headers, including redirects.
	HeaderTimeout time.Duration
	// IdleTimeout limits the wait for more of the body. Only the context limits the whole body:
	// [cache.SourceConfig].Timeout.
	IdleTimeout time.Duration
}

func (o Options) withDefaults() Options {
	d := Defaults()
	o.Client = cmp.Or(o.Client, d.Client)
	o.MaxBytes = cmp.Or(o.MaxBytes, d.MaxBytes)
	o.ConnectTimeout = cmp.Or(o.ConnectTimeout, d.ConnectTimeout)
	o.HeaderTimeout = cmp.Or(o.HeaderTimeout, d.HeaderTimeout)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, d.IdleTimeout)
	return o
}
