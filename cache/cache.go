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

// Cache keeps the catalogs of many sources fresh, and serves one consistent
// view of them to any number of readers. Each source is loaded in the
// background: when it is added, on a schedule, on a signal and on demand, never
// twice at the same time. Readers are served what is there meanwhile, and the
// last good content of a source that fails.
//
// The zero Cache has no sources yet, and the defaults of [Config]. A Cache is
// safe for concurrent use. It has to be closed.
type Cache struct {
	ready     sync.Once
	current   atomic.Pointer[Snapshot] // nil once the cache is closed
	listeners listeners

	log     *slog.Logger
	metrics Metrics
	grace   time.Duration
	slots   chan struct{} // one value for each load under way

	mu      sync.Mutex // guards what follows, and the state of the entries
	entries map[Key]*entry
	leaving map[Key]chan struct{} // closed when the runner of a removed source ended
	running map[*entry]struct{}   // whose Load or Warm has not returned
	active  int                   // goroutines
	idle    chan struct{}         // closed when the cache is closed and active is 0
	closed  bool
}

// New starts a cache and returns without waiting for any source. It reports
// all that is wrong with the configuration as [*ConfigError], several of them
// joined, and then starts nothing.
func New(cfg Config) (*Cache, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	c := &Cache{}
	c.ready.Do(func() { c.setUp(cfg) })
	return c, nil
}

// setUp makes the cache one of a configuration.
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

// lock locks the cache, which may be the zero one.
func (c *Cache) lock() {
	c.ready.Do(func() { c.setUp(Config{}) })
	c.mu.Lock()
}

// view returns the present snapshot, nil once the cache is closed.
func (c *Cache) view() *Snapshot {
	s := c.current.Load()
	if s == nil {
		c.ready.Do(func() { c.setUp(Config{}) })
		s = c.current.Load()
	}
	return s
}

// Add adds a source and returns without waiting for it; [Cache.Snapshot] waits
// until it was read or failed for the first time. It returns a [*ConfigError]
// if something is wrong with the configuration or there is a source of that
// key already, and [ErrClosed].
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
		return &ConfigError{Index: alone, Key: cfg.Key, Field: "Key", Reason: "the cache has a source of this key already: remove that one first"}
	}
	e, former := c.newEntry(cfg.withDefaults()), c.leaving[cfg.Key]
	c.entries[cfg.Key] = e
	c.publish()
	c.spawn(func() {
		if former != nil { // so that logs and metrics of a key come in order
			<-former
		}
		e.run()
	})
	return nil
}

// Remove removes a source and reports whether there was one. When it returns,
// neither Snapshot nor Health know the source any more; a load that is under
// way is cancelled, and what it returns is dropped. The goroutine of the source
// ends without being waited for.
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

// SetPriority changes the priority of a source, without loading it, and informs
// whether there is one.
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

// Close ends all loads and every goroutine of the cache and waits for them.
// Readers that wait, and all calls from now on, get [ErrClosed]; snapshots that
// were returned stay good. If a source does not return although its context
// ended, Close stops waiting after [Config.Grace] and returns a
// [*HangingError]. It may be called again, and then waits again.
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

// shut informs everyone that the cache is closed, once.
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
