package operatorset

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed109e2655/resolute/examples/controller/api/v1alpha1"
)

// bundle is one blob of a catalog, with further properties as JSON.
func bundle(pkg, version string, properties ...string) string {
	props := append([]string{fmt.Sprintf(`{"type":"olm.package","value":{"packageName":%q,"version":%q}}`, pkg, version)}, properties...)
	return fmt.Sprintf(`{"schema":"olm.bundle","package":%q,"name":"%s.v%s","image":"i","properties":[%s]}`,
		pkg, pkg, version, strings.Join(props, ","))
}

// channel is the package and its only channel, which lists versions from the
// oldest on.
func channel(pkg string, versions ...string) []string {
	var entries []string
	for i, v := range versions {
		entry := fmt.Sprintf(`{"name":"%s.v%s"}`, pkg, v)
		if i > 0 {
			entry = fmt.Sprintf(`{"name":"%s.v%s","replaces":"%s.v%s"}`, pkg, v, pkg, versions[i-1])
		}
		entries = append(entries, entry)
	}
	return []string{
		fmt.Sprintf(`{"schema":"olm.package","name":%q,"defaultChannel":"stable"}`, pkg),
		fmt.Sprintf(`{"schema":"olm.channel","package":%q,"name":"stable","entries":[%s]}`, pkg, strings.Join(entries, ",")),
	}
}

func requires(pkg, message string) string {
	return fmt.Sprintf(`{"type":"olm.constraint","value":{"failureMessage":%q,"package":{"packageName":%q,"versionRange":">=1.0.0"}}}`, message, pkg)
}

// shop is a catalog in which app requires db, of which there are two versions.
func shop(t *testing.T) *cache.Catalog {
	t.Helper()
	lines := append(channel("app", "1.0.0"), bundle("app", "1.0.0", requires("db", "app needs a database")))
	lines = append(lines, channel("db", "1.0.0", "1.1.0")...)
	lines = append(lines, bundle("db", "1.0.0"), bundle("db", "1.1.0"))
	return parse(t, lines...)
}

func parse(t *testing.T, lines ...string) *cache.Catalog {
	t.Helper()
	var blobs []json.RawMessage
	for _, l := range lines {
		blobs = append(blobs, json.RawMessage(l))
	}
	c, err := fbc.FromBlobs(t.Context(), blobs, fbc.Options{})
	require.NoError(t, err)
	for _, p := range c.Problems() { // a long name is refused by opm alone
		require.Empty(t, p.Quarantined, p.Error())
	}
	return c
}

// failing is a source that cannot be read.
type failing struct{ err error }

func (f failing) Load(context.Context, *cache.Content) (*cache.Content, error) { return nil, f.err }

// view is a snapshot of some sources, by their keys.
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

// object is an OperatorSet with subscriptions to packages.
func object(packages ...string) *v1alpha1.OperatorSet {
	set := &v1alpha1.OperatorSet{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "one", Generation: 4}}
	for _, p := range packages {
		set.Spec.Subscriptions = append(set.Spec.Subscriptions, v1alpha1.Subscription{Name: "my-" + p, Package: p})
	}
	return set
}
