package resolver

import (
	"fmt"
	"strings"
	"unicode"
)

// verbs are the beginnings of the reasons for which one candidate is rejected,
// and how they read for several.
var verbs = [...][2]string{{"is ", "are "}, {"has ", "have "}, {"requires ", "require "}, {"provides ", "provide "}}

// agree is why candidates are rejected, with the verb in the number of them.
func agree(list []Rejected) string {
	text := list[0].Text
	if len(list) == 1 {
		return text
	}
	if _, outside, ok := strings.Cut(text, ", outside "); ok && list[0].Reason == NearMissVersion {
		return "are outside " + outside
	}
	for _, v := range verbs {
		if rest, ok := strings.CutPrefix(text, v[0]); ok {
			return v[1] + rest
		}
	}
	return text
}

// names lists bundles: the ends of the list where it is long.
func names(list []Rejected) string {
	var out []string
	for _, r := range list {
		out = appendNew(out, r.Bundle)
	}
	if len(out) > 4 {
		return fmt.Sprintf("%s … %s (%d versions)", out[0], out[len(out)-1], len(out))
	}
	return enumerate(out)
}

// enumerate joins names as a sentence does.
func enumerate(list []string) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		return list[0]
	default:
		return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// openings are the first words of sentences of ours; other sentences begin with
// the name of a bundle, which is written as it is.
var openings = [...]string{"subscription", "subscriptions", "only", "the", "package", "channel", "channels", "catalog",
	"no", "nothing", "all", "candidate:", "candidates:"}

// sentence begins a text with a capital letter, unless it begins with a name.
func sentence(s string) string {
	word, _, _ := strings.Cut(s, " ")
	for _, o := range openings {
		if word == o {
			return strings.ToUpper(s[:1]) + s[1:]
		}
	}
	return s
}

// maxText is how many bytes of what a catalog says one sentence repeats: a single
// constraint may have 64 KiB, and a conflict may cite it a thousand times.
const maxText = 4000

// clip cuts the end off a text that is longer than maxText.
func clip(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText], "") + "…"
}

// clean makes text from a catalog inert: one line, without control characters and
// without those that change the direction of writing.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029':
			return unicode.ReplacementChar
		default:
			return r
		}
	}, s)
}
