// Package properties holds the metadata that a bundle declares: its properties,
// parsed once into typed values.
//
//	set, err := properties.Parse([]byte(`[
//		{"type": "olm.package", "value": {"packageName": "etcd", "version": "0.9.4"}},
//		{"type": "olm.gvk", "value": {"group": "etcd.database.coreos.com", "version": "v1beta2", "kind": "EtcdCluster"}},
//		{"type": "certified", "value": "yes"}
//	]`))
//	if err != nil {
//		log.Fatal(err)
//	}
//	p, _ := set.Package()
//	fmt.Println(p.Name, p.Version)
//	for gvk := range set.GVKs() {
//		fmt.Println("provides", gvk)
//	}
//	fmt.Println(set.HasType("certified"))
//	// Output:
//	// etcd 0.9.4
//	// provides etcd.database.coreos.com/v1beta2/EtcdCluster
//	// true
//
// A property is a type and a JSON value. [New] parses one, [Parse] a whole
// list; either way the value of a type that the package knows becomes a typed
// Go value ([Package], [GVK], [PackageRequired], …) and is validated, while
// the value of any other type stays JSON that only CEL rules look into.
// A [Set] is the ordered list of the properties of one bundle. A reader of catalogs
// parses equal properties once and shares them.
//
// What was parsed is immutable, so properties and sets may be shared between
// goroutines freely.
//
// # Strictness
//
// Inside the value of a known type, keys that the type does not define are
// tolerated and kept, because Operator Lifecycle Manager tolerates them too.
// A wrong JSON type, a missing or empty field, a repeated or misspelt key
// (keys are case-sensitive) and a value that breaks the rules of its field
// give an [*Error] that names the type and the field. Group, version and kind
// are held to the rules of Kubernetes (see [GVK.Validate]), versions and
// ranges to those of blang/semver.
package properties
