package properties

import "slices"

// CRD is a definition of custom resources, of a bundle or of a cluster
// (section 14 of the semantics). Definitions are cluster-scoped.
type CRD struct {
	// Name is the name of the object, "plural.group": foos.example.com.
	Name  string `json:"name"`
	Group string `json:"group"`
	Kind  string `json:"kind"`
	// Versions are those of spec.versions, in order.
	Versions []CRDVersion `json:"versions,omitempty"`
	// StoredVersions are those of status.storedVersions on a cluster: objects may be
	// stored in each.
	StoredVersions []string `json:"storedVersions,omitempty"`
	// Owners are the operators on a cluster that install the definition.
	Owners []CRDOwner `json:"owners,omitempty"`
}

// Has reports whether the definition has a version, served or not.
func (d *CRD) Has(version string) bool {
	return slices.ContainsFunc(d.Versions, func(v CRDVersion) bool { return v.Name == version })
}

// CRDVersion is one version of a [CRD].
type CRDVersion struct {
	Name    string `json:"name"`
	Served  bool   `json:"served"`
	Storage bool   `json:"storage"`
}

// CRDOwner is an operator on a cluster: its namespace, and the name of its bundle.
type CRDOwner struct {
	Namespace string `json:"namespace"`
	Bundle    string `json:"bundle"`
}
