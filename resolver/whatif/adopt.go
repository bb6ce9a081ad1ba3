package whatif

import "github.com/seed109e2655/resolute/resolver"

// adoptions lists the possible adoptions: a subscription or an extension that owns nothing adopts
// an installed bundle of its own package (section 2 of the semantics) that has no owner, or only a
// generated subscription as owner. A bundle that is being replaced, or whose package is unknown, is
// not adopted.
func adoptions(req *resolver.Request) []resolver.AdoptInstalled {
	free := unowned(req)
	if len(free) == 0 {
		return nil
	}
	var out []resolver.AdoptInstalled
	owned := req.Owned()
	adopt := func(name, pkg string, extension bool) {
		if owned[name] != "" {
			return
		}
		for _, bundle := range free[pkg] {
			out = append(out, resolver.AdoptInstalled{Bundle: bundle, Subscription: name, Extension: extension})
		}
	}
	for i := range req.Subscriptions {
		adopt(req.Subscriptions[i].Name, req.Subscriptions[i].Package, false)
	}
	for i := range req.Extensions {
		adopt(req.Extensions[i].Name, req.Extensions[i].Package, true)
	}
	return out
}

// unowned lists by package the installed bundles that can be adopted.
func unowned(req *resolver.Request) map[string][]string {
	if len(req.Installed) == 0 {
		return nil
	}
	taken := make(map[string]bool)
	owned := req.Owned()
	for i := range req.Subscriptions {
		if s := &req.Subscriptions[i]; !s.Generated {
			taken[owned[s.Name]] = true
		}
	}
	for i := range req.Extensions {
		taken[owned[req.Extensions[i].Name]] = true
	}
	installed := make(map[string]bool, len(req.Installed))
	for i := range req.Installed {
		installed[req.Installed[i].Name] = true
	}
	out := make(map[string][]string)
	for _, in := range req.Known().Installed {
		if in.Package != "" && !taken[in.Name] && !installed[in.ReplacedBy] {
			out[in.Package] = append(out[in.Package], in.Name)
		}
	}
	return out
}

// adoptionsOf returns the adoptions of one installed bundle.
func adoptionsOf(all []resolver.AdoptInstalled, bundle string) []resolver.Change {
	var out []resolver.Change
	for _, c := range all {
		if c.Bundle == bundle {
			out = append(out, c)
		}
	}
	return out
}
