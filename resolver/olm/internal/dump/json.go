package dump

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// readJSON reads objects of JSON, one behind the other, each perhaps a list. The
// items of a list are read one at a time.
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
			r.problem(CodeSyntax, name, "this is not valid JSON, and what follows is left out: "+syntactic.Error())
			return nil
		}
		return r.unreadable(ctx, name, err)
	}
}

// bufferSlack is how far a decoder may have read ahead.
const bufferSlack = 1 << 20

// errWindow says that a value has more bytes than one object may have.
var errWindow = errors.New("the object is too large")

// window lets so much be read before it has to be opened again.
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
	whole  []byte // room for an object of the first level
}

// value reads an object, or a list of them, at the first level.
func (j *jsonReader) value() error {
	switch kind := j.dec.PeekKind(); kind {
	case '[':
		return j.items()
	case '{':
		return j.members()
	default:
		return j.dec.SkipValue() // or what is wrong
	}
}

// members reads an object: if it turns out to be a list, its items were visited.
func (j *jsonReader) members() error {
	if _, err := j.dec.ReadToken(); err != nil {
		return err
	}
	whole, list, copied := append(j.whole[:0], '{'), false, false
	for j.dec.PeekKind() == '"' {
		key, err := j.dec.ReadToken()
		if err != nil {
			return err
		}
		name := key.String()
		if name == "items" && j.dec.PeekKind() == '[' {
			list = true
			if err := j.items(); err != nil {
				return err
			}
			continue
		}
		value, err := j.dec.ReadValue()
		if err != nil {
			return err
		}
		if copied {
			continue // what else it says does not matter
		}
		if len(whole)+len(value) > MaxObjectBytes {
			return errWindow
		}
		if len(whole) > 1 {
			whole = append(whole, ',')
		}
		if whole, err = jsontext.AppendQuote(whole, name); err != nil {
			return err
		}
		whole = append(append(whole, ':'), value...)
		if name == "metadata" { // most that is large comes after it
			copied = peekJSON(append(whole, '}')).copied
		}
	}
	whole = append(whole, '}')
	if cap(whole) <= bufferSlack {
		j.whole = whole
	}
	if _, err := j.dec.ReadToken(); err != nil || list {
		return err
	}
	if copied {
		j.copied()
		return nil
	}
	return j.object(whole)
}

func (j *jsonReader) items() error {
	if _, err := j.dec.ReadToken(); err != nil {
		return err
	}
	for j.dec.PeekKind() != ']' {
		j.window.left = MaxObjectBytes + bufferSlack
		value, err := j.dec.ReadValue()
		if err != nil {
			return err
		}
		if err := j.object(value); err != nil {
			return err
		}
	}
	j.window.left = MaxObjectBytes + bufferSlack
	_, err := j.dec.ReadToken()
	return err
}

func (j *jsonReader) object(value []byte) error {
	h := peekJSON(value)
	switch {
	case h.copied:
		j.copied()
		return nil
	case isList(h.kind):
		var list struct{ Items []json.RawMessage }
		if json.Unmarshal(value, &list) == nil {
			for _, item := range list.Items {
				if err := j.object(item); err != nil {
					return err
				}
			}
		}
		return nil
	case !j.Wanted(h.group(), h.kind):
		if h.kind != "" {
			j.Objects++
		}
		return nil
	}
	j.large(value, j.name, 0, h.kind)
	return j.yield(&h, value, j.name, 0)
}

// peekJSON finds the head of an object, and stops as soon as it is known to be a
// copy. What it cannot read, it leaves to the parser.
func peekJSON(value []byte) head {
	var h head
	var operatorNamespace string
	dec := jsontext.NewDecoder(bytes.NewBuffer(value), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
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
		return h.copied && h.kind != "" && h.apiVersion != "" || h.kind != "" && h.kind != csvKind
	})
	return h.concluded(operatorNamespace)
}

// metadata reads what the metadata of an object says of a copy.
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

// each goes through the members of the object that comes next until one says that it
// is enough; what is no object stays unread. A member whose value was not read is
// passed over.
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
	_, _ = dec.ReadToken() // the end, or what is wrong: the parser says it
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
