package dump

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/graph"
)

// readJSON reads a sequence of JSON objects, each possibly a list. Items of a list are read one
// at a time.
func (r *Reader) readJSON(ctx context.Context, in *bufio.Reader, name string) error {
	w := &window{in: in}
	dec := jsontext.NewDecoder(w, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	j := &jsonReader{Reader: r, dec: dec, window: w, name: name}
	for {
		w.left = MaxObjectBytes + bufferSlack
		err := j.value()
		var syntactic *jsontext.SyntacticError
		switch {
		case err == nil:
			continue
		case errors.Is(err, errWindow):
			r.tooLarge(name, 0)
			return nil
		case isFatal(ctx, err):
			return err
		case err == io.EOF:
			return nil
		case errors.As(err, &syntactic) && !errors.Is(err, io.ErrUnexpectedEOF):
			r.problem(CodeSyntax, name, "invalid JSON; the rest is skipped: "+syntactic.Error())
			return nil
		}
		return r.unreadable(ctx, name, err)
	}
}

// bufferSlack is the number of bytes that a decoder may read ahead.
const bufferSlack = 1 << 20

// errWindow reports a value that exceeds the limit of one object.
var errWindow = errors.New("the object is too large")

// window passes on a limited number of bytes until it is reopened.
type window struct {
	in   io.Reader
	left int
}

func (w *window) Read(p []byte) (int, error) {
	if w.left <= 0 {
		return 0, errWindow
	}
	n, err := w.in.Read(p[:min(len(p), w.left)])
	w.left -= n
	return n, err
}

type jsonReader struct {
	*Reader
	dec    *jsontext.Decoder
	window *window
	name   string
	whole  []byte // buffer for a top-level object
}

// value reads a top-level object or list of objects.
func (j *jsonReader) value() error {
	switch kind := j.dec.PeekKind(); kind {
	case '[':
		return j.items(head{})
	case '{':
		return j.members()
	default:
		return j.dec.SkipValue() // or returns the syntax error
	}
}

// members reads an object. Items of a list are visited.
func (j *jsonReader) members() error {
	if _, err := j.dec.ReadToken(); err != nil {
		return err
	}
	whole, list, nameless := append(j.whole[:0], '{'), false, j.nameless
	var h head
	for j.dec.PeekKind() == '"' {
		key, err := j.dec.ReadToken()
		if err != nil {
			return err
		}
		name := key.String()
		if name == "items" && j.dec.PeekKind() == '[' {
			list = true
			if err := j.items(h); err != nil {
				return err
			}
			continue
		}
		value, err := j.dec.ReadValue()
		if err != nil {
			return err
		}
		if len(whole)+len(value) > MaxObjectBytes {
			return errWindow
		}
		switch name {
		case "apiVersion":
			h.apiVersion = textOf(decoder(value))
		case "kind":
			h.kind = textOf(decoder(value))
		}
		if len(whole) > 1 {
			whole = append(whole, ',')
		}
		if whole, err = jsontext.AppendQuote(whole, name); err != nil {
			return err
		}
		whole = append(append(whole, ':'), value...)
	}
	whole = append(whole, '}')
	if cap(whole) <= bufferSlack {
		j.whole = whole
	}
	if _, err := j.dec.ReadToken(); err != nil {
		return err
	}
	if list {
		j.lost(h, j.nameless-nameless, j.name, 0)
		return nil
	}
	return j.found(whole, source{name: j.name})
}

func (j *jsonReader) items(list head) error {
	return items(j.dec, func() { j.window.left = MaxObjectBytes + bufferSlack }, func(item []byte, _ int) error {
		return j.found(item, source{name: j.name, lists: 1, list: list})
	})
}

// items iterates over the items of the next list, each with its offset.
func items(dec *jsontext.Decoder, before func(), visit func(item []byte, at int) error) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != ']' {
		before()
		item, err := dec.ReadValue()
		if err != nil {
			return err
		}
		if err := visit(item, int(dec.InputOffset())-len(item)); err != nil {
			return err
		}
	}
	before()
	_, err := dec.ReadToken()
	return err
}

// source locates JSON: the file, the YAML lines that it was converted from, if any, the number of
// lists around it, and the head of the innermost list.
type source struct {
	name  string
	marks document.Marks
	at    int // offset in the marked text
	lists int
	list  head
}

