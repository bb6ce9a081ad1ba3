package read

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/quickjson"
)

// cut cuts a stream into blobs. A file name with an extension other than those of JSON means YAML.
// The error is that of the receiver, of the context, or of the meter; any other is a problem.
func (s *Collector) cut(r io.Reader, json bool, to *decoders) error {
	r, _, err := Unzip(r)
	if err != nil {
		to.Problem(Unreadable(0, err))
		return nil
	}
	src := newSource(s, r, to)
	const byteOrderMark = "\uFEFF"
	for len(src.window()) < len(sqliteMagic) && src.more() {
	}
	if bytes.HasPrefix(src.window(), []byte(sqliteMagic)) {
		to.Problem(failure(CodeUnreadable, 0, "%s", sqliteMessage))
		s.pool.text = src.buf
		return nil
	}
	if bytes.HasPrefix(src.window(), []byte(byteOrderMark)) {
		src.advance(len(byteOrderMark))
	}
	ext := Extension(s.file)
	if json || ext == ".json" || ext == ".jsonl" {
		err = (&jsonReader{source: src}).read()
	} else {
		err = readDocuments(src, ext != "")
	}
	s.pool.text = src.buf
	if err == nil {
		if err = src.failed(); err != nil && !src.fatal(err) {
			to.Problem(Unreadable(src.line, err))
			err = nil
		}
	}
	return err
}

// sqliteMagic is the header of SQLite databases, the former format of catalogs.
const (
	sqliteMagic   = "SQLite format 3\x00"
	sqliteMessage = "this is an SQLite catalog; convert it with opm migrate"
)

// isSQLite reports whether a file is an SQLite database; false if it cannot be read.
func isSQLite(fsys fs.FS, name string) bool {
	f, err := Open(fsys, name)
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [len(sqliteMagic)]byte
	_, err = io.ReadFull(f, magic[:])
	return err == nil && string(magic[:]) == sqliteMagic
}

// gzipMagic is the header of gzip streams.
var gzipMagic = []byte{0x1f, 0x8b}

// Unzip returns a reader of the content of a stream, and whether it is compressed.
func Unzip(r io.Reader) (io.Reader, bool, error) {
	packed := bufio.NewReaderSize(r, 16<<10)
	if magic, _ := packed.Peek(len(gzipMagic)); !bytes.Equal(magic, gzipMagic) {
		return packed, false, nil
	}
	unpacked, err := gzip.NewReader(packed)
	return unpacked, true, err
}

// Unreadable returns the problem of a file that cannot be read from a line on.
func Unreadable(line int, err error) graph.Problem {
	text := err.Error()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		text = "it ends too early, as if it was cut off"
	}
	message := "the file cannot be read: " + text
	if line > 1 {
		message = fmt.Sprintf("the file cannot be read on from line %d: %s", line, text)
	}
	return failure(CodeUnreadable, line, "%s", message)
}

// startsJSON returns the length of the white space, perhaps with one YAML marker, before the JSON
// object at the start of the window, or -1 if it starts with YAML. In a file named as YAML, an
// object is JSON only if it is valid in the window.
func startsJSON(src *source, named bool) int {
	n, marked := 0, false
	for {
		w := src.window()
		n += quickjson.Space(w[n:])
		switch {
		case len(w)-n < len("---\n") && src.more():
			continue
		case !marked && isMarker(w[n:], "---"):
			n, marked = n+len("---"), true
			continue
		case n < len(w) && w[n] == '{' && n+1+quickjson.Space(w[n+1:]) == len(w) && src.more():
			continue
		case !quickjson.LooksLikeObject(w[n:]):
			return -1
		}
		if named {
			if whole, broken := measure(src.ctx, w[n:]); whole == 0 && broken {
				return -1
			}
		}
		return n
	}
}
