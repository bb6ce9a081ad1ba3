package resolver_test

import (
	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/resolver"
)

// converter makes requests of the oracle's problems.
type converter struct{ draw.Converter }

func newConverter() converter { return converter{draw.NewConverter()} }

func (c converter) request(p *oracle.Problem) resolver.Request { return c.Request(p) }

func key(k oracle.Key) cache.Key { return cache.Key(k) }

func ref(r oracle.Ref) resolver.BundleRef { return draw.Ref(r) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
