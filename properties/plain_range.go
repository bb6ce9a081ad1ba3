package properties

import (
	"cmp"
	"strings"

	"github.com/blang/semver/v4"
)

// comparison is one of a range: an operator, and a version of three numbers alone.
type comparison struct {
	below, equal, above bool // what the version that is compared may be
	than                [3]uint64
}

// plainRange parses comparisons of three numbers with a space in between, such as
// ">=1.0.0 <2.0.0": nearly every range is one, and takes a tenth of the memory and
// time that the library needs for it. Of anything else, right or wrong, it returns
// nil.
func plainRange(text string) []comparison {
	all := make([]comparison, 0, strings.Count(text, " ")+1)
	for word := range strings.SplitSeq(text, " ") {
		number := strings.TrimLeft(word, "<>=")
		c := comparison{}
		switch word[:len(word)-len(number)] {
		case "<":
			c.below = true
		case "<=":
			c.below, c.equal = true, true
		case "=", "==", "":
			c.equal = true
		case ">=":
			c.equal, c.above = true, true
		case ">":
			c.above = true
		default:
			return nil
		}
		v, ok := plainVersion(number)
		if !ok {
			return nil
		}
		c.than = [3]uint64{v.Major, v.Minor, v.Patch}
		all = append(all, c)
	}
	return all
}

// holds reports whether a version is what the comparison wants. A prerelease is
// below the version that it leads to.
func (c *comparison) holds(v *semver.Version) bool {
	switch by := cmp.Or(cmp.Compare(v.Major, c.than[0]), cmp.Compare(v.Minor, c.than[1]), cmp.Compare(v.Patch, c.than[2])); {
	case by < 0 || by == 0 && len(v.Pre) > 0:
		return c.below
	case by > 0:
		return c.above
	}
	return c.equal
}
