package quickjson

import "math"

// MaxLevels is how many levels of arrays and objects [Bounded] allows.
const MaxLevels = 64

// Bounded reports whether a text in JSON can be decoded with bounded memory: it has
// at most so many arrays, objects and items of arrays, a null counting as much as an
// object with members, and at most [MaxLevels] levels of them. An empty object takes
// three bytes of the text and some hundred times as many in memory, and a type that
// reads itself is read again for each level that it is in. Whether the text is valid
// is for a JSON library to say.
func Bounded(text []byte, most int) bool { return bounded(text, most, MaxLevels) }

// Deeper reports whether arrays and objects in a text in JSON are nested in more than
// so many levels.
func Deeper(text []byte, levels int) bool {
	return len(text) > levels && !bounded(text, math.MaxInt, levels)
}

// bounded is Bounded with at most so many levels.
func bounded(text []byte, most, levels int) bool {
	var inArray uint64 // a bit for each level
	level, n := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			if level++; level > levels {
				return false
			}
			n++
			inArray <<= 1
			if text[i] == '[' {
				inArray |= 1
			}
		case '}', ']':
			level--
			inArray >>= 1
		case ',':
			n += int(inArray & 1)
		}
		if n > most {
			return false
		}
	}
	return true
}
