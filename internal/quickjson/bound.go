package quickjson

import "math"

// MaxLevels is the nesting limit of [Bounded].
const MaxLevels = 64

// Bounded reports whether a JSON text can be decoded in bounded memory: it has
// at most limit arrays, objects and array items, including nulls, nested at
// most [MaxLevels] deep. An empty object takes three bytes of text and some
// hundred times as much memory, and types with custom decoding are scanned
// again at each level. Bounded does not validate the text.
func Bounded(text []byte, limit int) bool { return bounded(text, limit, MaxLevels) }

// Deeper reports whether the arrays and objects of a JSON text are nested
// deeper than levels.
func Deeper(text []byte, levels int) bool {
	return len(text) > levels && !bounded(text, math.MaxInt, levels)
}

// bounded is Bounded with a nesting limit.
func bounded(text []byte, limit, levels int) bool {
	var inArray uint64 // one bit per level
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
		if n > limit {
			return false
		}
	}
	return true
}
