package document

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"github.com/seed109e2655/resolute/internal/quickjson"
)

// block reads the part of YAML in which nearly all catalogs are written, straight as
// JSON: mappings and sequences in block style, scalars in any style, comments, and the
// collections [] and {}. Whatever else there is, or might be, in a document, what is
// wrong with it included, is left to the library: a document is either read as that
// would read it, or not at all. All its methods but the simplest return false for that.
type block struct {
	ctx    context.Context
	limits Limits
	text   []byte // ends with a newline

	at     int // the next token
	begin  int // of its line
	line   int // the number of that
	looked int // where the context was looked at last
	nodes  int
	bytes  int64

	out    []byte
	marks  marks
	keys   []quickjson.Span // in out, of the mappings that are open
	scalar []byte           // one that is not in the text as it is
}

const (
	// lookEvery is how many bytes are read between two looks at the context.
	lookEvery = 64 << 10
	// maxBlockDepth bounds recursion where Limits.MaxDepth does not.
	maxBlockDepth = 1000
	// maxKeyBytes bounds a key: the library knows none of more than 1,024 characters.
	maxKeyBytes = 1000
)

// document reads the only document of a text that begins at a line, a mapping.
func (b *block) document(ctx context.Context, text []byte, line int, limits Limits) bool {
	*b = block{ctx: ctx, limits: limits, text: text, line: line, out: b.out[:0], marks: b.marks[:0], keys: b.keys[:0], scalar: b.scalar}
	if !bytes.HasSuffix(text, []byte("\n")) || tooMany(text, limits) || !printable(text) || !b.seek(0) {
		return false
	}
	if b.column() == 0 && bytes.HasPrefix(text[b.at:], []byte("---\n")) {
		b.at += len("---")
		if !b.next() {
			return false
		}
	}
	_, _, ok := b.key()
	return ok && b.column() == 0 && b.mapping(0) && b.at == len(text)
}

// printable reports whether a text has only characters that the library takes, and no
// other ends of lines than \n.
func printable(text []byte) bool {
	const each, high = 0x0101010101010101, 0x8080808080808080
	for i := 0; i < len(text); {
		if len(text)-i >= 8 { // eight at a time from space to }
			if x := binary.LittleEndian.Uint64(text[i:]); (x|(x-0x20*each)|(x+2*each))&high == 0 {
				i += 8
				continue
			}
		}
		switch c := text[i]; {
		case c >= ' ' && c <= '~', c == '\n', c == '\t':
			i++
		case c < utf8.RuneSelf:
			return false
		default:
			r, n := utf8.DecodeRune(text[i:])
			if r < 0xa0 || r >= 0x2028 && r <= 0x2029 || r == 0xfeff || r >= 0xfffd && r <= 0xffff {
				return false
			}
			i += n
		}
	}
	return true
}

// column returns where in its line the next token stands, -1 at the end.
func (b *block) column() int { return b.at - b.begin }

// stopped reports whether the context ended. It looks now and then.
func (b *block) stopped(i int) bool {
	if i-b.looked < lookEvery {
		return false
	}
	b.looked = i
	return b.ctx.Err() != nil
}

// next moves from the end of a token on to the next one, on a later line.
func (b *block) next() bool {
	i := b.at
	for b.text[i] == ' ' {
		i++
	}
	if b.text[i] == '#' && i > b.at {
		i += bytes.IndexByte(b.text[i:], '\n')
	}
	if b.text[i] != '\n' {
		return false
	}
	b.line++
	return b.seek(i + 1)
}

// seek moves on to the first token of the lines from i on.
func (b *block) seek(i int) bool {
	for !b.stopped(i) {
		b.begin = i
		for i < len(b.text) && b.text[i] == ' ' {
			i++
		}
		if i == len(b.text) {
			b.at, b.begin = i, i+1
			return true
		}
		if b.text[i] == '#' {
			i += bytes.IndexByte(b.text[i:], '\n')
		}
		if b.text[i] != '\n' {
			b.at = i
			return true
		}
		i++
		b.line++
	}
	return false
}

