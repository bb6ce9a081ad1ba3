package text

import (
	"cmp"
	"context"
	"iter"
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
	n := utf8.RuneCountInString(want)
	m := &matcher{want: want, limit: max(2, n/3)}
	if n <= maxNear {
		m.letters = []rune(want)
	}
	for _, r := range m.letters {
		m.kinds[r%64]++
	}
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
	kinds   [64]uint8 // how many letters of each kind want has: their last six bits
	limit   int       // of edits
	other   []rune
	rows    [3][]int
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
	if m.letters == nil || len(name) > utf8.UTFMax*maxNear {
		return 0, false
	}
	n := utf8.RuneCountInString(name)
	limit := min(m.limit, min(n, len(m.letters))-1)
	if n > maxNear || n-len(m.letters) > limit || len(m.letters)-n > limit {
		return 0, false
	}
	m.other = m.other[:0]
	kinds, common := m.kinds, 0
	for _, r := range name {
		m.other = append(m.other, r)
		if kinds[r%64] > 0 {
			kinds[r%64]--
			common++
		}
	}
	if max(n, len(m.letters))-common > limit { // each of the others takes an edit
		return 0, false
	}
	edits := m.distance(m.letters, m.other, limit)
	return edits, edits <= limit
}

// distance returns the number of edits between two names, or some number above
// the limit if there are more than that. Row i of the table has at j the number
// of edits between the first i letters of a and the first j letters of b; only
// what is less than limit away from i can count.
func (m *matcher) distance(a, b []rune, limit int) int {
	for i := range m.rows {
		m.rows[i] = slices.Grow(m.rows[i][:0], len(b)+1)[:len(b)+1]
	}
	above := limit + 1
	before, row, next := m.rows[0], m.rows[1], m.rows[2]
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		from, to := max(1, i-limit), min(len(b), i+limit)
		next[from-1] = above
		if from == 1 {
			next[0] = i
		}
		least := next[from-1]
		for j := from; j <= to; j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			edits := min(row[j-1]+cost, next[j-1]+1)
			if j < i+limit { // else row[j] is out of reach, and was not filled in
				edits = min(edits, row[j]+1)
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				edits = min(edits, before[j-2]+1)
			}
			next[j] = edits
			least = min(least, edits)
		}
		if least > limit {
			return above
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
