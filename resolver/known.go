package resolver

import "slices"

// Known returns the request with all written down that its catalogs say of what is installed,
// and with each subscription naming what it owns: for those who go on with other catalogs,
// which may not know the bundles any more. It is resolved as the request is.
func (req Request) Known() Request {
	v := newInventory(&req, usableCatalogs(&req))
	out := req
	out.Installed, out.Subscriptions = slices.Clone(req.Installed), slices.Clone(req.Subscriptions)
	for i := range out.Installed {
		in := &out.Installed[i]
		in.Package = v.pkg[i]
		known, _ := v.known(in, in.Package)
		if known == nil {
			continue
		}
		if in.Properties == nil {
			in.Properties = &known.Properties
		}
		if _, said := in.Properties.Package(); in.Version == nil && !said && known.Quarantine == nil {
			in.Version = known.Version
		}
	}
	owned := req.Owned()
	for i := range out.Subscriptions {
		s := &out.Subscriptions[i]
		if _, there := v.index[s.InstalledCSV]; !there && owned[s.Name] != "" {
			s.InstalledCSV = owned[s.Name]
		}
	}
	return out
}
