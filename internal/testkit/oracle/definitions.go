package oracle

import "slices"

// versionsOf are the versions of a definition that a bundle has; known is false where it has
// no manifest, so that they are those that it serves.
func (b *Bundle) versionsOf(kind string) (versions []string, known bool) {
	for _, d := range b.Defines {
		if d.Kind == kind {
			return d.Versions, true
		}
	}
	if slices.Contains(b.Provides, kind) {
		return []string{APIOf(kind).Version}, false
	}
	return nil, false
}

// takes is section 14: whether a bundle takes something from the definitions of the
// cluster, and whether it is certain that its install plan fails at that.
func (w *world) takes(b *Bundle) (something, fails bool) {
	for _, c := range w.p.Cluster.CRDs {
		versions, known := b.versionsOf(c.Kind)
		if versions == nil {
			continue
		}
		gone := func(v string) bool { return !slices.Contains(versions, v) }
		stored := slices.ContainsFunc(c.Stored, gone)
		something = something || stored || c.Elsewhere && slices.ContainsFunc(c.Versions, gone)
		fails = fails || stored && known
	}
	return something, fails
}

// defineIn returns what a cluster whose definitions are known has after a bundle was
// installed: its own in the place of those of the same kinds. Objects may be stored in
// versions that they were stored in before, and in the new storage version.
func (b *Bundle) defineIn(cluster []CRD) []CRD {
	if len(cluster) == 0 {
		return nil
	}
	for _, d := range b.Defines {
		d.Stored = d.Versions[len(d.Versions)-1:]
		i := slices.IndexFunc(cluster, func(c CRD) bool { return c.Kind == d.Kind })
		if i < 0 {
			cluster = append(cluster, d)
			continue
		}
		for _, v := range cluster[i].Stored {
			if slices.Contains(d.Versions, v) && !slices.Contains(d.Stored, v) {
				d.Stored = append(slices.Clone(d.Stored), v)
			}
		}
		d.Elsewhere = cluster[i].Elsewhere
		cluster[i] = d
	}
	return cluster
}

// manifest is the definition as an object: what a bundle holds and a cluster has.
func (d *CRD) manifest() object {
	api := APIOf(d.Kind)
	return object{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": object{"name": d.Name()},
		"spec": object{"group": api.Group, "names": object{"kind": d.Kind}, "versions": d.versions()}}
}

// Name is the full name of the definition.
func (d *CRD) Name() string { return "things." + APIOf(d.Kind).Group }

func (d *CRD) versions() []any {
	var list []any
	for i, v := range d.Versions {
		list = append(list, object{"name": v, "served": true, "storage": i == len(d.Versions)-1})
	}
	return list
}

// scenario is the definition of a cluster as a scenario has it.
func (d *CRD) scenario() object {
	o := object{"name": d.Name(), "group": APIOf(d.Kind).Group, "kind": d.Kind, "versions": d.versions(), "storedVersions": append([]string{}, d.Stored...)}
	if d.Elsewhere {
		o["owners"] = []any{object{"namespace": "elsewhere", "bundle": "other.v1"}}
	}
	return o
}

// Migrate has the stored objects of a definition of the cluster, by its full name, stored in
// its storage version alone.
func (p *Problem) Migrate(name string) {
	for i := range p.Cluster.CRDs {
		if d := &p.Cluster.CRDs[i]; d.Name() == name {
			d.Stored = d.Versions[len(d.Versions)-1:]
		}
	}
}
