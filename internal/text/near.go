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

// maxEdits is how many edits at the most two names may have between them.
const maxEdits = 8

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
// letters of want if that is more, 8 at most, but fewer than the shorter name has letters;
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
	want    string
	letters []rune
	limit   int    // of edits
	ascii   uint64 // see asciiOf

	name []rune // to use again, and so are the rows of the table of distances
	rows [3][maxNear + 1]int
}

func newMatcher(want string) *matcher {
	m := &matcher{want: want, letters: []rune(want), ascii: asciiOf(want)}
	m.limit = min(max(2, len(m.letters)/3), maxEdits)
	return m
}

// asciiOf is the set of the letters of ASCII in a name, some of which share a bit. It takes an
// edit for each that another name lacks.
func asciiOf(name string) (set uint64) {
	for i := range len(name) {
		if name[i] < utf8.RuneSelf {
			set |= 1 << (name[i] % 64)
		}
	}
	return set
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
	if len(m.letters) > maxNear || len(name) > utf8.UTFMax*maxNear {
		return 0, false
	}
	n := utf8.RuneCountInString(name)
	limit := min(m.limit, n-1, len(m.letters)-1)
	if n > maxNear || n-len(m.letters) > limit || len(m.letters)-n > limit ||
		bits.OnesCount64(m.ascii&^asciiOf(name)) > limit {
		return 0, false
	}
	m.name = m.name[:0]
	for _, r := range name {
		m.name = append(m.name, r)
	}
	before, above, row := &m.rows[0], &m.rows[1], &m.rows[2]
	for k := range n + 1 {
		above[k] = k
	}
	least := 0 // of the row above
	for i, letter := range m.letters {
		fewest := i + 1
		row[0] = fewest
		first, end := max(0, i-limit), min(n, i+limit+1) // further away, there are more edits than that
		if first > 0 {
			row[first] = limit + 1
		}
		if end < n {
			row[end+1] = limit + 1
		}
		for k := first; k < end; k++ {
			r := m.name[k]
			edits := above[k]
			if letter != r {
				edits = 1 + min(edits, above[k+1], row[k])
				if i > 0 && k > 0 && letter == m.name[k-1] && m.letters[i-1] == r {
					edits = min(edits, before[k-1]+1)
				}
			}
			row[k+1] = edits
			fewest = min(fewest, edits)
		}
		if fewest > limit && least >= limit {
			return 0, false // neither a letter nor two that are swapped lead back
		}
		least = fewest
		before, above, row = above, row, before
	}
	return above[n], above[n] <= limit
}
