package upgrade_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/resolver"
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
		log.Fatal(err)
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
		log.Fatal(err)
	}
	_ = report.WriteText(os.Stdout, nil)
	// Output:
	// updates are due before the cluster moves
	//   update before           etcd.v1.0.0 (subscription etcd)
	//     - etcd.v1.0.0 works up to OpenShift 4.18, so Operator Lifecycle Manager blocks the upgrade to 4.19 while it is installed
	//   order:
	//     1. before: upgrade etcd.v1.0.0 to etcd.v2.0.0 from channel stable of olm/community
	//     2. upgrade the cluster to OpenShift 4.19, Kubernetes 1.32.0
}

// Upgrading a shop's front takes its database along, and leaves the rest.
func ExampleLeast() {
	const blobs = `
{"schema":"olm.package","name":"db","defaultChannel":"x"}
{"schema":"olm.channel","package":"db","name":"x","entries":[{"name":"db.v1"},{"name":"db.v2","replaces":"db.v1"}]}
{"schema":"olm.bundle","package":"db","name":"db.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"db","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"db","name":"db.v2","image":"i","properties":[{"type":"olm.package","value":{"packageName":"db","version":"2.0.0"}}]}
{"schema":"olm.package","name":"web","defaultChannel":"x"}
{"schema":"olm.channel","package":"web","name":"x","entries":[{"name":"web.v1"},{"name":"web.v2","replaces":"web.v1"}]}
{"schema":"olm.bundle","package":"web","name":"web.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"web","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"web","name":"web.v2","image":"i","properties":[{"type":"olm.package","value":{"packageName":"web","version":"2.0.0"}},{"type":"olm.package.required","value":{"packageName":"db","versionRange":">=2.0.0"}}]}
`
	ctx := context.Background()
	catalog, err := fbc.Read(ctx, strings.NewReader(blobs), "shop", fbc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	req := resolver.Request{
		Namespace: "shop",
		Catalogs:  []resolver.Catalog{{Key: cache.Key{Namespace: "olm", Name: "shop"}, Content: catalog}},
		Installed: []resolver.Installed{{Name: "db.v1"}, {Name: "web.v1"}},
		Subscriptions: []resolver.Subscription{
			{Name: "db", Package: "db", InstalledCSV: "db.v1"},
			{Name: "web", Package: "web", InstalledCSV: "web.v1"},
		},
	}
	up, err := upgrade.Least(ctx, resolver.New(), req, []upgrade.Target{{Subscription: "web"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range up.Rounds[0].Companions {
		fmt.Printf("%s, since %s requires %s\n", c.Bundle, c.Because[0].Bundle, c.Because[0].Constraint)
	}
	// Output:
	// db.v2, since web.v2 requires package db in range >=2.0.0
}
