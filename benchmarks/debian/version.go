package debian

import (
	"cmp"
	"strings"
)

// CompareVersions orders versions like Debian: by epoch, upstream version and
// Debian revision.
func CompareVersions(a, b string) int {
	aEpoch, aUpstream, aRevision := splitVersion(a)
	bEpoch, bUpstream, bRevision := splitVersion(b)
	return cmp.Or(comparePart(aEpoch, bEpoch), comparePart(aUpstream, bUpstream), comparePart(aRevision, bRevision))
}

func splitVersion(v string) (epoch, upstream, revision string) {
	epoch, upstream, ok := strings.Cut(v, ":")
	if !ok {
		epoch, upstream = "0", v
	}
	if i := strings.LastIndexByte(upstream, '-'); i >= 0 {
		upstream, revision = upstream[:i], upstream[i+1:]
	}
	return epoch, upstream, revision
}

// comparePart alternates between non-digits, ordered as tilde, end, letters,
// others, and numbers.
func comparePart(a, b string) int {
	isDigit := func(r rune) bool { return r >= '0' && r <= '9' }
	for a != "" || b != "" {
		var aPart, bPart string
		aPart, a = cut(a, isDigit)
		bPart, b = cut(b, isDigit)
		for i := range max(len(aPart), len(bPart)) {
			if c := cmp.Compare(weight(aPart, i), weight(bPart, i)); c != 0 {
				return c
			}
		}
		isOther := func(r rune) bool { return !isDigit(r) }
		aPart, a = cut(a, isOther)
		bPart, b = cut(b, isOther)
		aPart, bPart = strings.TrimLeft(aPart, "0"), strings.TrimLeft(bPart, "0")
		if c := cmp.Or(cmp.Compare(len(aPart), len(bPart)), cmp.Compare(aPart, bPart)); c != 0 {
			return c
		}
	}
	return 0
}

// cut splits a text before the first character of a kind.
func cut(s string, before func(rune) bool) (part, rest string) {
	if i := strings.IndexFunc(s, before); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

func weight(s string, i int) int {
	switch {
	case i >= len(s):
		return 0
	case s[i] == '~':
		return -1
	case s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z':
		return int(s[i])
	}
	return int(s[i]) + 256
}

// holds reports whether a version matches a relation.
func (r relation) holds(version string) bool {
	c := CompareVersions(version, r.version)
	switch r.operator {
	case "<<":
		return c < 0
	case "<=", "<":
		return c <= 0
	case "=":
		return c == 0
	case ">=", ">":
		return c >= 0
	case ">>":
		return c > 0
	}
	return true
}