// found yields an object, or the objects of a list.
func (r *Reader) found(value []byte, from source) error {
	dec := decoder(value)
	list := func(h head) error {
		if from.lists >= MaxLists {
			r.problem(CodeLarge, from.name, fmt.Sprintf("more than %d nested lists; the innermost list is skipped", MaxLists))
			return nil
		}
		return items(dec, func() {}, func(item []byte, at int) error {
			return r.found(item, source{from.name, from.marks, from.at + at, from.lists + 1, h})
		})
	}
	switch {
	case value[0] == '[' && from.lists == 0:
		return list(head{})
	case value[0] != '{':
		return nil // not an object of a cluster: a folder may contain any file
	}
	h := peekJSON(value)
	if of, typed := from.list.items(); typed && h.kind == "" {
		h.kind, h.apiVersion = of, from.list.apiVersion
	}
	switch {
	case h.copied:
		r.copied()
		return nil
	case isList(h.kind):
		var err error
		each(dec, func(key string) bool {
			if key == "items" && dec.PeekKind() == '[' {
				err = list(h)
			}
			return err != nil
		})
		return err
	case h.kind == "":
		r.nameless++
		return nil
	}
	r.Objects++
	group, version := SplitAPIVersion(h.apiVersion)
	if !r.Wanted(group, h.kind) || !r.Relevant(group, h.kind, value) {
		return nil
	}
	if from.marks == nil {
		r.large(value, from.name, 0, h.kind)
	}
	if err := r.Visit(Object{File: from.name, Line: from.marks.Line(from.at), Group: group, Version: version, Kind: h.kind, JSON: value}); err != nil {
		return &visitError{err}
	}
	return nil
}

// lost reports skipped items of a list whose kind is given neither by them nor by the text before
// them.
func (r *Reader) lost(list head, items int, name string, line int) {
	if kind, typed := list.items(); typed && items > 0 && r.Wanted(list.group(), kind) {
		r.Problem(graph.Problem{Severity: graph.SeverityError, Code: CodeObject, File: name, Line: line, Message: fmt.Sprintf(
			"%d items of a %s have no kind and are skipped; write the kind of the list before its items", items, list.kind)})
	}
}

func decoder(value []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(value), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// peekJSON finds the head of an object, and stops as soon as it is a copy. It leaves errors to
// the parser.
func peekJSON(value []byte) head {
	var h head
	var operatorNamespace string
	dec := decoder(value)
	each(dec, func(key string) bool {
		switch key {
		case "apiVersion":
			h.apiVersion = textOf(dec)
		case "kind":
			h.kind = textOf(dec)
		case "metadata":
			operatorNamespace = h.metadata(dec)
		case "status":
			each(dec, func(key string) bool {
				if key == "reason" {
					h.copied = h.copied || textOf(dec) == "Copied"
				}
				return false
			})
		}
		return h.named() && (h.copied || h.kind != csvKind)
	})
	return h.concluded(operatorNamespace)
}

// metadata reads the metadata that identifies copies.
func (h *head) metadata(dec *jsontext.Decoder) (operatorNamespace string) {
	each(dec, func(key string) bool {
		switch key {
		case "namespace":
			h.namespace = textOf(dec)
		case "labels", "annotations":
			each(dec, func(name string) bool {
				switch {
				case key == "labels" && name == "olm.copiedFrom":
					h.copied = true
				case key == "annotations" && name == "olm.operatorNamespace":
					operatorNamespace = textOf(dec)
				}
				return false
			})
		}
		return false
	})
	return operatorNamespace
}

// each iterates over the members of the next object until member returns true. It does not read
// other values. It skips a value that member did not read.
func each(dec *jsontext.Decoder, member func(key string) (enough bool)) {
	if dec.PeekKind() != '{' {
		return
	}
	if _, err := dec.ReadToken(); err != nil {
		return
	}
	for dec.PeekKind() == '"' {
		key, err := dec.ReadToken()
		if err != nil {
			return
		}
		before := dec.InputOffset()
		if member(key.String()) {
			return
		}
		if dec.InputOffset() == before && dec.SkipValue() != nil {
			return
		}
	}
	_, _ = dec.ReadToken() // the end, or an error that the parser reports
}

func textOf(dec *jsontext.Decoder) string {
	if dec.PeekKind() != '"' {
		return ""
	}
	tok, err := dec.ReadToken()
	if err != nil {
		return ""
	}
	return tok.String()
}
