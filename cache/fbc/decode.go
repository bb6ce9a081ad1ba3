package fbc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// DecodeYAML reads a document of YAML or JSON as a tree of nodes: for files
// that hold more than a catalog and say themselves what may be in them, such
// as a scenario. It is strict: a key that is given twice and a second document
// are errors. Of the options only the limits count, the document as a whole
// being the blob that they limit.
//
// The error is a [*SyntaxError] with name as its file, that of the reader, or
// that of the context.
func DecodeYAML(ctx context.Context, r io.Reader, name string, opts Options) (*Node, error) {
	opts = opts.withDefaults()
	src := newSource(ctx, r, &budget{opts: &opts})
	for src.more() {
	}
	if err := src.failed(); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	if src.full() || int64(len(src.window())) > opts.MaxBlobBytes {
		return nil, &SyntaxError{File: name, Reason: fmt.Sprintf("it has more than the %d bytes that a document may have", opts.MaxBlobBytes)}
	}
	if bytes.HasPrefix(src.window(), []byte(byteOrderMark)) {
		src.advance(len(byteOrderMark))
	}
	n, err := decodeDocument(src, name)
	var bad *SyntaxError
	if errors.As(err, &bad) {
		bad.File = name
	}
	return n, err
}

// decodeDocument reads the only document in the window.
func decodeDocument(src *source, name string) (*Node, error) {
	text := src.window()
	if looksLikeJSON(text) {
		n, err := decodeJSON(src, text)
		if err == nil || src.ctx.Err() != nil || path.Ext(name) == ".json" {
			return n, err
		}
		// Braces and quotes are YAML as well.
	}
	docs, err := parseYAML(src, text, newExpansion(src.ctx, src.budget.opts))
	if err != nil {
		return nil, err
	}
	switch len(docs) {
	case 0:
		return nil, &SyntaxError{Reason: "the document is empty"}
	case 1:
		return docs[0], nil
	}
	return nil, &SyntaxError{Line: docs[1].Line, Reason: "a second document begins here: only one is expected"}
}

// looksLikeJSON reports whether a text begins like an object of JSON. YAML can
// begin like that as well, but hardly does.
func looksLikeJSON(text []byte) bool {
	text = text[leadingSpace(text):]
	if len(text) == 0 || text[0] != '{' {
		return false
	}
	text = text[1:]
	text = text[leadingSpace(text):]
	return len(text) == 0 || text[0] == '"' || text[0] == '}'
}

// nodeDecoder reads JSON as nodes.
type nodeDecoder struct {
	src   *source
	dec   *jsontext.Decoder
	text  []byte
	seen  counted
	nodes int
}

// decodeJSON reads the only value in a text.
func decodeJSON(src *source, text []byte) (*Node, error) {
	d := &nodeDecoder{src: src, text: text, dec: jsontext.NewDecoder(bytes.NewBuffer(text))}
	n, err := d.value(0)
	if err == nil {
		if _, err = d.dec.ReadToken(); err == io.EOF {
			return n, nil
		}
		if err == nil {
			err = d.fail("a second value begins here: only one is expected")
		}
	}
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		return nil, &SyntaxError{Line: d.lineAt(int(syntactic.ByteOffset)), Reason: "this is not valid JSON: " + reason(syntactic)}
	}
	return nil, err
}

// lineAt returns the line at an offset.
func (d *nodeDecoder) lineAt(offset int) int { return d.src.line + d.seen.at(d.text, offset) }

// next returns the line at which the next token begins.
func (d *nodeDecoder) next() int {
	offset := int(d.dec.InputOffset())
	for offset < len(d.text) && (isSpace(d.text[offset]) || d.text[offset] == ',' || d.text[offset] == ':') {
		offset++
	}
	return d.lineAt(offset)
}

// fail returns an error about where the decoder is.
func (d *nodeDecoder) fail(format string, args ...any) error {
	return &SyntaxError{Line: d.lineAt(int(d.dec.InputOffset())), Reason: fmt.Sprintf(format, args...)}
}

// value reads one value.
func (d *nodeDecoder) value(depth int) (*Node, error) {
	if d.nodes++; d.nodes > d.src.budget.opts.MaxNodes {
		return nil, d.fail("it has more than the %d values that a document may have", d.src.budget.opts.MaxNodes)
	}
	if d.nodes%checkEvery == 0 && d.src.ctx.Err() != nil {
		return nil, d.src.ctx.Err()
	}
	n := &Node{Line: d.next()}
	tok, err := d.dec.ReadToken()
	if err != nil {
		if err == io.EOF {
			err = d.fail("the document is empty")
		}
		return nil, err
	}
	switch tok.Kind() {
	case '{', '[':
		if depth >= d.src.budget.opts.MaxDepth {
			return nil, d.fail("it is nested deeper than %d levels", d.src.budget.opts.MaxDepth)
		}
		if tok.Kind() == '[' {
			n.Kind = KindSequence
			return n, d.items(n, depth+1)
		}
		n.Kind = KindMapping
		return n, d.fields(n, depth+1)
	case '"':
		n.Kind = KindString
	case '0':
		n.Kind = KindNumber
	case 't', 'f':
		n.Kind = KindBool
	default:
		return n, nil
	}
	n.Value = strings.Clone(tok.String())
	return n, nil
}

// items reads the items of an array and its end.
func (d *nodeDecoder) items(n *Node, depth int) error {
	for d.dec.PeekKind() != ']' {
		item, err := d.value(depth)
		if err != nil {
			return err
		}
		n.Items = append(n.Items, item)
	}
	_, err := d.dec.ReadToken()
	return err
}

// fields reads the members of an object and its end.
func (d *nodeDecoder) fields(n *Node, depth int) error {
	for d.dec.PeekKind() != '}' {
		f := Field{Line: d.next()}
		name, err := d.dec.ReadToken()
		if err != nil {
			return err
		}
		f.Name = strings.Clone(name.String())
		if f.Value, err = d.value(depth); err != nil {
			return err
		}
		n.Fields = append(n.Fields, f)
	}
	_, err := d.dec.ReadToken()
	return err
}
