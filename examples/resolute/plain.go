package main

import (
	"fmt"
	"strings"
	"unicode"
)

// plain makes a text of foreign origin (a name, a message) fit to stand on a line
// of ours: what does not print, such as a line break or an escape sequence of a
// terminal, or what would turn round the text behind it, cannot do anything.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// plainLines is plain for each line of a text. There is no line break at its end.
func plainLines(text string) string {
	return strings.Join(plainAll(strings.Split(strings.TrimRight(text, "\n"), "\n")), "\n")
}

// plainAll is plain for each of a list.
func plainAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = plain(s)
	}
	return out
}

// cut shortens a text to so many characters; names differ at their ends, so what
// is left out is the middle.
func cut(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	head := (most - 1) / 2
	return string(r[:head]) + "…" + string(r[len(r)-(most-1-head):])
}

// shortList joins names; of many it shows the first.
func shortList(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(plainAll(names), ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(plainAll(names[:most]), ", "), len(names)-most)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return plain(s)
}

// count returns "1 bundle", "2 bundles".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
