package resolver_test

import (
	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/oracle"
	"github.com/seed109e2655/resolute/internal/oracle/convert"
	"github.com/seed109e2655/resolute/resolver"
)

// converter makes requests of the oracle's problems.
type converter struct{ convert.Converter }

func newConverter() converter { return converter{convert.New()} }

func (c converter) request(p *oracle.Problem) resolver.Request { return c.Request(p) }

func key(k oracle.Key) cache.Key { return cache.Key(k) }

func ref(r oracle.Ref) resolver.BundleRef { return convert.Ref(r) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
