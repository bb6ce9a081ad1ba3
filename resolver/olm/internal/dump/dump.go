// Package dump reads dumps of clusters: streams of objects in JSON or YAML, lists of them,
// folders, and archives. It yields the objects of the wanted kinds one at a time, and never holds
// more than one of them.
//
// Most of a real dump is irrelevant: logs, and a copy of each global operator in each namespace.
// An object whose first lines rule it out is skipped without parsing.
package dump

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/graph"
)

// Limits. Reading stops at an exceeded limit of the dump; an object that exceeds a limit is
// skipped.
const (
	// MaxTotalBytes limits the decompressed bytes of all files: 16 GiB. It stops decompression
	// bombs.
	MaxTotalBytes = 16 << 30
	// MaxObjectBytes limits the text of one object: 32 MiB, twenty times the limit of etcd.
	MaxObjectBytes = 32 << 20
	// LargeObjectBytes is the size above which no API server accepts an object: 3 MiB. A larger
	// object is read and reported.
	LargeObjectBytes = 3 << 20
	// MaxFiles limits the files of all dumps together: two million.
	MaxFiles = 2_000_000
	// MaxListBytes limits the directory of a zip archive, which is held in memory: 64 MiB.
	MaxListBytes = 64 << 20
	// MaxArchives limits the depth of nested archives.
	MaxArchives = 3
	// MaxLists limits the depth of nested lists. Each level reads the text again.
	MaxLists = 8
)

// Object is one object of a dump.
type Object struct {
	// File is the file of the object, as "archive: file" in an archive, and Line its first line;
	// 0 if unknown.
	File string
	Line int
	// Group, Version and Kind are those of the object.
	Group, Version, Kind string
	// JSON is the content. It is valid only until Visit returns.
	JSON []byte
}

// The codes of problems.
const (
	CodeArchive        = "archive"        // a damaged, truncated or too deeply nested archive
	CodeLarge          = "large"          // an object beyond what a cluster can hold
	CodeSyntax         = "syntax"         // text that is neither JSON nor YAML
	CodePath           = "path"           // a name that points outside its folder
	CodeUnknownVersion = "unknownVersion" // an unsupported version of an object
	CodeUnreadable     = "unreadable"     // a file that cannot be read
	CodeObject         = "object"         // an object without a kind or name
)

// Reader reads dumps. Set its fields before the first call. It is not safe for concurrent use.
type Reader struct {
	// Wanted reports whether objects of a kind are visited.
	Wanted func(group, kind string) bool
	// Relevant reports whether the text of a wanted object, in JSON or YAML, can matter. Other
	// objects are not parsed.
	Relevant func(group, kind string, text []byte) bool
	// Visit is called with each wanted object. An error stops reading.
	Visit func(Object) error
	// Copied is called for each ClusterServiceVersion that is a copy of one in another namespace.
	// Copies are not visited.
	Copied func()
	// Problem is called with everything that was skipped, and why; a warning means that nothing
	// is lost.
	Problem func(graph.Problem)
	// Objects counts all objects, including copies.
	Objects int

	bytes    int64
	files    int
	nameless int    // objects without a kind
	text     []byte // of the current object
	scratch  []byte // its pruned text for the parser
	yaml     document.Transcoder
	buffers  []*bufio.Reader // by depth
}

// LimitError reports a dump that exceeds a limit.
type LimitError struct {
	// File is the file in which it was exceeded.
	File string
	// What is counted, and the limit.
	What string
	Max  int64
}

// Error implements error.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: the dump exceeds the limit of %d %s; give the relevant part of it, for example the folders operators.coreos.com", e.File, e.Max, e.What)
}

