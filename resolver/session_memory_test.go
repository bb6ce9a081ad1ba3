package resolver_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// Ten thousand what-ifs on one session leave nothing behind: after the first
// thousand the heap stays within a tenth.
func TestSessionKeepsMemoryFlat(t *testing.T) {
	ctx := context.Background()
	s, names := twentySubscriptions(t)
	ask := func(n int) {
		for i := range n {
			asked := whatif.DropSubscription(names[i%len(names)])
			switch i % 4 {
			case 1:
				asked = whatif.FollowChannel(names[i%len(names)], "")
			case 2:
				asked = whatif.ForbidBundle(resolver.BundleRef{Name: "argocd-operator.v0.18.0"}, "not that one")
			}
			_, err := s.Resolve(ctx, asked)
			require.NoError(t, err)
		}
	}
	ask(1000)
	before := liveHeap()
	ask(testkit.Times(3000, 9000))
	after := liveHeap()
	require.LessOrEqual(t, float64(after), 1.1*float64(before), "%d bytes before, %d after", before, after)
}

func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// twentySubscriptions is a session about twenty packages of the real catalog that
// go together.
func twentySubscriptions(t testing.TB) (*resolver.Session, []string) {
	t.Helper()
	ctx, r := context.Background(), resolver.New()
	c := realCatalog(t)
	req := resolver.Request{Namespace: "ns",
		Catalogs: []resolver.Catalog{{Key: cache.Key{Namespace: "ns", Name: "community"}, Content: c}}}
	var names []string
	for p := range c.Packages() {
		if len(names) == 20 {
			break
		}
		try := testkit.Must(req.Apply(whatif.AddSubscription(resolver.Subscription{Name: p.Name, Package: p.Name})))(t)
		if _, err := r.Resolve(ctx, try); err == nil {
			req, names = try, append(names, p.Name)
		}
	}
	s := testkit.Must(r.Session(ctx, req))(t)
	return s, names
}
