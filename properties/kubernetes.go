package properties

import "github.com/blang/semver/v4"

// MinKubeVersion is the least version of Kubernetes that a bundle runs on. The
// zero MinKubeVersion is no limit.
type MinKubeVersion struct {
	// Text is what the bundle says, shortened where it is long.
	Text string
	// Version is the limit, 0.0.0 if there is no limit or no valid one.
	Version semver.Version
	// Invalid describes the error in the text, as a predicate such as "is not a
	// version". The bundle then fits no cluster whose version is known.
	Invalid string
}

// ParseKubernetesVersion reads a version of Kubernetes, as a bundle names the
// least it needs or as a cluster reports its own: "1.33.0", "1.33", "v1.33.4",
// "v1.33.4+k3s1", "v1.29.3-gke.100". The error describes the problem without
// repeating the text.
//
// Operator Lifecycle Manager does not look at what follows a hyphen in the
// version of a cluster, but does so in that of a bundle: 1.19.0-0 is before
// 1.19.0.
func ParseKubernetesVersion(text string) (semver.Version, error) { return parseTolerant(text) }

// parseMinKubeVersion reads the text of a bundle, empty for no limit.
func parseMinKubeVersion(text string) MinKubeVersion {
	if text == "" {
		return MinKubeVersion{}
	}
	v, err := ParseKubernetesVersion(text)
	m := MinKubeVersion{Text: shorten(text), Version: v}
	if err != nil {
		m.Invalid = err.Error()
	}
	return m
}

// IsZero reports whether there is no limit.
func (m MinKubeVersion) IsZero() bool { return m.Text == "" && m.Invalid == "" }

// Allows reports whether the bundle may run on a cluster of that version, of
// which nothing but its three numbers counts. ok is false if the
// limit cannot be read; then it allows no cluster.
func (m MinKubeVersion) Allows(cluster semver.Version) (allowed, ok bool) {
	if m.Invalid != "" {
		return false, false
	}
	cluster.Pre, cluster.Build = nil, nil
	return m.Version.LTE(cluster), true
}
