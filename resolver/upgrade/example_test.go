package upgrade_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/upgrade"
)

// A cluster of OpenShift 4.18 runs an operator that names 4.18 as the last version that it
// works on. Today's catalog has a later one.
func ExampleCheck() {
	ctx := context.Background()
	content, err := fbc.FromBlobs(ctx, []json.RawMessage{
		[]byte(`{"schema": "olm.package", "name": "etcd", "defaultChannel": "stable"}`),
		[]byte(`{"schema": "olm.channel", "package": "etcd", "name": "stable", "entries": [{"name": "etcd.v2.0.0", "replaces": "etcd.v1.0.0"}, {"name": "etcd.v1.0.0"}]}`),
		[]byte(`{"schema": "olm.bundle", "package": "etcd", "name": "etcd.v2.0.0", "properties": [{"type": "olm.package", "value": {"packageName": "etcd", "version": "2.0.0"}}]}`),
		[]byte(`{"schema": "olm.bundle", "package": "etcd", "name": "etcd.v1.0.0", "properties": [{"type": "olm.package", "value": {"packageName": "etcd", "version": "1.0.0"}}, {"type": "olm.maxOpenShiftVersion", "value": "4.18"}]}`),
	}, fbc.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	catalog := resolver.Catalog{Key: cache.Key{Namespace: "olm", Name: "community"}, Content: content}
	req := resolver.Request{
		Catalogs:      []resolver.Catalog{catalog},
		Cluster:       resolver.Cluster{OpenShiftVersion: "4.18"},
		Installed:     []resolver.Installed{{Name: "etcd.v1.0.0"}},
		Subscriptions: []resolver.Subscription{{Name: "etcd", Package: "etcd", Channels: []string{"stable"}, InstalledCSV: "etcd.v1.0.0"}},
	}
	report, err := upgrade.Check(ctx, resolver.New(), req, upgrade.Options{
		Versions: []upgrade.Version{{OpenShift: "4.19", Catalogs: []upgrade.NextCatalog{{For: "community", Content: content}}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = report.WriteText(os.Stdout)
	// Output:
	// updates are due before the cluster moves
	//   update before           etcd.v1.0.0 (subscription etcd)
	//     - etcd.v1.0.0 works up to OpenShift 4.18, so that Operator Lifecycle Manager holds the cluster back from 4.19 while it is installed
	//   order:
	//     1. before: upgrade etcd.v1.0.0 to etcd.v2.0.0 from channel stable of olm/community
	//     2. upgrade the cluster to OpenShift 4.19, Kubernetes 1.32.0
}
