package opmgrpc

import (
	"cmp"
	"crypto/tls"
	"time"

	"github.com/seed109e2655/resolute/cache/fbc"
)

// MaxItems is the maximum number of properties, dependencies and skips of a bundle together,
// and of channels of a package.
const MaxItems = 524_288

// Options configure a source. A limit of 0 means its default; a negative limit means no limit.
type Options struct {
	// FBC selects the retained parts of the catalog and limits it.
	FBC fbc.Options
	// TLS is the TLS configuration; nil means no TLS, as in OLM.
	TLS *tls.Config
	// Details requests each bundle separately for the content of its ClusterServiceVersion:
	// install modes, the minimum version of Kubernetes and native APIs.
	Details bool
	// MaxBytes bounds the total size of all messages, and MaxMessageBytes the size of each, a
	// bundle or a package; by default 512 MiB and 32 MiB. Exceeding one is a
	// [*cache.LimitError]. MaxBytes also counts some hundred bytes of memory for each message
	// and item.
	MaxBytes        int64
	MaxMessageBytes int
	// ConnectTimeout limits connecting, and IdleTimeout the wait for the next message; by
	// default ten and thirty seconds. Exceeding one is a [*cache.TimeoutError].
	ConnectTimeout, IdleTimeout time.Duration
}

func (o Options) withDefaults() Options {
	o.MaxBytes = limit(o.MaxBytes, 512<<20, 1<<40)
	o.MaxMessageBytes = limit(o.MaxMessageBytes, 32<<20, 1<<31-1)
	o.ConnectTimeout = limit(o.ConnectTimeout, 10*time.Second, 1<<62)
	o.IdleTimeout = limit(o.IdleTimeout, 30*time.Second, 1<<62)
	return o
}

// limit returns the effective value of a limit.
func limit[T int | int64 | time.Duration](set, standard, unlimited T) T {
	if set < 0 {
		return unlimited
	}
	return cmp.Or(set, standard)
}
