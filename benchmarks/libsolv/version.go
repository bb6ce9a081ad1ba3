package libsolv

import (
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
)

// plainVersion reports whether libsolv orders a version as semver does: numbers
// alone, without pre-release or build.
func plainVersion(v semver.Version) bool { return len(v.Pre) == 0 && len(v.Build) == 0 }

// evr is the version of a bundle as libsolv reads it. A dash would divide it from
// the release.
func evr(b *graph.Bundle) string {
	return strings.ReplaceAll(b.Version.String(), "-", "~")
}

// versioned writes a range of versions as libsolv does, if that means the same:
// comparisons with plain versions that all have to hold.
func (t *translation) versioned(c *constraints.Package) (string, bool) {
	if !t.plain[c.Name] || strings.ContainsAny(c.Name, " ()\\:") {
		return "", false
	}
	var deps []string
	for _, part := range strings.Fields(c.Range.String()) {
		version := strings.TrimLeft(part, "<>=")
		op := part[:len(part)-len(version)]
		if v, err := semver.Parse(version); err != nil || !plainVersion(v) {
			return "", false
		}
		switch op {
		case "", "==":
			op = "="
		case "=", "<", "<=", ">", ">=":
		default:
			return "", false
		}
		deps = append(deps, c.Name+" "+op+" "+version)
	}
	return strings.Join(deps, " + "), len(deps) > 0
}
