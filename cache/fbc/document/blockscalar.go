package document

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// value reads a scalar, or an empty collection, below a collection that stands at a
// column, and moves on to the next token.
func (b *block) value(parent, depth int) bool {
	b.marks.at(len(b.out), b.line)
	ok := false
	switch c := b.text[b.at]; c {
	case '[', '{':
		if ok = b.text[b.at+1] == c+2 && b.open(c, depth); ok {
			b.out = append(b.out, c+2)
			b.at += 2
		}
	case '"', '\'':
		ok = b.quoted(parent)
	case '|', '>':
		return b.lines(parent)
	default:
		ok = b.plain(parent)
	}
	return ok && b.next()
}

// string appends a string.
func (b *block) string(value []byte) bool {
	b.out = appendString(b.out, value)
	return b.count(len(value))
}

// beginsPlain reports whether a scalar without quotes may begin like that.
func beginsPlain(line []byte) bool {
	if line[0] == '-' {
		return len(line) > 1 && line[1] != ' '
	}
	return bytes.IndexByte([]byte("?:,[]{}#&*!|>'\"%@` \t\n"), line[0]) < 0
}

// plainEnd returns where a scalar without quotes ends in its last line or before, and
// what ends it: a colon, a comment, a tab, which may be anything, or 0 for the line.
func plainEnd(line []byte) (n int, by byte) {
	if bytes.IndexByte(line, '\t') >= 0 {
		return 0, '\t'
	}
	n = len(line)
	for i := 0; i < n; i++ {
		next := bytes.IndexByte(line[i:], ':')
		if next < 0 {
			break
		}
		if i += next; i+1 == len(line) || line[i+1] == ' ' {
			n, by = i, ':'
		}
	}
	for i := 0; i < n; i++ {
		next := bytes.IndexByte(line[i:n], '#')
		if next < 0 {
			break
		}
		if i += next; i > 0 && line[i-1] == ' ' {
			n, by = i, '#'
		}
	}
	return len(bytes.TrimRight(line[:n], " ")), by
}

// plain reads a scalar without quotes.
func (b *block) plain(parent int) bool {
	line := b.restOfLine(b.at)
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
		line = b.restOfLine(i)
		tab := bytes.IndexByte(b.text[b.at:i], '\t') >= 0 // which may be an error
		if n, by = plainEnd(line); by != 0 && by != '#' || tab || b.stopped(i) {
			return false
		}
		if !more {
			value = append(b.scalar[:0], value...)
		}
		value = append(appendFold(value, breaks), line[:n]...)
		b.scalar, b.at, b.begin, b.line = value, i+n, begin, b.line+breaks
	}
	return b.resolve(value)
}

// fold passes over white space that is folded into a space or fewer ends of lines. It
// returns where that ends, where that line begins, and how many ends there are.
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

// appendFold appends what ends of lines are folded into.
func appendFold(dst []byte, breaks int) []byte {
	if breaks == 1 {
		return append(dst, ' ')
	}
	return appendBreaks(dst, breaks-1)
}

// appendBreaks appends ends of lines.
func appendBreaks(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, '\n')
	}
	return dst
}

// resolve appends what a scalar without quotes stands for.
func (b *block) resolve(value []byte) bool {
	switch {
	case !b.count(len(value)):
		return false
	case isText(value):
		b.out = appendString(b.out, value)
		return true
	case isInteger(value), string(value) == "true", string(value) == "false":
		b.out = append(b.out, value...)
		return true
	}
	var x expansion
	n, err := x.scalar(&yaml.Node{Kind: yaml.ScalarNode, Value: string(value)})
	if err != nil {
		return false
	}
	b.out = n.appendJSON(b.out, nil)
	return true
}

// isText reports whether the library certainly takes a scalar without quotes for text:
// by its first byte, or because it knows no other that is as long, or has two dots.
func isText(value []byte) bool {
	switch c := value[0]; {
	case c >= '0' && c <= '9', c == '+', c == '-', c == '.':
		first := bytes.IndexByte(value, '.')
		return first >= 0 && bytes.IndexByte(value[first+1:], '.') >= 0
	default:
		return len(value) > len("false") || bytes.IndexByte([]byte("~<yYnNtTfFoO"), c) < 0
	}
}