// ReadPath reads a file, an archive or a folder. The error is an I/O error for the path itself,
// the error of Visit, a [*LimitError], or the error of the context. Errors inside the dump are
// problems.
func (r *Reader) ReadPath(ctx context.Context, name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return r.readFile(ctx, name)
	}
	return filepath.WalkDir(name, func(file string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			r.problem(CodeUnreadable, file, err.Error())
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			r.link(name, file)
			return nil
		case !d.Type().IsRegular() || !isWanted(file):
			return nil
		}
		err = r.readFile(ctx, file)
		var system *fs.PathError
		if errors.As(err, &system) {
			r.problem(CodeUnreadable, file, err.Error())
			return nil
		}
		return err
	})
}

// link reports a link in a folder whose target is missing or outside the folder. Links are not
// followed; a target inside is read as its own file.
func (r *Reader) link(dir, file string) {
	root, err := filepath.EvalSymlinks(dir)
	target, broken := filepath.EvalSymlinks(file)
	if err != nil || broken != nil {
		if isWanted(file) {
			r.problem(CodePath, file, "the link is skipped because its target does not exist")
		}
		return
	}
	if inside, err := filepath.Rel(root, target); err == nil && filepath.IsLocal(inside) {
		return
	}
	if info, err := os.Stat(target); err == nil && (info.IsDir() || isWanted(file)) {
		r.problem(CodePath, file, "the link is skipped because its target is outside the folder; copy the target into the folder")
	}
}

// copied counts a copy.
func (r *Reader) copied() {
	r.Objects++
	r.Copied()
}

// readFile reads a file of the operating system. A zip archive needs random access.
func (r *Reader) readFile(ctx context.Context, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	var magic [4]byte
	n, _ := io.ReadFull(f, magic[:])
	if isZip(magic[:n]) {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		return r.readZip(ctx, f, info.Size(), name)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return r.Read(ctx, io.MultiReader(strings.NewReader(string(magic[:n])), f), name) // a pipe
	}
	return r.Read(ctx, f, name)
}

// Read reads a stream: text, or an archive other than zip. The name is used in messages. The
// errors are those of [Reader.ReadPath].
func (r *Reader) Read(ctx context.Context, in io.Reader, name string) error {
	return r.read(ctx, &counted{ctx: ctx, in: in, reader: r, name: name}, name, 0)
}

func (r *Reader) file(name string) error {
	if r.files++; r.files > MaxFiles {
		return &LimitError{File: name, What: "files", Max: MaxFiles}
	}
	return nil
}

// problem reports a skipped part of a file.
func (r *Reader) problem(code graph.Code, file, message string) {
	r.Problem(graph.Problem{Severity: graph.SeverityError, Code: code, File: file, Message: message})
}

// extensions are the extensions of files that are read in folders and archives. A file named by
// the caller may have any name.
var extensions = []string{".yaml", ".yml", ".json", ".jsonl", ".tar", ".tgz", ".zip"}

func isWanted(name string) bool {
	base := strings.ToLower(path.Base(filepath.ToSlash(name)))
	return slices.Contains(extensions, path.Ext(strings.TrimSuffix(base, ".gz")))
}

// counted counts bytes, enforces the limits, and stops at the end of the context.
type counted struct {
	ctx    context.Context
	in     io.Reader
	reader *Reader
	name   string
	err    error // the first error
}

func (c *counted) Read(p []byte) (n int, err error) {
	if err = c.ctx.Err(); err == nil {
		n, err = c.in.Read(p[:min(len(p), 1<<20)])
	}
	if c.reader.bytes += int64(n); c.reader.bytes > MaxTotalBytes {
		n, err = 0, &LimitError{File: c.name, What: "bytes", Max: MaxTotalBytes}
	}
	if err != io.EOF {
		c.err = cmp.Or(c.err, err)
	}
	return n, err
}

// isFatal reports whether an error stops all reading.
func isFatal(ctx context.Context, err error) bool {
	var limit *LimitError
	var visit *visitError
	return ctx.Err() != nil || errors.As(err, &limit) || errors.As(err, &visit)
}

type visitError struct{ err error }

func (e *visitError) Error() string { return e.err.Error() }
func (e *visitError) Unwrap() error { return e.err }
