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

// Kinds of an [Entry], with their permissions.
const (
	File   fs.FileMode = 0o444
	Folder fs.FileMode = fs.ModeDir | 0o555
	// Link is a symbolic link to a folder, to a missing file, or in a cycle.
	Link fs.FileMode = fs.ModeSymlink | 0o777
)

// Entry is one entry of a file system.
type Entry struct {
	// Name is its path, valid by [fs.ValidPath], and not ".".
	Name string
	// Kind is File, Folder or Link.
	Kind fs.FileMode
	// Content is the content of a file.
	Content
	// Target is the target of a link: a path of the file system. It is not resolved further.
	Target string
}

// Content is the content of a file in a [Spool]. The zero value is empty.
type Content struct {
	// Size is its length in bytes.
	Size int64

	header *zip.FileHeader
	at     int64 // offset of the compressed content
}

// Storage is the destination of a [Spool]: a file, or [Memory].
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

// Spool writes a file system as a zip archive. It writes contents first, before their final
// names are known. The central directory at the end has the names; contents without a name are
// unused.
type Spool struct {
	storage Storage
	zip     *zip.Writer
	buffer  []byte // for copying
	end     int64
	sum     hash.Hash
	broken  error // first error of the storage
}

// NewSpool returns an empty spool.
func NewSpool(s Storage) *Spool {
	p := &Spool{storage: s, buffer: make([]byte, 64<<10), sum: sha256.New()}
	p.zip = zip.NewWriter(p)
	p.zip.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor(zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false)))
	return p
}

// Add stores the content of a reader under a provisional name, until Finish assigns the final
// one. Broken returns errors of the storage.
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

// Broken returns the error of the storage, or nil.
func (s *Spool) Broken() error { return s.broken }

// Sum returns the SHA-256 of the written bytes.
func (s *Spool) Sum() []byte { return s.sum.Sum(nil) }

// Write appends to the storage.
func (s *Spool) Write(p []byte) (int, error) {
	n, err := s.storage.Write(p)
	s.end += int64(n)
	s.sum.Write(p[:n])
	if err != nil {
		s.broken = err
	}
	return n, err
}

// Finish writes the central directory and returns the file system. It writes no modification
// times, which are meaningless in an image: a reader sees zip's default time in the past, so
// the files count as unchanged. Nothing can be added afterwards.
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
			copied, err := s.copyContent(e)
			if err != nil {
				return nil, err
			}
			h = copied
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

// copyContent writes the compressed content of a file once more, for another file with the same
// content.
func (s *Spool) copyContent(e Entry) (*zip.FileHeader, error) {
	if _, err := s.zip.Create(""); err != nil { // ends the previous content
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
