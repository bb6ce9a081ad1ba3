package properties

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/blang/semver/v4"
)

// Bounds returns sorted, distinct versions, at most 2048, that separate the range from its
// complement: of all versions between two neighbours in the list, before the first, or after the
// last, either all or none are inside the range. The listed versions may be inside or not. With
// many sorted versions, a caller needs few calls of [Range.Contains]. The zero Range has no bounds.
// The second result is false for a range of [NewRange], whose bounds are unknown.
func (r Range) Bounds() ([]semver.Version, bool) {
	if !r.IsZero() && r.given {
		return nil, false
	}
	var out []semver.Version
	add := func(v semver.Version, err error) {
		if err == nil {
			v.Build = nil // is ignored in comparisons
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
