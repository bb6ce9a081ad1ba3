package oracle

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// csv returns the ClusterServiceVersion that the catalog has for a bundle, or
// nil.
func (b *Bundle) csv() *CSV { return cmp.Or(b.Metadata, b.Object) }

// fits implements section 12.
func (w *world) fits(v *variable) bool {
	cl := &w.p.Cluster
	if v.csv != nil && !(w.p.supports(v.csv.Modes) && cl.newEnough(v.csv.MinKube) && cl.serves(v.csv.NativeAPIs)) {
		return false
	}
	return cl.oldEnough(v.bundle.MaxOpenShift)
}

// supports reports whether install modes support the operator group.
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

// newEnough reports whether the cluster's Kubernetes is at minimum a
// minKubeVersion. An invalid minimum rejects every cluster of known version.
// Pre-releases are ignored: the cluster's is dropped, and a pre-release
// minimum is less than the release.
func (c *Cluster) newEnough(minimum string) bool {
	if minimum == "" || c.Kubernetes == "" {
		return true
	}
	want, ok := numbers(minimum)
	have, _ := numbers(c.Kubernetes)
	return ok && slices.Compare(have[:], want[:]) >= 0
}

// serves reports whether the cluster serves all of these APIs, if its APIs are
// known.
func (c *Cluster) serves(apis []string) bool {
	return len(c.APIs) == 0 || !slices.ContainsFunc(apis, func(a string) bool { return !slices.Contains(c.APIs, a) })
}

// oldEnough reports whether the cluster's OpenShift is within the values of
// olm.maxOpenShiftVersion.
func (c *Cluster) oldEnough(values []string) bool {
	if len(values) == 0 || c.OpenShift == "" {
		return true
	}
	limit, ok := numbers(values[0])
	if !ok || len(values) > 1 || strings.Count(values[0], ".") != 1 {
		return false
	}
	have, _ := numbers(c.OpenShift)
	return cmp.Compare(minor(have), minor(limit)) <= 0
}

// minor numbers OpenShift releases across major versions: 5.0 is 4.23.
func minor(v [3]int) int {
	if v[0] == 5 {
		return 23 + v[1]
	}
	return v[1]
}

// kubeAtLeast compares with the property olm.kubeversion, which defaults to
// the Kubernetes version and is never a pre-release.
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

// numbers parses the three numbers of a version leniently: a leading v is
// optional, missing numbers are 0, and a suffix after - or + is dropped.
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
