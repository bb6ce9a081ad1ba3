package problem

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/properties"
)

// Environment is the cluster and the operator group that bundles have to be compatible with
// (section 12 of the semantics). Fields are zero if unknown.
type Environment struct {
	Kubernetes *semver.Version
	OpenShift  *properties.OpenShiftVersion
	APIs       map[properties.GVK]bool
	// Modes are the required install modes; a bundle must support all of them.
	Modes properties.InstallModes
	// CRDs are those of the cluster. Namespace is the namespace being resolved.
	CRDs      []properties.CRD
	Namespace string

	known definitions
}

// Incompatibility is a requirement of a bundle that the environment does not meet.
type Incompatibility uint8

// The incompatibilities, in the order of the checks.
const (
	IncompatibleModes Incompatibility = iota
	IncompatibleKubernetes
	UnreadableKubernetes // the declared version is invalid
	IncompatibleOpenShift
	UnreadableOpenShift
	MissingAPIs
)

// Incompatible reports whether the rules exclude a bundle as incompatible. Installed bundles are
// never excluded.
func (u *Universe) Incompatible(nd *Node) bool {
	return u.Rules.RequireFit && u.Env != nil && nd.Inst < 0 &&
		(len(u.Env.incompatibilities(nd.Bundle.Compatibility)) > 0 || slices.ContainsFunc(u.CRDConflicts(nd.Bundle), func(s CRDOverlap) bool { return s.Breaks() }))
}

// Incompatibilities lists the incompatibilities of a bundle with the environment.
func (u *Universe) Incompatibilities(n NodeID) []Incompatibility {
	if u.Env == nil {
		return nil
	}
	return u.Env.incompatibilities(u.Nodes[n].Bundle.Compatibility)
}

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
