package cache_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

var (
	community = cache.Key{Namespace: "olm", Name: "community"}
	certified = cache.Key{Namespace: "olm", Name: "certified"}
)

// contentOf returns content with one bundle of that name.
func contentOf(bundle string) *cache.Content {
	p, err := properties.New(properties.TypePackage, []byte(`{"packageName":"etcd","version":"1.0.0"}`))
	if err != nil {
		panic(err)
	}
	return cache.NewContent(cache.NewCatalog([]*graph.Package{graph.Build(graph.PackageDecl{
		Name:        "etcd",
		Definitions: []graph.DefinitionDecl{{DefaultChannel: "stable"}},
		Channels:    []graph.ChannelDecl{{Name: "stable", Entries: []graph.EntryDecl{{Name: bundle}}}},
		Bundles:     []graph.BundleDecl{{Name: bundle, Properties: properties.NewSet(p)}},
	}, graph.Options{})}, nil))
}

// numbered returns content with one bundle, named v0, v1 and so on.
var numbered = func() func(n int) *cache.Content {
	var contents []*cache.Content
	for i := range 10 {
		contents = append(contents, contentOf(fmt.Sprintf("v%d", i)))
	}
	return func(n int) *cache.Content { return contents[n] }
}()

// script is a source that a test scripts, and that records its calls.
type script struct {
	mu          sync.Mutex
	do          func(ctx context.Context, last *cache.Content) (*cache.Content, error)
	calls       []time.Time
	lasts       []*cache.Content
	inside      int
	maxParallel int // calls at the same time
}

// scripted returns a source whose loads call do.
func scripted(do func(ctx context.Context, last *cache.Content) (*cache.Content, error)) *script {
	return &script{do: do}
}

// set replaces the function called by loads.
func (s *script) set(do func(ctx context.Context, last *cache.Content) (*cache.Content, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.do = do
}

// Load implements cache.Source.
func (s *script) Load(ctx context.Context, last *cache.Content) (*cache.Content, error) {
	s.mu.Lock()
	do := s.do
	s.calls = append(s.calls, time.Now())
	s.lasts = append(s.lasts, last)
	s.inside++
	s.maxParallel = max(s.maxParallel, s.inside)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.inside--
		s.mu.Unlock()
	}()
	return do(ctx, last)
}

// loads returns the times of the calls.
func (s *script) loads() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]time.Time(nil), s.calls...)
}

// handed returns the last arguments of the calls.
func (s *script) handed() []*cache.Content {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*cache.Content(nil), s.lasts...)
}

// atOnce returns the largest number of concurrent calls.
func (s *script) atOnce() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.maxParallel
}

// gaps returns the times between the calls.
func (s *script) gaps() []time.Duration {
	var out []time.Duration
	calls := s.loads()
	for i := 1; i < len(calls); i++ {
		out = append(out, calls[i].Sub(calls[i-1]))
	}
	return out
}

// gives returns a load with that content.
func gives(c *cache.Content) func(context.Context, *cache.Content) (*cache.Content, error) {
	return func(context.Context, *cache.Content) (*cache.Content, error) { return c, nil }
}

// fails returns a load that fails with that error.
func fails(err error) func(context.Context, *cache.Content) (*cache.Content, error) {
	return func(context.Context, *cache.Content) (*cache.Content, error) { return nil, err }
}

// hangs is a load that returns when its context ends, as required.
func hangs(ctx context.Context, _ *cache.Content) (*cache.Content, error) {
	<-ctx.Done()
	return nil, fmt.Errorf("reading: %w", ctx.Err())
}

// takes returns a load that takes some time.
func takes(d time.Duration, c *cache.Content) func(context.Context, *cache.Content) (*cache.Content, error) {
	return func(ctx context.Context, _ *cache.Content) (*cache.Content, error) {
		select {
		case <-time.After(d):
			return c, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// bubble runs a test with a synthetic clock, and fails it if a goroutine leaks.
func bubble(t *testing.T, f func(t *testing.T)) {
	synctest.Test(t, f)
}

// open returns a cache that is closed at the end of the test.
func open(t *testing.T, cfg cache.Config) *cache.Cache {
	c := testkit.Must(cache.New(cfg))(t)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// one returns a cache with one source.
func one(t *testing.T, cfg cache.SourceConfig) *cache.Cache {
	cfg.Key = community
	return open(t, cache.Config{Sources: []cache.SourceConfig{cfg}})
}

// see returns the catalog of a key as readers see it.
func see(t require.TestingT, c *cache.Cache, key cache.Key) cache.SnapshotCatalog {
	s := testkit.Must(c.Snapshot(context.Background()))(t)
	catalog, ok := s.Catalog(key)
	require.True(t, ok)
	if catalog.Content != nil {
		require.Equal(t, catalog.Content.Digest(), catalog.Digest)
	}
	return catalog
}

// health returns the health of a key.
func health(t require.TestingT, c *cache.Cache, key cache.Key) cache.Health {
	for _, h := range c.Health() {
		if h.Key == key {
			return h
		}
	}
	require.Fail(t, "no health", "%s", key)
	return cache.Health{}
}
