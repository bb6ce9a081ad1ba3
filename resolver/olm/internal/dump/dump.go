// Package dump reads what a cluster was dumped to: streams of objects as JSON or
// YAML, lists of them, folders, and archives. It yields the objects of the kinds
// that are wanted, one at a time, and never holds more than one of them.
//
// A dump of a real cluster is mostly what nobody asked for: logs, and a copy of
// each global operator in each namespace. What the first lines of an object rule
// out is passed over without being parsed.
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

// The bounds of what is read. A dump that passes one is not read further; an
// object that does is left out.
const (
	// MaxTotalBytes bounds what is read in all, decompressed, and what files of archives
	// hold: 16 GiB. It stops what was compressed to do harm.
	MaxTotalBytes = 16 << 30
	// MaxObjectBytes bounds the text of one object: 32 MiB, twenty times what etcd
	// stores.
	MaxObjectBytes = 32 << 20
	// LargeObjectBytes is what no API server takes as one object: 3 MiB. What is
	// larger is read, and reported.
	LargeObjectBytes = 3 << 20
	// MaxFiles bounds the files of all dumps together: two million.
	MaxFiles = 2_000_000
	// MaxListBytes bounds the list of files of a zip archive, which is held in memory: 64 MiB.
	MaxListBytes = 64 << 20
	// MaxArchives bounds how deep archives lie in archives.
	MaxArchives = 3
	// MaxLists bounds how deep lists lie in lists, whose text is read for each of them.
	MaxLists = 8
)

// Object is one object of a dump.
type Object struct {
	// File is where it stands, as "archive: file" where it is in an archive, and
	// Line the line on which it begins, 0 if that is not known.
	File string
	Line int
	// Group, Version and Kind are what it says it is.
	Group, Version, Kind string
	// JSON is its content. It is valid only until the call returns.
	JSON []byte
}

// The codes of problems.
const (
	CodeArchive        = "archive"        // an archive that is damaged, cut off, or nested too deep
	CodeLarge          = "large"          // an object beyond what a cluster can hold
	CodeSyntax         = "syntax"         // text that is neither JSON nor YAML
	CodePath           = "path"           // a name that leads out of its folder
	CodeUnknownVersion = "unknownVersion" // a version of an object that is not known
	CodeUnreadable     = "unreadable"     // a file that the system did not give
	CodeObject         = "object"         // an object that does not say what it is
)

// Reader reads dumps. Its fields are all set before the first call; it is not safe
// for concurrent use.
type Reader struct {
	// Wanted reports whether an object is to be yielded.
	Wanted func(group, kind string) bool
	// Relevant reports whether the text of an object that is wanted, JSON or YAML, mentions
	// what it is looked at for. Others are not parsed.
	Relevant func(group, kind string, text []byte) bool
	// Visit is called with each object that is wanted. Its error ends the reading.
	Visit func(Object) error
	// Copied is called with each ClusterServiceVersion that is a copy of one in
	// another namespace: those are not visited.
	Copied func()
	// Problem is called with what was left out, and why: a warning where nothing is lost.
	Problem func(graph.Problem)
	// Objects counts the objects of any kind that were found, copies included.
	Objects int

	bytes    int64
	files    int
	nameless int    // objects without a kind
	text     []byte // of the object that is being read
	scratch  []byte // what is left of it for the parser
	yaml     document.Transcoder
	buffers  []*bufio.Reader // by depth
}

// LimitError says that a dump passed a bound.
type LimitError struct {
	// File is where it did.
	File string
	// What is counted, and the most there may be of it.
	What string
	Most int64
}

// Error implements error.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: the dump has more than the %d %s that are read; give the part of it that matters, for example the folders operators.coreos.com", e.File, e.Most, e.What)
}

// ReadPath reads a file, an archive or a folder of the operating system. The
// error is that of the system for the path itself, that of Visit, a [*LimitError],
// or that of the context; what is wrong inside is a problem.
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

// link reports a link in a folder that leads out of it, or nowhere: it is not followed,
// for it may lead anywhere. What one inside leads to is read in its own place.
func (r *Reader) link(dir, file string) {
	root, err := filepath.EvalSymlinks(dir)
	target, broken := filepath.EvalSymlinks(file)
	if err != nil || broken != nil {
		if isWanted(file) {
			r.problem(CodePath, file, "the link leads nowhere, and is left out")
		}
		return
	}
	if inside, err := filepath.Rel(root, target); err == nil && filepath.IsLocal(inside) {
		return
	}
	if info, err := os.Stat(target); err == nil && (info.IsDir() || isWanted(file)) {
		r.problem(CodePath, file, "the link leads out of the folder, and is left out; copy what it leads to into the folder")
	}
}

// copied counts an object that is a copy.
func (r *Reader) copied() {
	r.Objects++
	r.Copied()
}

// readFile reads a file of the operating system; it may be a zip archive, which
// is not read from its beginning to its end.
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

// Read reads a stream: text, or an archive other than zip. The name is for
// messages. The errors are those of [Reader.ReadPath].
func (r *Reader) Read(ctx context.Context, in io.Reader, name string) error {
	return r.read(ctx, &counted{ctx: ctx, in: in, reader: r, name: name}, name, 0)
}

func (r *Reader) file(name string) error {
	if r.files++; r.files > MaxFiles {
		return &LimitError{File: name, What: "files", Most: MaxFiles}
	}
	return nil
}

// problem reports what was left out of a file.
func (r *Reader) problem(code graph.Code, file, message string) {
	r.Problem(graph.Problem{Severity: graph.SeverityError, Code: code, File: file, Message: message})
}

// extensions are those of the files that are read where there are many; a file
// that is named by itself is read whatever it is called.
var extensions = []string{".yaml", ".yml", ".json", ".jsonl", ".tar", ".tgz", ".zip"}

func isWanted(name string) bool {
	base := strings.ToLower(path.Base(filepath.ToSlash(name)))
	return slices.Contains(extensions, path.Ext(strings.TrimSuffix(base, ".gz")))
}

// counted holds what is read within the bounds, and ends with the context.
type counted struct {
	ctx    context.Context
	in     io.Reader
	reader *Reader
	name   string
	err    error // why it failed
}

func (c *counted) Read(p []byte) (n int, err error) {
	if err = c.ctx.Err(); err == nil {
		n, err = c.in.Read(p[:min(len(p), 1<<20)])
	}
	if c.reader.bytes += int64(n); c.reader.bytes > MaxTotalBytes {
		n, err = 0, &LimitError{File: c.name, What: "bytes", Most: MaxTotalBytes}
	}
	if err != io.EOF {
		c.err = cmp.Or(c.err, err)
	}
	return n, err
}

// isFatal reports whether an error ends the reading of everything.
func isFatal(ctx context.Context, err error) bool {
	var limit *LimitError
	var visit *visitError
	return ctx.Err() != nil || errors.As(err, &limit) || errors.As(err, &visit)
}

type visitError struct{ err error }

func (e *visitError) Error() string { return e.err.Error() }
func (e *visitError) Unwrap() error { return e.err }
