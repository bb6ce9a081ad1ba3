package read

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/graph"
)

// Extensions are the endings of the files that are read, each also with
// ".gz" behind it.
var Extensions = [...]string{".yaml", ".yml", ".json", ".jsonl"}

// compressed is the ending of a file that is compressed.
const compressed = ".gz"

// Extension returns the ending that says the format of a file, or "".
func Extension(name string) string {
	ext := path.Ext(strings.TrimSuffix(name, compressed))
	if slices.Contains(Extensions[:], ext) {
		return ext
	}
	return ""
}

// List finds the files of a catalog in a directory. Problems name the catalog. The error is that of
// the context.
func List(ctx context.Context, fsys fs.FS, dir, catalog string) (*Listing, error) {
	w := &walker{ctx: ctx, fsys: fsys, catalog: catalog, listing: &Listing{at: time.Now()}}
	return w.listing, w.walk(dir, nil)
}

// walker builds a listing.
type walker struct {
	ctx     context.Context
	fsys    fs.FS
	catalog string
	listing *Listing
}

// walk visits a directory. Paths come out in lexical order, element by
// element. The error is that of the context.
func (w *walker) walk(dir string, rules ignoreRules) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	entries, err := fs.ReadDir(w.fsys, dir) // sorted by name
	if err != nil {
		w.unreadable(dir, "the directory", err)
		// Entries that could be listed are read anyway.
	}
	if err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ignoreFile }) {
		rules = w.ignore(dir, rules)
	}
	for _, entry := range entries {
		if err := w.ctx.Err(); err != nil { // each may be compared with MaxIgnoreRules rules
			return err
		}
		name := path.Join(dir, entry.Name())
		if strings.HasPrefix(entry.Name(), ".") || rules.ignored(name, entry.IsDir()) {
			continue
		}
		if entry.IsDir() {
			if err := w.walk(name, rules); err != nil {
				return err
			}
			continue
		}
		w.file(name, entry)
	}
	return nil
}

// ignore adds the rules of the directory's own ignore file, if it has one.
func (w *walker) ignore(dir string, rules ignoreRules) ignoreRules {
	name := path.Join(dir, ignoreFile)
	data, err := w.ignoreText(name)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			w.unreadable(name, "the file", err)
		}
		return rules
	}
	above := rules
	rules, bad := rules.with(dir, data)
	if len(rules) > MaxIgnoreRules {
		w.unreadable(name, "the file", fmt.Errorf("with the files of the folders above it, it has more than %d patterns (MaxIgnoreRules)", MaxIgnoreRules))
		return above
	}
	for _, line := range bad {
		w.problem(graph.Problem{Severity: graph.SeverityWarning, Code: CodeIgnorePattern, File: name, Line: line,
			Message: "this pattern cannot be understood and matches nothing: correct it, for example by closing a bracket"})
	}
	return rules
}

// MaxIgnoreBytes limits an ignore file, and MaxIgnoreRules the patterns of a directory, including
// those of its parents: each file is matched against each. A file over a limit is not used, and
// reported as a problem.
const (
	MaxIgnoreBytes = 64 << 10
	MaxIgnoreRules = 1000
)

// ignoreText reads an ignore file.
func (w *walker) ignoreText(name string) ([]byte, error) {
	info, err := statInside(w.ctx, w.fsys, name)
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		return nil, err
	}
	f, err := w.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxIgnoreBytes+1))
	if err == nil && len(data) > MaxIgnoreBytes {
		err = fmt.Errorf("it has more than %d bytes", MaxIgnoreBytes)
	}
	return data, err
}

// file adds a file if its name is one of a catalog. A symbolic link counts as the file of the tree
// that it points to; one to a directory is not followed, as in [fs.WalkDir], and one that leaves
// the tree is reported.
func (w *walker) file(name string, entry fs.DirEntry) {
	mode := entry.Type()
	var info fs.FileInfo
	if mode&fs.ModeSymlink != 0 {
		var err error
		if info, err = statInside(w.ctx, w.fsys, name); err != nil {
			w.unreadable(name, "the symbolic link", err)
			return
		}
		mode = info.Mode().Type()
	}
	what := ""
	switch {
	case strings.HasPrefix(strings.ToUpper(entry.Name()), "README"):
		return
	case mode.IsDir():
		what = "a symbolic link to a directory"
	case !mode.IsRegular():
		what = "not a regular file"
	case Extension(name) == "" && isSQLite(w.fsys, name):
		w.problem(graph.Problem{Severity: graph.SeverityError, Code: CodeUnreadable, File: name, Message: sqliteMessage})
		return
	case Extension(name) == "":
		what = fmt.Sprintf("a file whose name does not end in %s", strings.Join(Extensions[:], ", "))
	default:
		if info == nil {
			info, _ = entry.Info() // on an error, nothing is known about it
		}
		w.listing.Files = append(w.listing.Files, Found{name, newStamp(info)})
		return
	}
	w.problem(graph.Problem{Severity: graph.SeverityWarning, Code: CodeFileSkipped, File: name,
		Message: fmt.Sprintf("this is %s, and is not read: rename it, or list it in %s", what, ignoreFile)})
}

// unreadable reports an unreadable file or directory.
func (w *walker) unreadable(name, what string, err error) {
	w.problem(graph.Problem{Severity: graph.SeverityError, Code: CodeUnreadable, File: name,
		Message: fmt.Sprintf("%s cannot be read: %v", what, err)})
}

// problem records a problem.
func (w *walker) problem(p graph.Problem) {
	p.Catalog = w.catalog
	w.listing.Problems = append(w.listing.Problems, p)
}
