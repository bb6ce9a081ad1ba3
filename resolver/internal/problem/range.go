package problem

import (
	"fmt"
	"strings"

	masterminds "github.com/Masterminds/semver/v3"
	"github.com/blang/semver/v4"
)

// Range is a version range as OLM v1 interprets it. Nil contains all versions.
type Range struct{ constraints *masterminds.Constraints }

// maxRange is the maximum length of a range in bytes. OLM v1 itself allows 64; a range in a catalog
// may list versions.
const maxRange = 4096

// ParseRange parses a range in the syntax of Masterminds semver. The range of "" is nil.
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

// Contains reports whether a version is inside the range. Build metadata is ignored.
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
