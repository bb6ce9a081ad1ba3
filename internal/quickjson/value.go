package quickjson

import "unicode/utf8"

// maxDepth is how deep arrays and objects may be nested to be recognized.
const maxDepth = 64

// Space returns where the space that begins at i ends.
func Space(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
		i++
	}
	return i
}

// Value returns where the JSON value that begins at i ends. ok tells that it is
// valid: that every JSON parser accepts it, one that refuses invalid UTF-8 and
// half surrogates included. Objects may have a name more than once.
func Value(text []byte, i int) (end int, ok bool) { return value(text, i, 0, nil) }

// Watch ends what takes long: nothing is recognized any more once Stop returns
// true. Nil watches nothing.
type Watch struct {
	// Stop is asked after so many steps.
	Stop func() bool

	steps int
}

// stepsAtOnce is how many members and items are passed between two calls of Stop.
const stepsAtOnce = 1 << 13

// stopped reports whether it is time to end.
func (w *Watch) stopped() bool {
	if w == nil {
		return false
	}
	w.steps++
	return w.steps%stepsAtOnce == 0 && w.Stop()
}

// value is Value at so many levels of arrays and objects.
func value(text []byte, i, level int, w *Watch) (end int, ok bool) {
	if i >= len(text) {
		return i, false
	}
	switch text[i] {
	case '"':
		return QuotedAt(text, i)
	case '{':
		return object(text, i, level+1, w)
	case '[':
		return array(text, i, level+1, w)
	case 't':
		return literal(text, i, "true")
	case 'f':
		return literal(text, i, "false")
	case 'n':
		return literal(text, i, "null")
	}
	return number(text, i)
}

// object reads the object that begins at i.
func object(text []byte, i, level int, w *Watch) (end int, ok bool) {
	m := Members{Text: text, Watch: w, level: level}
	if level > maxDepth || !m.Open(i) {
		return i, false
	}
	for m.Next() {
	}
	return m.End, m.Closed
}

// array reads the array that begins at i.
func array(text []byte, i, level int, w *Watch) (end int, ok bool) {
	m := Items{Text: text, Watch: w, level: level}
	if level > maxDepth || !m.Open(i) {
		return i, false
	}
	for m.Next() {
	}
	return m.End, m.Closed
}

// literal reads a word.
func literal(text []byte, i int, word string) (end int, ok bool) {
	end = i + len(word)
	return end, end <= len(text) && string(text[i:end]) == word
}

// number reads a number.
func number(text []byte, i int) (end int, ok bool) {
	if i < len(text) && text[i] == '-' {
		i++
	}
	from := i
	if i = digits(text, i); i == from || text[from] == '0' && i > from+1 {
		return i, false
	}
	if i < len(text) && text[i] == '.' {
		from = i + 1
		if i = digits(text, from); i == from {
			return i, false
		}
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		if i++; i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		from = i
		if i = digits(text, from); i == from {
			return i, false
		}
	}
	return i, true
}

// digits returns where the digits that begin at i end.
func digits(text []byte, i int) int {
	for i < len(text) && '0' <= text[i] && text[i] <= '9' {
		i++
	}
	return i
}

// plain tells which bytes of a string stand for themselves and need no second
// look.
var plain = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// QuotedAt returns where the string that begins at i ends, its quotes included.
func QuotedAt(text []byte, i int) (end int, ok bool) {
	if i >= len(text) || text[i] != '"' {
		return i, false
	}
	for i++; i < len(text); {
		c := text[i]
		switch {
		case plain[c]:
			i++
		case c == '"':
			return i + 1, true
		case c == '\\':
			n := escape(text[i+1:])
			if n == 0 {
				return i, false
			}
			i += 1 + n
		case c < utf8.RuneSelf:
			return i, false // a control character
		default:
			r, n := utf8.DecodeRune(text[i:])
			if r == utf8.RuneError && n == 1 {
				return i, false
			}
			i += n
		}
	}
	return i, false
}

// escape returns the length of an escape behind its backslash, or 0 for what is
// none or is one half of a surrogate pair.
func escape(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	switch text[0] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 1
	case 'u':
		if len(text) < 5 || !hex(text[1]) || !hex(text[2]) || !hex(text[3]) || !hex(text[4]) {
			return 0
		}
		if surrogate := (text[1] == 'd' || text[1] == 'D') && text[2] >= '8' && (text[2] <= '9' || text[2] >= 'A'); surrogate {
			return 0
		}
		return 5
	}
	return 0
}

// hex reports whether c is a hexadecimal digit.
func hex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
