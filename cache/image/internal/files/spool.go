package files

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"hash"
	"io"
	"io/fs"
	"strings"

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

// Content is the content of a file in a [Spool]. Zero is an empty one.
type Content struct {
	// Size is its length.
	Size int64

	header *zip.FileHeader
	at     int64 // where the compressed content begins
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

// Spool writes a file system as a zip archive. The contents of files come first, and what
// they are called, and which of them are wanted, is known at the end: what the archive lists
// there counts, and what has no name in its list is not there.
type Spool struct {
	storage Storage
	zip     *zip.Writer
	buffer  []byte // to copy through
	end     int64
	sum     hash.Hash
	broken  error // why the storage could not be written
}

// NewSpool returns an empty spool.
func NewSpool(s Storage) *Spool {
	p := &Spool{storage: s, buffer: make([]byte, 64<<10), sum: sha256.New()}
	p.zip = zip.NewWriter(p)
	p.zip.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor(zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false)))
	return p
}

// Add adds the content that a reader has, of a file that will have that name, unless it is
// moved or left out. An error of the storage is returned by Broken.
func (s *Spool) Add(name string, r io.Reader) (Content, error) {
	c := Content{header: &zip.FileHeader{Name: name, Method: zstd.ZipMethodWinZip}}
	w, err := s.zip.CreateHeader(c.header)
	if err == nil {
		err = s.zip.Flush()
	}
	if err != nil {
		return c, err
	}
	c.header.Name, c.at = "", s.end
	c.Size, err = io.CopyBuffer(w, r, s.buffer)
	return c, err
}

// Broken returns why the storage could not be written, or nil.
func (s *Spool) Broken() error { return s.broken }

// Sum returns the SHA-256 of what was written.
func (s *Spool) Sum() []byte { return s.sum.Sum(nil) }

// Write writes to the end of the storage.
func (s *Spool) Write(p []byte) (int, error) {
	n, err := s.storage.Write(p)
	s.end += int64(n)
	s.sum.Write(p[:n])
	if err != nil {
		s.broken = err
	}
	return n, err
}

// Finish writes the list of the entries, and returns the file system. The times of files,
// which mean nothing in an image, are those of archives that say none: long ago, which shows
// a reader that the files do not change. Nothing can be added any more.
func (s *Spool) Finish(ctx context.Context, entries []Entry, comment string) (*FS, error) {
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		h := e.header
		switch {
		case e.Kind == File && e.Size > 0 && h.Name == "":
			h.Name = e.Name
		case e.Kind == File && e.Size > 0:
			again, err := s.again(e)
			if err != nil {
				return nil, err
			}
			h = again
		default:
			h = &zip.FileHeader{Name: e.Name}
			if e.Kind == Folder {
				h.Name += "/"
			}
			w, err := s.zip.CreateHeader(h)
			if err == nil {
				_, err = io.Copy(w, strings.NewReader(e.Target))
			}
			if err != nil {
				return nil, err
			}
		}
		h.SetMode(e.Kind)
	}
	if err := s.zip.SetComment(comment); err != nil {
		return nil, err
	}
	if err := s.zip.Close(); err != nil {
		return nil, err
	}
	return New(ctx, s.storage, s.end)
}

// again writes the content of a file once more, as it was compressed before, for a file
// that has a content of another.
func (s *Spool) again(e Entry) (*zip.FileHeader, error) {
	if _, err := s.zip.Create(""); err != nil { // which ends the content before
		return nil, err
	}
	if err := s.zip.Flush(); err != nil {
		return nil, err
	}
	h := *e.header
	h.Name, h.Extra = e.Name, nil
	w, err := s.zip.CreateRaw(&h)
	if err == nil {
		_, err = io.CopyBuffer(w, io.NewSectionReader(s.storage, e.at, int64(h.CompressedSize64)), s.buffer)
	}
	return &h, err
}
