package opmgrpc

import (
	"cmp"
	"crypto/tls"
	"time"

	"github.com/seed109e2655/resolute/cache/fbc"
)

// MaxItems is how many properties, dependencies and skips, all together, a bundle may
// have, or channels a package.
const MaxItems = 524_288

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
	// message: a bundle, or a package; by default 512 MiB and 32 MiB. Passing one is a [*cache.LimitError]. A message and
	// each item of it count with what they take in memory beside their texts, some
	// hundred bytes.
	MaxBytes        int64
	MaxMessageBytes int
	// ConnectTimeout is how long it may take until the server is reached, and
	// IdleTimeout how long an answer may let wait for its next part; by default ten and
	// thirty seconds. Passing one
	// is a [*cache.TimeoutError].
	ConnectTimeout, IdleTimeout time.Duration
}

func (o Options) withDefaults() Options {
	o.MaxBytes = limit(o.MaxBytes, 512<<20, 1<<40)
	o.MaxMessageBytes = limit(o.MaxMessageBytes, 32<<20, 1<<31-1)
	o.ConnectTimeout = limit(o.ConnectTimeout, 10*time.Second, 1<<62)
	o.IdleTimeout = limit(o.IdleTimeout, 30*time.Second, 1<<62)
	return o
}

// limit returns what a limit that is set stands for.
func limit[T int | int64 | time.Duration](set, standard, unlimited T) T {
	if set < 0 {
		return unlimited
	}
	return cmp.Or(set, standard)
}
