package oracle

import "slices"

// addQuarantined makes variables of the bundles that only a quarantine
// excludes: their own, their package's, or that of a channel that lists them.
func (w *world) addQuarantined(key Key) {
	for c, p := range w.packagesOf(key) {
		for j := range p.Bundles {
			b := &p.Bundles[j]
			if p.Bundle(b.Name) != b {
				continue // the first of duplicate bundles counts
			}
			if usable(p, b.Name) != nil && (!listedInBroken(p, b.Name) || !quarantined(p) && len(places(p, b.Name)) > 0) {
				continue
			}
			read := b.readable()
			w.vars = append(w.vars, &variable{name: b.Name, pkg: p.Name, version: &read.Version, bundle: read, named: p.Name,
				csv: b.csv(), installed: -1, cat: c, quarantined: true})
		}
	}
}

// listedInBroken reports whether a quarantined channel, or a channel of a
// quarantined package, lists a bundle.
func listedInBroken(p *Package, name string) bool {
	seen := map[string]bool{}
	return slices.ContainsFunc(channelsInOrder(p), func(c chain) bool {
		first := !seen[c.channel.Name]
		seen[c.channel.Name] = true
		return first && (c.broken || quarantined(p)) && c.entry(name) != nil
	})
}

// readable returns the valid part of a defective bundle.
func (b *Bundle) readable() *Bundle {
	r := *b
	if !b.identified() {
		r.Version, r.Release = Version{}, ""
	}
	return &r
}

// quarantinedCandidates lists the additional candidates that a new subscription would have
// without quarantines.
func (w *world) quarantinedCandidates(s *subscription) []int {
	var list []int
	for k, l := range s.scanned {
		if k > 0 && s.scanned[k-1].pkg == l.pkg && s.scanned[k-1].chain.channel.Name == l.chain.channel.Name {
			continue // the first of duplicate channels counts
		}
		for i, v := range w.vars {
			if v.quarantined && v.cat == l.cat && v.pkg == l.pkg.Name && l.chain.entry(v.name) != nil &&
				w.keeps(s, l, v) && !slices.Contains(list, i) {
				list = append(list, i)
			}
		}
	}
	return list
}

// identified reports whether a bundle has a valid olm.package property.
func (b *Bundle) identified() bool {
	return b.Defect != BadVersion && b.Defect != BadRelease && b.Defect != MissingIdentity
}
