package properties

import (
	"slices"
	"strings"
	"unicode"

	"github.com/blang/semver/v4"
)

// Bounds returns the versions that the range compares with, and perhaps some
// more, in order and without duplicates: of all versions between two neighbours in this list, of
// those before the first and of those behind the last, either all or none are
// inside the range. (Those in the list may be inside or not.) So whoever has
// many sorted versions asks [Range.Contains] about a few of them. A range has
// no more than 2 * [MaxRangeLength] bounds. The zero Range has none.
func (r Range) Bounds() []semver.Version {
	var out []semver.Version
	add := func(v semver.Version, err error) {
		if err == nil {
			v.Build = nil // does not count in comparisons
			out = append(out, v)
		}
	}
	for _, word := range strings.Fields(r.text) {
		digit := strings.IndexFunc(word, unicode.IsDigit)
		if digit < 0 {
			continue
		}
		word = word[digit:]
		add(semver.Parse(word))
		// A wildcard, "1.2.x" or "1.x", as blang/semver writes it out. It takes
		// an x anywhere for one, so this is not left out where there seems none.
		first := strings.Replace(strings.Replace(word, ".x.x", ".x", 1), ".x", ".0", 1)
		if strings.Count(first, ".") == 1 {
			first += ".0"
		}
		v, err := semver.Parse(first)
		add(v, err)
		minor, major := v, v
		minor.Minor++
		major.Major++
		add(minor, err)
		add(major, err)
	}
	slices.SortFunc(out, semver.Version.Compare)
	return slices.CompactFunc(out, semver.Version.EQ)
}
