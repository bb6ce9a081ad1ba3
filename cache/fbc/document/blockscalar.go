package document

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// value converts a scalar, or an empty collection, in the collection at a column, and advances to
// the next token.
func (b *block) value(parent, depth int) bool {
	b.marks.at(len(b.out), b.line)
	switch c := b.text[b.at]; c {
	case '[', '{':
		if b.text[b.at+1] != c+2 || !b.open(c, depth) {
			return false
		}
		b.out = append(b.out, c+2)
		b.at += 2
		return b.next()
	case '"', '\'':
		return b.quoted(parent) && b.next()
	case '|', '>':
		return b.lines(parent)
	}
	return b.plain(parent) && b.next()
}

// string appends a string.
func (b *block) string(value []byte) bool {
	b.out = appendString(b.out, value)
	return b.count(len(value))
}

// beginsPlain reports whether a line can begin an unquoted scalar.
func beginsPlain(line []byte) bool {
	if line[0] == '-' {
		return len(line) > 1 && line[1] != ' '
	}
	return bytes.IndexByte([]byte("?:,[]{}#&*!|>'\"%@` \t"), line[0]) < 0
}

// plainEnd returns the end of an unquoted scalar on its last line, and the character after it: a
// colon, a comment, a tab, which may be anything, or 0 at the end of the line.
func plainEnd(line []byte) (n int, by byte) {
	for n, c := range line {
		switch {
		case c == '\t':
			return 0, c
		case c == ':' && (n+1 == len(line) || line[n+1] == ' '), c == '#' && n > 0 && line[n-1] == ' ':
			return len(bytes.TrimRight(line[:n], " ")), c
		}
	}
	return len(bytes.TrimRight(line, " ")), 0
}

// plain reads an unquoted scalar.
func (b *block) plain(parent int) bool {
	line := b.rest(b.at)
	n, by := plainEnd(line)
	if !beginsPlain(line) || by != 0 && by != '#' {
		return false
	}
	value, more := line[:n], false
	for b.at += n; by == 0; more = true {
		i, begin, breaks := b.fold(b.at)
		if i == len(b.text) || i-begin <= parent || b.text[i] == '#' {
			break
		}
		line = b.rest(i)
		tab := bytes.IndexByte(b.text[b.at:i], '\t') >= 0 // possibly an error
		if n, by = plainEnd(line); by != 0 && by != '#' || tab || b.stopped(i) {
			return false
		}
		if !more {
			value = append(b.scalar[:0], value...)
		}
		value = append(append(value, folded(breaks)...), line[:n]...)
		b.scalar, b.at, b.begin, b.line = value, i+n, begin, b.line+breaks
	}
	return b.resolve(value)
}

// fold skips white space with line breaks. It returns its end, the start of that line, and the
// number of line breaks.
func (b *block) fold(i int) (end, begin, breaks int) {
	for ; i < len(b.text); i++ {
		switch b.text[i] {
		case '\n':
			breaks, begin = breaks+1, i+1
		case ' ', '\t':
		default:
			return i, begin, breaks
		}
	}
	return i, begin, breaks
}

// folded returns the result of folding line breaks.
func folded(breaks int) string {
	if breaks == 1 {
		return " "
	}
	return strings.Repeat("\n", breaks-1)
}

// resolve appends the value of an unquoted scalar.
func (b *block) resolve(value []byte) bool {
	if isText(value) {
		return b.string(value)
	}
	if string(value) == "true" || string(value) == "false" {
		b.out = append(b.out, value...)
		return b.count(len(value))
	}
	n, err := new(expansion).scalar(&yaml.Node{Kind: yaml.ScalarNode, Value: string(value)})
	if err != nil {
		return false
	}
	b.out = n.appendJSON(b.out, nil)
	return b.count(len(value))
}

// isText reports whether the library reads an unquoted scalar as a string for certain: by its
// first byte, or because other types are shorter or have at most one dot.
func isText(value []byte) bool {
	switch c := value[0]; {
	case c >= '0' && c <= '9', c == '+', c == '-', c == '.':
		return bytes.Count(value, []byte(".")) > 1
	default:
		return len(value) > len("false") || bytes.IndexByte([]byte("~yYnNtTfFoO"), c) < 0
	}
}

