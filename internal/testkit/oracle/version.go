package oracle

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Version is the semantic version N.0.0, or its pre-release N.0.0-rc.
type Version struct {
	N  int
	RC bool
}

// String returns the version as semver writes it.
func (v Version) String() string {
	if v.RC {
		return fmt.Sprintf("%d.0.0-rc", v.N)
	}
	return fmt.Sprintf("%d.0.0", v.N)
}

// Compare returns a negative number if v precedes w, positive if it follows.
func (v Version) Compare(w Version) int {
	return cmp.Or(cmp.Compare(v.N, w.N), trueFirst(v.RC, w.RC))
}

// Bound is one comparison of a range: Op is one of = != < <= > >=.
type Bound struct {
	Op string
	V  Version
}

// Holds reports whether v is inside the bound.
func (b Bound) Holds(v Version) bool { return compares(v.Compare(b.V), b.Op) }

func compares(c int, op string) bool {
	switch op {
	case "=", "==":
		return c == 0
	case "!=":
		return c != 0
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	case ">=":
		return c >= 0
	}
	panic("oracle: unknown comparison " + op)
}

// Range is an "or" of "and"s of bounds; the zero Range is no range.
type Range [][]Bound

// Holds reports whether v is inside the range; the zero Range contains no
// version.
func (r Range) Holds(v Version) bool {
	for _, and := range r {
		inside := true
		for _, b := range and {
			inside = inside && b.Holds(v)
		}
		if inside {
			return true
		}
	}
	return false
}

// String returns the range as blang/semver writes it.
func (r Range) String() string {
	var ors []string
	for _, and := range r {
		var ands []string
		for _, b := range and {
			ands = append(ands, b.Op+b.V.String())
		}
		ors = append(ors, strings.Join(ands, " "))
	}
	return strings.Join(ors, " || ")
}

// rangeOf parses the output of [Range.String].
func rangeOf(text string) (r Range) {
	if text == "" {
		return nil
	}
	for or := range strings.SplitSeq(text, "||") {
		var and []Bound
		for _, bound := range strings.Fields(or) {
			version := strings.TrimLeft(bound, "=!<>")
			number, _, _ := strings.Cut(version, ".")
			n, err := strconv.Atoi(number)
			if err != nil {
				panic("oracle: invalid range " + text)
			}
			and = append(and, Bound{strings.TrimSuffix(bound, version), Version{n, strings.HasSuffix(version, "-rc")}})
		}
		r = append(r, and)
	}
	return r
}
