package problem

import (
	"fmt"
	"strings"

	masterminds "github.com/Masterminds/semver/v3"
	"github.com/blang/semver/v4"
)

// Range is a range of versions as OLM v1 reads it. Nil holds all versions.
type Range struct{ constraints *masterminds.Constraints }

// maxRange bounds the text of a range, in bytes: that of a catalog has room
// for a list of versions, and OLM v1 itself takes 64.
const maxRange = 4096

// ParseRange reads a range in the syntax of Masterminds semver. Empty means nil.
func ParseRange(text string) (*Range, error) {
	if text == "" {
		return nil, nil
	}
	if len(text) > maxRange {
		return nil, fmt.Errorf("it has more than %d bytes", maxRange)
	}
	c, err := masterminds.NewConstraint(text)
	if err != nil {
		return nil, err
	}
	return &Range{c}, nil
}

// Contains reports whether a version is inside. Its build metadata plays no part.
func (r *Range) Contains(v semver.Version) bool {
	if r == nil {
		return true
	}
	pre := make([]string, len(v.Pre))
	for i, p := range v.Pre {
		pre[i] = p.String()
	}
	return r.constraints.Check(masterminds.New(v.Major, v.Minor, v.Patch, strings.Join(pre, "."), ""))
}
