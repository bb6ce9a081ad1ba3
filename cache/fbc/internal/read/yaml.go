package read

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/quickjson"
)

// readDocuments reads all documents of src, YAML or JSON. The stream is cut at document markers,
// which always start a line, so that a document that is broken or too large does not affect others.
// The error stops the load.
func readDocuments(src *source, named bool) error {
	var transcoder document.Transcoder
	empty := emptiness{source: src}
	for first := true; ; first = false {
		if n := startsJSON(src, named); n >= 0 {
			// For opm, an object before the first marker is not YAML.
			before := src.window()[:n]
			notYet := first && !bytes.Contains(before, []byte("---"))
			if !notYet {
				empty.scan(before)
			}
			src.advance(n)
			if err := (&jsonReader{source: src, documents: true}).read(); err != nil {
				return err
			}
			empty.inside, empty.from = !notYet, 0
			continue
		}
		n, err := documentLength(src)
		switch {
		case src.fatal(err):
			return err
		case err != nil && err == src.failed():
			src.advance(len(src.window()))
			return nil
		case err == errTooLarge:
			src.to.Problem(tooLarge(src.line, "bytes", src.limits.MaxBytes))
			skipDocument(src)
			empty.inside, empty.from = true, 0
			continue
		case n == 0:
			empty.report()
			return nil
		}
		if err := readDocument(src, &transcoder, n, empty.scan(src.window()[:n])); err != nil {
			return err
		}
		src.advance(n)
	}
}

// tooLarge returns the problem of a document over a limit.
func tooLarge[T int | int64](line int, what string, limit T) graph.Problem {
	return failure(CodeTooLarge, line, "this document has more than the %d %s that a blob may have, and is ignored", limit, what)
}

// documentLength returns the length of the document at the start of the window, and extends the
// window to contain it; 0 at the end. The error is errTooLarge or that of the stream.
func documentLength(src *source) (int, error) {
	at, content := 0, false
	for n := 1; ; n++ {
		if n%checkEvery == 0 && src.ended() {
			return 0, src.err
		}
		w := src.window()
		i := bytes.IndexByte(w[at:], '\n')
		for i < 0 && src.more() {
			from := len(w)
			w = src.window()
			if i = bytes.IndexByte(w[from:], '\n'); i >= 0 {
				i += from - at
			}
		}
		switch {
		case i < 0 && src.full():
			return 0, errTooLarge
		case i < 0 && src.failed() != nil:
			return 0, src.err
		case i < 0:
			i = len(w) - at // the last line need not end with a newline
		default:
			i++
		}
		line := w[at : at+i]
		if content && isMarker(line, "---") {
			break
		}
		at += i
		content = content || hasContent(line)
		if i == 0 || isMarker(line, "...") {
			break
		}
	}
	if int64(at) > src.limits.MaxBytes {
		return 0, errTooLarge
	}
	return at, nil
}

// isMarker reports whether a line is a document marker.
func isMarker(line []byte, marker string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(marker))
	return ok && (len(rest) == 0 || quickjson.Space(rest[:1]) == 1)
}

// hasContent reports whether a line belongs to a document, as opposed to its prefix: comments,
// directives, a marker alone.
func hasContent(line []byte) bool {
	line = bytes.TrimRight(line, " \t\r\n")
	trimmed := bytes.TrimLeft(line, " \t")
	return len(trimmed) > 0 && trimmed[0] != '#' && line[0] != '%' && string(line) != "---"
}

// skipDocument advances to the next document without buffering.
func skipDocument(src *source) {
	for n := 1; src.skipLine(); n++ {
		if n%checkEvery == 0 && src.ended() {
			return
		}
		for len(src.window()) < len("---\n") && src.more() {
		}
		line, _, _ := bytes.Cut(src.window(), newline)
		if isMarker(line, "---") || isMarker(line, "...") {
			return
		}
	}
}

// readDocument reads the document of n bytes at the start of the window, with its content at a
// line, 0 if it has none.
func readDocument(src *source, with *document.Transcoder, n, content int) error {
	text := src.window()[:n]
	var fatal error
	err := with.Each(src.ctx, text, src.line, src.limits, func(raw json.RawMessage, marks document.Marks) error {
		if string(raw) == "null" {
			if line := marks[0].Line; content > 0 && line >= content { // otherwise opm sees no document there, or it is reported
				src.to.Problem(emptyDocument(line))
			}
			return nil
		}
		fatal = src.to.Take(Blob{Raw: raw, Line: marks[0].Line, Marks: marks})
		return fatal
	})
	switch {
	case err == nil || fatal != nil:
		return fatal
	case src.fatal(err):
		return err
	}
	bad, code := &document.SyntaxError{Line: src.line, Reason: err.Error()}, CodeSyntax
	if errors.As(err, &bad) && bad.TooLarge {
		code = CodeTooLarge
	}
	src.to.Problem(failure(code, bad.Line, "this document is ignored: %s", bad.Reason))
	return nil
}
