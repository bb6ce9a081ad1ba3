package problem

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/properties"
)

// Environment is what bundles have to fit (section 12 of the semantics): what is
// known of the cluster, and the operator group. What is not known is zero.
type Environment struct {
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

// Incompatibility is one way in which a bundle does not fit the environment.
type Incompatibility uint8

// The incompatibilities, in the order of the checks.
const (
	IncompatibleModes Incompatibility = iota
	IncompatibleKubernetes
	UnreadableKubernetes // the bundle gives no version that can be understood
	IncompatibleOpenShift
	UnreadableOpenShift
	MissingAPIs
)

// Incompatible reports whether a bundle does not fit, where the rules require that it does.
// What is installed may stay all the same.
func (u *Universe) Incompatible(nd *Node) bool {
	return u.Rules.RequireFit && u.Env != nil && nd.Inst < 0 &&
		(len(u.Env.incompatibilities(nd.Bundle.Compatibility)) > 0 || slices.ContainsFunc(u.CRDConflicts(nd.Bundle), func(s CRDOverlap) bool { return s.Breaks() }))
}

// Incompatibilities lists the ways in which a bundle does not fit.
func (u *Universe) Incompatibilities(n NodeID) []Incompatibility {
	if u.Env == nil {
		return nil
	}
	return u.Env.incompatibilities(u.Nodes[n].Bundle.Compatibility)
}

// incompatibilities lists what does not fit of where a bundle says it runs.
func (s *Environment) incompatibilities(c *properties.Compatibility) []Incompatibility {
	if c == nil {
		return nil
	}
	var out []Incompatibility
	if s.Modes != 0 && c.InstallModes.Known() && !c.InstallModes.Has(s.Modes) {
		out = append(out, IncompatibleModes)
	}
	if s.Kubernetes != nil && !c.MinKubeVersion.IsZero() {
		switch fits, known := c.MinKubeVersion.Allows(*s.Kubernetes); {
		case !known:
			out = append(out, UnreadableKubernetes)
		case !fits:
			out = append(out, IncompatibleKubernetes)
		}
	}
	if s.OpenShift != nil && !c.MaxOpenShift.IsZero() && !c.MaxOpenShift.Allows(*s.OpenShift) {
		if c.MaxOpenShift.Invalid != "" {
			out = append(out, UnreadableOpenShift)
		} else {
			out = append(out, IncompatibleOpenShift)
		}
	}
	if s.APIs != nil && slices.ContainsFunc(c.NativeAPIs, func(g properties.GVK) bool { return !s.APIs[g] }) {
		out = append(out, MissingAPIs)
	}
	return out
}
