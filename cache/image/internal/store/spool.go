package store

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"io/fs"
	"strconv"

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
	Name string
	// Kind is File, Folder or Link.
	Kind fs.FileMode
	// Content is that of a file.
	Content
	// Target is where a link leads: a path of the file system. It is not
	// followed further.
	Target string
}

// Content says which of the contents of a [Spool] is that of a file. Zero is an empty one.
type Content struct {
	// Number is its place in the order in which they came.
	Number int
	// Size is its length.
	Size int64
}

// Storage is where a [Spool] puts what it is given: a file, or [Memory].
type Storage interface {
	io.Writer
	io.ReaderAt
}

// Memory is a Storage in memory.
type Memory struct{ bytes.Buffer }

// ReadAt implements io.ReaderAt.
func (m *Memory) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(m.Bytes()).ReadAt(p, off)
}

// Spool keeps the contents of files in the order in which they come: in a zip archive, each
// under its number. What they are called, and which of them are wanted, is known at the end.
type Spool struct {
	storage Storage
	zip     *zip.Writer
	buffer  []byte // to copy through
	count   int
	end     int64
	broken  error // why the storage could not be written
}

// NewSpool returns an empty spool.
func NewSpool(s Storage) *Spool {
	p := &Spool{storage: s, buffer: make([]byte, 64<<10)}
	p.zip = zip.NewWriter(p)
	p.zip.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor(zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false)))
	return p
}

// Add adds the content that a reader has. An error of the storage is returned by
// Broken.
func (s *Spool) Add(r io.Reader) (Content, error) {
	c := Content{Number: s.count}
	w, err := s.zip.CreateHeader(&zip.FileHeader{Name: strconv.Itoa(c.Number), Method: zstd.ZipMethodWinZip})
	if err != nil {
		return c, err
	}
	s.count++
	c.Size, err = io.CopyBuffer(w, r, s.buffer)
	return c, err
}

// Broken returns why the storage could not be written, or nil.
func (s *Spool) Broken() error { return s.broken }

// Write writes to the end of the storage.
func (s *Spool) Write(p []byte) (int, error) {
	n, err := s.storage.Write(p)
	s.end += int64(n)
	if err != nil {
		s.broken = err
	}
	return n, err
}

// Pack writes a file system with these entries as a zip archive, each content as it was
// compressed before. Their times, which mean nothing in an image, are those of archives that
// say none: long ago, which shows a reader that the files do not change. Nothing can be added
// any more.
func (s *Spool) Pack(ctx context.Context, to io.Writer, entries []Entry, comment string) error {
	if err := s.zip.Close(); err != nil {
		return err
	}
	spooled, err := zip.NewReader(s.storage, s.end)
	if err != nil {
		return err
	}
	out := zip.NewWriter(to)
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		h := zip.FileHeader{Name: e.Name}
		content := io.Reader(bytes.NewReader([]byte(e.Target)))
		create := out.CreateHeader
		switch {
		case e.Kind == Folder:
			h.Name += "/"
		case e.Size > 0:
			from := spooled.File[e.Number]
			if content, err = from.OpenRaw(); err != nil {
				return err
			}
			h, create = from.FileHeader, out.CreateRaw
			h.Name, h.Extra = e.Name, nil
		}
		h.SetMode(e.Kind)
		w, err := create(&h)
		if err == nil {
			_, err = io.CopyBuffer(w, content, s.buffer)
		}
		if err != nil {
			return err
		}
	}
	if err := out.SetComment(comment); err != nil {
		return err
	}
	return out.Close()
}
