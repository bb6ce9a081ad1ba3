package cache

import (
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Cache keeps the catalogs of many sources up to date and serves one consistent view of them
// to any number of readers. Each source is loaded in the background: when it is added, on a
// schedule, on a signal and on demand, never twice at the same time. Readers never wait for a
// reload, and a failing source serves its last good content.
//
// The zero Cache has no sources and the defaults of [Config]. A Cache is safe for concurrent
// use. It must be closed.
type Cache struct {
	ready     sync.Once
	current   atomic.Pointer[Snapshot] // nil once the cache is closed
	listeners listeners

	log     *slog.Logger
	metrics Metrics
	grace   time.Duration
	slots   chan struct{} // one value per load in progress

	mu      sync.Mutex // guards the fields below and the state of the entries
	entries map[Key]*entry
	leaving map[Key]chan struct{} // closed when the goroutine of a removed source ends
	running map[*entry]struct{}   // entries whose Load or Warm has not returned
	active  int                   // number of goroutines
	idle    chan struct{}         // closed when the cache is closed and active is 0
	closed  bool
}

// New starts a cache and returns without waiting for any source. If the configuration is
// invalid, it returns every mistake as a [*ConfigError], joined, and starts nothing.
func New(cfg Config) (*Cache, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	c := &Cache{}
	c.ready.Do(func() { c.setUp(cfg) })
	return c, nil
}

// setUp initializes the cache with a configuration.
func (c *Cache) setUp(cfg Config) {
	cfg = cfg.withDefaults()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log, c.metrics, c.grace = cfg.Logger, cfg.Metrics, cfg.Grace
	c.slots, c.idle = make(chan struct{}, cfg.Parallel), make(chan struct{})
	c.entries, c.leaving = map[Key]*entry{}, map[Key]chan struct{}{}
	c.running = map[*entry]struct{}{}
	for _, s := range cfg.Sources {
		c.entries[s.Key] = c.newEntry(s.withDefaults())
	}
	c.current.Store(&Snapshot{next: make(chan struct{})})
	c.publish()
	for _, e := range c.sorted() {
		c.spawn(e.run)
	}
}

// lock locks the cache, initializing the zero Cache.
func (c *Cache) lock() {
	c.ready.Do(func() { c.setUp(Config{}) })
	c.mu.Lock()
}

// view returns the current snapshot, nil once the cache is closed.
func (c *Cache) view() *Snapshot {
	s := c.current.Load()
	if s == nil {
		c.ready.Do(func() { c.setUp(Config{}) })
		s = c.current.Load()
	}
	return s
}

// Add adds a source and returns without waiting for it; [Cache.Snapshot] waits until its first
// load has succeeded or failed. It returns a [*ConfigError] if the configuration is invalid or
// the key is taken, and [ErrClosed] after Close.
func (c *Cache) Add(cfg SourceConfig) error {
	if err := errors.Join(cfg.check(alone)...); err != nil {
		return err
	}
	c.lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	if c.entries[cfg.Key] != nil {
		return &ConfigError{Index: alone, Key: cfg.Key, Field: "Key", Reason: "the cache already has a source with this key: remove it first"}
	}
	e, former := c.newEntry(cfg.withDefaults()), c.leaving[cfg.Key]
	c.entries[cfg.Key] = e
	c.publish()
	c.spawn(func() {
		if former != nil { // keeps logs and metrics of the key in order
			<-former
		}
		e.run()
	})
	return nil
}

// Remove removes a source and reports whether it existed. When it returns, neither Snapshot
// nor Health lists the source; a load in progress is cancelled and its result is dropped.
// Remove does not wait for the goroutine of the source to end.
func (c *Cache) Remove(key Key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		return false
	}
	delete(c.entries, key)
	c.leaving[key] = e.done
	e.cancel(&UnknownSourceError{Key: key})
	c.publish()
	return true
}

// SetPriority changes the priority of a source without loading it, and reports whether the
// source exists.
func (c *Cache) SetPriority(key Key, priority int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		return false
	}
	if e.priority != priority {
		e.priority = priority
		c.publish()
	}
	return true
}

// Close cancels all loads and waits for every goroutine of the cache. Waiting readers, and all
// later calls, get [ErrClosed]; snapshots returned earlier stay valid. If a source ignores its
// cancelled context, Close stops waiting after [Config.Grace] and returns a [*HangingError]. A
// second call waits again.
func (c *Cache) Close() error {
	c.shut()
	grace := time.NewTimer(c.grace)
	defer grace.Stop()
	select {
	case <-c.idle:
		return nil
	case <-grace.C:
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.active == 0 {
		return nil
	}
	err := &HangingError{Grace: c.grace}
	for e := range c.running {
		err.Keys = append(err.Keys, e.cfg.Key)
	}
	slices.SortFunc(err.Keys, Key.Compare)
	return err
}

// shut marks the cache as closed and cancels its sources, once.
func (c *Cache) shut() {
	c.lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.closed = true
	for _, e := range c.entries {
		e.cancel(ErrClosed)
	}
	clear(c.entries)
	close(c.current.Swap(nil).next)
	c.listeners.close()
	if c.active == 0 {
		close(c.idle)
	}
}

// sorted returns the entries by key. c.mu is held.
func (c *Cache) sorted() []*entry {
	return slices.SortedFunc(maps.Values(c.entries), func(a, b *entry) int { return a.cfg.Key.Compare(b.cfg.Key) })
}

// spawn starts a goroutine that Close waits for. c.mu is held.
func (c *Cache) spawn(f func()) {
	c.active++
	go func() {
		defer func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.active--
			if c.closed && c.active == 0 {
				close(c.idle)
			}
		}()
		f()
	}()
}
