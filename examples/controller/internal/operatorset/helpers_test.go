package operatorset

import (
	"context"
	"testing"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed109e2655/resolute/examples/controller/api/v1alpha1"
)

// shop is a catalog in which app requires db, which has two versions.
func shop(t *testing.T) *cache.Catalog {
	t.Helper()
	return universe.Content(t, `
		app/stable app.v1.0.0
		require app.v1.0.0 db@>=1.0.0 ; app needs a database
		db/stable db.v1.0.0 db.v1.1.0`)
}

// failing is a source that always fails.
type failing struct{ err error }

func (f failing) Load(context.Context, *cache.Content) (*cache.Content, error) { return nil, f.err }

// view returns a snapshot of sources, by key.
func view(t *testing.T, sources map[string]cache.Source) *cache.Snapshot {
	t.Helper()
	var cfg cache.Config
	for name, source := range sources {
		key, err := cache.ParseKey(name)
		require.NoError(t, err)
		cfg.Sources = append(cfg.Sources, cache.SourceConfig{Key: key, Priority: 3, Source: source})
	}
	kept, err := cache.New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kept.Close()) })
	snapshot, err := kept.Snapshot(t.Context())
	require.NoError(t, err)
	return snapshot
}

// object returns an OperatorSet with subscriptions to packages.
func object(packages ...string) *v1alpha1.OperatorSet {
	set := &v1alpha1.OperatorSet{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "one", Generation: 4}}
	for _, p := range packages {
		set.Spec.Subscriptions = append(set.Spec.Subscriptions, v1alpha1.Subscription{Name: "my-" + p, Package: p})
	}
	return set
}
