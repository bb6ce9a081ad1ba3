package resolver

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/properties"
)

// surroundings are what bundles have to fit (section 12 of the semantics): what is
// known of the cluster, and the operator group. What is not known is zero.
type surroundings struct {
	Kubernetes *semver.Version
	OpenShift  *properties.OpenShiftVersion
	APIs       map[properties.GVK]bool
	// Modes are the install modes that are needed all together.
	Modes properties.InstallModes
}

// misfit is one thing about a bundle that does not fit.
type misfit uint8

// The misfits, in the order in which they are looked for.
const (
	misfitModes misfit = iota
	misfitKubernetes
	misfitKubernetesUnreadable // the bundle gives no version that can be understood
	misfitOpenShift
	misfitOpenShiftUnreadable
	misfitAPIs
)

// unfit reports whether a bundle does not fit, where the rules require that it does.
// What is installed may stay all the same.
func (p *bundles) unfit(nd *node) bool {
	return p.rules.RequireFit && p.around != nil && nd.inst < 0 && len(p.around.misfits(nd.bundle.Compatibility)) > 0
}

// misfits lists what about a bundle does not fit.
func (p *bundles) misfits(n nodeID) []misfit {
	if p.around == nil {
		return nil
	}
	return p.around.misfits(p.nodes[n].bundle.Compatibility)
}

// misfits lists what does not fit about what a bundle says of where it runs.
func (s *surroundings) misfits(c *properties.Compatibility) []misfit {
	if c == nil {
		return nil
	}
	var out []misfit
	if s.Modes != 0 && c.InstallModes.Known() && !c.InstallModes.Has(s.Modes) {
		out = append(out, misfitModes)
	}
	if s.Kubernetes != nil && !c.MinKubeVersion.IsZero() {
		switch fits, known := c.MinKubeVersion.Allows(*s.Kubernetes); {
		case !known:
			out = append(out, misfitKubernetesUnreadable)
		case !fits:
			out = append(out, misfitKubernetes)
		}
	}
	if s.OpenShift != nil && !c.MaxOpenShift.IsZero() && !c.MaxOpenShift.Allows(*s.OpenShift) {
		if c.MaxOpenShift.Invalid != "" {
			out = append(out, misfitOpenShiftUnreadable)
		} else {
			out = append(out, misfitOpenShift)
		}
	}
	if s.APIs != nil && slices.ContainsFunc(c.NativeAPIs, func(g properties.GVK) bool { return !s.APIs[g] }) {
		out = append(out, misfitAPIs)
	}
	return out
}
