package properties

import (
	"encoding/binary"
	"strconv"
)

// Compatibility is what a bundle declares about the clusters and namespaces that it
// runs in. Operator Lifecycle Manager checks it only after it
// installed the bundle, or never. It is immutable and meant to be shared by
// pointer; nil, like the zero Compatibility, declares nothing.
type Compatibility struct {
	// InstallModes are the supported install modes.
	InstallModes InstallModes
	// MinKubeVersion is the minimum version of Kubernetes.
	MinKubeVersion MinKubeVersion
	// NativeAPIs are APIs that the cluster itself must serve, in declaration
	// order. Their group may be empty, for the core group. Do not modify the slice.
	NativeAPIs []GVK
	// MaxOpenShift is the maximum minor version of OpenShift.
	MaxOpenShift MaxOpenShift
	// CRDs are the resource definitions among the manifests of the bundle, sorted by name,
	// if its catalog has the manifests. They are followed by definitions without a name, each with
	// a served version: those that the metadata lists as owned, which count for a
	// bundle without any olm.gvk property. Do not modify the slice.
	CRDs []CRD
	// Malformed has a predicate for each invalid part of the metadata, such as "has
	// installModes that are not a list". Do not modify the slice.
	Malformed []string
}

// Compatibility combines the first "olm.csv.metadata" property and all
// "olm.maxOpenShiftVersion" properties; it returns nil if there are none. The metadata is parsed
// each time.
func (s Set) Compatibility() *Compatibility {
	var c *Compatibility
	for p := range s.All() {
		if p.Type() == TypeCSVMetadata {
			raw := []byte(p.Raw())
			if own, err := ParseCompatibility(raw); err == nil { // it is JSON
				own.CRDs = OwnedCRDs(raw)
				c = own
			}
			break
		}
	}
	if m := s.MaxOpenShift(); !m.IsZero() {
		if c == nil {
			c = &Compatibility{}
		}
		c.MaxOpenShift = m
	}
	return c
}

// Equal reports whether both are equal. Nil is only equal to nil.
func (c *Compatibility) Equal(o *Compatibility) bool {
	if c == nil || o == nil {
		return c == o
	}
	return c == o || c.Key() == o.Key()
}

// Key returns a text that is equal for equal values only.
func (c *Compatibility) Key() string {
	var memory [512]byte
	b := memory[:0]
	if c == nil {
		return "\x00"
	}
	texts := func(texts ...string) {
		for _, s := range texts {
			b = binary.AppendUvarint(b, uint64(len(s)))
			b = append(b, s...)
		}
	}
	number := func(n int) { b = binary.AppendUvarint(b, uint64(n)) }
	b = append(b, 1, byte(c.InstallModes))
	texts(c.MinKubeVersion.Text, c.MinKubeVersion.Invalid, c.MaxOpenShift.Text, c.MaxOpenShift.Invalid)
	number(len(c.NativeAPIs))
	for _, g := range c.NativeAPIs {
		texts(g.Group, g.Version, g.Kind)
	}
	number(len(c.Malformed))
	texts(c.Malformed...)
	for _, d := range c.CRDs {
		texts(d.Name, d.Group, d.Kind)
		number(len(d.Versions))
		for _, v := range d.Versions {
			texts(v.Name)
			b = strconv.AppendBool(strconv.AppendBool(b, v.Served), v.Storage)
		}
	}
	return string(b)
}
