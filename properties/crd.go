package properties

import "slices"

// CRD is a definition of custom resources, as a bundle brings it or as a cluster has it
// (section 14 of the semantics). Definitions belong to the cluster, not to a namespace.
type CRD struct {
	// Name is that of the object, "plural.group": foos.example.com.
	Name  string `json:"name"`
	Group string `json:"group"`
	Kind  string `json:"kind"`
	// Versions are those of spec.versions, in their order.
	Versions []CRDVersion `json:"versions,omitempty"`
	// StoredVersions are, on a cluster, those of status.storedVersions: objects may be
	// stored in each of them.
	StoredVersions []string `json:"storedVersions,omitempty"`
	// Owners are, on a cluster, the operators that bring the definition.
	Owners []CRDOwner `json:"owners,omitempty"`
}

// Has reports whether the definition has a version, be it served or not.
func (d *CRD) Has(version string) bool {
	return slices.ContainsFunc(d.Versions, func(v CRDVersion) bool { return v.Name == version })
}

// CRDVersion is one version of a [CRD].
type CRDVersion struct {
	Name    string `json:"name"`
	Served  bool   `json:"served"`
	Storage bool   `json:"storage"`
}

// CRDOwner is an operator on a cluster: the namespace that it is installed in, and the name
// of its bundle.
type CRDOwner struct {
	Namespace string `json:"namespace"`
	Bundle    string `json:"bundle"`
}
