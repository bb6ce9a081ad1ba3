package catalogd

import (
	"cmp"
	"net/http"
	"time"

	"github.com/seed109e2655/resolute/cache/fbc"
)

// Defaults returns the options that zero ones stand for, without their FBC.
func Defaults() Options {
	return Options{Client: http.DefaultClient, MaxBytes: 512 << 20,
		ConnectTimeout: 10 * time.Second, HeaderTimeout: 30 * time.Second, IdleTimeout: 30 * time.Second}
}

// Options are the options of a source. The zero value is the default. A limit
// of 0 stands for its default, see [Defaults]; a negative one is no limit.
type Options struct {
	// Client sends the requests; nil stands for http.DefaultClient. Its
	// transport brings certificates and proxies, and, as a RoundTripper around
	// it, tokens; its CheckRedirect says where redirects may lead. Connections
	// that it keeps for later are its own: what closes the Client's idle
	// connections closes those of the source.
	Client *http.Client
	// FBC says how the catalog is read, and what is kept of it. Its
	// MaxTotalBytes bounds the catalog decompressed, and is what stops a gzip
	// bomb.
	FBC fbc.Options
	// MaxBytes bounds what is sent, as it is sent: compressed, if it is.
	MaxBytes int64
	// ConnectTimeout is how long one connection may take to be made, TLS
	// included.
	ConnectTimeout time.Duration
	// HeaderTimeout is how long it may take altogether until the headers of
	// the answer are there, redirects included.
	HeaderTimeout time.Duration
	// IdleTimeout is how long the body may stand still. There is no limit on
	// the whole of it but the context: [cache.SourceConfig].Timeout.
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
