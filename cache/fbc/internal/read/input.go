package read

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/quickjson"
)

// Input says how a stream is read.
type Input struct {
	// The ending of Name distinguishes JSON from YAML where the content does not.
	Name string
	// JSON reports that it is JSON, whatever it is called.
	JSON bool
	// Limits are those of one blob.
	Limits document.Limits
	// Count counts bytes that were read. Its error is one of a limit, and ends all.
	Count func(n int) error
}

// Sink takes the blobs of a stream and the problems between them, in their order.
type Sink interface {
	// Take takes a blob, of which the text is good until it returns. Its error
	// ends all.
	Take(Blob) error
	// Problem takes a problem, without its file and catalog.
	Problem(graph.Problem)
}

// Read cuts a stream into blobs. The error is that of the sink, of the context, or
// of Count; any other is a problem.
func Read(ctx context.Context, r io.Reader, in Input, to Sink) error {
	r, _, err := Unzip(r)
	if err != nil {
		to.Problem(Unreadable(0, err))
		return nil
	}
	src := newSource(ctx, r, &in)
	const byteOrderMark = "\uFEFF"
	for len(src.window()) < len(byteOrderMark) && src.more() {
	}
	if bytes.HasPrefix(src.window(), []byte(byteOrderMark)) {
		src.advance(len(byteOrderMark))
	}
	ext := Extension(in.Name)
	if in.JSON || ext == ".json" || ext == ".jsonl" {
		err = (&jsonReader{src: src, to: to}).read()
	} else {
		err = readDocuments(src, to, ext != "")
	}
	if err != nil {
		return err
	}
	return src.finish(to)
}

// gzipMagic is what every gzip stream begins with.
var gzipMagic = []byte{0x1f, 0x8b}

// Unzip returns a reader of what a stream holds, and whether that is compressed.
func Unzip(r io.Reader) (io.Reader, bool, error) {
	packed := bufio.NewReaderSize(r, 16<<10)
	if magic, _ := packed.Peek(len(gzipMagic)); !bytes.Equal(magic, gzipMagic) {
		return packed, false, nil
	}
	unpacked, err := gzip.NewReader(packed)
	return unpacked, true, err
}

// finish looks at how the stream came to its end. The error is one that is fatal.
func (s *source) finish(to Sink) error {
	err := s.failed()
	if err == nil || s.fatal(err) {
		return err
	}
	to.Problem(Unreadable(s.line, err))
	return nil
}

// Unreadable is the problem of a file that cannot be read, from a line on.
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

// startsJSON returns how much white space, with one marker of YAML perhaps, stands before
// the object of JSON that the window begins with, or -1 where it begins with YAML. In a
// file that is called YAML an object is JSON only if it is valid, as far as the window
// shows.
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
