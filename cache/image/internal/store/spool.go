package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"time"

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
	return bytes.NewReader(m.data).ReadAt(p, off)
}

// Spool keeps the contents of files, compressed, in the order in which they
// come.
type Spool struct {
	storage Storage
	sum     hash.Hash // of all that was written
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
	return &Spool{storage: s, sum: sha256.New(), zstd: e}, nil
}

// Add adds the content that a reader has. An error of the storage is returned by
// Broken.
func (s *Spool) Add(r io.Reader) (Content, error) {
	c := Content{At: s.end}
	s.zstd.Reset(s)
	var err error
	c.Size, err = io.Copy(s.zstd, r)
	if closed := s.zstd.Close(); err == nil {
		err = closed
	}
	c.Packed = s.end - c.At
	return c, err
}

// Broken returns why the storage could not be written, or nil.
func (s *Spool) Broken() error { return s.broken }

// Write writes to the end of the storage.
func (s *Spool) Write(p []byte) (int, error) {
	n, err := s.storage.Write(p)
	s.sum.Write(p[:n])
	s.end += int64(n)
	if err != nil {
		s.broken = err
	}
	return n, err
}

// Index is what lies behind the contents in a kept file, so that it is known what they
// are: as JSON, compressed as they are, and where that is.
type Index struct {
	Folder  string    `json:"folder"` // of the catalog in its image
	Created time.Time `json:"created,omitzero"`
	Entries []Entry   `json:"entries"`
}

const (
	maxSize  = 1 << 40 // bounds each content
	maxIndex = 1 << 30 // bounds an index
)

var errIndex = errors.New("its index leads out of it")

// within reports whether a content can be one of a file of a size.
func (c Content) within(size int64) bool {
	return min(c.At, c.Packed, c.Size) >= 0 && c.Packed <= size && c.At <= size-c.Packed && c.Size <= maxSize
}

// Seal writes an index, and returns the SHA-256 of all that was written.
func (s *Spool) Seal(index Index) ([]byte, error) {
	text, err := json.Marshal(index)
	if err != nil {
		return nil, err
	}
	c, err := s.Add(bytes.NewReader(text))
	if err == nil {
		err = binary.Write(s, binary.BigEndian, c)
	}
	return s.sum.Sum(nil), err
}

// Read returns what a file with an index holds. The reader is used as long as the file
// system is.
func Read(ctx context.Context, r io.ReaderAt, size int64) (*FS, *Index, error) {
	var c Content
	end := int64(binary.Size(c))
	if err := binary.Read(io.NewSectionReader(r, size-end, end), binary.BigEndian, &c); err != nil {
		return nil, nil, err
	}
	if !c.within(size) {
		return nil, nil, errIndex
	}
	fsys, err := New(ctx, r, []Entry{{Name: "index", Kind: File, Content: c}})
	if err != nil {
		return nil, nil, err
	}
	f, err := fsys.Open("index")
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	index := &Index{}
	if err := json.NewDecoder(ContextReader{Context: ctx, In: io.LimitReader(f, maxIndex)}).Decode(index); err != nil {
		return nil, nil, err
	}
	for _, e := range index.Entries {
		if !e.within(size) {
			return nil, nil, errIndex
		}
	}
	fsys, err = New(ctx, r, index.Entries)
	return fsys, index, err
}
