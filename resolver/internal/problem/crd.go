package problem

import (
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// CRDOverlap is a CRD of the cluster that a bundle also defines (section 14 of the semantics), with
// the versions that applying the bundle's definition removes.
type CRDOverlap struct {
	Cluster *properties.CRD
	// Bundle is the definition of the bundle. If Known is false its manifest is missing, and it has
	// the versions that the bundle provides.
	Bundle properties.CRD
	Known  bool
	// Stored and Served are the versions of the cluster that the bundle lacks: stored ones, and
	// served ones if operators in other namespaces own the CRD too.
	Stored, Served []string
	// Others are the owners in other namespaces.
	Others []properties.CRDOwner
}

// Breaks reports whether the install plan of the bundle certainly fails.
func (s *CRDOverlap) Breaks() bool { return s.Known && len(s.Stored) > 0 }

// definitions indexes the CRDs of a cluster by group. It is built on first use.
type definitions struct {
	first map[string]int32 // the first CRD of each group, from 1
	next  []int32          // the next CRD of the same group, from 1
}

// CRDConflicts lists the CRDs of the cluster that a bundle also defines.
func (u *Universe) CRDConflicts(b *graph.Bundle) []CRDOverlap {
	if u.Env == nil || len(u.Env.CRDs) == 0 {
		return nil
	}
	var out []CRDOverlap
	for d, known := range b.CRDs() {
		if c := u.Env.definition(&d); c != nil {
			out = append(out, u.Env.compare(c, d, known))
		}
	}
	return out
}

// definition returns the CRD of the cluster with the name of d, or with its group and kind if d
// has no name; nil if there is none.
func (s *Environment) definition(d *properties.CRD) *properties.CRD {
	same := func(c *properties.CRD) bool {
		return c.Group == d.Group && (c.Name == d.Name || d.Name == "" && c.Kind == d.Kind)
	}
	if s.known.first == nil {
		s.known.first, s.known.next = make(map[string]int32), make([]int32, len(s.CRDs))
		for i := range slices.Backward(s.CRDs) {
			group := s.CRDs[i].Group
			s.known.next[i], s.known.first[group] = s.known.first[group], int32(i+1)
		}
	}
	for i := s.known.first[d.Group]; i > 0; i = s.known.next[i-1] {
		if c := &s.CRDs[i-1]; same(c) {
			return c
		}
	}
	return nil
}

// compare finds the versions of a CRD of the cluster that applying a bundle's definition removes.
func (s *Environment) compare(c *properties.CRD, d properties.CRD, known bool) CRDOverlap {
	out := CRDOverlap{Cluster: c, Bundle: d, Known: known}
	for _, v := range c.StoredVersions {
		if !d.Has(v) {
			out.Stored = append(out.Stored, v)
		}
	}
	for _, o := range c.Owners {
		if o.Namespace != s.Namespace {
			out.Others = append(out.Others, o)
		}
	}
	for _, v := range c.Versions {
		if len(out.Others) > 0 && v.Served && !d.Has(v.Name) {
			out.Served = append(out.Served, v.Name)
		}
	}
	return out
}

// Define returns the known CRDs of a cluster after a bundle that replaces some others of its
// namespace is installed. A CRD keeps the stored versions that its new definition still has.
func Define(crds []properties.CRD, b *graph.Bundle, namespace string, replaces []string) []properties.CRD {
	if len(crds) == 0 || b.Compatibility == nil || len(b.Compatibility.CRDs) == 0 {
		return crds
	}
	crds = slices.Clone(crds)
	owner := properties.CRDOwner{Namespace: namespace, Bundle: b.Name}
	for _, d := range b.Compatibility.CRDs {
		if d.Name == "" { // the manifest is missing
			break
		}
		i := slices.IndexFunc(crds, func(c properties.CRD) bool { return c.Name == d.Name })
		if i < 0 {
			i, crds = len(crds), append(crds, properties.CRD{})
		}
		d.Owners = []properties.CRDOwner{owner}
		for _, v := range d.Versions {
			if v.Storage || slices.Contains(crds[i].StoredVersions, v.Name) {
				d.StoredVersions = append(d.StoredVersions, v.Name)
			}
		}
		for _, o := range crds[i].Owners {
			if o != owner && (o.Namespace != owner.Namespace || !slices.Contains(replaces, o.Bundle)) {
				d.Owners = append(d.Owners, o)
			}
		}
		crds[i] = d
	}
	return crds
}

// Migrate returns the CRDs of a cluster after the stored objects of one are migrated to its storage
// version, and whether the cluster has a CRD of that name.
func Migrate(crds []properties.CRD, name string) ([]properties.CRD, bool) {
	i := slices.IndexFunc(crds, func(d properties.CRD) bool { return d.Name == name })
	if i < 0 {
		return crds, false
	}
	crds = slices.Clone(crds)
	crds[i].StoredVersions = nil
	for _, v := range crds[i].Versions {
		if v.Storage {
			crds[i].StoredVersions = []string{v.Name}
		}
	}
	return crds, true
}
