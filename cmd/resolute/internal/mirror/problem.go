package mirror

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/seed109e2655/resolute/internal/text"
)

// ProblemCode is the kind of a [Problem].
type ProblemCode string

// The objects that a configuration can name and a catalog lack.
const (
	// PackageUnknown: the catalog has no such package.
	PackageUnknown ProblemCode = "packageUnknown"
	// ChannelUnknown: the package has no such channel.
	ChannelUnknown ProblemCode = "channelUnknown"
	// VersionUnknown: the package or the channel has no such bundle, and no version in
	// such a range.
	VersionUnknown ProblemCode = "versionUnknown"
)

// Problem is a package, a channel or a version that a configuration names and its
// catalog lacks.
type Problem struct {
	Code ProblemCode `json:"code"`
	// Subject is the name or the version in the configuration: for a range, its only bound or the
	// whole.
	Subject string `json:"subject"`
	// Package is the package of a channel or a version.
	Package string `json:"package,omitempty"`
	// Catalog is the reference of the catalog.
	Catalog string `json:"catalog"`
	// Near are the names and versions that may have been meant, best first.
	Near []string `json:"near"`
	// Line is the line of the configuration; 0 where it is unknown.
	Line int `json:"-"`

	message string
}

// String names the missing object and near misses.
func (p Problem) String() string {
	return cmp.Or(p.message, fmt.Sprintf("%s: %s", p.Code, text.Name(p.Subject)))
}

// UnknownError lists the packages, channels and versions that a configuration names and
// its catalogs lack.
type UnknownError struct {
	Problems []Problem
	// More is the number of unlisted problems; at most 100 are listed for each catalog.
	More int
	// Rest is the reason for which oc-mirror would refuse the rest of the configuration; nil if it
	// would not.
	Rest error
}

// Error lists the problems, one per line.
func (e *UnknownError) Error() string {
	lines := text.Each(e.Problems, func(p Problem) string {
		line := ""
		if p.Line > 0 {
			line = fmt.Sprintf("line %d: ", p.Line)
		}
		return fmt.Sprintf("%scatalog %s: %s", line, text.Name(p.Catalog), p)
	})
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", e.More))
	}
	return strings.Join(lines, "\n")
}

// maxNearMisses limits the near misses of a problem.
const maxNearMisses = 3

func near(want string, names []string) []string {
	return append([]string{}, text.Near(want, slices.Values(names), maxNearMisses)...)
}

// neighbours returns the highest version below a bound and the lowest above it.
func neighbours(bound string, versions []*semver.Version) []string {
	v, err := semver.NewVersion(bound)
	if err != nil {
		return []string{}
	}
	var below, above *semver.Version
	for _, other := range versions {
		switch c := other.Compare(v); {
		case c < 0 && (below == nil || other.GreaterThan(below)):
			below = other
		case c > 0 && (above == nil || other.LessThan(above)):
			above = other
		}
	}
	out := []string{}
	for _, n := range []*semver.Version{below, above} {
		if n != nil {
			out = append(out, n.Original())
		}
	}
	return out
}
