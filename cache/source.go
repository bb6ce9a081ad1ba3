package cache

import (
	"context"
	"time"
)

// Source reads a catalog. A Source holds only settings: state passed from one load to the next
// goes through [Content], so one Source may serve several Caches at once. It must be safe for
// concurrent use.
type Source interface {
	// Load returns the current content. last is the result of the previous successful load (or
	// Warm) for this caller, nil if there was none. If nothing changed, Load returns last
	// itself.
	//
	// Load must return soon after ctx ends. A [Cache] does not call Load again before the
	// previous call has returned, unless the source was removed and added again; see
	// [Config.Grace] for a Load that does not return. An error can request a delay before the
	// next load, see [RetryAfterer]. A Load that panics, or returns neither content nor an
	// error, counts as failed.
	Load(ctx context.Context, last *Content) (*Content, error)
}

// Warmer is an optional extension of [Source] that can serve the content of an earlier process
// at once. The content is served until the first Load, which follows immediately and gets it
// as last.
type Warmer interface {
	// Warm returns the content, or (nil, nil) if there is none. An error is logged and otherwise
	// ignored: the Load that follows decides whether the source is available.
	Warm(ctx context.Context) (*Content, error)
}

// Notifier is an optional extension of [Source] that notices changes of its content. A [Cache]
// listens to it in addition to [SourceConfig.Signal].
type Notifier interface {
	// Changed returns a channel that receives a value after each change; consecutive changes may
	// share one value. The source closes the channel and stops its goroutines soon after ctx
	// ends.
	Changed(ctx context.Context) <-chan struct{}
}

// RetryAfterer is implemented by an error of [Source.Load], or an error that it wraps, to
// request a delay before the next load, like the HTTP header Retry-After. A [Cache] does not
// retry earlier than that by itself, but at the latest after 24 hours.
type RetryAfterer interface {
	error
	// RetryAfter returns the delay from the end of the load; zero or less means none.
	RetryAfter() time.Duration
}

// Content is the content of a source at one time. It is immutable.
type Content struct {
	// Catalog is the catalog. It must not be nil.
	Catalog *Catalog
	// Digest is "sha256:<hex>" of the content: equal digests mean equal content. It must not be
	// empty; [NewContent] computes it from the catalog for sources that have no bytes to digest.
	Digest string
	// Validator lets the source ask its server whether the content changed (an ETag, a
	// Last-Modified). It may be stored on disk.
	Validator string
	// Modified is when the server says the content changed; zero if unknown.
	Modified time.Time
}

// NewContent returns the content of a catalog in memory, with its [Catalog.Digest]. Nil means
// an empty catalog.
func NewContent(c *Catalog) *Content {
	if c == nil {
		c = NewCatalog(nil, nil)
	}
	return &Content{Catalog: c, Digest: c.Digest()}
}
