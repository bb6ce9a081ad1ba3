package resolver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/properties"
)

// surroundings are what bundles have to fit (section 12 of the semantics): what is
// known of the cluster, and the operator group.
type surroundings struct {
	kubernetes *semver.Version
	openShift  *properties.OpenShiftVersion
	apis       map[properties.GVK]bool // nil if they are not given
	// modes are the install modes that are needed all together, and watched says in
	// words what for; 0 if the operator group is not given.
	modes   properties.InstallModes
	watched string
}

// surround finds out what bundles have to fit; nil if nothing is known or nothing
// is looked at.
func (p *problem) surround() {
	req, c := p.req, &p.req.Cluster
	if req.Policy.Compatibility == CompatibilityIgnore ||
		c.KubernetesVersion == "" && c.OpenShiftVersion == "" && p.apis == nil && req.OperatorGroup == nil {
		return
	}
	s := &surroundings{apis: p.apis}
	if v, err := properties.ParseKubernetesVersion(c.KubernetesVersion); err == nil {
		s.kubernetes = &v
	}
	if v, err := properties.ParseOpenShiftVersion(c.OpenShiftVersion); err == nil {
		s.openShift = &v
	}
	if req.OperatorGroup != nil {
		s.modes, s.watched = neededModes(req.Namespace, req.OperatorGroup.TargetNamespaces)
	}
	p.around = s
}

// neededModes are the install modes that watching some namespaces takes, and what is
// to be watched in words.
func neededModes(own string, targets []string) (properties.InstallModes, string) {
	targets = slices.Compact(slices.Sorted(slices.Values(targets)))
	switch {
	case len(targets) == 0 || slices.Contains(targets, ""):
		return properties.AllNamespaces, "all namespaces"
	case len(targets) > 1 && slices.Contains(targets, own):
		return properties.MultiNamespace | properties.OwnNamespace, "its own and other namespaces"
	case len(targets) > 1:
		return properties.MultiNamespace, "several namespaces"
	case targets[0] == own:
		return properties.OwnNamespace, "its own namespace"
	default:
		return properties.SingleNamespace, "another namespace"
	}
}

// unfit reports whether a bundle does not fit, where the policy requires that it
// does. What is installed may stay all the same.
func (p *problem) unfit(nd *node) bool {
	return p.around != nil && nd.inst < 0 && p.req.Policy.Compatibility == CompatibilityRequire &&
		len(p.around.misfits(nd.bundle.Compatibility)) > 0
}

// misfits lists what about a bundle does not fit, each as the rest of a sentence that
// begins with its name.
func (p *problem) misfits(n nodeID) []string {
	if p.around == nil {
		return nil
	}
	return p.around.misfits(p.nodes[n].bundle.Compatibility)
}

// misfits is problem.misfits for what a bundle says of where it runs.
func (s *surroundings) misfits(c *properties.Compatibility) []string {
	if c == nil {
		return nil
	}
	var out []string
	if s.watched != "" && c.InstallModes.Known() && !c.InstallModes.Has(s.modes) {
		out = append(out, fmt.Sprintf("cannot watch %s (it supports the install modes %s)", s.watched, c.InstallModes))
	}
	if s.kubernetes != nil && !c.MinKubeVersion.IsZero() {
		switch fits, known := c.MinKubeVersion.Allows(*s.kubernetes); {
		case !known:
			out = append(out, fmt.Sprintf("names no least Kubernetes version that can be understood (%q %s)", c.MinKubeVersion.Text, c.MinKubeVersion.Invalid))
		case !fits:
			out = append(out, fmt.Sprintf("needs Kubernetes %s, and the cluster has %s", c.MinKubeVersion.Version, s.kubernetes))
		}
	}
	if s.openShift != nil && !c.MaxOpenShift.IsZero() && !c.MaxOpenShift.Allows(*s.openShift) {
		if c.MaxOpenShift.Invalid != "" {
			out = append(out, fmt.Sprintf("names no greatest OpenShift version that can be understood (%q %s)", c.MaxOpenShift.Text, c.MaxOpenShift.Invalid))
		} else {
			out = append(out, fmt.Sprintf("works up to OpenShift %s, and the cluster has %s", c.MaxOpenShift.Version, s.openShift))
		}
	}
	if s.apis != nil {
		var lacks []string
		for _, g := range c.NativeAPIs {
			if !s.apis[g] {
				lacks = appendNew(lacks, g.String())
			}
		}
		if len(lacks) > 0 {
			out = append(out, "needs "+shorten(lacks, 6)+", which the cluster does not serve")
		}
	}
	return out
}

// warnIncompatible names the bundles of the result set that do not fit.
func (p *problem) warnIncompatible(chosen []nodeID) {
	if p.around == nil {
		return
	}
	for _, n := range chosen {
		if why := p.misfits(n); len(why) > 0 {
			b := p.nodes[n].bundle
			p.warnings = append(p.warnings, Warning{Kind: WarnIncompatible, Bundle: b.Name, Package: b.Package,
				Message: fmt.Sprintf("%s does not fit the cluster: it %s", b.Name, strings.Join(why, "; it "))})
		}
	}
}
