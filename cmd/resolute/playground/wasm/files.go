//go:build js && wasm

package main

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall/js"
	"time"
)

// files are files of the visitor, read in pieces when they are needed.
type files struct {
	read  js.Value
	names []string
	sizes []int64
	at    map[string]int // indexes by name
}

func (f *files) add(name string, size int64) {
	if name = path.Clean(strings.TrimLeft(name, "/")); fs.ValidPath(name) && name != "." {
		if f.at == nil {
			f.at = make(map[string]int)
		}
		f.at[name] = len(f.names)
		f.names, f.sizes = append(f.names, name), append(f.sizes, size)
	}
}

// Open implements fs.FS.
func (f *files) Open(name string) (fs.File, error) {
	if i, ok := f.at[name]; ok {
		return &file{files: f, index: i}, nil
	}
	if list, err := f.ReadDir(name); err == nil {
		return &folder{entry{path.Base(name), 0, true}, list}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// ReadDir implements fs.ReadDirFS.
func (f *files) ReadDir(name string) ([]fs.DirEntry, error) {
	prefix := name + "/"
	if name == "." {
		prefix = ""
	}
	inside := make(map[string]entry)
	for i, n := range f.names {
		if rest, ok := strings.CutPrefix(n, prefix); ok {
			first, _, deeper := strings.Cut(rest, "/")
			inside[first] = entry{first, f.sizes[i], deeper}
		}
	}
	if len(inside) == 0 {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	var list []fs.DirEntry
	for _, e := range inside {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, nil
}

// entry is a file or a folder, as fs.FileInfo and fs.DirEntry.
type entry struct {
	name string
	size int64
	dir  bool
}

func (e entry) Name() string               { return e.name }
func (e entry) Size() int64                { return e.size }
func (e entry) IsDir() bool                { return e.dir }
func (e entry) ModTime() time.Time         { return time.Time{} }
func (e entry) Sys() any                   { return nil }
func (e entry) Info() (fs.FileInfo, error) { return e, nil }
func (e entry) Type() fs.FileMode          { return e.Mode().Type() }
func (e entry) Mode() fs.FileMode {
	if e.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// folder is an open folder.
type folder struct {
	entry
	list []fs.DirEntry
}

func (d *folder) Stat() (fs.FileInfo, error) { return d.entry, nil }
func (d *folder) Read([]byte) (int, error)   { return 0, errors.New("is a folder") }
func (d *folder) Close() error               { return nil }
func (d *folder) ReadDir(int) ([]fs.DirEntry, error) {
	list := d.list
	d.list = nil
	return list, nil
}

// file is an open file.
type file struct {
	*files
	index  int
	offset int64
}

func (f *file) Stat() (fs.FileInfo, error) {
	return entry{path.Base(f.names[f.index]), f.sizes[f.index], false}, nil
}
func (f *file) Close() error { return nil }

// Read implements io.Reader. The browser reads synchronously, which it allows in workers only.
func (f *file) Read(p []byte) (int, error) {
	left := f.sizes[f.index] - f.offset
	if left <= 0 {
		return 0, io.EOF
	}
	piece := f.read.Invoke(f.index, float64(f.offset), float64(min(left, int64(len(p)))))
	if piece.IsNull() {
		return 0, errors.New("the browser cannot read the file: it was changed or removed")
	}
	n := js.CopyBytesToGo(p, piece)
	if n == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	f.offset += int64(n)
	return n, nil
}
