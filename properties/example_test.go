package properties_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/properties"
)

// The properties of a bundle, parsed once, answer what resolution asks.
func Example() {
	set, err := properties.Parse([]byte(`[
		{"type": "olm.package", "value": {"packageName": "etcd", "version": "0.9.4"}},
		{"type": "olm.gvk", "value": {"group": "etcd.database.coreos.com", "version": "v1beta2", "kind": "EtcdCluster"}},
		{"type": "certified", "value": "yes"}
	]`))
	if err != nil {
		log.Fatal(err)
	}
	p, _ := set.Package()
	fmt.Println(p.Name, p.Version)
	for gvk := range set.GVKs() {
		fmt.Println("provides", gvk)
	}
	fmt.Println(set.HasType("certified"))
	// Output:
	// etcd 0.9.4
	// provides etcd.database.coreos.com/v1beta2/EtcdCluster
	// true
}

// Invalid properties are dropped, and each error has its index.
func ExampleParse_errors() {
	set, err := properties.Parse([]byte(`[
		{"type": "olm.package", "value": {"packageName": "etcd", "version": "0.9"}},
		{"type": "olm.label", "value": {"label": "certified"}}
	]`))
	fmt.Println(set.Len())
	var e *properties.Error
	if errors.As(err, &e) {
		fmt.Println(e.Type, e.Field, e.Value, e.Index)
	}
	fmt.Println(err)
	// Output:
	// 1
	// olm.package version 0.9 0
	// property olm.package (number 1): field version: "0.9" is not a semantic version such as 1.2.3: No Major.Minor.Patch elements found; did you mean 0.9.0?
}

// The typed value of a property depends on its type.
func ExampleNew() {
	p, err := properties.New("olm.package.required", []byte(`{"packageName": "cert-manager", "versionRange": ">=1.12.2"}`))
	if err != nil {
		log.Fatal(err)
	}
	switch v := p.Value().(type) {
	case properties.PackageRequired:
		fmt.Println("requires", v.Name, v.Range)
	default:
		fmt.Println("data:", p.Raw())
	}
	fmt.Println(p)
	// Output:
	// requires cert-manager >=1.12.2
	// {"type":"olm.package.required","value":{"packageName":"cert-manager","versionRange":">=1.12.2"}}
}

func ExampleParseRange() {
	r, err := properties.ParseRange(">=1.0.0 <2.0.0 || 3.x")
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range []string{"0.9.0", "1.5.0", "2.0.0", "3.7.1"} {
		fmt.Println(v, r.Contains(semver.MustParse(v)))
	}
	// Output:
	// 0.9.0 false
	// 1.5.0 true
	// 2.0.0 false
	// 3.7.1 true
}

func ExampleGVK_Validate() {
	fmt.Println(properties.GVK{Group: "example.com", Version: "v1", Kind: "Database"}.Validate())
	err := properties.GVK{Group: "example.com", Version: "1.0", Kind: "Database"}.Validate()
	var e *properties.Error
	fmt.Println(errors.As(err, &e), e.Field)
	// Output:
	// <nil>
	// true version
}

// A set goes into JSON as the list that it was.
func ExampleSet_MarshalJSON() {
	label, err := properties.New("olm.label", []byte(`{"label": "certified"}`))
	if err != nil {
		log.Fatal(err)
	}
	data, err := json.Marshal(properties.NewSet(label))
	fmt.Println(string(data), err)
	// Output: [{"type":"olm.label","value":{"label":"certified"}}] <nil>
}

// A range in another syntax is a function, with the text to print.
func ExampleNewRange() {
	even := properties.NewRange("even", func(v semver.Version) bool { return v.Major%2 == 0 })
	fmt.Println(even, even.Contains(semver.MustParse("2.1.0")), even.Contains(semver.MustParse("3.0.0")))
	// Output:
	// even true false
}

// A property can be made of values, without JSON.
func ExampleNewPackageRequired() {
	stable := properties.MustParseRange(">=1.0.0")
	for _, name := range []string{"cert-manager", "etcd"} {
		required, err := properties.NewPackageRequired(name, stable)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(required)
	}
	// Output:
	// {"type":"olm.package.required","value":{"packageName":"cert-manager","versionRange":">=1.0.0"}}
	// {"type":"olm.package.required","value":{"packageName":"etcd","versionRange":">=1.0.0"}}
}
