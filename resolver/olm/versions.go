package olm

import (
	"fmt"
	"strconv"
	"strings"
)

// numbers are the first numbers of a version such as v1.31.6+rke2, at most three.
func numbers(version string) []int {
	version = strings.TrimPrefix(strings.TrimSpace(version), "v")
	version, _, _ = strings.Cut(version, "+")
	version, _, _ = strings.Cut(version, "-")
	var out []int
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || len(out) == 3 {
			return out
		}
		out = append(out, n)
	}
	return out
}

// minorOf is a version as major.minor, empty if it has not both.
func minorOf(version string) string {
	n := numbers(version)
	if len(n) < 2 {
		return ""
	}
	return fmt.Sprintf("%d.%d", n[0], n[1])
}

// patchOf is a version as major.minor.patch, empty if it has not as much as a minor.
func patchOf(version string) string {
	n := numbers(version)
	if len(n) < 2 {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d", n[0], n[1], append(n, 0)[2])
}
