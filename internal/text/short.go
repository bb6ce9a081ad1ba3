package text

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// mark stands for what was left out.
const mark = "…"

// Clip cuts the end off a text so that it has at most so many bytes, the mark "…"
// at its end included. It cuts between characters. Less than 3 bytes, of which
// the mark consists, leave nothing of a text that does not fit.
func Clip(s string, bytes int) string {
	if len(s) <= bytes {
		return s
	}
	end := bytes - len(mark)
	if end < 0 {
		return ""
	}
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}

// Middle cuts the middle out of a text so that it has at most so many
// characters, the mark "…" included: names differ at their ends.
func Middle(s string, characters int) string {
	if len(s) <= characters || utf8.RuneCountInString(s) <= characters {
		return s
	}
	if characters < 1 {
		return ""
	}
	r := []rune(s)
	head := (characters - 1) / 2
	return string(r[:head]) + mark + string(r[len(r)-(characters-1-head):])
}

// And joins a list as a sentence does: "a", "a and b", "a, b and c".
func And(list []string) string { return join(list, " and ") }

// Or is And for a choice: "a, b or c".
func Or(list []string) string { return join(list, " or ") }

// join joins a list with a word before the last.
func join(list []string, word string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + word + list[last]
}

// NonEmpty lists one text, or none if it is empty.
func NonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// AppendNew appends what a list does not have yet.
func AppendNew[T comparable](list []T, more ...T) []T {
	for _, v := range more {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// Distinct returns the values of a list in their order, each once.
func Distinct[T comparable](list []T) []T {
	var out []T
	seen := make(map[T]bool, len(list))
	for _, v := range list {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

// Short is And for a list that may be long: of more than so many it shows the
// first, the last, and how many there are, "a, b, … z (26 in all)". Fewer than 2
// count as 2.
func Short(list []string, most int) string {
	most = max(most, 2)
	if len(list) <= most {
		return And(list)
	}
	return fmt.Sprintf("%s, %s %s (%d in all)", strings.Join(list[:most-1], ", "), mark, list[len(list)-1], len(list))
}

// Count returns a number of things: "1 bundle", "3 bundles".
func Count(n int, one, many string) string { return strconv.Itoa(n) + " " + Plural(n, one, many) }

// Plural returns the word for so many things.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// AppendParts appends texts so that what comes of different lists is different: each text
// has its length before it, for it may hold anything.
func AppendParts(b []byte, texts ...string) []byte {
	for _, text := range texts {
		b = append(strconv.AppendInt(b, int64(len(text)), 10), ':')
		b = append(b, text...)
	}
	return b
}
