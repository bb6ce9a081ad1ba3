package cache_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// villain is a source with every kind of misbehaviour, and some good loads. Its content
// identifies the villain and the number of the load.
type villain struct {
	name  string
	worst time.Duration // longest time for which it ignores its context
	first int64         // number of its first load
	loads atomic.Int64
	said  *sync.Map // *cache.Catalog to saying
	flip  [2]*cache.Content
	inUse atomic.Int32
	twice atomic.Bool // loaded twice at the same time
	kinds [12]atomic.Int64
}

// saying is the origin of a catalog.
type saying struct {
	by     *villain
	number int64 // -1 for the two that it alternates between
	digest string
}

func newVillain(name string, first int64, said *sync.Map) *villain {
	v := &villain{name: name, worst: 20 * time.Millisecond, first: first, said: said}
	v.flip = [2]*cache.Content{v.say("heads", -1), v.say("tails", -1)}
	return v
}

// say makes content.
func (v *villain) say(what string, number int64) *cache.Content {
	c := contentOf(v.name + "." + what)
	v.said.Store(c.Catalog, saying{v, number, c.Digest})
	return c
}

// Load implements cache.Source.
func (v *villain) Load(ctx context.Context, last *cache.Content) (*cache.Content, error) {
	if v.inUse.Add(1) > 1 {
		v.twice.Store(true)
	}
	defer v.inUse.Add(-1)
	n := v.first + v.loads.Add(1)
	if last != nil {
		if s, ok := v.said.Load(last.Catalog); !ok || s.(saying).by != v {
			panic("that was never mine")
		}
	}
	kind := rand.IntN(len(v.kinds))
	v.kinds[kind].Add(1)
	switch kind {
	case 0:
		<-ctx.Done()
		return nil, ctx.Err()
	case 1: // deaf
		time.Sleep(rand.N(v.worst))
		return v.say(fmt.Sprint(n), n), nil
	case 2:
		return nil, errors.New("connection reset by peer")
	case 3:
		panic("half an object")
	case 4:
		runtime.Goexit()
	case 5:
		return nil, nil //nolint:nilnil // it must not
	case 6:
		return last, nil
	case 7:
		return v.flip[n%2], nil
	case 8:
		return nil, patience(time.Millisecond)
	case 9:
		return v.say("half", n), errors.New("and the rest is missing")
	case 10:
		return &cache.Content{Digest: "sha256:garbage"}, nil
	}
	time.Sleep(rand.N(time.Millisecond))
	return v.say(fmt.Sprint(n), n), nil
}

// watch is the shared state of all readers.
type watch struct {
	said     *sync.Map
	versions sync.Map // version to what it looks like
	seen     atomic.Int64
	waited   atomic.Int64 // readers whose context ended
	steady   []cache.Key  // sources that are never removed
}

// reader reads until done and reports violations. slack is by how much a reader may exceed its
// context.
func (w *watch) reader(t *testing.T, c *cache.Cache, done <-chan struct{}, slack time.Duration) {
	var before *cache.Snapshot
	newest := map[cache.Key]int64{}
	for {
		select {
		case <-done:
			return
		default:
		}
		limit := rand.N(5 * time.Millisecond)
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		began := time.Now()
		s, err := c.Snapshot(ctx)
		took := time.Since(began)
		cancel()
		assert.LessOrEqual(t, took, limit+slack, "it waited longer than its context")
		if err != nil {
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			w.waited.Add(1)
			continue
		}
		w.seen.Add(1)
		w.check(t, s, newest)
		if before != nil && before != s {
			assert.GreaterOrEqual(t, s.Version(), before.Version())
			w.check(t, before, nil) // it has not changed
			w.keepsGood(t, before, s)
		}
		before = s
		time.Sleep(rand.N(2 * time.Millisecond))
	}
}

// check compares a snapshot with the content of the sources, and with what other readers saw
// of the same version.
func (w *watch) check(t *testing.T, s *cache.Snapshot, newest map[cache.Key]int64) {
	var all view
	for i, c := range s.Catalogs() {
		all[i] = seen{c.Key, c.Priority, c.Content, c.Digest, c.Unavailable == nil}
		if c.Content == nil {
			var failure *cache.SourceError
			assert.True(t, errors.As(c.Unavailable, &failure) && failure.Key == c.Key && c.Digest == "", "%s: %v", c.Key, c.Unavailable)
			continue
		}
		got, ok := w.said.Load(c.Content)
		if !assert.True(t, ok, "%s: no source returned that", c.Key) {
			continue
		}
		said := got.(saying)
		assert.Equal(t, []string{said.by.name, said.digest}, []string{c.Key.Name, c.Digest}, "the content of another")
		if newest != nil && said.number >= 0 {
			assert.GreaterOrEqual(t, said.number, newest[c.Key], "%s: earlier content is back", c.Key)
			newest[c.Key] = said.number
		}
	}
	other, _ := w.versions.LoadOrStore(s.Version(), all)
	assert.True(t, other.(view) == all, "two views of version %d: %v and %v", s.Version(), other, all)
}

// view is a snapshot as a reader sees it.
type view [7]seen

// seen is one catalog as a reader sees it.
type seen struct {
	key       cache.Key
	priority  int
	content   *cache.Catalog
	digest    string
	available bool
}

