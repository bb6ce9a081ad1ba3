package text

import (
	"cmp"
	"context"
	"iter"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxNear limits the length, in characters, of names compared by edit
// distance. The longest Kubernetes names are twice as long, but nobody types
// those.
const maxNear = 128

// minPrefix is the minimum length of a prefix match.
const minPrefix = 4

// maxBehind is the maximum difference in edits from the nearest name.
const maxBehind = 2

// Near returns up to limit names that the author of want may have meant, those
// with the fewest edits first, then by name. Duplicates and want itself are
// dropped.
//
// An edit inserts, drops or replaces a letter, or swaps two adjacent unedited
// letters (the Damerau-Levenshtein distance, as optimal string alignment). A
// match has at most 2 edits, or a third of the letters of want if that is
// more, but fewer than the shorter name has letters. A name that is a prefix
// of the other and has at least four letters matches regardless of edits.
// Matches much farther away than the nearest are dropped, except prefixes.
//
// The number of names is unlimited; dissimilar ones are cheap. Near ends with
// the sequence, see [Until].
func Near(want string, names iter.Seq[string], limit int) []string {
	if want == "" || limit <= 0 {
		return nil
	}
	m := newMatcher(want)
	found := make([]suggestion, 0, min(limit, 16)+1)
	for name := range names {
		s, ok := m.match(name)
		if !ok {
			continue
		}
		at, known := slices.BinarySearchFunc(found, s, compareSuggestions)
		if known || at == limit {
			continue
		}
		found = slices.Insert(found, at, s)
		if len(found) > limit {
			found = found[:limit]
		}
		if len(found) == limit {
			m.limit = min(m.limit, found[limit-1].edits) // worse matches would not make the list
		}
	}
	var out []string
	for _, s := range found {
		if s.prefix || s.edits <= found[0].edits+maxBehind {
			out = append(out, s.name)
		}
	}
	return out
}

// DidYouMean returns "; did you mean a, b or c?" with up to three names found
// by [Near], or "".
func DidYouMean(want string, names iter.Seq[string]) string {
	return Suggestion(Near(want, names, 3))
}

// Suggestion returns "; did you mean a, b or c?" with the given names, or "".
func Suggestion(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + Or(Each(near, func(s string) string { return Clip(Name(s), 2*maxNear) })) + "?"
}

// Until yields the names of a sequence and stops soon after the context ends.
func Until(ctx context.Context, names iter.Seq[string]) iter.Seq[string] {
	return func(yield func(string) bool) {
		n := 0
		for name := range names {
			if n++; n%256 == 0 && ctx.Err() != nil || !yield(name) {
				return
			}
		}
	}
}

// suggestion is a matching name.
type suggestion struct {
	edits  int
	name   string
	prefix bool // it matches only as a prefix
}

// compareSuggestions orders the nearer one first.
func compareSuggestions(a, b suggestion) int {
	return cmp.Or(cmp.Compare(a.edits, b.edits), strings.Compare(a.name, b.name))
}

// matcher compares names with a wanted one.
type matcher struct {
	want   string
	n      int // its number of letters
	limit  int // max edits
	plain  [utf8.RuneSelf]places
	others map[rune]places

	carried []carry // by remaining letters of a name; nil for up to 64 rows
}

// places is the bit set of a letter's positions in the wanted name.
type places [maxNear / 64]uint64

func newMatcher(want string) *matcher {
	m := &matcher{want: want, n: utf8.RuneCountInString(want), others: make(map[rune]places)}
	m.limit = max(2, m.n/3)
	if m.n > maxNear {
		return m
	}
	if m.n > 64 {
		m.carried = make([]carry, maxNear)
	}
	for i, r := range []rune(want) {
		at := m.places(r)
		at[i/64] |= 1 << (i % 64)
		if r < utf8.RuneSelf {
			m.plain[r] = at
		} else {
			m.others[r] = at
		}
	}
	return m
}

func (m *matcher) places(r rune) places {
	if r < utf8.RuneSelf {
		return m.plain[r]
	}
	return m.others[r]
}

// match reports whether a name matches.
func (m *matcher) match(name string) (suggestion, bool) {
	if name == m.want {
		return suggestion{}, false
	}
	if edits, ok := m.edits(name); ok {
		return suggestion{edits: edits, name: name}, true
	}
	short, long := m.want, name
	if len(short) > len(long) {
		short, long = long, short
	}
	rest, ok := strings.CutPrefix(long, short)
	if !ok || utf8.RuneCountInString(short) < minPrefix {
		return suggestion{}, false
	}
	return suggestion{utf8.RuneCountInString(rest), name, true}, true
}

// edits returns the number of edits between want and a name if it is within
// the limit.
func (m *matcher) edits(name string) (int, bool) {
	if m.n > maxNear || len(name) > utf8.UTFMax*maxNear {
		return 0, false
	}
	n := utf8.RuneCountInString(name)
	limit := min(m.limit, min(n, m.n)-1)
	if n > maxNear || n-m.n > limit || m.n-n > limit {
		return 0, false
	}
	edits := m.distance(name, n, limit)
	return edits, edits <= limit
}

// carry is the state that 64 rows of the distance table pass to the next rows,
// in one column.
type carry struct{ over, swap, longer, shorter uint64 }

// distance returns the number of edits between want and a name of n letters,
// or a number above the limit. It processes 64 rows of the table at a time
// (Hyyrö, A Bit-Vector Algorithm for Computing Levenshtein and Damerau Edit
// Distances, 2003).
func (m *matcher) distance(name string, n, limit int) int {
	edits, last, bottom := m.n, (m.n-1)/64, (m.n-1)%64
	for w := 0; w <= last; w++ {
		more, less, same, letter := ^uint64(0), uint64(0), uint64(0), uint64(0)
		left := n
		for _, r := range name {
			left--
			here, c := m.places(r)[w], carry{longer: 1}
			if w > 0 {
				c = m.carried[left]
			}
			swap := ^same & here
			sum, over := bits.Add64(here&more, more, c.over)
			same = sum ^ more | here | less | (swap<<1|c.swap)&letter
			longer, shorter := less|^(same|more), more&same // one edit more, or less, than in the previous column
			if w < last {
				m.carried[left] = carry{over, swap >> 63, longer >> 63, shorter >> 63}
			} else if edits += int(longer>>bottom&1) - int(shorter>>bottom&1); edits-left > limit {
				break
			}
			above := longer<<1 | c.longer
			more, less, letter = shorter<<1|c.shorter|^(same|above), above&same, here
		}
	}
	return edits
}
