package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed109e2655/resolute/internal/quickjson"
)

// Decode reads a YAML or JSON document. It is strict: duplicate keys and a second document are
// errors. The extension of the name, which may be empty, distinguishes JSON from YAML if the text
// does not.
//
// The error is a [*SyntaxError] with name as its file, or that of the context.
func Decode(ctx context.Context, text []byte, name string, limits Limits) (*Node, error) {
	limits = limits.withDefaults()
	if int64(len(text)) > limits.MaxBytes {
		return nil, &SyntaxError{File: name, TooLarge: true, Reason: fmt.Sprintf("it has more than the %d bytes that a document may have", limits.MaxBytes)}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n, err := decode(ctx, bytes.TrimPrefix(text, []byte("\uFEFF")), name, limits)
	var bad *SyntaxError
	if errors.As(err, &bad) {
		bad.File = name
	}
	return n, err
}

// decode reads the only document in a text.
func decode(ctx context.Context, text []byte, name string, limits Limits) (*Node, error) {
	if quickjson.LooksLikeObject(text) {
		n, err := decodeJSON(ctx, text, limits)
		if err == nil || ctx.Err() != nil || path.Ext(name) == ".json" {
			return n, err
		}
		// Braces and quotes are valid YAML too.
	}
	docs, err := All(ctx, text, 1, limits)
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

// nodeDecoder decodes JSON to nodes.
type nodeDecoder struct {
	ctx    context.Context
	limits Limits
	dec    *jsontext.Decoder
	text   []byte
	at     int // an offset in the text, and the newlines before it
	lines  int
	nodes  int
}

// decodeJSON reads the only value in a text.
func decodeJSON(ctx context.Context, text []byte, limits Limits) (*Node, error) {
	d := &nodeDecoder{ctx: ctx, limits: limits, text: text, dec: jsontext.NewDecoder(bytes.NewBuffer(text))}
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
		return nil, &SyntaxError{Line: d.lineAt(int(syntactic.ByteOffset)), Reason: "this is not valid JSON: " + syntactic.Err.Error()}
	}
	return nil, err
}

// lineAt returns the line of an offset, which must not be before the last one.
func (d *nodeDecoder) lineAt(offset int) int {
	offset = min(max(offset, d.at), len(d.text))
	d.lines += bytes.Count(d.text[d.at:offset], []byte("\n"))
	d.at = offset
	return d.lines + 1
}

// next returns the line of the next token.
func (d *nodeDecoder) next() int {
	offset := int(d.dec.InputOffset())
	for offset < len(d.text) && bytes.IndexByte([]byte(" \t\r\n,:"), d.text[offset]) >= 0 {
		offset++
	}
	return d.lineAt(offset)
}

// fail returns an error at the current position.
func (d *nodeDecoder) fail(format string, args ...any) error {
	return &SyntaxError{Line: d.lineAt(int(d.dec.InputOffset())), Reason: fmt.Sprintf(format, args...)}
}

// value reads one value.
func (d *nodeDecoder) value(depth int) (*Node, error) {
	if d.nodes++; d.nodes > d.limits.MaxNodes {
		return nil, d.fail("it has more than the %d values that a document may have", d.limits.MaxNodes)
	}
	if d.nodes%checkEvery == 0 && d.ctx.Err() != nil {
		return nil, d.ctx.Err()
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
		if depth >= d.limits.MaxDepth {
			return nil, d.fail("it is nested deeper than %d levels", d.limits.MaxDepth)
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

// items decodes the items of an array and its end.
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

// fields decodes the members of an object and its end.
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
