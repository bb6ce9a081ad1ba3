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
// A property is a type and a JSON value. [New] parses one, [Parse] a
// list. Values of known types are validated and become typed
// Go values ([Package], [GVK], [PackageRequired], …);
// those of other types stay JSON, which only CEL rules read.
// A [Set] is the ordered list of the properties of one bundle. A reader of catalogs
// parses equal properties once and shares them.
//
// Properties and sets are immutable and safe for concurrent use.
//
// # Strictness
//
// Unknown keys in the value of a known type are kept, as in Operator Lifecycle Manager.
// A wrong JSON type, a missing or empty field, a repeated or misspelt key
// (keys are case-sensitive) and an invalid value
// are an [*Error] that names the type and the field. Group, version and kind
// follow the rules of Kubernetes (see [GVK.Validate]), versions and
// ranges those of blang/semver.
package properties
