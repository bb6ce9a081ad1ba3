package document

import (
	"bytes"
	"context"
	"slices"
	"unicode/utf8"

	"github.com/seed109e2655/resolute/internal/quickjson"
)

// block converts the common subset of YAML in catalogs directly to JSON: mappings and sequences in
// block style, scalars in any style, comments, and the collections [] and {}. For anything else,
// and for invalid text, methods return false and the library reads the document. The results are
// the same.
//
// Without it, loading the catalog community-all, written as YAML by render, takes about six times
// the processor time and allocates twenty times the memory (measured on 23 November 2026).
type block struct {
	ctx    context.Context
	limits Limits
	text   []byte // it ends with a newline

	at      int // the next token
	begin   int // start of the current line
	line    int // its number
	checked int // offset of the last check of the context
	nodes   int
	bytes   int64

	out    []byte
	marks  Marks
	keys   []quickjson.Span // in out, of the open mappings
	scalar []byte           // scratch buffer for a scalar with escapes or folding
}

const (
	// checkBytes is the number of bytes between two checks of the context.
	checkBytes = 64 << 10
	// maxBlockDepth limits recursion if Limits.MaxDepth does not.
	maxBlockDepth = 1000
	// maxKeyBytes limits a key: the library rejects more than 1,024 characters.
	maxKeyBytes = 1000
)

// document converts the only document of a text that begins at a line, a mapping.
func (b *block) document(ctx context.Context, text []byte, line int, limits Limits) bool {
	*b = block{ctx: ctx, limits: limits, text: text, line: line, out: b.out[:0], marks: b.marks[:0], keys: b.keys[:0], scalar: b.scalar}
	if !bytes.HasSuffix(text, []byte("\n")) || tooMany(text, limits) || !usual(text) || ctx.Err() != nil || !b.seek(0) {
		return false
	}
	if b.column() == 0 && bytes.HasPrefix(text[b.at:], []byte("---\n")) {
		if b.at += len("---"); !b.next() {
			return false
		}
	}
	return b.column() == 0 && b.mapping(0) && b.at == len(text)
}

// usual reports whether a text has only characters that the library accepts, and only \n as line
// ends.
func usual(text []byte) bool {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if i++; c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
				return false
			}
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if i += n; r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r >= utf8.RuneError && r <= 0xffff {
			return false
		}
	}
	return true
}

// column returns the column of the next token, -1 at the end.
func (b *block) column() int { return b.at - b.begin }

// stopped reports whether the context ended. It checks at intervals.
func (b *block) stopped(i int) bool {
	if i-b.checked < checkBytes {
		return false
	}
	b.checked = i
	return b.ctx.Err() != nil
}

// next advances from the end of a token to the next one, on a later line.
func (b *block) next() bool {
	i := b.spaces(b.at)
	if b.text[i] == '#' && i > b.at {
		i += len(b.rest(i))
	}
	b.line++
	return b.text[i] == '\n' && b.seek(i+1)
}

// seek advances to the first token of the lines from i on.
func (b *block) seek(i int) bool {
	for ; !b.stopped(i); b.line++ {
		b.begin = i
		if i == len(b.text) {
			b.at, b.begin = i, i+1
			return true
		}
		if i = b.spaces(i); b.text[i] == '#' {
			i += len(b.rest(i))
		}
		if b.text[i] != '\n' {
			b.at = i
			return true
		}
		i++
	}
	return false
}

// spaces returns the end of the spaces at i.
func (b *block) spaces(i int) int {
	for b.text[i] == ' ' {
		i++
	}
	return i
}

// rest returns the line from i on, without its end.
func (b *block) rest(i int) []byte { return b.text[i : i+bytes.IndexByte(b.text[i:], '\n')] }

// count counts a value or key with its text against the limits.
func (b *block) count(text int) bool {
	b.nodes++
	b.bytes += int64(text) + 1
	return b.nodes <= b.limits.MaxNodes && b.bytes <= b.limits.MaxBytes
}