// quoted reads a quoted scalar.
func (b *block) quoted(parent int) bool {
	quote, line := b.text[b.at], b.rest(b.at)[1:]
	if n := bytes.IndexByte(line, quote); n >= 0 { // the common case: unchanged
		if quote == '"' && bytes.IndexByte(line[:n], '\\') < 0 || quote == '\'' && (n+1 == len(line) || line[n+1] != quote) {
			b.at += n + 2
			return b.string(line[:n])
		}
	}
	s, fixed := b.scalar[:0], 0 // white space before it is kept
	for i := b.at + 1; i < len(b.text); {
		switch c := b.text[i]; {
		case c == quote && quote == '\'' && b.text[i+1] == quote:
			s, i = append(s, c), i+2
		case c == quote:
			b.scalar, b.at = s, i+1
			return b.string(s)
		case c == '\n', c == '\\' && quote == '"' && b.text[i+1] == '\n':
			if c == '\\' {
				i, fixed = i+1, len(s)
			}
			end, begin, breaks := b.fold(i)
			if end == len(b.text) || end-begin <= parent || b.stopped(end) {
				return false
			}
			s = s[:fixed+len(bytes.TrimRight(s[fixed:], " \t"))]
			if c == '\\' {
				s = append(s, strings.Repeat("\n", breaks-1)...)
			} else {
				s = append(s, folded(breaks)...)
			}
			i, fixed, b.begin, b.line = end, len(s), begin, b.line+breaks
		case c == '\\' && quote == '"':
			r, n := escape(b.text[i:])
			if n == 0 {
				return false
			}
			s, i = utf8.AppendRune(s, r), i+n
			fixed = len(s)
		default:
			s, i = append(s, c), i+1
		}
	}
	return false
}

// escape decodes the escape at the start of a text, and returns its length; 0 if it may be invalid.
func escape(text []byte) (r rune, n int) {
	if i := strings.IndexByte("0e _", text[1]); i >= 0 {
		return [...]rune{0, '\x1b', ' ', '\u00a0'}[i], 2
	}
	s := string(text[:min(len(text), len(`\U00000000`))])
	if strings.IndexByte(`abfnrtv\"xuU`, s[1]) < 0 {
		return 0, 0
	}
	r, _, rest, err := strconv.UnquoteChar(s, '"')
	if err != nil {
		return 0, 0
	}
	return r, len(s) - len(rest)
}

// lines reads a block scalar, and advances to the next token.
func (b *block) lines(parent int) bool {
	fold, indent, chomp, i := b.text[b.at] == '>', 0, byte(0), b.at+1
	for ; b.text[i] != '\n'; i++ {
		switch c := b.text[i]; {
		case (c == '-' || c == '+') && chomp == 0:
			chomp = c
		case c >= '1' && c <= '9' && indent == 0:
			indent = parent + int(c-'0')
		default:
			return false
		}
	}
	s := b.scalar[:0]
	breaks, widest := 0, 0     // of the preceding empty lines
	indented, end := false, "" // of the previous line
	for i, b.line = i+1, b.line+1; i < len(b.text); b.line++ {
		if b.stopped(i) {
			return false
		}
		from := i
		for b.text[i] == ' ' && (indent == 0 || i-from < indent) {
			i++
		}
		c, n := b.text[i], i-from
		if c == '\n' {
			breaks, widest, i = breaks+1, max(widest, n), i+1
			continue
		}
		if c == '\t' && (indent == 0 || n < indent) {
			return false
		}
		if indent == 0 {
			indent = max(n, widest, parent+1)
		}
		if n < indent {
			i = from
			break
		}
		blank := c == ' ' || c == '\t'
		if !fold || indented || blank {
			s = append(s, end...)
		} else if breaks == 0 && end != "" {
			s = append(s, ' ')
		}
		line := b.rest(i)
		s = append(append(s, strings.Repeat("\n", breaks)...), line...)
		breaks, indented, end, i = 0, blank, "\n", i+len(line)+1
	}
	if chomp != '-' {
		s = append(s, end...)
	}
	if chomp == '+' {
		s = append(s, strings.Repeat("\n", breaks)...)
	}
	b.scalar = s
	return b.string(s) && b.seek(i)
}
