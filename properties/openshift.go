package properties

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/blang/semver/v4"
)

// OpenShiftVersion is a minor version of OpenShift, such as 4.20, for which catalogs are published
// and up to which operators may run. The zero OpenShiftVersion is no version.
type OpenShiftVersion struct{ Major, Minor uint64 }

// ParseOpenShiftVersion reads a minor version, "4.20", or the minor version of a
// whole one, "4.20.3" or "4.21.0-rc.1". It is as tolerant as Operator Lifecycle
// Manager: a leading "v", space around it and a missing minor version, for 0,
// are accepted. The error describes the problem without repeating the text.
func ParseOpenShiftVersion(text string) (OpenShiftVersion, error) {
	v, err := parseTolerant(text)
	return OpenShiftVersion{v.Major, v.Minor}, err
}

// IsZero reports whether there is no version.
func (v OpenShiftVersion) IsZero() bool { return v == OpenShiftVersion{} }

// String returns "4.20", or "" for no version.
func (v OpenShiftVersion) String() string {
	if v.IsZero() {
		return ""
	}
	return fmt.Sprintf("%d.%d", v.Major, v.Minor)
}

// Compare orders versions and returns -1, 0 or 1. 4.23 and 5.0 are equal: they
// are two names of one release, as are 4.24 and 5.1, and so on.
func (v OpenShiftVersion) Compare(o OpenShiftVersion) int {
	v, o = v.oneName(), o.oneName()
	return cmp.Or(cmp.Compare(v.Major, o.Major), cmp.Compare(v.Minor, o.Minor))
}

// oneName returns 5.0 for 4.23, and 5.1 for 4.24.
func (v OpenShiftVersion) oneName() OpenShiftVersion {
	const last = 22 // the last minor version of 4 that has no other name
	if v.Major == 4 && v.Minor > last {
		return OpenShiftVersion{5, v.Minor - last - 1}
	}
	return v
}

// MaxOpenShiftVersion is the unparsed value of an "olm.maxOpenShiftVersion" property:
// the text of a JSON string or number ("4.9" without quotes is a
// number in YAML), or other JSON. It may be invalid: see [MaxOpenShiftVersion.Parse].
type MaxOpenShiftVersion string

// Parse returns the version: the text without quotes, which must be a
// minor version ("4.9"; "4.9.0" is the same). The error describes the problem without
// repeating the text; a bundle with an invalid property is compatible with no OpenShift version.
func (m MaxOpenShiftVersion) Parse() (OpenShiftVersion, error) {
	if v, ok := plainVersion(string(m) + ".0"); ok { // nearly every limit
		return OpenShiftVersion{v.Major, v.Minor}, nil
	}
	text := strings.Trim(string(m), `"`)
	if strings.TrimSpace(text) == "" {
		return OpenShiftVersion{}, errors.New("is empty")
	}
	v, err := parseTolerant(text)
	if err != nil {
		return OpenShiftVersion{}, err
	}
	if !v.EQ(semver.Version{Major: v.Major, Minor: v.Minor}) {
		return OpenShiftVersion{}, errors.New("is not a minor version such as 4.9, but a more exact one")
	}
	return OpenShiftVersion{v.Major, v.Minor}, nil
}

// MaxOpenShift is the maximum minor version of OpenShift of a bundle. The zero MaxOpenShift is no
// limit.
type MaxOpenShift struct {
	// Text is the declared text, shortened if it is long.
	Text string
	// Version is the limit; zero if there is no limit or no valid one.
	Version OpenShiftVersion
	// Invalid describes the error in the text, as a predicate such as "is
	// empty". The bundle is then compatible with no OpenShift version.
	Invalid string
}

// IsZero reports whether there is no limit.
func (m MaxOpenShift) IsZero() bool { return m == MaxOpenShift{} }

// Allows reports whether the bundle may run on that minor version.
func (m MaxOpenShift) Allows(v OpenShiftVersion) bool {
	return m.IsZero() || m.Invalid == "" && m.Version.Compare(v) >= 0
}

// MaxOpenShift returns the limit of the "olm.maxOpenShiftVersion" property. Several are invalid.
func (s Set) MaxOpenShift() MaxOpenShift {
	var m MaxOpenShift
	n := 0
	for p := range s.All() {
		v, ok := p.value.(MaxOpenShiftVersion)
		if !ok {
			continue
		}
		if n++; n > 1 {
			return MaxOpenShift{Text: m.Text, Invalid: "is given more than once"}
		}
		m.Text = shorten(string(v))
		version, err := v.Parse()
		if m.Version = version; err != nil {
			m.Invalid = err.Error()
		}
	}
	return m
}

// parseTolerant parses a version as tolerantly as Operator Lifecycle Manager: a
// leading "v", leading zeros and missing numbers do not matter.
func parseTolerant(text string) (semver.Version, error) {
	if len(text) > maxVersionLength {
		return semver.Version{}, fmt.Errorf("is longer than the %d bytes that a version may have", maxVersionLength)
	}
	if strings.TrimSpace(text) == "" {
		return semver.Version{}, errors.New("is empty")
	}
	v, err := semver.ParseTolerant(text)
	if err != nil {
		return semver.Version{}, fmt.Errorf("is not a version: %w", err)
	}
	return v, nil
}
