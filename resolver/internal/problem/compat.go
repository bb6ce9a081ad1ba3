package problem

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/properties"
)

// Surroundings are what bundles have to fit (section 12 of the semantics): what is
// known of the cluster, and the operator group. What is not known is zero.
type Surroundings struct {
	Kubernetes *semver.Version
	OpenShift  *properties.OpenShiftVersion
	APIs       map[properties.GVK]bool
	// Modes are the install modes that are needed all together.
	Modes properties.InstallModes
	// CRDs are the resource definitions of the cluster, and Namespace is what is resolved.
	CRDs      []properties.CRD
	Namespace string

	known definitions
}

// Misfit is one thing about a bundle that does not fit.
type Misfit uint8

// The misfits, in the order in which they are looked for.
const (
	MisfitModes Misfit = iota
	MisfitKubernetes
	MisfitKubernetesUnreadable // the bundle gives no version that can be understood
	MisfitOpenShift
	MisfitOpenShiftUnreadable
	MisfitAPIs
)

// Unfit reports whether a bundle does not fit, where the rules require that it does.
// What is installed may stay all the same.
func (p *Problem) Unfit(nd *Node) bool {
	return p.Rules.RequireFit && p.Around != nil && nd.Inst < 0 &&
		(len(p.Around.misfits(nd.Bundle.Compatibility)) > 0 || slices.ContainsFunc(p.Shares(nd.Bundle), func(s Shared) bool { return s.Breaks() }))
}

// Misfits lists what about a bundle does not fit.
func (p *Problem) Misfits(n NodeID) []Misfit {
	if p.Around == nil {
		return nil
	}
	return p.Around.misfits(p.Nodes[n].Bundle.Compatibility)
}

// misfits lists what does not fit about what a bundle says of where it runs.
func (s *Surroundings) misfits(c *properties.Compatibility) []Misfit {
	if c == nil {
		return nil
	}
	var out []Misfit
	if s.Modes != 0 && c.InstallModes.Known() && !c.InstallModes.Has(s.Modes) {
		out = append(out, MisfitModes)
	}
	if s.Kubernetes != nil && !c.MinKubeVersion.IsZero() {
		switch fits, known := c.MinKubeVersion.Allows(*s.Kubernetes); {
		case !known:
			out = append(out, MisfitKubernetesUnreadable)
		case !fits:
			out = append(out, MisfitKubernetes)
		}
	}
	if s.OpenShift != nil && !c.MaxOpenShift.IsZero() && !c.MaxOpenShift.Allows(*s.OpenShift) {
		if c.MaxOpenShift.Invalid != "" {
			out = append(out, MisfitOpenShiftUnreadable)
		} else {
			out = append(out, MisfitOpenShift)
		}
	}
	if s.APIs != nil && slices.ContainsFunc(c.NativeAPIs, func(g properties.GVK) bool { return !s.APIs[g] }) {
		out = append(out, MisfitAPIs)
	}
	return out
}

// NeededModes are the install modes that watching some namespaces takes.
func NeededModes(own string, targets []string) properties.InstallModes {
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
