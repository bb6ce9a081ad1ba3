package bundledir_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/fbc/bundledir"
)

// A new version becomes a catalog of its own, with the channel entry that its
// ClusterServiceVersion asks for.
func Example() {
	ctx := context.Background()
	b, err := bundledir.ReadDir(ctx, "testdata/etcd", bundledir.Options{})
	if err != nil {
		log.Fatal(err)
	}
	bundle, err := b.Blob("quay.io/example/etcd-bundle:v0.9.4")
	if err != nil {
		log.Fatal(err)
	}
	pkg := fmt.Sprintf(`{"schema":"olm.package","name":%q,"defaultChannel":%q}`, b.Package, b.DefaultChannel)
	blobs := []json.RawMessage{json.RawMessage(pkg), bundle}
	for _, channel := range b.Channels {
		entry, _ := json.Marshal(map[string]any{"name": b.Name, "skipRange": b.SkipRange})
		blobs = append(blobs, json.RawMessage(fmt.Sprintf(`{"schema":"olm.channel","package":%q,"name":%q,"entries":[%s]}`, b.Package, channel, entry)))
	}
	catalog, err := fbc.FromBlobs(ctx, blobs, fbc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Name, "replaces", b.Replaces, "in", strings.Join(b.Channels, " and "))
	for gvk := range catalog.Package("etcd").Bundle(b.Name).Properties.GVKs() {
		fmt.Println("provides", gvk)
	}
	// Output:
	// etcd.v0.9.4 replaces etcd.v0.9.2 in singlenamespace-alpha and clusterwide-alpha
	// provides etcd.database.coreos.com/v1beta2/EtcdBackup
	// provides etcd.database.coreos.com/v1beta1/EtcdCluster
	// provides etcd.database.coreos.com/v1beta2/EtcdCluster
	// provides extra.example.com/v1/Extra
	// provides stats.example.com/v1/Stats
}
