package draw

import (
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/resolver"
)

var (
	modes       = []string{"OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"}
	kubernetes  = []string{"1.30.0", "1.31.4", "1.32.0-rc.1"}
	minKube     = []string{"1.29.0", "1.31.0", "1.31.9", "1.32.0", "v1.33", "1.31.0-alpha.1", "newest"}
	openShift   = []string{"4.18", "4.19", "4.19.7", "4.23.1", "5.0", "5.1.0"}
	maxOpen     = []string{"4.18", "4.19", "4.20", "4.23", "4.24", "5.0", "5.1", "", "four", "4.19.3"}
	groups      = [][]string{nil, {""}, {"ns"}, {"ns"}, {"ns", "ns"}, {"shop"}, {"shop", "shop"}, {"shop", "ns"}, {"shop", "store"}}
	nativeKinds = []string{"Foo", "Bar", "Native"}
)

// environment draws the cluster's versions, additional APIs and the operator
// group.
func (d *drawer) environment() {
	cl := &d.p.Cluster
	if d.chance(65) {
		cl.Kubernetes = pick(d, kubernetes)
	}
	if cl.Kube != nil && d.chance(20) { // it has no further properties
		cl.Kubernetes = pick(d, []string{"v1.31", "1.31", "1.32.3+build"})
	}
	if d.chance(65) {
		cl.OpenShift = pick(d, openShift)
	}
	if d.chance(40) {
		cl.APIs = append(cl.APIs, "Native")
	}
	if d.chance(65) {
		d.p.Group = &resolver.OperatorGroup{TargetNamespaces: pick(d, groups)}
	}
	if d.chance(50) {
		c := oracle.CRD{Kind: own(pick(d, packages)), Versions: pick(d, defined), Elsewhere: d.chance(40)}
		c.Stored = append(c.Stored, c.Versions[d.below(len(c.Versions)):]...)
		cl.CRDs = append(cl.CRDs, c)
	}
}

// defined lists version sets of definitions; v1 is the default of an API.
var defined = [][]string{{"v1"}, {"v1beta1"}, {"v1beta1", "v1"}, {"v1", "v2"}, {"v1beta1", "v1", "v2"}}

// needs draws cluster requirements of a bundle.
func (d *drawer) needs(b *oracle.Bundle) {
	if len(b.Provides) > 0 && d.chance(60) {
		b.Defines = append(b.Defines, oracle.CRD{Kind: b.Provides[0], Versions: pick(d, defined)})
	}
	if d.chance(30) {
		b.MaxOpenShift = append(b.MaxOpenShift, pick(d, maxOpen))
		if d.chance(8) {
			b.MaxOpenShift = append(b.MaxOpenShift, pick(d, maxOpen))
		}
	}
	switch d.below(8) {
	case 5, 6:
		b.Metadata = d.csv()
	case 7:
		b.Object = d.csv()
		if d.chance(15) {
			b.Metadata = d.csv()
		}
	}
}

func (d *drawer) csv() *oracle.CSV {
	csv := &oracle.CSV{}
	percent := 90
	if d.chance(50) {
		percent = 50
	}
	for _, m := range modes {
		if d.chance(90) { // otherwise unlisted
			csv.Modes = append(csv.Modes, oracle.Mode{Type: m, Supported: d.chance(percent)})
		}
	}
	if d.chance(40) {
		csv.MinKube = pick(d, minKube)
	}
	if d.chance(25) {
		csv.NativeAPIs = some(d, nativeKinds, 50)
	}
	return csv
}
