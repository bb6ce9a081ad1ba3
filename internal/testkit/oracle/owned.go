package oracle

// Packages are the packages of the installed bundles that count, by their names; those of
// unknown packages are not in it.
func Packages(p *Problem) map[string]string {
	out := make(map[string]string)
	w, err := asIs(p)
	if err != nil {
		return out
	}
	for _, v := range w.vars {
		if v.pkg != "" {
			out[v.name] = v.pkg
		}
	}
	return out
}

// Owned are the installed bundles that subscriptions own, those that are generated included,
// by the subscriptions' names.
func Owned(p *Problem) map[string]string {
	out := make(map[string]string)
	w, err := asIs(p)
	if err != nil {
		return out
	}
	for i := range w.asked {
		if v := w.owner(&w.asked[i]); v >= 0 {
			out[w.asked[i].Name] = w.vars[v].name
		}
	}
	return out
}

// Healthy reports whether a package has a channel that is not quarantined.
func Healthy(p *Package, channel string) bool {
	for _, c := range channelsInOrder(p) {
		if c.channel.Name == channel {
			return !c.broken && !quarantined(p)
		}
	}
	return false
}
