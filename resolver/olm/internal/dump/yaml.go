package dump

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/graph"
)

// readText reads a stream of objects as text, JSON or YAML.
func (r *Reader) readText(ctx context.Context, in *bufio.Reader, name string) error {
	in = asUTF8(in)
	begin, err := in.Peek(4 << 10)
	if err != nil && err != io.EOF {
		return r.unreadable(ctx, name, err)
	}
	begin = bytes.TrimLeft(begin, " \t\r\n")
	if bytes.HasPrefix(begin, []byte("{")) || bytes.HasPrefix(begin, []byte("[")) {
		return r.readJSON(ctx, in, name)
	}
	y := &yamlReader{Reader: r, ctx: ctx, in: in, name: name}
	if err := y.run(); err != nil {
		return r.unreadable(ctx, name, err)
	}
	return nil
}

// yamlReader splits a stream of YAML into objects by lines: at document markers and, in a
// document with a block-style key "items", at the dashes of the items, so that a list of any
// length needs the memory of one object.
type yamlReader struct {
	*Reader
	ctx  context.Context
	in   *bufio.Reader
	name string

	line     int  // current line
	begin    int  // first line of the object in text
	inItems  bool // text is an item of a list
	isList   bool // the document had items
	indent   int  // of the dash of an item; -1 before the first
	overflow bool // the object is too large
	list     head // the document's head before its items
	nameless int  // earlier objects without a kind
}

func (y *yamlReader) run() error {
	y.text, y.begin = y.text[:0], 1
	for {
		chunk, err := y.in.ReadSlice('\n')
		if len(chunk) > 0 {
			y.line++
			if err := y.take(chunk); err != nil {
				return err
			}
		}
		for err == bufio.ErrBufferFull { // continuation of a long line
			chunk, err = y.in.ReadSlice('\n')
			y.append(chunk)
		}
		switch {
		case err == io.EOF:
			return y.flush()
		case err != nil:
			return err // a truncated object is not used
		}
	}
}

func (y *yamlReader) take(line []byte) error {
	switch {
	case isMarker(line):
		if err := y.flush(); err != nil {
			return err
		}
		y.inItems, y.isList = false, false
		if line[0] == '-' {
			y.append(line[3:])
		}
		return nil
	case !y.inItems && bytes.HasPrefix(line, []byte("items:")) && len(bytes.TrimSpace(line)) == len("items:"):
		y.inItems, y.isList, y.indent = true, true, -1
		y.list, y.nameless = peek(y.text, 0), y.Reader.nameless
		y.text, y.begin = y.text[:0], y.line+1
		return nil
	case !y.inItems:
		y.append(line)
		return nil
	}
	return y.startItem(line)
}

// startItem reads the first part of a line in a list of items.
func (y *yamlReader) startItem(line []byte) error {
	at := indentation(line)
	rest := bytes.TrimRight(line[at:], "\r\n")
	blank := len(rest) == 0 || rest[0] == '#'
	dash := len(rest) > 0 && rest[0] == '-' && (len(rest) == 1 || rest[1] == ' ')
	switch {
	case y.indent < 0 && blank:
		return nil
	case dash && (y.indent < 0 || at == y.indent):
		if err := y.flush(); err != nil {
			return err
		}
		y.indent = at
		y.append(line)
		if !y.overflow {
			y.text[at] = ' ' // turns the item into a mapping
		}
		return nil
	case !blank && at <= y.indent, y.indent < 0:
		if err := y.flush(); err != nil {
			return err
		}
		y.inItems = false
	}
	y.append(line)
	return nil
}

// isMarker reports whether a line separates documents.
func isMarker(line []byte) bool {
	return len(line) >= 3 && (string(line[:3]) == "---" || string(line[:3]) == "...") &&
		(len(line) == 3 || line[3] == ' ' || line[3] == '\n' || line[3] == '\r')
}

func (y *yamlReader) append(text []byte) {
	if len(y.text)+len(text) > MaxObjectBytes {
		y.overflow = true
		return
	}
	y.text = append(y.text, text...)
}

func (y *yamlReader) flush() error {
	text, begin, overflow := y.text, y.begin, y.overflow
	y.text, y.begin, y.overflow = y.text[:0], max(y.line, 1), false
	indent := 0
	switch {
	case overflow:
		y.tooLarge(y.name, begin)
		return nil
	case y.isList && !y.inItems: // other keys of the list
		end := peek(text, 0)
		end.kind, end.apiVersion = cmp.Or(end.kind, y.list.kind), cmp.Or(end.apiVersion, y.list.apiVersion)
		y.lost(end, y.Reader.nameless-y.nameless, y.name, begin)
		return nil
	case y.inItems:
		indent = y.indent + 2
		if y.indent < 0 {
			return nil
		}
	}
	var list head
	if y.inItems {
		list = y.list
	}
	return y.object(y.ctx, text, y.name, begin, indent, list)
}

func (r *Reader) tooLarge(name string, line int) {
	r.Problem(graph.Problem{Severity: graph.SeverityError, Code: CodeLarge, File: name, Line: line, Message: fmt.Sprintf("an object exceeds %d bytes and is skipped: no cluster holds such an object", MaxObjectBytes)})
}

// object yields a wanted object in YAML. The list is the head of its list.
func (r *Reader) object(ctx context.Context, text []byte, name string, line, indent int, list head) error {
	h := peek(text, indent)
	_, typed := list.items()
	switch {
	case h.copied:
		r.copied()
		return nil
	case !typed && !bytes.Contains(text, []byte("kind")):
		r.nameless++
		return nil // without an API version and kind it is not an object
	case h.named() && !isList(h.kind) && !r.Wanted(h.group(), h.kind):
		r.Objects++
		return nil
	case h.named() && !isList(h.kind) && !r.Relevant(h.group(), h.kind, text):
		r.Objects++
		return nil
	}
	r.large(text, name, line, h.kind)
	texts := [][]byte{text}
	if h.isCSV() { // report errors for the whole text
		r.scratch = prune(r.scratch, text, indent)
		texts = [][]byte{r.scratch, text}
	}
	limits := document.Limits{MaxBytes: MaxObjectBytes, MaxNodes: maxNodes}
	var err error
	for _, text := range texts {
		err = r.yaml.Each(ctx, text, line, limits, func(value json.RawMessage, marks document.Marks) error {
			return r.found(value, source{name: name, marks: marks, list: list})
		})
		if err == nil || isFatal(ctx, err) {
			return err
		}
	}
	problem := graph.Problem{Severity: graph.SeverityError, Code: CodeSyntax, File: name, Line: line, Message: err.Error()}
	var bad *document.SyntaxError
	if errors.As(err, &bad) {
		problem.Line, problem.Message = bad.Line, bad.Reason
	}
	r.Problem(problem)
	return nil
}

func (r *Reader) large(text []byte, name string, line int, kind string) {
	if len(text) > LargeObjectBytes {
		r.Problem(graph.Problem{Severity: graph.SeverityWarning, Code: CodeLarge, File: name, Line: line, Message: fmt.Sprintf("this %s has %d bytes, more than the %d that an API server accepts; it is used nevertheless", kind, len(text), LargeObjectBytes)})
	}
}

// maxNodes limits the values of one parsed object.
const maxNodes = 1 << 19

func isList(kind string) bool { return strings.HasSuffix(kind, "List") }
