package cache

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"
)

// Snapshot is an immutable view of all catalogs of a [Cache] at one moment, for one
// resolution. It is safe for concurrent use. It does not change when sources change, fail or
// are removed.
type Snapshot struct {
	catalogs []SnapshotCatalog
	version  uint64
	digest   string

	pending []Key         // sources whose first load has not ended
	next    chan struct{} // closed when there is a newer snapshot
}

// SnapshotCatalog is one catalog of a [Snapshot].
type SnapshotCatalog struct {
	// Key names the catalog.
	Key Key
	// Priority orders catalogs; higher is better.
	Priority int
	// Content is the last good content, nil if there never was any.
	Content *Catalog
	// Digest is the digest of the content, or empty.
	Digest string
	// Loaded is when the content was first loaded, or zero.
	Loaded time.Time
	// Unavailable is a [*SourceError] if there is no content, or if the source fails and
	// [SourceConfig.MaxStale] is over; nil otherwise. The policy of a resolution decides the
	// consequence (section 8 of the semantics).
	Unavailable error
}

// Catalogs returns the catalogs by key. The slice is shared: do not modify it.
func (s *Snapshot) Catalogs() []SnapshotCatalog { return s.catalogs }

// Catalog returns the catalog with that key, and whether it exists.
func (s *Snapshot) Catalog(key Key) (SnapshotCatalog, bool) {
	i, ok := slices.BinarySearchFunc(s.catalogs, key, func(c SnapshotCatalog, key Key) int { return c.Key.Compare(key) })
	if !ok {
		return SnapshotCatalog{}, false
	}
	return s.catalogs[i], true
}

// Version numbers the snapshots of one cache, from 1. It grows with each change that can
// affect a resolution: of the set of catalogs, their priorities, their contents, or their
// availability. Snapshots with the same version differ only in the texts of their Unavailable
// errors.
func (s *Snapshot) Version() uint64 { return s.version }

// Digest is "sha256:<hex>" of everything that affects Version: snapshots with equal digests,
// even from different processes, are equal for a resolution.
func (s *Snapshot) Digest() string { return s.digest }

// Snapshot returns the current view of all catalogs. It waits only for sources whose first
// load has not ended; if ctx ends first, it returns a [*WaitError], and [Cache.Peek] returns
// the catalogs loaded so far. Otherwise it returns at once, at the cost of one atomic load.
// After Close it returns [ErrClosed].
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

// Peek is Snapshot without waiting: a source whose first load has not ended is listed without
// content, its Unavailable a [*SourceError] that wraps [ErrNotLoaded].
func (c *Cache) Peek() (*Snapshot, error) {
	s := c.view()
	if s == nil {
		return nil, ErrClosed
	}
	return s, nil
}

// publish publishes a snapshot of the current state, wakes waiting readers, and returns its
// version. c.mu is held.
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
		c.listeners.notify()
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
