package text

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// mark marks omitted text.
const mark = "…"

// Clip truncates a text to the given number of bytes, including a final "…".
// It cuts between characters. With fewer than 3 bytes, the length of the mark,
// a text that does not fit becomes empty.
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

// Middle cuts the middle of a text so that it has at most the given number of
// characters, including the mark "…": names differ at their ends.
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

// And joins a list for a sentence: "a", "a and b", "a, b and c".
func And(list []string) string { return join(list, " and ") }

// Or joins alternatives: "a, b or c".
func Or(list []string) string { return join(list, " or ") }

// join joins a list with a word before the last.
func join(list []string, word string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + word + list[last]
}

// NonEmpty returns a list of one text, or none if it is empty.
func NonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// AppendNew appends the values that a list lacks.
func AppendNew[T comparable](list []T, more ...T) []T {
	for _, v := range more {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// Distinct returns the distinct values of a list in their order.
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

// Short is And for a list that may be long: beyond limit items it shows the
// first, the last and the total, "a, b, … z (26 in all)". The minimum limit is
// 2.
func Short(list []string, limit int) string {
	limit = max(limit, 2)
	if len(list) <= limit {
		return And(list)
	}
	return fmt.Sprintf("%s, %s %s (%d in all)", strings.Join(list[:limit-1], ", "), mark, list[len(list)-1], len(list))
}

// Count formats a number with its noun: "1 bundle", "3 bundles".
func Count(n int, one, many string) string { return strconv.Itoa(n) + " " + Plural(n, one, many) }

// Plural returns the noun for a number.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// AppendParts appends texts unambiguously: different lists give different
// bytes, because each text is prefixed with its length.
func AppendParts(b []byte, texts ...string) []byte {
	for _, text := range texts {
		b = append(strconv.AppendInt(b, int64(len(text)), 10), ':')
		b = append(b, text...)
	}
	return b
}

// A returns a noun with its indefinite article.
func A(noun string) string {
	if noun != "" && strings.ContainsRune("aeiouAEIOU", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// Many returns the plural of a noun.
func Many(noun string) string {
	if stem, y := strings.CutSuffix(noun, "y"); y && stem != "" && !strings.ContainsRune("aeiou", rune(stem[len(stem)-1])) {
		return stem + "ies"
	}
	return noun + "s"
}
