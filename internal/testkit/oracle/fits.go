package oracle

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// csv is what the catalog knows of a bundle's ClusterServiceVersion, nil if
// nothing.
func (b *Bundle) csv() *CSV { return cmp.Or(b.Metadata, b.Object) }

// fits is section 12.
func (w *world) fits(v *variable) bool {
	cl := &w.p.Cluster
	if v.csv != nil && !(w.p.supports(v.csv.Modes) && cl.newEnough(v.csv.MinKube) && cl.serves(v.csv.NativeAPIs)) {
		return false
	}
	return cl.oldEnough(v.bundle.MaxOpenShift)
}

// supports reports whether install modes are enough for the operator group.
func (p *Problem) supports(modes []Mode) bool {
	if p.Group == nil {
		return true
	}
	targets := slices.Compact(slices.Sorted(slices.Values(p.Group.TargetNamespaces)))
	own := slices.Contains(targets, p.Namespace)
	has := func(typ string) bool { return slices.Contains(modes, Mode{typ, true}) }
	switch {
	case len(targets) == 0 || slices.Contains(targets, ""):
		return has("AllNamespaces")
	case len(targets) > 1:
		return has("MultiNamespace") && (!own || has("OwnNamespace"))
	case own:
		return has("OwnNamespace")
	}
	return has("SingleNamespace")
}

// newEnough reports whether the cluster's Kubernetes is at least a minKubeVersion.
// One that cannot be read fits no cluster whose version is known. Pre-releases do
// not matter: the cluster's is ignored, and one of the least version is less than
// the release that the cluster then counts as.
func (c *Cluster) newEnough(least string) bool {
	if least == "" || c.Kubernetes == "" {
		return true
	}
	want, ok := numbers(least)
	have, _ := numbers(c.Kubernetes)
	return ok && slices.Compare(have[:], want[:]) >= 0
}

// serves reports whether the cluster, as far as its APIs are known, serves all of
// these.
func (c *Cluster) serves(apis []string) bool {
	return len(c.APIs) == 0 || !slices.ContainsFunc(apis, func(a string) bool { return !slices.Contains(c.APIs, a) })
}

// oldEnough reports whether the cluster's OpenShift is not beyond the values of
// olm.maxOpenShiftVersion.
func (c *Cluster) oldEnough(values []string) bool {
	if len(values) == 0 || c.OpenShift == "" {
		return true
	}
	most, ok := numbers(values[0])
	if !ok || len(values) > 1 || strings.Count(values[0], ".") != 1 {
		return false
	}
	have, _ := numbers(c.OpenShift)
	return cmp.Compare(minor(have), minor(most)) <= 0
}

// minor numbers the releases of OpenShift across its major versions: 5.0 is 4.23.
func minor(v [3]int) int {
	if v[0] == 5 {
		return 23 + v[1]
	}
	return v[1]
}

// kubeAtLeast compares the version in the property olm.kubeversion, which is made
// of the version of Kubernetes, no N.0.0-rc, where it is not given.
func (c *Cluster) kubeAtLeast(v Version) bool {
	if c.Kube != nil {
		return c.Kube.Compare(v) >= 0
	}
	if c.Kubernetes == "" {
		return false
	}
	have, _ := numbers(c.Kubernetes)
	return slices.Compare(have[:], []int{v.N, 0, 0}) >= 0
}

// numbers reads the three numbers of a version as lenient readers do: with or
// without a leading v, and missing ones are 0. What follows - or + is left out.
func numbers(text string) (v [3]int, ok bool) {
	text, _, _ = strings.Cut(strings.TrimPrefix(text, "v"), "+")
	text, _, _ = strings.Cut(text, "-")
	parts := strings.Split(text, ".")
	if len(parts) > len(v) {
		return v, false
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil {
			return v, false
		}
		v[i] = n
	}
	return v, true
}
