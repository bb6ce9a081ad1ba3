package mirror_test

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/mirror"
	"github.com/seed109e2655/resolute/resolver"
)

// The configuration asks for one package, and what that needs is missing.
func ExampleMake() {
	ctx := context.Background()
	content, err := fbc.FromBlobs(ctx, []json.RawMessage{
		[]byte(`{"schema": "olm.package", "name": "shop", "defaultChannel": "stable"}`),
		[]byte(`{"schema": "olm.channel", "package": "shop", "name": "stable", "entries": [{"name": "shop.v1.0.0"}]}`),
		[]byte(`{"schema": "olm.bundle", "package": "shop", "name": "shop.v1.0.0", "properties": [{"type": "olm.package", "value": {"packageName": "shop", "version": "1.0.0"}}, {"type": "olm.package.required", "value": {"packageName": "etcd", "versionRange": ">=0.9.0"}}]}`),
		[]byte(`{"schema": "olm.package", "name": "etcd", "defaultChannel": "stable"}`),
		[]byte(`{"schema": "olm.channel", "package": "etcd", "name": "stable", "entries": [{"name": "etcd.v0.9.4"}]}`),
		[]byte(`{"schema": "olm.bundle", "package": "etcd", "name": "etcd.v0.9.4", "properties": [{"type": "olm.package", "value": {"packageName": "etcd", "version": "0.9.4"}}]}`),
	}, fbc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	config, err := mirror.Parse(ctx, "imageset.yaml", []byte(`
kind: ImageSetConfiguration
apiVersion: mirror.openshift.io/v2alpha1
mirror:
  operators:
  - catalog: registry.example.com/index:v1
    packages: [{name: shop}]
`))
	if err != nil {
		log.Fatal(err)
	}
	plan, err := mirror.Make(ctx, resolver.New(), config, mirror.Options{
		Catalogs: []mirror.Catalog{{Ref: "registry.example.com/index:v1", Content: content}},
	})
	if err != nil {
		log.Fatal(err)
	}
	_ = plan.WriteConfiguration(os.Stdout)
	// Output:
	// kind: ImageSetConfiguration
	// apiVersion: mirror.openshift.io/v2alpha1
	// mirror:
	//   operators:
	//   - catalog: "registry.example.com/index:v1"
	//     packages:
	//     - name: "etcd"
	//       channels:
	//       # etcd.v0.9.4: for shop.v1.0.0: package etcd in range >=0.9.0
	//       - name: "stable"
	//         minVersion: "0.9.4"
	//         maxVersion: "0.9.4"
	//     - name: "shop"
	//       channels:
	//       - name: "stable"
	//         minVersion: "1.0.0"
	//         maxVersion: "1.0.0"
}
