package opmgrpc

import (
	"cmp"
	"crypto/tls"
	"time"

	"github.com/seed109e2655/resolute/cache/fbc"
)

// Defaults of [Options].
const (
	// DefaultMaxBytes is the default of Options.MaxBytes: 512 MiB.
	DefaultMaxBytes = 512 << 20
	// DefaultMaxMessageBytes is the default of Options.MaxMessageBytes: 32 MiB.
	DefaultMaxMessageBytes = 32 << 20
	// MaxItems is how many properties, dependencies and skips, all together, a bundle may
	// have, or channels a package.
	MaxItems = 524_288
	// DefaultConnectTimeout is the default of Options.ConnectTimeout.
	DefaultConnectTimeout = 10 * time.Second
	// DefaultIdleTimeout is the default of Options.IdleTimeout.
	DefaultIdleTimeout = 30 * time.Second
)

// Options are the options of a source. The zero value is the default. A limit of
// 0 stands for its default; a negative one is no limit.
type Options struct {
	// FBC says what is kept of the catalog, and bounds it.
	FBC fbc.Options
	// TLS is how the server is asked by TLS; nil asks without, as OLM does.
	TLS *tls.Config
	// Details asks for each bundle by itself, for what only its
	// ClusterServiceVersion says: install modes, the least version of Kubernetes
	// and native APIs.
	Details bool
	// MaxBytes bounds all that the server sends, and MaxMessageBytes each
	// message: a bundle, or a package. Passing one is a [*LimitError]. A message and
	// each item of it count with what they take in memory beside their texts, some
	// hundred bytes.
	MaxBytes        int64
	MaxMessageBytes int
	// ConnectTimeout is how long it may take until the server is reached, and
	// IdleTimeout how long an answer may let wait for its next part. Passing one
	// is a [*TimeoutError].
	ConnectTimeout, IdleTimeout time.Duration
}

// unlimited stands for no limit.
const unlimited = 1 << 40

// withDefaults fills in what is not set.
func (o Options) withDefaults() Options {
	o.MaxBytes = cmp.Or(o.MaxBytes, DefaultMaxBytes)
	o.MaxMessageBytes = cmp.Or(o.MaxMessageBytes, DefaultMaxMessageBytes)
	o.ConnectTimeout = cmp.Or(o.ConnectTimeout, DefaultConnectTimeout)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, DefaultIdleTimeout)
	if o.MaxBytes < 0 {
		o.MaxBytes = unlimited
	}
	if o.MaxMessageBytes < 0 {
		o.MaxMessageBytes = 1<<31 - 1
	}
	for _, d := range []*time.Duration{&o.ConnectTimeout, &o.IdleTimeout} {
		if *d < 0 {
			*d = 1 << 62
		}
	}
	return o
}
