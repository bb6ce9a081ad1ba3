package layer

import (
	"bytes"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/seed109e2655/resolute/cache/image/internal/files"
)

// Storage is where a [Spool] puts what it is given: a file, or [Memory].
type Storage interface {
	io.Writer
	io.ReaderAt
}

// Memory is a Storage in memory.
type Memory struct{ data []byte }

// Write implements io.Writer.
func (m *Memory) Write(p []byte) (int, error) {
	m.data = append(m.data, p...)
	return len(p), nil
}

// ReadAt implements io.ReaderAt.
func (m *Memory) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(m.data).ReadAt(p, off)
}

// Spool keeps the contents of files, compressed, in the order in which they
// come.
type Spool struct {
	storage Storage
	end     int64
	zstd    *zstd.Encoder
	broken  error // why the storage could not be written
}

// NewSpool returns an empty spool.
func NewSpool(s Storage) (*Spool, error) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, err
	}
	return &Spool{storage: s, zstd: e}, nil
}

// Add adds the content that a reader has. An error of the storage is returned by
// Broken.
func (s *Spool) Add(r io.Reader) (files.Content, error) {
	at := s.end
	sum := crc32.NewIEEE()
	s.zstd.Reset(s)
	size, err := io.Copy(io.MultiWriter(s.zstd, sum), r)
	if closed := s.zstd.Close(); err == nil {
		err = closed
	}
	packed := s.end - at
	raw := func() (io.Reader, error) { return io.NewSectionReader(s.storage, at, packed), nil }
	return files.Content{Raw: raw, Packed: packed, Size: size, CRC: sum.Sum32()}, err
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
