package cache

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"
)

// Snapshot is one view of all catalogs of a [Cache], for one resolution. It is
// immutable and safe for concurrent use. It shows for each source what it was
// at one and the same moment; it stays as it is when sources change, fail or
// are removed.
type Snapshot struct {
	catalogs []SnapshotCatalog
	version  uint64
	digest   string

	pending []Key         // sources that were never read and have not failed either
	next    chan struct{} // closed when the cache has a newer one
}

// SnapshotCatalog is one catalog of a [Snapshot].
type SnapshotCatalog struct {
	// Key names the catalog.
	Key Key
	// Priority orders catalogs; higher is better.
	Priority int
	// Content is the last good content, nil if there never was any.
	Content *Catalog
	// Digest is that of the content, or empty.
	Digest string
	// Loaded is when the content came first, or zero.
	Loaded time.Time
	// Unavailable is a [*SourceError] if there is no content, or if the source
	// fails and [SourceConfig.MaxStale] is over; nil otherwise. What is done
	// about it is the policy of a resolution (section 8 of the semantics).
	Unavailable error
}

// Catalogs returns the catalogs by key. The slice is shared: do not modify it.
func (s *Snapshot) Catalogs() []SnapshotCatalog { return s.catalogs }

// Catalog returns the catalog of that key and reports whether there is one.
func (s *Snapshot) Catalog(key Key) (SnapshotCatalog, bool) {
	i, ok := slices.BinarySearchFunc(s.catalogs, key, func(c SnapshotCatalog, key Key) int { return c.Key.Compare(key) })
	if !ok {
		return SnapshotCatalog{}, false
	}
	return s.catalogs[i], true
}

// Version numbers the snapshots of one cache, from 1. It grows with each change
// of what a resolution can depend on: which catalogs there are, their
// priorities, their contents, and whether they are available. Snapshots of one
// version differ at most in what their Unavailable errors say.
func (s *Snapshot) Version() uint64 { return s.version }

// Digest is "sha256:<hex>" of all that makes the version grow: two snapshots
// with equal digests, even of two processes, are the same to a resolution.
func (s *Snapshot) Digest() string { return s.digest }

// Snapshot returns the present view of all catalogs. It waits only for sources
// that were never read and have not failed either, and not longer than ctx: it
// then returns a [*WaitError], and [Cache.Peek] has what there is. Otherwise it
// returns at once, whatever happens to sources, at the cost of reading one
// pointer. After Close it returns [ErrClosed].
func (c *Cache) Snapshot(ctx context.Context) (*Snapshot, error) {
	for {
		s := c.view()
		switch {
		case s == nil:
			return nil, ErrClosed
		case len(s.pending) == 0:
			return s, nil
		}
		select {
		case <-s.next:
		case <-ctx.Done():
			return nil, &WaitError{Keys: slices.Clone(s.pending), Err: ctx.Err()}
		}
	}
}

// Peek is Snapshot without waiting: sources that were never read and have not
// failed either are there without content, their Unavailable a [*SourceError]
// that wraps [ErrNotLoaded].
func (c *Cache) Peek() (*Snapshot, error) {
	s := c.view()
	if s == nil {
		return nil, ErrClosed
	}
	return s, nil
}

// publish puts a snapshot of the present state in place, wakes those who wait
// for one, and returns its version. c.mu is held.
func (c *Cache) publish() uint64 {
	old := c.current.Load()
	if c.closed {
		return 0
	}
	s := &Snapshot{catalogs: make([]SnapshotCatalog, 0, len(c.entries)), next: make(chan struct{})}
	for _, e := range c.sorted() {
		s.catalogs = append(s.catalogs, e.view())
		if !e.settled() {
			s.pending = append(s.pending, e.cfg.Key)
		}
	}
	s.digest, s.version = digestOf(s.catalogs), old.version
	if s.digest != old.digest {
		s.version++
	}
	c.current.Store(s)
	close(old.next)
	if s.version != old.version {
		c.listeners.tell()
	}
	return s.version
}

// digestOf returns the digest of a snapshot.
func digestOf(catalogs []SnapshotCatalog) string {
	d := digester{h: sha256.New(), buf: make([]byte, 0, 128*len(catalogs))}
	for i := range catalogs {
		c := &catalogs[i]
		d.texts(c.Key.Namespace, c.Key.Name, c.Digest)
		d.put(c.Priority)
		d.flag(c.Unavailable == nil)
	}
	return d.sum()
}
