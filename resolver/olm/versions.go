package olm

import (
	"fmt"
	"strings"

	"github.com/blang/semver/v4"
)

// parseVersion reads the numbers of a version such as v1.31.6+rke2 or 4.18; ok is false if
// it has not as much as a minor.
func parseVersion(text string) (v semver.Version, ok bool) {
	text, _, _ = strings.Cut(text, "+")
	text, _, _ = strings.Cut(text, "-")
	v, err := semver.ParseTolerant(text)
	return v, err == nil && strings.Contains(text, ".")
}

// minorOf is a version as major.minor, empty if it has not both.
func minorOf(version string) string {
	v, ok := parseVersion(version)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d.%d", v.Major, v.Minor)
}

// patchOf is a version as major.minor.patch, empty if it has not as much as a minor.
func patchOf(version string) string {
	v, ok := parseVersion(version)
	if !ok {
		return ""
	}
	return v.String()
}
