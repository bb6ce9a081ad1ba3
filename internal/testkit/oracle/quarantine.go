package oracle

import "slices"

// addQuarantined makes variables of the bundles that nothing but a quarantine
// keeps from being chosen: their own, their package's, or that of a channel that
// lists them.
func (w *world) addQuarantined(key Key) {
	for c, p := range w.packagesOf(key) {
		for j := range p.Bundles {
			b := &p.Bundles[j]
			if p.Bundle(b.Name) != b {
				continue // of a bundle declared twice, the first one counts
			}
			if usable(p, b.Name) != nil && (!listedInBroken(p, b.Name) || !quarantined(p) && len(places(p, b.Name)) > 0) {
				continue
			}
			read := b.readable()
			w.vars = append(w.vars, &variable{name: b.Name, pkg: p.Name, version: &read.Version, bundle: read, named: p.Name,
				csv: b.csv(), installed: -1, cat: c, aside: true})
		}
	}
}

// listedInBroken reports whether a channel lists a bundle that is quarantined, or is
// so with the whole package.
func listedInBroken(p *Package, name string) bool {
	seen := map[string]bool{}
	return slices.ContainsFunc(channelsInOrder(p), func(c chain) bool {
		first := !seen[c.channel.Name]
		seen[c.channel.Name] = true
		return first && (c.broken || quarantined(p)) && c.entry(name) != nil
	})
}

// readable is what can be read of a bundle with a defect.
func (b *Bundle) readable() *Bundle {
	r := *b
	if !b.identified() {
		r.Version, r.Release = Version{}, ""
	}
	return &r
}

// setAside lists what a new subscription could choose from as well if nothing
// were quarantined.
func (w *world) setAside(s *wanted) []int {
	var list []int
	for k, l := range s.looked {
		if k > 0 && s.looked[k-1].pkg == l.pkg && s.looked[k-1].chain.channel.Name == l.chain.channel.Name {
			continue // of a channel declared twice, the first one counts
		}
		for i, v := range w.vars {
			if v.aside && v.cat == l.cat && v.pkg == l.pkg.Name && l.chain.entry(v.name) != nil &&
				w.keeps(s, l, v) && !slices.Contains(list, i) {
				list = append(list, i)
			}
		}
	}
	return list
}

// identified reports whether a bundle has an olm.package property that can be
// read.
func (b *Bundle) identified() bool {
	return b.Defect != BadVersion && b.Defect != BadRelease && b.Defect != MissingIdentity
}
