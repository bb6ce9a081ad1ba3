package cache

// BundleRef names a bundle: one of a catalog, or an installed one. References are
// comparable.
type BundleRef struct {
	// Catalog restricts the reference to one catalog; the zero key means any catalog and the
	// installed bundles.
	Catalog Key
	// Name is the bundle's name.
	Name string
}

// String returns "namespace/name:bundle", or the bundle's name alone if the reference names no
// catalog.
func (r BundleRef) String() string {
	if r.Catalog.IsZero() {
		return r.Name
	}
	return r.Catalog.String() + ":" + r.Name
}
