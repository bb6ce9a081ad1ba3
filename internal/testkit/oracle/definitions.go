package oracle

import "slices"

// versionsOf returns the versions of a bundle's definition. If known is false,
// the bundle has no manifest and the versions are those it serves.
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

// removesDefinitions implements section 14: whether a bundle removes something from the
// cluster's definitions, and whether its install plan certainly fails because
// of it.
func (w *world) removesDefinitions(b *Bundle) (something, fails bool) {
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

// defineIn returns the cluster's definitions after a bundle is installed; its
// own replace those of the same kinds. Objects may be stored in the previous
// stored versions and in the new storage version.
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

// manifest returns the definition as an object, for a bundle or a cluster.
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

// scenario returns the cluster's definition in scenario form.
func (d *CRD) scenario() object {
	o := object{"name": d.Name(), "group": APIOf(d.Kind).Group, "kind": d.Kind, "versions": d.versions(), "storedVersions": append([]string{}, d.Stored...)}
	if d.Elsewhere {
		o["owners"] = []any{object{"namespace": "elsewhere", "bundle": "other.v1"}}
	}
	return o
}

// Migrate rewrites the stored objects of a cluster's definition, given by its
// full name, to its storage version.
func (p *Problem) Migrate(name string) {
	for i := range p.Cluster.CRDs {
		if d := &p.Cluster.CRDs[i]; d.Name() == name {
			d.Stored = d.Versions[len(d.Versions)-1:]
		}
	}
}
