package bundledir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/fbc/document"
)

// The folders of a bundle directory.
const (
	manifestsFolder = "manifests"
	metadataFolder  = "metadata"
)

// object is the content of a file.
type object struct {
	file string
	root *document.Node
}

// documents reads the files of a folder. It returns false if the folder is missing or exceeds a
// limit, which are problems.
func (r *reader) documents(folder string) ([]object, bool) {
	entries, err := fs.ReadDir(r.fsys, folder) // sorted by name
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			r.fail(CodeNotBundle, folder, 0, "there is no folder %s: a bundle directory has the folders %s and %s", folder, manifestsFolder, metadataFolder)
		} else {
			r.fail(fbc.CodeUnreadable, folder, 0, "the folder cannot be read: %v", err)
		}
		return nil, false
	}
	var docs []object
	for _, e := range entries {
		if r.ctx.Err() != nil {
			return nil, false
		}
		name := path.Join(folder, e.Name())
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if r.files--; r.files < 0 {
			r.fail(fbc.CodeTooLarge, name, 0, "the bundle directory has too many files: remove those that do not belong there")
			return nil, false
		}
		text, ok := r.text(name)
		if r.bytes < 0 {
			return nil, false
		}
		if !ok {
			continue
		}
		if d := r.document(name, text); d != nil {
			docs = append(docs, object{name, d})
		}
	}
	return docs, true
}

// text reads a file. It returns false if it cannot be used.
func (r *reader) text(name string) (text []byte, ok bool) {
	info, err := fs.Stat(r.fsys, name)
	switch {
	case err != nil:
	case info.IsDir():
		return nil, false // a link to a folder
	case !info.Mode().IsRegular():
		r.fail(fbc.CodeUnreadable, name, 0, "this is not a regular file, and is not read: remove it")
		return nil, false
	default:
		var f fs.File
		if f, err = r.fsys.Open(name); err == nil {
			defer f.Close()
			text, err = io.ReadAll(io.LimitReader(f, r.bytes+1))
		}
	}
	if r.bytes -= int64(len(text)); r.bytes < 0 {
		r.fail(fbc.CodeTooLarge, name, 0, "the bundle directory is too large: remove files that do not belong there")
		return nil, false
	}
	if err != nil {
		r.fail(fbc.CodeUnreadable, name, 0, "the file cannot be read: %v", err)
	}
	return text, err == nil
}

// document parses the first document of a file, or returns nil. A file without an extension of
// YAML or JSON may have any format.
func (r *reader) document(name string, text []byte) *document.Node {
	first, more := firstDocument(text)
	if more > 0 && onlyComments(first) {
		r.fail(fbc.CodeSyntax, name, more, "only comments precede this ---, and only the document before it is read: remove this line")
		return nil
	}
	root, err := document.Decode(r.ctx, first, name, document.Limits{MaxBytes: DefaultMaxBytes})
	expected := isManifest(name)
	switch {
	case err != nil && !expected, err == nil && !expected && root.Kind != document.KindMapping:
		r.warn(name, 0, "this is not YAML or JSON, and is skipped")
		return nil
	case err != nil:
		bad := &document.SyntaxError{Reason: err.Error()}
		errors.As(err, &bad)
		r.fail(fbc.CodeSyntax, name, bad.Line, "%s", bad.Reason)
		return nil
	case root.Kind != document.KindMapping:
		r.fail(fbc.CodeNotObject, name, root.Line, "this must be an object with keys, not %s", root.Kind)
		return nil
	}
	if more > 0 {
		r.warn(name, more, "a second document begins here: of each file only the first is used, put this one into a file of its own")
	}
	return root
}

// isManifest reports whether a file name has an extension of YAML or JSON.
func isManifest(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name))
}

// firstDocument returns the first YAML document of a text, and the line at which the second begins,
// if any. Like opm, it splits files at lines that begin with ---; the text before the first such
// line is a document, unless the file begins with it.
func firstDocument(text []byte) (first []byte, more int) {
	at := 0
	for line := range bytes.Lines(text) {
		if at > 0 && bytes.HasPrefix(line, []byte("---")) {
			if rest := bytes.Trim(text[at:], "- \t\r\n"); len(rest) > 0 {
				more = 1 + bytes.Count(text[:at], []byte("\n"))
			}
			return text[:at], more
		}
		at += len(line)
	}
	return text, 0
}

// onlyComments reports whether a YAML text consists of comments.
func onlyComments(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

// decode fills a struct from a node, like encoding/json. A wrong type is a problem at its line.
func (r *reader) decode(d object, n *document.Node, into any) bool {
	raw, marks := n.JSONLines()
	err := json.Unmarshal(raw, into)
	if err == nil {
		return true
	}
	code := CodeManifest
	if strings.HasPrefix(d.file, metadataFolder+"/") {
		code = CodeMetadata
	}
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		r.fail(code, d.file, n.Line, "this is invalid: %v", err)
		return false
	}
	path := slices.DeleteFunc(strings.Split(wrong.Field, "."), func(s string) bool { return slices.Contains(embedded[:], s) })
	r.fail(code, d.file, marks.Line(int(wrong.Offset)-1), "%s must be %s, not %s", strings.Join(path, "."), wanted(wrong.Type), wrong.Value)
	return false
}

// wanted returns the JSON name of a Go type.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "text: put it in quotes"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return fmt.Sprintf("a number (%s)", t)
}

// marshal is json.Marshal without escapes for HTML.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
