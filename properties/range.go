package properties

import (
	"fmt"
	"strings"

	"github.com/blang/semver/v4"

	wording "github.com/seed109e2655/resolute/internal/text"
)

// Limits on version texts, in bytes. Longer ones are errors, which bounds parsing, memory and
// output.
const (
	// maxVersionLength bounds the text of one version.
	maxVersionLength = 256
	// maxRangeLength bounds the text of one version range.
	maxRangeLength = 1024
)

// Range is a range of versions, parsed once. It is immutable and safe for
// concurrent use. The zero Range means no range: it contains no version, its text is empty, and
// [Range.IsZero] reports it.
type Range struct{ *parsedRange }

// parsedRange is a range, shared by all copies.
type parsedRange struct {
	text  string
	plain []comparison // all must hold; if empty, in decides
	in    semver.Range
	given bool // in is a function of the caller, so the bounds are unknown
}

// ParseRange parses a version range in the syntax of blang/semver, which
// Operator Lifecycle Manager uses: ">=1.0.0 <2.0.0 || 3.x". A text that is empty, has an empty
// alternative or is longer than 1024 bytes is an error. The error describes the problem without
// repeating the text.
//
// As in blang/semver, prereleases are ordinary versions (2.0.0-rc.1 is inside "<2.0.0"), and a
// single character between spaces is ignored.
func ParseRange(text string) (Range, error) {
	if len(text) > maxRangeLength {
		return Range{}, fmt.Errorf("is longer than the %d bytes that a version range may have", maxRangeLength)
	}
	if strings.TrimSpace(text) == "" {
		return Range{}, fmt.Errorf("is an empty version range: write for example >=1.0.0")
	}
	if plain := plainRange(text); plain != nil {
		return Range{&parsedRange{text: text, plain: plain}}, nil
	}
	// Each alternative is parsed separately: for an empty alternative ("1.0.0 || || 2.0.0"),
	// blang/semver returns a function that panics.
	var in semver.Range
	for _, alternative := range splitAlternatives(text) {
		r, err := parseAlternative(alternative)
		if err != nil {
			return Range{}, fmt.Errorf("is not a version range: %w%s", err, wording.NearRange(text))
		}
		if in == nil {
			in = r
		} else {
			in = in.OR(r)
		}
	}
	return Range{&parsedRange{text: text, in: in}}, nil
}

// NewRange returns the range of the versions for which contains returns true, for programs
// that have ranges in another syntax. If contains is nil, it returns the zero Range, that is, no
// range. The text is used to print, compare ([Range.Equal]) and write the range, so equal texts
// must mean equal ranges. The function must be deterministic and safe for concurrent use.
func NewRange(text string, contains func(semver.Version) bool) Range {
	if contains == nil {
		return Range{}
	}
	return Range{&parsedRange{text: text, in: contains, given: true}}
}

// MustParseRange is [ParseRange] for literals in programs. It panics if the text is not a range.
func MustParseRange(text string) Range {
	r, err := ParseRange(text)
	if err != nil {
		panic(quote(text) + " " + err.Error())
	}
	return r
}

// splitAlternatives splits at each "||" between spaces; the parser rejects others.
func splitAlternatives(text string) []string {
	var out []string
	last, words := 0, strings.SplitAfter(text, " ")
	at := 0
	for _, w := range words {
		if strings.TrimSuffix(w, " ") == "||" {
			out = append(out, text[last:at])
			last = at + len(w)
		}
		at += len(w)
	}
	return append(out, text[last:])
}

// parseAlternative parses a text without "||". A panic of the library on unusual input becomes an
// error.
func parseAlternative(text string) (r semver.Range, err error) {
	if strings.Trim(text, " ") == "" {
		return nil, fmt.Errorf("an alternative of || is empty")
	}
	defer func() {
		if p := recover(); p != nil {
			r, err = nil, fmt.Errorf("it cannot be understood")
		}
	}()
	r, err = semver.ParseRange(text)
	if err == nil && r == nil {
		err = fmt.Errorf("it holds no comparison")
	}
	if err != nil && strings.Contains(err.Error(), "'||'") {
		// The library's error for a text without any comparison.
		err = fmt.Errorf("it holds no comparison such as >=1.0.0")
	}
	return r, err
}

// Contains reports whether v is inside the range.
func (r Range) Contains(v semver.Version) bool {
	switch {
	case r.IsZero():
		return false
	case r.in != nil:
		return r.in(v)
	}
	for _, c := range r.plain {
		if !c.holds(&v) {
			return false
		}
	}
	return true
}

// String returns the text of the range as it was written.
func (r Range) String() string {
	if r.IsZero() {
		return ""
	}
	return r.text
}

// IsZero reports whether r is the zero Range, that is, no range at all.
func (r Range) IsZero() bool { return r.parsedRange == nil }

// Equal reports whether both ranges have the same text. Different texts may mean the same range.
func (r Range) Equal(o Range) bool { return r.String() == o.String() }

// MarshalText returns the text of the range. In JSON, a Range is a string.
func (r Range) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText parses a range, see [ParseRange]. An empty text gives the
// zero Range.
func (r *Range) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*r = Range{}
		return nil
	}
	parsed, err := ParseRange(string(text))
	if err != nil {
		return fmt.Errorf("%s %w", quote(string(text)), err)
	}
	*r = parsed
	return nil
}

// ParseVersion parses a version strictly as blang/semver does: three numbers
// without leading zeros or a leading "v", then an optional prerelease and
// build. A text longer than 256 bytes is an error. The error describes the problem without
// repeating the text.
func ParseVersion(text string) (semver.Version, error) {
	if len(text) > maxVersionLength {
		return semver.Version{}, fmt.Errorf("is longer than the %d bytes that a version may have", maxVersionLength)
	}
	if v, ok := plainVersion(text); ok {
		return v, nil
	}
	v, err := semver.Parse(text)
	if err != nil {
		return semver.Version{}, fmt.Errorf("is not a semantic version such as 1.2.3: %w%s", err, wording.NearVersion(text))
	}
	return v, nil
}

// plainVersion parses three short numbers separated by dots, as in nearly every version. For other
// texts, ok is false.
func plainVersion(text string) (v semver.Version, ok bool) {
	const mostDigits = 9
	parts, n := [3]uint64{}, 0
	for i, from := 0, 0; i <= len(text); i++ {
		if i < len(text) && '0' <= text[i] && text[i] <= '9' {
			parts[n] = 10*parts[n] + uint64(text[i]-'0')
			continue
		}
		if i == from || i-from > mostDigits || text[from] == '0' && i > from+1 {
			return v, false
		}
		if n++; i == len(text) {
			break
		}
		if n == len(parts) || text[i] != '.' {
			return v, false
		}
		from = i + 1
	}
	return semver.Version{Major: parts[0], Minor: parts[1], Patch: parts[2]}, n == len(parts)
}
