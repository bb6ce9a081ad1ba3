package libsolv

import (
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
)

// plainVersion reports whether libsolv and semver order a version alike:
// numbers only, without pre-release or build.
func plainVersion(v semver.Version) bool { return len(v.Pre) == 0 && len(v.Build) == 0 }

// evr returns the version of a bundle for libsolv, without dashes, which would
// start the release.
func evr(b *graph.Bundle) string {
	return strings.ReplaceAll(b.Version.String(), "-", "~")
}

// versioned formats a version range for libsolv if it has the same meaning: a
// conjunction of comparisons with plain versions.
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
