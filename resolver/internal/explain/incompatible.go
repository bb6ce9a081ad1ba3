package explain

import (
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// watched names the namespaces that an operator needs some install modes to watch.
func watched(modes properties.InstallModes) string {
	switch modes {
	case properties.AllNamespaces:
		return "all namespaces"
	case properties.MultiNamespace | properties.OwnNamespace:
		return "its own and other namespaces"
	case properties.MultiNamespace:
		return "several namespaces"
	case properties.OwnNamespace:
		return "its own namespace"
	default:
		return "another namespace"
	}
}

// WhyIncompatible lists why a bundle is excluded as incompatible. Each reason is a predicate,
// to be put after the name of the bundle.
func WhyIncompatible(u *problem.Universe, n problem.NodeID) []string {
	out := Incompatibilities(u, n)
	for _, l := range Losses(u, n) {
		if l.Breaks {
			out = append(out, l.Text)
		}
	}
	return out
}

// Incompatibilities lists the predicates of the requirements on the cluster and the operator
// group that a bundle does not meet.
func Incompatibilities(u *problem.Universe, n problem.NodeID) []string {
	var out []string
	c, s := u.Nodes[n].Bundle.Compatibility, u.Env
	for _, m := range u.Incompatibilities(n) {
		switch m {
		case problem.IncompatibleModes:
			out = append(out, fmt.Sprintf("cannot watch %s (it supports the install modes %s)", watched(s.Modes), c.InstallModes))
		case problem.UnreadableKubernetes:
			out = append(out, fmt.Sprintf("has an invalid minimum Kubernetes version (%q %s)", c.MinKubeVersion.Text, c.MinKubeVersion.Invalid))
		case problem.IncompatibleKubernetes:
			out = append(out, fmt.Sprintf("needs Kubernetes %s, and the cluster has %s", c.MinKubeVersion.Version, s.Kubernetes))
		case problem.UnreadableOpenShift:
			out = append(out, fmt.Sprintf("has an invalid maximum OpenShift version (%q %s)", c.MaxOpenShift.Text, c.MaxOpenShift.Invalid))
		case problem.IncompatibleOpenShift:
			out = append(out, fmt.Sprintf("works up to OpenShift %s, and the cluster has %s", c.MaxOpenShift.Version, s.OpenShift))
		case problem.MissingAPIs:
			var missing []string
			for _, g := range c.NativeAPIs {
				if !s.APIs[g] {
					missing = text.AppendNew(missing, g.String())
				}
			}
			out = append(out, "needs "+text.Short(missing, 6)+", which the cluster does not serve")
		}
	}
	return out
}
