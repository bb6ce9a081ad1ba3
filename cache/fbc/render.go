package fbc

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/graph"
)

// maxRendered bounds the problems that a renderer keeps.
const maxRendered = 1000

// RenderOptions are the options of a [Renderer]. The zero value is the default.
type RenderOptions struct {
	// Read configures reading; its limits apply to each catalog separately.
	Read Options
	// MaxMemory is the approximate number of bytes of blobs that are kept in memory, before they
	// are moved to a temporary file; 0 means 32 MiB. A single blob, limited by Read.MaxBlobBytes,
	// and the sort key of each blob, some hundred bytes, are always in memory.
	MaxMemory int
	// Dir is the directory of the temporary file; empty means that of the system.
	Dir string
}

// Renderer writes complete catalogs, or parts of them, as one file-based catalog in a fixed order.
//
// Packages are sorted by name. Each has its olm.package blob, channels, bundles, deprecations and
// then blobs of other schemas, by schema; blobs of one schema are sorted by name, and then by
// content. Blobs without a package come last. This is also the order of opm and of [Write]. The
// same blobs give the same bytes, for any number and order of files.
//
// Blobs are not changed, except for white space between values: unknown fields and schemas, the
// order of fields, and the notation of numbers and escapes are kept.
//
// Text beyond MaxMemory is in a temporary file. A Renderer must not be used concurrently, and must
// be closed.
type Renderer struct {
	opts     RenderOptions
	blobs    []rendered
	text     []byte   // of the last blobs, concatenated
	file     *os.File // of the blobs before; nil while all are in memory
	written  int64    // to the file
	problems []graph.Problem
	left     int // number of dropped problems
}

// rendered is a blob: its sort key, and the position of its text.
type rendered struct {
	key  string
	at   int64
	size int
}

// NewRenderer returns a renderer without blobs.
func NewRenderer(opts RenderOptions) *Renderer {
	opts.MaxMemory = cmp.Or(opts.MaxMemory, 32<<20)
	return &Renderer{opts: opts}
}

// AddFS adds the catalog in a directory tree, or only in a file of it if file is not empty. An
// unreadable part is a [*ProblemsError], since the output would be incomplete. Other errors are
// those of [Blobs], and of the temporary file.
func (r *Renderer) AddFS(ctx context.Context, fsys fs.FS, file string) error {
	before, found, opts := len(r.blobs), &ProblemsError{}, r.opts.Read
	opts.File = file
	name := cmp.Or(file, ".")
	for b, err := range Blobs(ctx, fsys, opts) {
		var p *graph.Problem
		switch {
		case err == nil:
			if err := r.add(b); err != nil {
				return err
			}
		case !errors.As(err, &p):
			return err
		case p.Severity != graph.SeverityError:
			r.warn(*p)
		case len(found.Problems) < maxRendered:
			found.Problems = append(found.Problems, *p)
		}
	}
	switch {
	case len(found.Problems) > 0 && len(r.blobs) == before:
		return &UnreadableError{Name: name, Problems: found.Problems}
	case len(found.Problems) > 0:
		return found
	case len(r.blobs) == before:
		return &UnreadableError{Name: name}
	}
	return nil
}

func (r *Renderer) warn(p graph.Problem) {
	if len(r.problems) == maxRendered {
		r.left++
		return
	}
	r.problems = append(r.problems, p)
}

// Warnings returns at most 1000 warnings about the input, such as files that are not part of a
// catalog, and the number of further ones.
func (r *Renderer) Warnings() (list []graph.Problem, more int) { return r.problems, r.left }

// Add adds a blob: a JSON object with a schema.
func (r *Renderer) Add(blob json.RawMessage) error {
	var head struct{ Schema, Package, Name string }
	if err := json.Unmarshal(blob, &head); err != nil {
		return fmt.Errorf("this is not a blob: %w", err)
	}
	if head.Schema == "" {
		return errors.New("this is not a blob: it has no schema")
	}
	return r.add(Blob{Schema: head.Schema, Package: head.Package, Name: head.Name, Raw: blob})
}