// open starts a collection.
func (b *block) open(bracket byte, depth int) bool {
	b.marks.at(len(b.out), b.line)
	b.out = append(b.out, bracket)
	return depth < min(b.limits.MaxDepth, maxBlockDepth) && b.count(0)
}

// dash reports whether the next token begins an item of a sequence.
func (b *block) dash() bool {
	return b.at < len(b.text) && b.text[b.at] == '-' && (b.text[b.at+1] == ' ' || b.text[b.at+1] == '\n')
}

// node converts a value in the collection at a column.
func (b *block) node(parent, depth int) bool {
	if b.dash() {
		return b.sequence(depth)
	}
	if _, _, ok := b.key(); ok {
		return b.mapping(depth)
	}
	return b.value(parent, depth)
}

// mapping converts a mapping.
func (b *block) mapping(depth int) bool {
	column, base := b.column(), len(b.keys)
	if !b.open('{', depth) {
		return false
	}
	for b.column() == column {
		name, colon, ok := b.key()
		if !ok || !b.count(len(name)) {
			return false
		}
		if len(b.keys) > base {
			b.out = append(b.out, ',')
		}
		from := len(b.out)
		b.marks.at(from, b.line)
		b.out = appendString(b.out, name)
		b.keys = append(b.keys, quickjson.Span{From: from, To: len(b.out)})
		b.out = append(b.out, ':')
		if b.at = colon + 1; !b.member(column, depth+1, false) {
			return false
		}
	}
	b.out = append(b.out, '}')
	keys := b.keys[base:]
	b.keys = b.keys[:base]
	compare := func(x, y quickjson.Span) int { return bytes.Compare(x.Of(b.out), y.Of(b.out)) }
	slices.SortFunc(keys, compare)
	different := slices.CompactFunc(keys, func(x, y quickjson.Span) bool { return compare(x, y) == 0 })
	return len(different) == len(keys)
}

// sequence converts a sequence.
func (b *block) sequence(depth int) bool {
	column := b.column()
	if !b.open('[', depth) {
		return false
	}
	for n := 0; b.column() == column && b.dash(); n++ {
		if n > 0 {
			b.out = append(b.out, ',')
		}
		if b.at++; !b.member(column, depth+1, true) {
			return false
		}
	}
	b.out = append(b.out, ']')
	return true
}

// member converts the value after a key or dash of the collection at a column: on the same line, on
// later ones, or null.
func (b *block) member(column, depth int, item bool) bool {
	line, i := b.line, b.spaces(b.at)
	if c := b.text[i]; c != '\n' && c != '#' {
		if b.at = i; item {
			return b.node(column, depth)
		}
		return b.value(column, depth)
	}
	switch {
	case !b.next():
		return false
	case b.column() > column:
		return b.node(column, depth)
	case !item && b.column() == column && b.dash():
		return b.sequence(depth)
	}
	b.marks.at(len(b.out), line)
	b.out = append(b.out, "null"...)
	return b.count(0)
}

// key returns the key at the next token, and the position of its colon.
func (b *block) key() (name []byte, colon int, ok bool) {
	line := b.rest(b.at)
	switch string(line[:min(len(line), 3)]) {
	case "---", "...", "<<:": // a new document, or a merge key
		return nil, 0, false
	}
	switch c := line[0]; {
	case c == '"' || c == '\'':
		n := bytes.IndexByte(line[1:], c)
		if n < 0 || bytes.IndexByte(line[:n+1], '\\') >= 0 {
			return nil, 0, false
		}
		name, colon = line[1:1+n], n+2
	case beginsPlain(line):
		colon, _ = plainEnd(line)
		name = line[:colon]
	}
	ok = colon > 0 && colon < min(len(line), maxKeyBytes) && line[colon] == ':' && (colon+1 == len(line) || line[colon+1] == ' ')
	return name, b.at + colon, ok
}
