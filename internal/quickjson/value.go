// Package quickjson scans JSON in one pass without allocating. It accepts the
// same texts as the library jsontext, which provides the errors for rejected
// ones.
//
// It is the only JSON scanner besides the library, for one reason: a reader
// with its own traversal can skip a property whose text is known from the
// previous bundle. Without it, loading the catalog community-all, which has no
// large properties, and every copy on disk takes 30 percent more processor
// time (user time of BenchmarkLoad in cache/fbc, 22 November 2026). Package
// properties uses it too: a decoder of the library allocates more than the
// text of most properties.
package quickjson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// maxDepth is the nesting limit, as in jsontext.
const maxDepth = 10_000

// Scanner scans the values in a text. Like jsontext with duplicate names
// allowed, it accepts objects with duplicate names.
type Scanner struct {
	// Text is the input.
	Text []byte
	// Halves accepts escaped unpaired surrogates, which encode no character.
	Halves bool
	// Stop, if set, is called after every few thousand members and items, and in
	// long strings. Once it returns true, nothing is recognized any more.
	Stop func() bool
	// Spaced reports whether white space was found between tokens.
	Spaced bool

	steps int
}

// The intervals between calls of Stop: members and items, and bytes of a
// string.
const (
	stepsAtOnce = 1 << 13
	bytesAtOnce = 1 << 20
)

// stopped reports whether Stop has returned true.
func (s *Scanner) stopped() bool {
	s.steps++
	return s.steps%stepsAtOnce == 0 && s.Stop != nil && s.Stop()
}

// Value returns the end of the value that begins at i; ok reports whether it
// is valid.
func (s *Scanner) Value(i int) (end int, ok bool) { return s.value(i, 0) }

// value is Value at a nesting level.
func (s *Scanner) value(i, level int) (end int, ok bool) {
	if i >= len(s.Text) {
		return i, false
	}
	switch s.Text[i] {
	case '"':
		return s.quoted(i)
	case '{', '[':
		in, ok := s.open(i, level+1)
		for ok && in.Next() {
		}
		return in.End, in.Closed
	case 't':
		return s.literal(i, "true")
	case 'f':
		return s.literal(i, "false")
	case 'n':
		return s.literal(i, "null")
	}
	return s.number(i)
}

// space returns the end of the white space that begins at i.
func (s *Scanner) space(i int) int {
	if i < len(s.Text) && s.Text[i] > ' ' {
		return i
	}
	from := i
	i += Space(s.Text[min(i, len(s.Text)):])
	s.Spaced = s.Spaced || i > from
	return i
}

// Space returns the length of the leading white space of a text.
func Space(text []byte) int {
	i := 0
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
		for i++; i+8 <= len(text) && binary.LittleEndian.Uint64(text[i:]) == spaces; i += 8 {
		}
	}
	return i
}

// spaces is eight spaces; most JSON is indented.
const spaces = ones * ' '

// ones has each byte 1, and highs the high bit of each.
const ones, highs = 0x0101010101010101, ones << 7

// special returns the number of leading bytes, of eight in little-endian
// order, that need no special handling in a string: before a control
// character, a quote, a backslash or a byte beyond ASCII. Such a byte has its
// high bit set, or causes a borrow.
func special(w uint64) int {
	mask := (w | (w - ones*' ') | ((w ^ ones*'"') - ones) | ((w ^ ones*'\\') - ones)) & highs
	return bits.TrailingZeros64(mask) / 8
}

// literal scans a literal.
func (s *Scanner) literal(i int, word string) (end int, ok bool) {
	end = i + len(word)
	return end, end <= len(s.Text) && string(s.Text[i:end]) == word
}

// number scans a number.
func (s *Scanner) number(i int) (end int, ok bool) {
	if s.at(i) == '-' {
		i++
	}
	from := i
	if i = s.digits(i); i == from || s.Text[from] == '0' && i > from+1 {
		return i, false
	}
	if s.at(i) == '.' {
		from = i + 1
		if i = s.digits(from); i == from {
			return i, false
		}
	}
	if c := s.at(i); c == 'e' || c == 'E' {
		if i++; s.at(i) == '+' || s.at(i) == '-' {
			i++
		}
		from = i
		if i = s.digits(from); i == from {
			return i, false
		}
	}
	return i, true
}

// at returns the byte at i, or 0 at the end.
func (s *Scanner) at(i int) byte {
	if i >= len(s.Text) {
		return 0
	}
	return s.Text[i]
}

// digits returns the end of the digits that begin at i.
func (s *Scanner) digits(i int) int {
	for '0' <= s.at(i) && s.at(i) <= '9' {
		i++
	}
	return i
}

// quoted returns the end of the string that begins at i, including its quotes.
func (s *Scanner) quoted(i int) (end int, ok bool) {
	text := s.Text
	if i >= len(text) || text[i] != '"' {
		return i, false
	}
	for i++; i < len(text); {
		for end := min(len(text), i+bytesAtOnce); i < end; {
			if i+8 <= len(text) {
				n := special(binary.LittleEndian.Uint64(text[i:]))
				if i += n; n == 8 {
					continue
				}
			}
			c := text[i]
			switch {
			case c == '"':
				return i + 1, true
			case c == '\\':
				n := escape(text[i+1:], s.Halves)
				if n == 0 {
					return i, false
				}
				i += 1 + n
			case c < ' ':
				return i, false
			case c < utf8.RuneSelf:
				i++
			default:
				r, n := utf8.DecodeRune(text[i:])
				if r == utf8.RuneError && n == 1 {
					return i, false
				}
				i += n
			}
		}
		if s.Stop != nil && s.Stop() {
			return i, false
		}
	}
	return i, false
}

// escape returns the length of an escape after its backslash, or of both
// escapes of a surrogate pair, or 0 if invalid.
func escape(text []byte, halves bool) int {
	if len(text) == 0 {
		return 0
	}
	switch text[0] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 1
	case 'u':
		r := unit(text)
		switch {
		case r < 0:
			return 0
		case halves || r < 0xd800 || r > 0xdfff:
			return 5
		case r < 0xdc00 && len(text) > 5 && text[5] == '\\':
			if low := unit(text[6:]); low >= 0xdc00 && low <= 0xdfff {
				return 11
			}
		}
	}
	return 0
}

// unit returns the code unit of an escape, u and four hexadecimal digits, or
// -1.
func unit(text []byte) (r int) {
	if len(text) < 5 || text[0] != 'u' {
		return -1
	}
	for _, c := range text[1:5] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | int(c)
	}
	return r
}
