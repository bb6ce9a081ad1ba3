package properties

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/blang/semver/v4"
)

// maxReleaseLength limits the text of a release, in bytes, like the custom resource definition of
// ClusterServiceVersions.
const maxReleaseLength = 20

// Release distinguishes bundles of the same version, for example rebuilt ones: identifiers of
// letters, digits and hyphens, separated by dots, with the syntax and order of the pre-release of a
// semantic version. The empty Release means no release, and comes before all others.
type Release string

// ParseRelease checks the text of a release: at most 20 bytes,
// no empty identifier, and no number with a leading zero. An empty text is no
// release. The error describes the problem without repeating the text.
func ParseRelease(text string) (Release, error) {
	if text == "" {
		return "", nil
	}
	if len(text) > maxReleaseLength {
		return "", fmt.Errorf("is longer than the %d bytes that a release may have", maxReleaseLength)
	}
	for identifier := range strings.SplitSeq(text, ".") {
		if _, err := semver.NewPRVersion(identifier); err != nil {
			return "", fmt.Errorf("is not a release such as 2 or 20260131.1, written like a pre-release: %w", err)
		}
	}
	return Release(text), nil
}

// Compare orders releases like pre-releases of a semantic version, but no release comes first. It
// returns -1, 0 or 1.
func (r Release) Compare(o Release) int {
	switch {
	case r == o:
		return 0
	case r == "":
		return -1
	case o == "":
		return 1
	}
	return semver.Version{Pre: r.identifiers()}.Compare(semver.Version{Pre: o.identifiers()})
}

// identifiers returns the release as a pre-release. Invalid identifiers, which only a program can
// create, come first.
func (r Release) identifiers() []semver.PRVersion {
	var all []semver.PRVersion
	for text := range strings.SplitSeq(string(r), ".") {
		id, _ := semver.NewPRVersion(text)
		all = append(all, id)
	}
	return all
}

// UnmarshalText is [ParseRelease].
func (r *Release) UnmarshalText(b []byte) error {
	parsed, err := ParseRelease(string(b))
	if err != nil {
		return fmt.Errorf("%s %w", quote(string(b)), err)
	}
	*r = parsed
	return nil
}

// CompareVersions orders bundles of one package by version, and those of the
// same version by release. It returns -1, 0 or 1.
func CompareVersions(v semver.Version, r Release, w semver.Version, s Release) int {
	return cmp.Or(v.Compare(w), r.Compare(s))
}

// CompareVersion orders two values of a package by version and release; names
// play no part. It returns -1, 0 or 1.
func (p Package) CompareVersion(o Package) int {
	return CompareVersions(p.Version, p.Release, o.Version, o.Release)
}
