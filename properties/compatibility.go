package properties

import (
	"bytes"
	"encoding/binary"
	"strconv"
)

// Compatibility is what a bundle declares about the clusters and namespaces that it
// runs in: facts that Operator Lifecycle Manager looks at only after it
// installed the bundle, or never. It is immutable and meant to be shared by
// pointer; nil, like the zero Compatibility, says nothing.
type Compatibility struct {
	// InstallModes are the install modes that are supported.
	InstallModes InstallModes
	// MinKubeVersion is the least version of Kubernetes.
	MinKubeVersion MinKubeVersion
	// NativeAPIs are APIs that the cluster itself has to serve, in the order in
	// which the bundle declares them. Their group may be empty, for the core
	// group. Do not modify the slice.
	NativeAPIs []GVK
	// MaxOpenShift is the greatest minor version of OpenShift.
	MaxOpenShift MaxOpenShift
	// CRDs are the resource definitions among the manifests of the bundle, sorted by name,
	// where its catalog holds the manifests. Those without a name come after them, each with
	// a version that is served: they are what the metadata has as owned, which counts for a
	// bundle without any olm.gvk property. Do not modify the slice.
	CRDs []CRD
	// Malformed reports parts of the metadata that cannot be understood, a
	// predicate of it for each, such as "has installModes that are not a
	// list". What they would say is not known. Do not modify the slice.
	Malformed []string
}

// Compatibility returns what the first "olm.csv.metadata" property says and
// what all "olm.maxOpenShiftVersion" properties say, or nil if there is
// neither. The metadata is parsed each time.
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

// Equal reports whether both say the same. Nil is equal to nothing but nil.
func (c *Compatibility) Equal(o *Compatibility) bool {
	if c == nil || o == nil {
		return c == o
	}
	return c == o || bytes.Equal(c.AppendKey(nil), o.AppendKey(nil))
}

// AppendKey appends a text to b that no two values have in common unless they
// are equal.
func (c *Compatibility) AppendKey(b []byte) []byte {
	if c == nil {
		return append(b, 0)
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
	return b
}
