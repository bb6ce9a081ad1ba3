package resolver

import (
	"slices"

	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// surroundingsOf finds out what bundles have to fit; nil if nothing is known or
// nothing is looked at.
func surroundingsOf(req *Request) *problem.Surroundings {
	c := &req.Cluster
	if req.Policy.Compatibility == CompatibilityIgnore ||
		c.KubernetesVersion == "" && c.OpenShiftVersion == "" && len(c.APIs) == 0 && req.OperatorGroup == nil {
		return nil
	}
	s := &problem.Surroundings{}
	if len(c.APIs) > 0 {
		s.APIs = make(map[properties.GVK]bool, len(c.APIs))
		for _, g := range c.APIs {
			s.APIs[g] = true
		}
	}
	if v, err := properties.ParseKubernetesVersion(c.KubernetesVersion); err == nil {
		s.Kubernetes = &v
	}
	if v, err := properties.ParseOpenShiftVersion(c.OpenShiftVersion); err == nil {
		s.OpenShift = &v
	}
	if req.OperatorGroup != nil {
		s.Modes = neededModes(req.Namespace, req.OperatorGroup.TargetNamespaces)
	}
	return s
}

// neededModes are the install modes that watching some namespaces takes.
func neededModes(own string, targets []string) properties.InstallModes {
	targets = slices.Compact(slices.Sorted(slices.Values(targets)))
	switch {
	case len(targets) == 0 || slices.Contains(targets, ""):
		return properties.AllNamespaces
	case len(targets) > 1 && slices.Contains(targets, own):
		return properties.MultiNamespace | properties.OwnNamespace
	case len(targets) > 1:
		return properties.MultiNamespace
	case targets[0] == own:
		return properties.OwnNamespace
	default:
		return properties.SingleNamespace
	}
}
