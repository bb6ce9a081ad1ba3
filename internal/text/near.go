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

// maxNear bounds the names, in characters, that are compared by their edits.
// The longest names of Kubernetes have twice that, and no one types those.
const maxNear = 128

// minPrefix is how many letters the beginning of a name must have to stand for
// it.
const minPrefix = 4

// maxBehind is how many edits more than the nearest a name may have beside it.
const maxBehind = 2

// Near returns at most so many of the names that somebody may have meant who
// wrote want: those with the fewest edits between them and want first, equally
// near ones by name. A name that comes several times counts once, and want itself
// does not count.
//
// An edit inserts, drops or replaces a letter, or swaps two that stand beside
// each other and are not edited otherwise (the Damerau-Levenshtein distance, as
// optimal string alignment). At most 2 edits are let pass, or a third of the
// letters of want if that is more, but fewer than the shorter name has letters;
// any number where one name is the beginning of the other and has four letters or
// more. Of those found, the ones with many more edits than the nearest are left out,
// beginnings aside.
//
// There may be any number of names; little is done for those that are not alike.
// Near ends with the sequence, see [Until].
func Near(want string, names iter.Seq[string], most int) []string {
	if want == "" || most <= 0 {
		return nil
	}
	m := newMatcher(want)
	found := make([]suggestion, 0, min(most, 16)+1)
	for name := range names {
		s, ok := m.match(name)
		if !ok {
			continue
		}
		at, known := slices.BinarySearchFunc(found, s, compareSuggestions)
		if known || at == most {
			continue
		}
		found = slices.Insert(found, at, s)
		if len(found) > most {
			found = found[:most]
		}
		if len(found) == most {
			m.limit = min(m.limit, found[most-1].edits) // what has more does not get onto the list
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

// DidYouMean returns "; did you mean a, b or c?" with the names that [Near]
// finds, three at most, or "".
func DidYouMean(want string, names iter.Seq[string]) string {
	near := Near(want, names, 3)
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + Or(Each(near, func(s string) string { return Clip(Name(s), 2*maxNear) })) + "?"
}

// Until returns the names of a sequence, and ends soon after the context does.
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

// suggestion is a name that may have been meant.
type suggestion struct {
	edits  int
	name   string
	prefix bool // it is meant for its beginning alone
}

// compareSuggestions brings the nearer one first.
func compareSuggestions(a, b suggestion) int {
	return cmp.Or(cmp.Compare(a.edits, b.edits), strings.Compare(a.name, b.name))
}

// matcher holds names against one that is wanted.
type matcher struct {
	want   string
	n      int // how many letters it has
	limit  int // of edits
	plain  [utf8.RuneSelf]places
	others map[rune]places

	carried []carry // by how many letters are left of a name; if there are more than 64 rows
}

// places are those of a letter in what is wanted, as bits.
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

// match reports whether a name may have been meant.
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

// edits returns the number of edits between want and a name, if they are so few
// that it may have been meant.
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

// carry is what 64 rows of the table of distances pass on to those below, in one column.
type carry struct{ over, swap, longer, shorter uint64 }

// distance returns the number of edits between want and a name of n letters, or some number
// above the limit if there are more than that. It works on 64 rows of the table at a time (Hyyrö,
// A Bit-Vector Algorithm for Computing Levenshtein and Damerau Edit Distances, 2003).
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
			longer, shorter := less|^(same|more), more&same // one edit more, or less, than a column before
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
