package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
)

// What an [Entry] is, with the permissions that it shows.
const (
	File   fs.FileMode = 0o444
	Folder fs.FileMode = fs.ModeDir | 0o555
	// Link is a symbolic link that does not lead to a file: to a folder, to
	// nothing, or round in a circle.
	Link fs.FileMode = fs.ModeSymlink | 0o777
)

// Entry is one entry of a file system.
type Entry struct {
	// Name is its path, as [fs.ValidPath] has it, but not ".".
	Name string `json:"name"`
	// Kind is File, Folder or Link.
	Kind fs.FileMode `json:"kind"`
	// Content is that of a file.
	Content
	// Target is where a link leads: a path of the file system. It is not
	// followed further.
	Target string `json:"target,omitempty"`
}

// Content says where the content of a file is in a [Storage]: a frame of zstd. Zero is an
// empty one.
type Content struct {
	// At is where the frame begins, and Packed is its length.
	At     int64 `json:"at,omitempty"`
	Packed int64 `json:"packed,omitempty"`
	// Size is the length of the content.
	Size int64 `json:"size,omitempty"`
}

// modified is the time of all files. Times of an image mean nothing, and one
// that is long ago shows a reader that the file does not change.
var modified = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// FS is the file system that a catalog's image leaves: read-only, with its contents in a
// [Storage]. It is safe for concurrent use.
type FS struct {
	contents io.ReaderAt
	nodes    map[string]*node
	decoders sync.Pool
}

// node is an entry, and what a folder holds.
type node struct {
	Entry
	children []fs.DirEntry
}

// New returns a file system of entries in the order of their paths. The
// folders that a file lies in need not be among them.
func New(ctx context.Context, contents io.ReaderAt, entries []Entry) (*FS, error) {
	f := &FS{contents: contents, nodes: map[string]*node{".": {Entry: Entry{Name: ".", Kind: Folder}}}}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !fs.ValidPath(e.Name) || e.Name == "." {
			return nil, &fs.PathError{Op: "open", Path: e.Name, Err: fs.ErrInvalid}
		}
		if was := f.nodes[e.Name]; was != nil {
			if was.Kind == Folder && e.Kind == Folder {
				continue
			}
			return nil, &fs.PathError{Op: "open", Path: e.Name, Err: fs.ErrExist}
		}
		if err := f.add(e); err != nil {
			return nil, err
		}
	}
	for _, n := range f.nodes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		slices.SortFunc(n.children, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return f, nil
}

// Size returns how many entries there are, and how many bytes are in the files.
func (f *FS) Size() (entries, bytes int64) {
	for _, n := range f.nodes {
		bytes += n.Size
	}
	return int64(len(f.nodes)) - 1, bytes
}

// add adds an entry, and the folders that it lies in.
func (f *FS) add(e Entry) error {
	dir := path.Dir(e.Name)
	if f.nodes[dir] == nil {
		if err := f.add(Entry{Name: dir, Kind: Folder}); err != nil {
			return err
		}
	}
	if f.nodes[dir].Kind != Folder {
		return &fs.PathError{Op: "open", Path: e.Name, Err: fs.ErrInvalid}
	}
	n := &node{Entry: e}
	f.nodes[e.Name] = n
	f.nodes[dir].children = append(f.nodes[dir].children, fs.FileInfoToDirEntry(info{n}))
	return nil
}

// Open implements fs.FS.
func (f *FS) Open(name string) (fs.File, error) {
	n, err := f.follow("open", name)
	if err != nil {
		return nil, err
	}
	if n.Kind == Folder {
		return &folder{n: n, left: n.children}, nil
	}
	if n.Size == 0 {
		return &file{n: n, r: strings.NewReader("")}, nil
	}
	d, err := f.decoder()
	if err == nil {
		err = d.Reset(io.NewSectionReader(f.contents, n.At, n.Packed))
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &file{n: n, r: d, left: n.Size, decoder: d, fs: f}, nil
}

// decoder returns a decoder that is not in use.
func (f *FS) decoder() (*zstd.Decoder, error) {
	if d, ok := f.decoders.Get().(*zstd.Decoder); ok {
		return d, nil
	}
	// Without concurrency a decoder has no goroutine that would outlive it.
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20))
}

// Stat implements fs.StatFS.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	n, err := f.follow("stat", name)
	if err != nil {
		return nil, err
	}
	return named{info{n}, path.Base(name)}, nil
}

// ReadDir implements fs.ReadDirFS.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := f.follow("readdir", name)
	if err == nil && n.Kind != Folder {
		err = &fs.PathError{Op: "readdir", Path: name, Err: errors.New("not a directory")}
	}
	if err != nil {
		return nil, err
	}
	return slices.Clone(n.children), nil
}

// follow returns what is at a path, or where a link there leads.
func (f *FS) follow(op, name string) (*node, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	n := f.nodes[name]
	if n != nil && n.Kind == Link {
		n = f.nodes[n.Target]
	}
	if n == nil || n.Kind == Link {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return n, nil
}

// info is a node as fs.FileInfo.
type info struct{ n *node }

func (i info) Name() string       { return path.Base(i.n.Name) }
func (i info) Size() int64        { return i.n.Size }
func (i info) Mode() fs.FileMode  { return i.n.Kind }
func (i info) ModTime() time.Time { return modified }
func (i info) IsDir() bool        { return i.n.Kind == Folder }
func (i info) Sys() any           { return nil }

// named is the info of what a link leads to, under the name of the link.
type named struct {
	info
	name string
}

func (n named) Name() string { return n.name }

type file struct {
	n       *node
	r       io.Reader
	left    int64
	decoder *zstd.Decoder
	fs      *FS
}

func (f *file) Stat() (fs.FileInfo, error) { return info{f.n}, nil }

// Read implements io.Reader. A content that is not as long as it should be is
// an error.
func (f *file) Read(p []byte) (int, error) {
	if f.r == nil {
		return 0, fs.ErrClosed
	}
	n, err := f.r.Read(p)
	f.left -= int64(n)
	if err == io.EOF && f.left != 0 || f.left < 0 {
		err = &fs.PathError{Op: "read", Path: f.n.Name, Err: io.ErrUnexpectedEOF}
	}
	return n, err
}

func (f *file) Close() error {
	if f.decoder != nil {
		if f.decoder.Reset(nil) == nil { // lets go of the content
			f.fs.decoders.Put(f.decoder)
		}
	}
	f.r, f.decoder = nil, nil
	return nil
}

type folder struct {
	n    *node
	left []fs.DirEntry
}

func (d *folder) Stat() (fs.FileInfo, error) { return info{d.n}, nil }
func (d *folder) Close() error               { return nil }

func (d *folder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.n.Name, Err: errors.New("is a directory")}
}

func (d *folder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n > 0 && len(d.left) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(d.left) {
		n = len(d.left)
	}
	out := slices.Clone(d.left[:n])
	d.left = d.left[n:]
	return out, nil
}
