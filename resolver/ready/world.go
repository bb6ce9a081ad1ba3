package ready

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// world is what surrounds the operators at one version of the cluster.
type world struct {
	catalogs []resolver.Catalog
	cluster  resolver.Cluster
	kept     []cache.Key // catalogs that have none of the next version in their place
}

// kubernetesOfOpenShift is how far the minor version of Kubernetes is ahead of that of
// OpenShift 4: 4.18 has 1.31. OpenShift 5.0 is 4.23.
const (
	kubernetesOfOpenShift = 13
	minorOfOpenShift5     = 23
)

// next is the world after a move to a version.
func (w world) next(v Version) world {
	n := world{catalogs: slices.Clone(w.catalogs), cluster: w.cluster}
	for i := range n.catalogs {
		k := slices.IndexFunc(v.Catalogs, func(c resolver.Catalog) bool { return c.Key == n.catalogs[i].Key })
		if k < 0 {
			n.kept = append(n.kept, n.catalogs[i].Key)
			continue
		}
		priority := n.catalogs[i].Priority
		n.catalogs[i] = v.Catalogs[k]
		n.catalogs[i].Priority = priority
	}
	to := complete(v)
	if to.OpenShift != "" && (to.given || w.cluster.OpenShiftVersion != "") {
		n.cluster.OpenShiftVersion = to.OpenShift
	}
	if to.Kubernetes != "" {
		n.cluster.KubernetesVersion = to.Kubernetes
		n.cluster.Properties = withKubernetes(w.cluster.Properties, to.Kubernetes)
	}
	return n
}

// completed is a version of which both names are known, as far as they can be.
type completed struct {
	Version
	given bool // OpenShift's was
}

// complete finds the version of Kubernetes from that of OpenShift, or the other way
// round.
func complete(v Version) completed {
	c := completed{Version: v, given: v.OpenShift != ""}
	if v.Kubernetes == "" {
		if o, err := properties.ParseOpenShiftVersion(v.OpenShift); err == nil {
			switch o.Major {
			case 4:
				c.Kubernetes = fmt.Sprintf("1.%d.0", o.Minor+kubernetesOfOpenShift)
			case 5:
				c.Kubernetes = fmt.Sprintf("1.%d.0", o.Minor+minorOfOpenShift5+kubernetesOfOpenShift)
			}
		}
	}
	if v.OpenShift == "" && v.Kubernetes != "" {
		if k, err := properties.ParseKubernetesVersion(v.Kubernetes); err == nil && k.Major == 1 && k.Minor > kubernetesOfOpenShift {
			c.OpenShift = fmt.Sprintf("4.%d", k.Minor-kubernetesOfOpenShift)
		}
	}
	return c
}

// withKubernetes replaces what CEL rules see as the version of Kubernetes, where the
// request gives it as a property.
func withKubernetes(set properties.Set, version string) properties.Set {
	const kubeVersion = "olm.kubeversion"
	v, err := properties.ParseKubernetesVersion(version)
	if err != nil || !set.HasType(kubeVersion) {
		return set
	}
	value, err := json.Marshal(map[string]string{"version": v.String()})
	if err != nil {
		return set
	}
	var list []*properties.Property
	for p := range set.All() {
		if p.Type() == kubeVersion {
			if p, err = properties.New(kubeVersion, value); err != nil {
				return set
			}
		}
		list = append(list, p)
	}
	return properties.NewSet(list...)
}

// request is a state in this world.
func (w *world) request(state resolver.Request, goal resolver.Goal) resolver.Request {
	state.Catalogs, state.Cluster = w.catalogs, w.cluster
	state.Policy.Failures, state.Policy.Goal = resolver.FailuresPartial, goal
	return state
}

// channels are those that a subscription looks at. Where there are none, the code
// says what is gone.
func (w *world) channels(s *resolver.Subscription) ([]*graph.Channel, Code) {
	var out []*graph.Channel
	gone := CatalogGone
	for _, c := range w.catalogs {
		if c.Content == nil || s.Catalog != (cache.Key{}) && c.Key != s.Catalog {
			continue
		}
		if gone == CatalogGone {
			gone = PackageGone
		}
		pkg := c.Content.Package(s.Package)
		if pkg == nil {
			continue
		}
		gone = ChannelGone
		for _, ch := range pkg.Channels {
			if len(s.Channels) == 0 || slices.Contains(s.Channels, ch.Name) {
				out = append(out, ch)
			}
		}
	}
	if len(out) > 0 {
		return out, ""
	}
	return nil, gone
}

// packages are those of a name in all catalogs.
func (w *world) packages(name string) []*graph.Package {
	var out []*graph.Package
	for _, c := range w.catalogs {
		if c.Content == nil {
			continue
		}
		if pkg := c.Content.Package(name); pkg != nil {
			out = append(out, pkg)
		}
	}
	return out
}
