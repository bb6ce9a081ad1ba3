package snapshot

import (
	"encoding/binary"
	"fmt"
	"reflect"
)

// Bounds on the memory that a snapshot may take once it is opened: a multiple
// of its size, and something for one that is small. A real one takes about
// five times its size.
const (
	memoryFactor = 128
	memorySlack  = 1 << 20
)

// reader takes a body apart. The first thing wrong with it stays: from then on
// everything reads as empty. The body is foreign even though its checksum is
// right, so that every length is held against what is left, every number
// against what it counts, and all memory is counted before it is taken.
type reader struct {
	rest   []byte
	memory int64 // bytes that may still be taken
	err    *CorruptError
}

// newReader returns a reader of a body.
func newReader(body []byte) *reader {
	return &reader{rest: body, memory: memoryFactor*int64(len(body)) + memorySlack}
}

// fail notes what is wrong.
func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = &CorruptError{Reason: fmt.Sprintf(format, args...)}
		r.rest = nil
	}
}

// slab returns n zero values, if that is not too much.
func slab[T any](r *reader, n int) []T {
	if !r.spend(int64(n), int64(reflect.TypeFor[T]().Size())) {
		return nil
	}
	return make([]T, n)
}

// spend counts the memory that n things of a size take elsewhere. It returns
// false if that is too much.
func (r *reader) spend(n, size int64) bool {
	if n < 0 || n > 0 && n > r.memory/max(size, 1) {
		r.fail("it claims to hold more than its size allows")
	}
	if r.err != nil {
		return false
	}
	r.memory -= n * size
	return true
}

// bytes returns the next n bytes, as part of the body.
func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.fail("it ends too early")
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

// uint returns a number of variable length.
func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.fail("a number has no end")
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// count returns a number of things. Their memory is counted where it is taken.
func (r *reader) count() int {
	n := r.uint()
	if n > maxCount {
		r.fail("it claims to hold more than %d things of a kind", maxCount)
		return 0
	}
	return int(n)
}

// maxCount bounds each count: numbers are held in 31 bits.
const maxCount = 1<<31 - 2

// text returns a text that stands here, as a string of its own.
func (r *reader) text() string { return string(r.bytes(r.uint())) }

// column returns n numbers below limit. Columns are written with the least of
// 0, 1, 2 or 4 bytes a number that holds them all.
func (r *reader) column(n int, limit uint32) []uint32 {
	column := slab[uint32](r, n)
	width := r.width(n)
	b := r.bytes(uint64(width) * uint64(n))
	if r.err != nil || n == 0 {
		return column
	}
	top := uint32(0)
	switch width {
	case 1:
		for i := range column {
			v := uint32(b[i])
			column[i] = v
			top = max(top, v)
		}
	case 2:
		for i := range column {
			v := uint32(binary.LittleEndian.Uint16(b[2*i:]))
			column[i] = v
			top = max(top, v)
		}
	case 4:
		for i := range column {
			v := binary.LittleEndian.Uint32(b[4*i:])
			column[i] = v
			top = max(top, v)
		}
	case 8:
		r.fail("a number is too large")
		return nil
	}
	if top >= limit {
		r.fail("a number points at something that is not there")
		return nil
	}
	return column
}

// wide returns n numbers of any size. Columns of them have 0 to 8 bytes.
func (r *reader) wide(n int) []uint64 {
	column := slab[uint64](r, n)
	width := r.width(n)
	b := r.bytes(uint64(width) * uint64(n))
	if r.err != nil {
		return nil
	}
	for i := range column {
		switch width {
		case 1:
			column[i] = uint64(b[i])
		case 2:
			column[i] = uint64(binary.LittleEndian.Uint16(b[2*i:]))
		case 4:
			column[i] = uint64(binary.LittleEndian.Uint32(b[4*i:]))
		case 8:
			column[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
	}
	return column
}

// width returns how many bytes each number of the next column has.
func (r *reader) width(n int) uint8 {
	b := r.bytes(1)
	if r.err != nil || n == 0 {
		return 0
	}
	switch w := b[0]; w {
	case 0, 1, 2, 4, 8:
		return w
	}
	r.fail("a column has an unknown width")
	return 0
}

// sum returns the sum of a column of counts, as far as one may count.
func (r *reader) sum(column []uint32) int {
	total := uint64(0)
	for _, n := range column {
		total += uint64(n)
	}
	if total > maxCount {
		r.fail("it claims to hold more than %d things of a kind", maxCount)
		return 0
	}
	return int(total)
}

// texts returns n texts: their lengths, then all of them one behind the other.
// They are parts of one string, which is a copy.
func (r *reader) texts(n int) []string {
	lengths := r.column(n, maxCount)
	all := string(r.taken(r.sum(lengths)))
	out := slab[string](r, n)
	if r.err != nil {
		return nil
	}
	at := 0
	for i, length := range lengths {
		out[i] = all[at : at+int(length)]
		at += int(length)
	}
	return out
}

// raws is texts for bytes.
func (r *reader) raws(n int) [][]byte {
	lengths := r.column(n, maxCount)
	all := append([]byte(nil), r.taken(r.sum(lengths))...)
	out := slab[[]byte](r, n)
	if r.err != nil {
		return nil
	}
	at := 0
	for i, length := range lengths {
		end := at + int(length)
		out[i] = all[at:end:end]
		at = end
	}
	return out
}

// taken returns the next n bytes, to be copied.
func (r *reader) taken(n int) []byte { return r.bytes(uint64(n)) }
