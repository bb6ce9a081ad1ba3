package cache

import (
	"context"
	"time"
)

// Source reads a catalog from wherever it lives. A Source holds settings only:
// what one load wants to tell the next goes through [Content], so that one
// Source may serve several Caches at once. It is safe for concurrent use.
type Source interface {
	// Load returns what there is now. last is what the previous successful
	// load (or Warm) returned to this caller, nil if there was none. If nothing
	// changed, Load returns last itself.
	//
	// Load has to return soon after ctx ended. A [Cache] starts no second Load
	// of a source before the first has returned, unless the source was removed
	// and added again; see [Config.Grace] for what becomes of one that does not
	// return. An error may say by a method RetryAfter,
	// see [RetryAfterer], how long it wants to be left alone. A Load that
	// panics, or returns neither content nor an error, has failed.
	Load(ctx context.Context, last *Content) (*Content, error)
}

// Warmer is an optional extension of [Source]: one that can serve at once what
// an earlier process had. The content is served until the first Load, which
// follows at once and gets it as its last.
type Warmer interface {
	// Warm returns what there is, or (nil, nil) if there is nothing. An error
	// is logged and otherwise the same as nothing: the Load that follows
	// decides whether the source is available.
	Warm(ctx context.Context) (*Content, error)
}

// Notifier is an optional extension of [Source]: one that notices by itself
// that its content changed. A [Cache] listens to it beside
// [SourceConfig.Signal].
type Notifier interface {
	// Changed returns a channel that gets a value after a change. Several
	// changes may share one value. The source closes the channel, and
	// ends what served it, soon after ctx ended.
	Changed(ctx context.Context) <-chan struct{}
}

// RetryAfterer is what an error of [Source.Load] may implement, itself or one
// that it wraps, to say how long the far end asked not to be asked again, as HTTP
// does with the header Retry-After. A [Cache] does not retry earlier than
// that by itself, nor later than after 24 hours.
type RetryAfterer interface {
	error
	// RetryAfter returns the time to wait, counted from the end of the load;
	// zero or less says nothing.
	RetryAfter() time.Duration
}

// Content is what a source had at one time. It is immutable.
type Content struct {
	// Catalog is the catalog. It must not be nil.
	Catalog *Catalog
	// Digest is "sha256:<hex>" of the content: equal digests mean equal
	// content. It must not be empty; [NewContent] fills it in for a source
	// that has nothing better to digest than the catalog itself.
	Digest string
	// Validator is what the source needs to ask a far end whether its content
	// changed (an ETag, a Last-Modified). It may be stored on disk.
	Validator string
	// Modified is when the far end says the content changed; zero if unknown.
	Modified time.Time
}

// NewContent returns the content of a catalog that lives in memory, with its
// [Catalog.Digest]. Nil stands for an empty catalog.
func NewContent(c *Catalog) *Content {
	if c == nil {
		c = NewCatalog(nil, nil)
	}
	return &Content{Catalog: c, Digest: c.Digest()}
}
