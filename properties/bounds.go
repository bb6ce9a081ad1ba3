package properties

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/blang/semver/v4"
)

// Bounds returns the versions that the range compares with, and perhaps some
// more, in order and without duplicates: of all versions between two neighbours in this list, of
// those before the first and of those behind the last, either all or none are
// inside the range. (Those in the list may be inside or not.) So a caller that has
// many sorted versions asks [Range.Contains] about a few of them. A range has
// no more than 2048 bounds. The zero Range has none. The second result is false for a
// range of [NewRange]: of that nothing is known, and each version has to be asked about.
func (r Range) Bounds() ([]semver.Version, bool) {
	if !r.IsZero() && r.given {
		return nil, false
	}
	var out []semver.Version
	add := func(v semver.Version, err error) {
		if err == nil {
			v.Build = nil // does not count in comparisons
			out = append(out, v)
		}
	}
	for _, word := range strings.Fields(r.String()) {
		digit := strings.IndexFunc(word, unicode.IsDigit)
		if digit < 0 {
			continue
		}
		word = word[digit:]
		add(semver.Parse(word))
		// A wildcard, "1.2.x" or "1.x", as blang/semver writes it out. It takes
		// an x anywhere for one, so this is not left out where there seems none.
		word = strings.Replace(strings.Replace(word, ".x.x", ".x", 1), ".x", ".0", 1)
		if strings.Count(word, ".") == 1 {
			word += ".0"
		}
		add(semver.Parse(word))
		for i := range 2 {
			parts := strings.Split(word, ".")
			if i >= len(parts) {
				break
			}
			if n, err := strconv.Atoi(parts[i]); err == nil {
				parts[i] = strconv.Itoa(n + 1)
				add(semver.Parse(strings.Join(parts, ".")))
			}
		}
	}
	slices.SortFunc(out, semver.Version.Compare)
	return slices.CompactFunc(out, semver.Version.EQ), true
}
