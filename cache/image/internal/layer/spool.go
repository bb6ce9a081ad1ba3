package layer

import (
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/zstd"
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
	if off < 0 || off >= int64(len(m.data)) {
		return 0, io.EOF
	}
	n := copy(p, m.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Content is the content of one file in a spool, compressed with zstd.
type Content struct {
	// Offset and Packed say where it is in the storage, and how long it is
	// there. An empty file has neither.
	Offset, Packed int64
	// Size is its length, and CRC its CRC-32 (IEEE).
	Size int64
	CRC  uint32
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
func (s *Spool) Add(r io.Reader) (Content, error) {
	c := Content{Offset: s.end}
	sum := crc32.NewIEEE()
	s.zstd.Reset(spoolWriter{s})
	size, err := io.Copy(io.MultiWriter(s.zstd, sum), r)
	if closed := s.zstd.Close(); err == nil {
		err = closed
	}
	c.Packed, c.Size, c.CRC = s.end-c.Offset, size, sum.Sum32()
	return c, err
}

// Broken returns why the storage could not be written, or nil.
func (s *Spool) Broken() error { return s.broken }

// Raw returns a content as it is stored: a frame of zstd.
func (s *Spool) Raw(c Content) io.Reader { return io.NewSectionReader(s.storage, c.Offset, c.Packed) }

// spoolWriter writes to the end of a spool.
type spoolWriter struct{ s *Spool }

// Write implements io.Writer.
func (w spoolWriter) Write(p []byte) (int, error) {
	n, err := w.s.storage.Write(p)
	w.s.end += int64(n)
	if err != nil {
		w.s.broken = err
	}
	return n, err
}