// isInteger reports whether a scalar is an integer that JSON writes the same way.
func isInteger(value []byte) bool {
	for _, c := range value {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(value) == 1 || value[0] != '0' && len(value) < len("9223372036854775807")
}

// quoted reads a scalar in quotes.
func (b *block) quoted(parent int) bool {
	quote, line := b.text[b.at], b.restOfLine(b.at)[1:]
	if n := bytes.IndexByte(line, quote); n >= 0 { // as most are: as it stands
		if quote == '"' && bytes.IndexByte(line[:n], '\\') < 0 || quote == '\'' && (n+1 == len(line) || line[n+1] != quote) {
			b.at += n + 2
			return b.string(line[:n])
		}
	}
	s, fixed := b.scalar[:0], 0 // up to there no white space is dropped
	for i := b.at + 1; i < len(b.text); {
		switch c := b.text[i]; {
		case c == quote && quote == '\'' && b.text[i+1] == quote:
			s, i = append(s, c), i+2
		case c == quote:
			b.scalar, b.at = s, i+1
			return b.string(s)
		case c == '\n':
			for len(s) > fixed && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
				s = s[:len(s)-1]
			}
			breaks, ok := 0, false
			if i, breaks, ok = b.continued(i, parent); !ok {
				return false
			}
			s = appendFold(s, breaks)
			fixed = len(s)
		case c == '\\' && quote == '"' && b.text[i+1] == '\n':
			breaks, ok := 0, false
			if i, breaks, ok = b.continued(i+1, parent); !ok {
				return false
			}
			s = appendBreaks(s, breaks-1)
			fixed = len(s)
		case c == '\\' && quote == '"':
			r, n := escape(b.text[i+1:])
			if n == 0 {
				return false
			}
			s, i = utf8.AppendRune(s, r), i+1+n
			fixed = len(s)
		default:
			s, i = append(s, c), i+1
		}
	}
	return false
}

// continued moves on to the line on which a scalar in quotes goes on.
func (b *block) continued(i, parent int) (end, breaks int, ok bool) {
	end, b.begin, breaks = b.fold(i)
	b.line += breaks
	return end, breaks, end < len(b.text) && end-b.begin > parent && !b.stopped(end)
}

// escapes are the characters behind a backslash, each before what it stands for.
var escapes = []rune("0\x00a\ab\bt\t\t\tn\nv\vf\fr\re\x1b  \"\"''\\\\N\u0085_\u00a0L\u2028P\u2029")

// escape returns what the text behind a backslash stands for, and its length: 0 if
// the library has no such escape.
func escape(text []byte) (r rune, n int) {
	for i := 0; i < len(escapes); i += 2 {
		if rune(text[0]) == escapes[i] {
			return escapes[i+1], 1
		}
	}
	n = 1
	switch text[0] {
	case 'x':
		n += 2
	case 'u':
		n += 4
	case 'U':
		n += 8
	}
	if n > len(text) {
		return 0, 0
	}
	v, err := strconv.ParseUint(string(text[1:n]), 16, 32)
	if err != nil || !utf8.ValidRune(rune(v)) {
		return 0, 0
	}
	return rune(v), n
}

// lines reads a scalar in block style, and moves on to the next token.
func (b *block) lines(parent int) bool {
	folded, indent, chomp := b.text[b.at] == '>', 0, byte(0)
	i := b.at + 1
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
	breaks, widest := 0, 0     // of the empty lines before the next one
	indented, end := false, "" // of the line before
	for i, b.line = i+1, b.line+1; i < len(b.text); b.line++ {
		from := i
		for b.text[i] == ' ' && (indent == 0 || i-from < indent) {
			i++
		}
		c, n := b.text[i], i-from
		if c == '\n' {
			breaks, widest, i = breaks+1, max(widest, n), i+1
			continue
		}
		if c == '\t' && (indent == 0 || n < indent) || b.stopped(i) {
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
		if !folded || indented || blank || end == "" {
			s = append(s, end...)
		} else if breaks == 0 {
			s = append(s, ' ')
		}
		line := b.restOfLine(i)
		s = append(appendBreaks(s, breaks), line...)
		breaks, indented, end, i = 0, blank, "\n", i+len(line)+1
	}
	if chomp != '-' {
		s = append(s, end...)
	}
	if chomp == '+' {
		s = appendBreaks(s, breaks)
	}
	b.scalar = s
	return b.string(s) && b.seek(i)
}
