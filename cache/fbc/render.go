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
	"iter"
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
	// Read has the limits on the catalogs that are read, each by itself, and what
	// is stamped on their problems.
	Read Options
	// MaxMemory is about how many bytes of blobs are in memory before they go to
	// a temporary file; 0 stands for 32 MiB. A single blob is in
	// memory whatever its size, which Read.MaxBlobBytes bounds, and so is what the
	// blobs are ordered by, which takes some hundred bytes of each.
	MaxMemory int
	// Dir is where the temporary file is; empty stands for that of the system.
	Dir string
}

// Renderer writes catalogs, or parts of them, as one file-based catalog in a fixed order,
// with everything that they say.
//
// Packages come by name, and of each package its olm.package blob, channels,
// bundles, deprecations and then blobs of any other schema, by schema; of one
// schema by name; and what is equal in all of that by content. Blobs that belong
// to no package come last. That is also the order of opm and of [Write]. The
// same blobs give the same bytes, in however many files and in whichever order
// they were.
//
// A blob is written as it was read, with its fields in their order: fields and
// unknown schemas are kept, and so are numbers and escapes as they are
// written. Only space between values goes.
//
// The text is never in memory as a whole: what is more than MaxMemory of its options goes
// to a temporary file, from which it is written in order. A Renderer is used by one
// goroutine at a time, and closed in the end.
type Renderer struct {
	opts     RenderOptions
	blobs    []rendered
	text     []byte   // of the last blobs, one behind the other
	file     *os.File // of those before them; nil while everything is in memory
	written  int64    // to the file
	problems []graph.Problem
	left     int // further problems, that were not kept
}

// rendered is a blob: what it is ordered by, and where its text is among all texts.
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

// AddFS adds the catalog in a directory tree. What cannot be read of it, warnings
// aside, is a [*ProblemsError], for a copy without it would not be a copy.
// Other errors are those of [Blobs], and of the temporary file.
func (r *Renderer) AddFS(ctx context.Context, fsys fs.FS) error {
	return r.addAll(Blobs(ctx, fsys, r.opts.Read), ".")
}

// AddFile is AddFS for a catalog that is one file.
func (r *Renderer) AddFile(ctx context.Context, fsys fs.FS, name string) error {
	return r.addAll(BlobsOfFile(ctx, fsys, name, r.opts.Read), name)
}

func (r *Renderer) addAll(blobs iter.Seq2[Blob, error], name string) error {
	before, found := len(r.blobs), &ProblemsError{}
	for b, err := range blobs {
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

// Warnings returns the warnings about what was added: files that are not part of
// a catalog. There are at most 1000; one more says how many were left out.
func (r *Renderer) Warnings() (list []graph.Problem, more int) { return r.problems, r.left }

// Add adds one blob, which is an object of JSON with a schema.
func (r *Renderer) Add(blob json.RawMessage) error {
	var said struct{ Schema, Package, Name string }
	if err := json.Unmarshal(blob, &said); err != nil {
		return fmt.Errorf("this is not a blob: %w", err)
	}
	if said.Schema == "" {
		return errors.New("this is not a blob: it has no schema")
	}
	return r.add(Blob{Schema: said.Schema, Package: said.Package, Name: said.Name, Raw: blob})
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

// schemas are in the order in which opm writes them: the empty one stands for all others.
var schemas = [...]string{graph.SchemaPackage, graph.SchemaChannel, graph.SchemaBundle, "", "olm.deprecations"}

// keyOf returns what blobs are ordered by. The parts are set apart by the byte 0,
// which comes before all that names have in them.
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
		key = append(key, 1) // behind all packages
	}
	key = append(key, 0)
	key = append(append(key, pkg...), 0, byte('0'+rank))
	key = append(append(key, b.Schema...), 0)
	key = append(append(key, b.Name...), 0)
	sum := sha256.Sum256(text)
	return string(append(key, sum[:]...))
}

// toDisk moves what is in memory to the temporary file. Where a file that is open may be
// removed it has no name, so that nothing is left of it whatever happens.
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
	if err == io.EOF { // it was cut off
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("the temporary file cannot be used: %w", err)
}

// Write writes all blobs as JSON, one a line. It may be called again, and blobs may be
// added between. The error is that of the writer, of the temporary file, or of the context.
func (r *Renderer) Write(ctx context.Context, w io.Writer) error {
	return r.write(ctx, func(text []byte) error {
		_, err := w.Write(text)
		if err == nil {
			_, err = w.Write([]byte{'\n'})
		}
		return err
	})
}

// WriteYAML is Write with one blob a document of YAML. The error may also be about a blob
// that cannot be written so, as it has a field twice.
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
	_ = os.Remove(f.Name()) // where it could not be removed while it was open
	return err
}
