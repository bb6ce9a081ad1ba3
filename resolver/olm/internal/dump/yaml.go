package dump

import (
	"bufio"
	"bytes"
	"context"
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

// yamlReader cuts a stream of YAML into objects by its lines: at the markers
// between documents, and where a document has a key "items" in block style, at the
// dashes of its items, so that a list of any length takes the memory of one object.
type yamlReader struct {
	*Reader
	ctx  context.Context
	in   *bufio.Reader
	name string

	line     int  // of what is read
	begin    int  // of the object in text
	inItems  bool // text is an item of a list
	isList   bool // the document had items
	indent   int  // of the dash of an item; -1 before the first
	overflow bool // the object is too large
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
		for err == bufio.ErrBufferFull { // the rest of a long line
			chunk, err = y.in.ReadSlice('\n')
			y.append(chunk)
		}
		switch {
		case err == io.EOF:
			return y.flush()
		case err != nil:
			return err // what is cut off is not an object
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
		y.text, y.begin = y.text[:0], y.line+1
		return nil
	case !y.inItems:
		y.append(line)
		return nil
	}
	return y.takeItem(line)
}

// takeItem takes the beginning of a line in a list of items.
func (y *yamlReader) takeItem(line []byte) error {
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
			y.text[at] = ' ' // so that it is a mapping by itself
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
	case y.isList && !y.inItems:
		return nil // what a list says of itself
	case y.inItems:
		indent = y.indent + 2
		if y.indent < 0 {
			return nil
		}
	}
	return y.object(y.ctx, text, y.name, begin, indent)
}

func (r *Reader) tooLarge(name string, line int) {
	r.Problem(graph.Problem{Severity: graph.SeverityError, Code: CodeLarge, File: name, Line: line, Message: fmt.Sprintf("an object has more than %d bytes, and is left out: no cluster holds such a one", MaxObjectBytes)})
}

// object yields an object in YAML if it is wanted.
func (r *Reader) object(ctx context.Context, text []byte, name string, line, indent int) error {
	h := peek(text, indent)
	switch {
	case h.copied:
		r.copied()
		return nil
	case !bytes.Contains(text, []byte("kind")):
		return nil // whatever it is, it does not say that it is an object
	case h.kind != "" && !isList(h.kind) && !r.Wanted(h.group(), h.kind):
		r.Objects++
		return nil
	}
	r.large(text, name, line, h.kind)
	limits := document.Limits{MaxBytes: MaxObjectBytes, MaxNodes: maxNodes}
	if h.isCSV() {
		r.scratch = prune(r.scratch, text, indent)
		if n, err := document.Decode(ctx, r.scratch, name, limits); err == nil {
			return r.node(n, name, line)
		} else if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	n, err := document.Decode(ctx, text, name, limits)
	if err == nil {
		return r.node(n, name, line)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	problem := graph.Problem{Severity: graph.SeverityError, Code: CodeSyntax, File: name, Line: line, Message: err.Error()}
	var bad *document.SyntaxError
	if errors.As(err, &bad) {
		problem.Line, problem.Message = line+max(bad.Line, 1)-1, bad.Reason
	}
	r.Problem(problem)
	return nil
}

func (r *Reader) large(text []byte, name string, line int, kind string) {
	if len(text) > LargeObjectBytes {
		r.Problem(graph.Problem{Severity: graph.SeverityWarning, Code: CodeLarge, File: name, Line: line, Message: fmt.Sprintf("this %s has %d bytes, more than the %d that an API server takes; it is used all the same", kind, len(text), LargeObjectBytes)})
	}
}

// maxNodes bounds the values of one object that is parsed.
const maxNodes = 1 << 19

// node yields a parsed object, or the items of a list.
func (r *Reader) node(n *document.Node, name string, line int) error {
	h := head{apiVersion: text(n.Field("apiVersion")), kind: text(n.Field("kind"))}
	items := n
	switch {
	case n.Kind == document.KindMapping && isList(h.kind):
		if items = n.Field("items"); items == nil {
			return nil
		}
	case n.Kind == document.KindMapping && n.Field("kind") != nil:
		return r.yield(&h, n.JSON(), name, line)
	case n.Kind != document.KindSequence:
		return nil // not an object of a cluster: a folder may hold any file
	}
	for _, item := range items.Items {
		if err := r.node(item, name, line+max(item.Line, 1)-1); err != nil {
			return err
		}
	}
	return nil
}

func text(n *document.Node) string {
	if n == nil {
		return ""
	}
	return n.Value
}

func isList(kind string) bool { return strings.HasSuffix(kind, "List") }

func (r *Reader) yield(h *head, content []byte, name string, line int) error {
	r.Objects++
	group, version := SplitAPIVersion(h.apiVersion)
	if !r.Wanted(group, h.kind) {
		return nil
	}
	if err := r.Visit(Object{File: name, Line: line, Group: group, Version: version, Kind: h.kind, JSON: content}); err != nil {
		return &visitError{err}
	}
	return nil
}
