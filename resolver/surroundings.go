package resolver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
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

// watched says what install modes are needed to watch.
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

// whyUnfit lists what about a bundle does not fit, each as the rest of a sentence that
// begins with its name.
func (p *causes) whyUnfit(n problem.NodeID) []string {
	var out []string
	c, s := p.Nodes[n].Bundle.Compatibility, p.Around
	for _, m := range p.Misfits(n) {
		switch m {
		case problem.MisfitModes:
			out = append(out, fmt.Sprintf("cannot watch %s (it supports the install modes %s)", watched(s.Modes), c.InstallModes))
		case problem.MisfitKubernetesUnreadable:
			out = append(out, fmt.Sprintf("names no least Kubernetes version that can be understood (%q %s)", c.MinKubeVersion.Text, c.MinKubeVersion.Invalid))
		case problem.MisfitKubernetes:
			out = append(out, fmt.Sprintf("needs Kubernetes %s, and the cluster has %s", c.MinKubeVersion.Version, s.Kubernetes))
		case problem.MisfitOpenShiftUnreadable:
			out = append(out, fmt.Sprintf("names no greatest OpenShift version that can be understood (%q %s)", c.MaxOpenShift.Text, c.MaxOpenShift.Invalid))
		case problem.MisfitOpenShift:
			out = append(out, fmt.Sprintf("works up to OpenShift %s, and the cluster has %s", c.MaxOpenShift.Version, s.OpenShift))
		case problem.MisfitAPIs:
			var lacks []string
			for _, g := range c.NativeAPIs {
				if !s.APIs[g] {
					lacks = appendNew(lacks, g.String())
				}
			}
			out = append(out, "needs "+text.Short(lacks, 6)+", which the cluster does not serve")
		}
	}
	return out
}

// warnIncompatible names the bundles of the result set that do not fit.
func (p *causes) warnIncompatible(chosen []problem.NodeID) {
	for _, n := range chosen {
		if why := p.whyUnfit(n); len(why) > 0 {
			b := p.Nodes[n].Bundle
			p.warnings = append(p.warnings, Warning{Kind: WarnIncompatible, Bundle: b.Name, Package: b.Package,
				Message: fmt.Sprintf("%s does not fit the cluster: it %s", b.Name, strings.Join(why, "; it "))})
		}
	}
}
