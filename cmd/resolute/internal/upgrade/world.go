package upgrade

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// world is the environment of the operators at one version of the cluster.
type world struct {
	resolver.Request          // with its catalogs and cluster only
	number           int      // 0 for the current one
	kept             []string // catalogs without a replacement for the next version
	// lifecycles are those that the catalogs of the next version declare.
	lifecycles Lifecycles
}

// kubernetesOfOpenShift is the difference of the minor versions of Kubernetes and OpenShift 4: 4.18
// has 1.31. OpenShift 5.0 counts as 4.23.
const (
	kubernetesOfOpenShift = 13
	minorOfOpenShift5     = 23
)

// next returns the world after an upgrade to a version.
func (w world) next(v *Version) world {
	n := world{Request: w.Request, lifecycles: make(Lifecycles)}
	n.Catalogs = slices.Clone(w.Catalogs)
	for i := range n.Catalogs {
		c := &n.Catalogs[i]
		k := slices.IndexFunc(v.Catalogs, func(next NextCatalog) bool { return next.replaces(c.Key) })
		if k < 0 {
			n.kept = append(n.kept, c.Key.String())
			continue
		}
		*c = resolver.Catalog{Key: c.Key, Priority: c.Priority, Content: v.Catalogs[k].Content}
		maps.Copy(n.lifecycles, v.Catalogs[k].Lifecycles)
	}
	openshift, kubernetes := v.complete()
	if v.OpenShift != "" || openshift != "" && w.Cluster.OpenShiftVersion != "" {
		n.Cluster.OpenShiftVersion = openshift
	}
	if kubernetes != "" {
		n.Cluster.KubernetesVersion = kubernetes
		n.Cluster.Properties = withKubernetes(w.Cluster.Properties, kubernetes)
	}
	return n
}

// sameAs returns the part of a version that a cluster already has, if that is all of it. A cluster
// with a known version needs a different one.
func (v *Version) sameAs(c *resolver.Cluster) string {
	switch {
	case v.OpenShift != "" && v.OpenShift == c.OpenShiftVersion:
		return "OpenShift " + v.OpenShift
	case v.OpenShift == "" && v.Kubernetes == "" && c.OpenShiftVersion != "":
		return "OpenShift " + c.OpenShiftVersion
	case v.OpenShift == "" && cmp.Or(v.Kubernetes, c.KubernetesVersion) == c.KubernetesVersion && c.KubernetesVersion != "":
		return "Kubernetes " + c.KubernetesVersion
	}
	return ""
}

// CatalogImage returns the image of a catalog at the version from a template, as in the annotation
// olm.catalogImageTemplate of a CatalogSource: {kube_major_version}, {kube_minor_version} and
// {kube_patch_version} are replaced by the parts of the version of Kubernetes. The error names an
// unknown part: that of an object of the cluster, or the patch version if the version is derived
// from that of OpenShift.
func (v Version) CatalogImage(template string) (string, error) {
	_, kubernetes := v.complete()
	k, err := properties.ParseKubernetesVersion(kubernetes)
	image := template
	if err == nil {
		parts := []string{"{kube_major_version}", fmt.Sprint(k.Major), "{kube_minor_version}", fmt.Sprint(k.Minor)}
		if v.Kubernetes != "" {
			parts = append(parts, "{kube_patch_version}", fmt.Sprint(k.Patch))
		}
		image = strings.NewReplacer(parts...).Replace(template)
	}
	if _, left, found := strings.Cut(image, "{"); found {
		part, _, _ := strings.Cut(left, "}")
		return "", fmt.Errorf("%s of template %s is unknown", text.Name("{"+part+"}"), text.Name(template))
	}
	return image, nil
}

// complete derives the version of Kubernetes from that of OpenShift, or the other way round, if
// possible.
func (v Version) complete() (openshift, kubernetes string) {
	if v.Kubernetes == "" {
		switch o, err := properties.ParseOpenShiftVersion(v.OpenShift); {
		case err == nil && o.Major == 4:
			v.Kubernetes = fmt.Sprintf("1.%d.0", o.Minor+kubernetesOfOpenShift)
		case err == nil && o.Major == 5:
			v.Kubernetes = fmt.Sprintf("1.%d.0", o.Minor+minorOfOpenShift5+kubernetesOfOpenShift)
		}
	} else if v.OpenShift == "" {
		k, err := properties.ParseKubernetesVersion(v.Kubernetes)
		if err == nil && k.Major == 1 && k.Minor > kubernetesOfOpenShift {
			v.OpenShift = fmt.Sprintf("4.%d", k.Minor-kubernetesOfOpenShift)
		}
	}
	return v.OpenShift, v.Kubernetes
}

// withKubernetes replaces the version of Kubernetes that CEL rules see, if the request has it as a
// property.
func withKubernetes(set properties.Set, version string) properties.Set {
	const kubeVersion = "olm.kubeversion"
	v, err := properties.ParseKubernetesVersion(version)
	if err != nil || !set.HasType(kubeVersion) {
		return set
	}
	now, err := properties.New(kubeVersion, fmt.Appendf(nil, `{"version":%q}`, v))
	if err != nil {
		return set
	}
	var list []*properties.Property
	for p := range set.All() {
		if p.Type() == kubeVersion {
			p = now
		}
		list = append(list, p)
	}
	return properties.NewSet(list...)
}

func (w *world) request(state resolver.Request, goal resolver.Goal) resolver.Request {
	crds := state.Cluster.CRDs // those that the bundles of the path have installed
	state.Catalogs, state.Cluster = w.Catalogs, w.Cluster
	state.Cluster.CRDs = crds
	state.Policy.Failures, state.Policy.Goal = resolver.FailuresPartial, goal
	return state
}

// channels returns the channels that a demand selects. If there are none, the code names what is
// gone.
func (w *world) channels(s *demand) (out []*graph.Channel, gone string) {
	gone = catalogGone
	if slices.ContainsFunc(w.Catalogs, func(c resolver.Catalog) bool { return c.Content != nil && s.selects(&c) }) {
		gone = packageGone
	}
	for _, pkg := range w.packages(s) {
		gone = channelGone
		if s.extension != nil && len(s.Channels) == 0 {
			return nil, "" // it selects all bundles, also those in no channel
		}
		for _, ch := range pkg.Channels {
			if len(s.Channels) == 0 || slices.Contains(s.Channels, ch.Name) {
				out = append(out, ch)
			}
		}
	}
	if len(out) > 0 {
		gone = ""
	}
	return out, gone
}
