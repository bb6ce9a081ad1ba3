package snapshot

import (
	"encoding/binary"
	"math"
)

// writer puts a body together: the counterpart of reader.
type writer struct{ buf []byte }

// uint appends a number of variable length.
func (w *writer) uint(v uint64) { w.buf = binary.AppendUvarint(w.buf, v) }

// text appends a text that stands there.
func (w *writer) text(s string) {
	w.uint(uint64(len(s)))
	w.buf = append(w.buf, s...)
}

// column appends numbers, see [reader.column].
func (w *writer) column(column []uint32) {
	top := uint32(0)
	for _, v := range column {
		top = max(top, v)
	}
	switch {
	case top == 0:
		w.buf = append(w.buf, 0)
	case top <= math.MaxUint8:
		w.buf = append(w.buf, 1)
		for _, v := range column {
			w.buf = append(w.buf, byte(v))
		}
	case top <= math.MaxUint16:
		w.buf = append(w.buf, 2)
		for _, v := range column {
			w.buf = binary.LittleEndian.AppendUint16(w.buf, uint16(v))
		}
	default:
		w.buf = append(w.buf, 4)
		for _, v := range column {
			w.buf = binary.LittleEndian.AppendUint32(w.buf, v)
		}
	}
}

// wide appends numbers of any size, see [reader.wide].
func (w *writer) wide(column []uint64) {
	top := uint64(0)
	for _, v := range column {
		top = max(top, v)
	}
	if top <= math.MaxUint32 {
		narrow := make([]uint32, len(column))
		for i, v := range column {
			narrow[i] = uint32(v)
		}
		w.column(narrow)
		return
	}
	w.buf = append(w.buf, 8)
	for _, v := range column {
		w.buf = binary.LittleEndian.AppendUint64(w.buf, v)
	}
}

// texts appends texts, see [reader.texts].
func (w *writer) texts(texts []string) {
	lengths := make([]uint32, len(texts))
	for i, t := range texts {
		lengths[i] = uint32(len(t))
	}
	w.column(lengths)
	for _, t := range texts {
		w.buf = append(w.buf, t...)
	}
}