func (r *Renderer) add(b Blob) error {
	from := len(r.text)
	r.text = append(r.text, b.Raw...)
	v := jsontext.Value(r.text[from:])
	if err := v.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		r.text = r.text[:from]
		return fmt.Errorf("%s:%d: this blob cannot be written: %w", b.File, b.Line, err)
	}
	r.text = append(r.text[:from], v...)
	r.blobs = append(r.blobs, rendered{keyOf(&b, v), r.written + int64(from), len(v)})
	if len(r.text) < r.opts.MaxMemory {
		return nil
	}
	return r.toDisk()
}

// schemas are in the order of opm; "" means all others.
var schemas = [...]string{graph.SchemaPackage, graph.SchemaChannel, graph.SchemaBundle, "", "olm.deprecations"}

// keyOf returns the sort key of a blob. Its parts are separated by the byte 0, which is less than
// all bytes of names.
func keyOf(b *Blob, text []byte) string {
	pkg := b.Package
	if b.Schema == graph.SchemaPackage {
		pkg = b.Name
	}
	rank := slices.Index(schemas[:], b.Schema)
	if rank < 0 {
		rank = slices.Index(schemas[:], "")
	}
	key := make([]byte, 0, len(pkg)+len(b.Schema)+len(b.Name)+5+sha256.Size)
	if pkg == "" {
		key = append(key, 1) // after all packages
	}
	key = append(key, 0)
	key = append(append(key, pkg...), 0, byte('0'+rank))
	key = append(append(key, b.Schema...), 0)
	key = append(append(key, b.Name...), 0)
	sum := sha256.Sum256(text)
	return string(append(key, sum[:]...))
}

// toDisk moves the text in memory to the temporary file. If the system allows it, the open file is
// removed, so that it never remains.
func (r *Renderer) toDisk() error {
	if r.file == nil {
		f, err := os.CreateTemp(r.opts.Dir, "resolute-render-*")
		if err != nil {
			return fmt.Errorf("there is no room for a temporary file: %w", err)
		}
		_ = os.Remove(f.Name())
		r.file = f
	}
	n, err := r.file.WriteAt(r.text, r.written)
	if err != nil {
		return spoilt(err)
	}
	r.written += int64(n)
	if r.text = r.text[:0]; cap(r.text) > 2*r.opts.MaxMemory {
		r.text = nil // a single large blob
	}
	return nil
}

// spoilt reports that the file cannot be used.
func spoilt(err error) error {
	if err == io.EOF { // truncated
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("the temporary file cannot be used: %w", err)
}

// Write writes all blobs as JSON, one per line. It may be called again, also after more blobs were
// added. The error is that of the writer, of the temporary file, or of the context.
func (r *Renderer) Write(ctx context.Context, w io.Writer) error {
	return r.write(ctx, func(text []byte) error {
		_, err := w.Write(text)
		if err == nil {
			_, err = w.Write([]byte{'\n'})
		}
		return err
	})
}

// WriteYAML is Write with one YAML document per blob. A blob with a duplicate field is an error.
func (r *Renderer) WriteYAML(ctx context.Context, w io.Writer) error {
	return r.write(ctx, func(text []byte) error {
		out, err := document.AppendYAML(ctx, nil, text)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return fmt.Errorf("a blob cannot be written as YAML, write JSON instead: %w (it begins with %.100q)", err, text)
		}
		_, err = w.Write(out)
		return err
	})
}

// write calls blob with each blob in order.
func (r *Renderer) write(ctx context.Context, blob func([]byte) error) error {
	if r.file != nil && len(r.text) > 0 {
		if err := r.toDisk(); err != nil {
			return err
		}
	}
	slices.SortStableFunc(r.blobs, func(a, b rendered) int { return cmp.Compare(a.key, b.key) })
	var memory []byte
	for _, e := range r.blobs {
		if err := ctx.Err(); err != nil {
			return err
		}
		var text []byte
		if r.file == nil {
			text = r.text[e.at : e.at+int64(e.size)]
		} else {
			memory = slices.Grow(memory[:0], e.size)
			text = memory[:e.size]
			if _, err := r.file.ReadAt(text, e.at); err != nil {
				return spoilt(err)
			}
		}
		if err := blob(text); err != nil {
			return err
		}
	}
	return nil
}

// Close removes the temporary file.
func (r *Renderer) Close() error {
	r.blobs, r.text = nil, nil
	if r.file == nil {
		return nil
	}
	f := r.file
	r.file = nil
	err := f.Close()
	_ = os.Remove(f.Name()) // if it could not be removed while it was open
	return err
}