// keepsGood checks that content, once good, stays available.
func (w *watch) keepsGood(t *testing.T, before, after *cache.Snapshot) {
	for _, key := range w.steady {
		was, _ := before.Catalog(key)
		is, ok := after.Catalog(key)
		assert.True(t, ok && (was.Content == nil || is.Content != nil), "%s: the last good content is gone", key)
	}
}

// storm runs readers during all kinds of changes until each happened often enough. slack is by
// how much a caller may exceed its context.
func storm(t *testing.T, slack, grace time.Duration, readers int) {
	s := &stage{watch: &watch{said: &sync.Map{}}, signal: make(chan struct{}), done: make(chan struct{})}
	cfg := cache.Config{Parallel: 3, Grace: grace}
	for i := range 6 {
		source := s.source(fmt.Sprintf("steady%d", i), 0)
		cfg.Sources = append(cfg.Sources, source)
		s.steady = append(s.steady, source.Key)
	}
	c := testkit.Must(cache.New(cfg))(t)
	for range readers {
		s.group.Go(func() { s.reader(t, c, s.done, slack) })
	}
	s.forever(4, func() { s.refresh(t, c, slack) })
	s.forever(1, func() {
		select {
		case s.signal <- struct{}{}:
		case <-s.done:
		}
		time.Sleep(100 * time.Microsecond)
	})
	generation := int64(0)
	s.forever(1, func() {
		generation++
		s.comeAndGo(t, c, generation)
	})
	for began := time.Now(); !s.enough() && time.Since(began) < time.Minute; {
		time.Sleep(10 * time.Millisecond)
	}
	close(s.done)
	s.group.Wait()
	require.NoError(t, c.Close())
	assert.True(t, s.enough(), "not everything happened")
	for _, v := range s.villains {
		assert.Zero(t, v.inUse.Load(), "a load outlived the cache")
		assert.False(t, v.twice.Load(), "two loads at the same time")
	}
	t.Logf("%d snapshots read, %d contexts ended", s.seen.Load(), s.waited.Load())
}

// stage is the state of a storm.
type stage struct {
	*watch
	group  sync.WaitGroup
	done   chan struct{}
	signal chan struct{}

	mu       sync.Mutex
	villains []*villain
}

// source configures a new villain.
func (s *stage) source(name string, first int64) cache.SourceConfig {
	v := newVillain(name, first, s.said)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.villains = append(s.villains, v)
	return cache.SourceConfig{
		Key: cache.Key{Namespace: "olm", Name: name}, Source: v, Timeout: 5 * time.Millisecond, Refresh: time.Millisecond,
		Backoff:  cache.Backoff{Min: 100 * time.Microsecond, Max: 2 * time.Millisecond},
		MaxStale: time.Duration(len(s.villains)%3-1) * 10 * time.Millisecond, // for ever, not at all, a little
		Signal:   s.signal,
	}
}

// forever calls f repeatedly in n goroutines until done.
func (s *stage) forever(n int, f func()) {
	for range n {
		s.group.Go(func() {
			for {
				select {
				case <-s.done:
					return
				default:
					f()
				}
			}
		})
	}
}

// refresh refreshes all sources or two.
func (s *stage) refresh(t *testing.T, c *cache.Cache, slack time.Duration) {
	limit := rand.N(10 * time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	began := time.Now()
	if rand.IntN(2) == 0 {
		_ = c.Refresh(ctx)
	} else {
		_ = c.Refresh(ctx, s.steady[rand.IntN(len(s.steady))], cache.Key{Namespace: "olm", Name: "fickle"})
	}
	assert.LessOrEqual(t, time.Since(began), limit+slack, "longer than its context")
	time.Sleep(rand.N(time.Millisecond))
}

// comeAndGo adds a source and removes it again.
func (s *stage) comeAndGo(t *testing.T, c *cache.Cache, generation int64) {
	fickle := s.source("fickle", generation<<32)
	assert.NoError(t, c.Add(fickle))
	time.Sleep(rand.N(10 * time.Millisecond))
	c.SetPriority(s.steady[0], rand.IntN(3))
	assert.True(t, c.Remove(fickle.Key))
	for _, h := range c.Health() {
		assert.NotEqual(t, fickle.Key, h.Key)
	}
	peek, err := c.Peek()
	assert.NoError(t, err)
	_, there := peek.Catalog(fickle.Key)
	assert.False(t, there)
	time.Sleep(rand.N(3 * time.Millisecond))
}

// enough reports whether each kind of load happened, readers saw many snapshots, and each
// permanent source was loaded often.
func (s *stage) enough() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	var kinds [len(villain{}.kinds)]int64
	for i, v := range s.villains {
		if i < len(s.steady) && v.loads.Load() < 30 {
			return false
		}
		for k := range v.kinds {
			kinds[k] += v.kinds[k].Load()
		}
	}
	return slices.Min(kinds[:]) > 5 && s.watch.seen.Load() > 3000 && len(s.villains) > 10
}

// TestFaultsExactly: with a synthetic clock no reader exceeds its context at all, and no
// goroutine outlives the bubble.
func TestFaultsExactly(t *testing.T) {
	bubble(t, func(t *testing.T) { storm(t, 0, time.Second, 100) })
}

// TestFaults is the same with the real clock. The slack is for a busy machine.
func TestFaults(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	storm(t, 10*time.Second, 10*time.Second, 100)
}
