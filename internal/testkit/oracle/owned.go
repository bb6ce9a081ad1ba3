package oracle

// Packages returns the known packages of the installed bundles that count, by
// bundle name.
func Packages(p *Problem) map[string]string {
	out := make(map[string]string)
	w, err := currentState(p)
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

// Owned returns the installed bundles owned by subscriptions, including
// generated ones, by subscription name.
func Owned(p *Problem) map[string]string {
	out := make(map[string]string)
	w, err := currentState(p)
	if err != nil {
		return out
	}
	for i := range w.subscriptions {
		if v := w.owner(&w.subscriptions[i]); v >= 0 {
			out[w.subscriptions[i].Name] = w.vars[v].name
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