// count counts a value, or a key, with that much text against the limits.
func (b *block) count(text int) bool {
	b.nodes++
	b.bytes += int64(text) + 1
	return b.nodes <= b.limits.MaxNodes && b.bytes <= b.limits.MaxBytes
}

// open begins a collection.
func (b *block) open(bracket byte, depth int) bool {
	b.marks.at(len(b.out), b.line)
	b.out = append(b.out, bracket)
	return depth < min(b.limits.MaxDepth, maxBlockDepth) && b.count(0)
}

// dash reports whether the next token begins an item of a sequence.
func (b *block) dash() bool {
	return b.at < len(b.text) && b.text[b.at] == '-' && (b.text[b.at+1] == ' ' || b.text[b.at+1] == '\n')
}

// node reads a value below a collection that stands at a column.
func (b *block) node(parent, depth int) bool {
	if b.dash() {
		return b.sequence(depth)
	}
	if _, _, ok := b.key(); ok {
		return b.mapping(depth)
	}
	return b.value(parent, depth)
}

// mapping reads a mapping.
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
		b.at = colon + 1
		if !b.member(column, depth+1, false) {
			return false
		}
	}
	b.out = append(b.out, '}')
	return b.column() < column && b.distinct(base)
}

// distinct forgets the keys of a mapping, and reports whether no two are equal.
func (b *block) distinct(base int) bool {
	keys := b.keys[base:]
	b.keys = b.keys[:base]
	compare := func(x, y quickjson.Span) int { return bytes.Compare(x.Of(b.out), y.Of(b.out)) }
	slices.SortFunc(keys, compare)
	for i := 1; i < len(keys); i++ {
		if compare(keys[i-1], keys[i]) == 0 {
			return false
		}
	}
	return true
}

// sequence reads a sequence.
func (b *block) sequence(depth int) bool {
	column := b.column()
	if !b.open('[', depth) {
		return false
	}
	for n := 0; b.column() == column && b.dash(); n++ {
		if n > 0 {
			b.out = append(b.out, ',')
		}
		b.at++
		if !b.member(column, depth+1, true) {
			return false
		}
	}
	b.out = append(b.out, ']')
	return b.column() <= column // its mapping may go on there
}

// member reads what is behind a key or dash of the collection at a column: on the same
// line, on later ones, or nothing.
func (b *block) member(column, depth int, item bool) bool {
	line, i := b.line, b.at
	for b.text[i] == ' ' {
		i++
	}
	if c := b.text[i]; c != '\n' && c != '#' {
		b.at = i
		if item {
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

// key returns the key that the next token is, and where its colon is.
func (b *block) key() (name []byte, colon int, ok bool) {
	if b.at == len(b.text) {
		return nil, 0, false
	}
	line := b.restOfLine(b.at)
	switch c := line[0]; {
	case c == '"' || c == '\'':
		n := bytes.IndexByte(line[1:], c)
		if n < 0 || c == '"' && bytes.IndexByte(line[1:1+n], '\\') >= 0 {
			return nil, 0, false
		}
		name, colon = line[1:1+n], n+2
	case beginsPlain(line):
		colon, _ = plainEnd(line)
		name = line[:colon]
		if string(name) == "<<" || bytes.HasPrefix(name, []byte("---")) || bytes.HasPrefix(name, []byte("...")) {
			return nil, 0, false
		}
	}
	ok = colon > 0 && colon < min(len(line), maxKeyBytes) && line[colon] == ':' && (colon+1 == len(line) || line[colon+1] == ' ')
	return name, b.at + colon, ok
}

// restOfLine returns the line from i on, without its end.
func (b *block) restOfLine(i int) []byte { return b.text[i : i+bytes.IndexByte(b.text[i:], '\n')] }
