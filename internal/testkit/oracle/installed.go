package oracle

import "cmp"

// addInstalled makes variables of the installed bundles that count and infers
// the missing data of each (section 1).
func (w *world) addInstalled() {
	for i := range w.p.Installed {
		in := &w.p.Installed[i]
		if w.p.Counts(in.Bundle.Name) {
			w.vars = append(w.vars, &variable{name: in.Bundle.Name, installed: i, cat: w.catalog(in.Catalog)})
		}
	}
	for i := range w.vars {
		w.identify(i)
	}
}

// identify determines package, version, properties and ClusterServiceVersion
// of an installed bundle: from the request, from its properties, or from the
// catalogs.
func (w *world) identify(i int) {
	v := w.vars[i]
	in := &w.p.Installed[v.installed]
	v.pkg = cmp.Or(in.Package, in.identity(), w.packageOfOwner(i), w.onlyPackage(v.name))
	known := w.known(in, v.pkg)
	switch {
	case !in.Bare:
		b := in.Bundle
		b.Defect = Sound
		if in.identity() == "" {
			b.Defect = MissingIdentity
		}
		v.bundle, v.named = &b, in.identity()
	case known != nil:
		v.bundle, v.named = known.readable(), v.pkg
	case v.pkg != "" && in.Version != nil: // the known data makes one property
		v.bundle, v.named = &Bundle{Name: v.name, Version: *in.Version}, v.pkg
	default:
		v.bundle = &Bundle{Name: v.name, Defect: MissingIdentity}
	}
	switch {
	case in.Version != nil:
		v.version = in.Version
	case in.identity() != "":
		v.version = &in.Bundle.Version
	case known != nil && known.identified():
		v.version = &known.Version
	}
	switch {
	case !in.Bare && in.Bundle.Metadata != nil:
		v.csv = in.Bundle.Metadata
	case known != nil:
		v.csv = known.csv()
	}
}

// identity returns the package of the given olm.package property, or "".
func (in *Installed) identity() string {
	if in.Bare || in.Bundle.Defect == MissingIdentity {
		return ""
	}
	return cmp.Or(in.Identity, in.Package)
}

// Properties returns the given properties and whether they are given; a given
// list may be empty.
func (in *Installed) Properties() ([]Property, bool) {
	if in.Bare {
		return nil, false
	}
	b := in.Bundle
	if in.identity() == "" {
		b.Defect = MissingIdentity
	}
	return b.Properties(in.identity()), true
}

// packageOfOwner returns the package of the first subscription that owns an
// installed bundle.
func (w *world) packageOfOwner(i int) string {
	for k := range w.p.Subscriptions {
		if w.owner(&w.p.Subscriptions[k]) == i {
			return w.p.Subscriptions[k].Package
		}
	}
	return ""
}

// onlyPackage returns the package, quarantined or not, that has a bundle of
// this name, or "" unless it is unique.
func (w *world) onlyPackage(name string) string {
	only := ""
	for _, p := range w.packagesOf(Key{}) {
		if p.Bundle(name) == nil {
			continue
		}
		if only != "" && only != p.Name {
			return ""
		}
		only = p.Name
	}
	return only
}

// known finds the catalog bundle, quarantined or not, with the name of an
// installed one: in its recorded catalog, else in the best catalog.
func (w *world) known(in *Installed, pkg string) *Bundle {
	for _, p := range w.packagesOf(in.Catalog) {
		if b := p.Bundle(in.Bundle.Name); b != nil && p.Name == pkg {
			return b
		}
	}
	return nil
}
