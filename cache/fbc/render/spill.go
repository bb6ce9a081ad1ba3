package render

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
)

// spill is a temporary file with runs: blobs in order, each with its key and its
// length before it.
type spill struct {
	f    *os.File
	runs []int64 // where each ends
}

// newSpill makes the file. Where a file that is open may be removed it has no
// name, so that nothing is left of it whatever happens.
func newSpill(dir string) (*spill, error) {
	f, err := os.CreateTemp(dir, "resolute-render-*")
	if err != nil {
		return nil, fmt.Errorf("there is no room for a temporary file: %w", err)
	}
	_ = os.Remove(f.Name())
	return &spill{f: f}, nil
}

func (s *spill) close() error {
	err := s.f.Close()
	_ = os.Remove(s.f.Name()) // where it could not be removed while it was open
	return err
}

func (s *spill) run(ctx context.Context, blobs iter.Seq2[string, []byte]) error {
	if _, err := s.f.Seek(s.end(), io.SeekStart); err != nil { // behind what was broken off
		return spoilt(err)
	}
	w := bufio.NewWriterSize(s.f, 256<<10)
	size := int64(0)
	var head []byte
	for key, text := range blobs {
		if err := ctx.Err(); err != nil {
			return err
		}
		head = binary.AppendUvarint(head[:0], uint64(len(key)))
		head = append(head, key...)
		head = binary.AppendUvarint(head, uint64(len(text)))
		for _, part := range [][]byte{head, text} {
			if _, err := w.Write(part); err != nil {
				return spoilt(err)
			}
			size += int64(len(part))
		}
	}
	if err := w.Flush(); err != nil {
		return spoilt(err)
	}
	s.runs = append(s.runs, s.end()+size)
	return nil
}

// end is where the last run ends.
func (s *spill) end() int64 {
	if len(s.runs) == 0 {
		return 0
	}
	return s.runs[len(s.runs)-1]
}

// spoilt reports that the file cannot be used.
func spoilt(err error) error {
	return fmt.Errorf("the temporary file cannot be used: %w", err)
}

// merge calls fn for each blob of all runs, in order; of equal ones those of
// earlier runs come first. The buffers take no more memory than is given.
func (s *spill) merge(ctx context.Context, memory int, fn func(size int64, text io.Reader) error) error {
	if info, err := s.f.Stat(); err != nil || info.Size() < s.end() {
		return spoilt(cmp.Or(err, io.ErrUnexpectedEOF)) // it was cut off, perhaps between two blobs
	}
	buffer := min(max(memory/len(s.runs), 4<<10), 256<<10)
	var open []*cursor // in the order of their blobs
	order := func(a, b *cursor) int { return cmp.Or(bytes.Compare(a.key, b.key), cmp.Compare(a.run, b.run)) }
	from := int64(0)
	for i, end := range s.runs {
		c := &cursor{run: i, r: bufio.NewReaderSize(io.NewSectionReader(s.f, from, end-from), buffer)}
		from = end
		if more, err := c.next(); err != nil {
			return err
		} else if more {
			open = append(open, c)
		}
	}
	slices.SortFunc(open, order)
	for len(open) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := open[0]
		if err := fn(c.size, c.r); err != nil {
			return err
		}
		more, err := c.next()
		switch {
		case err != nil:
			return err
		case more: // runs are few: there is one for each MaxMemory
			behind, _ := slices.BinarySearchFunc(open[1:], c, order)
			copy(open, open[1:1+behind])
			open[behind] = c
		default:
			open = open[1:]
		}
	}
	return nil
}

// cursor is a place in a run: at the text of a blob.
type cursor struct {
	run  int
	r    *bufio.Reader
	key  []byte
	size int64
}

// next reads the head of the next blob. It returns false at the end of the run.
func (c *cursor) next() (bool, error) {
	n, err := binary.ReadUvarint(c.r)
	if err == io.EOF {
		return false, nil
	}
	if err == nil {
		c.key = append(c.key[:0], make([]byte, n)...)
		_, err = io.ReadFull(c.r, c.key)
	}
	var size uint64
	if err == nil {
		size, err = binary.ReadUvarint(c.r)
	}
	c.size = int64(size)
	if err != nil {
		return false, spoilt(err)
	}
	return true, nil
}
