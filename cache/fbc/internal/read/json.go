package read

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/quickjson"
)

// jsonReader cuts a stream of JSON values into parts of complete values.
type jsonReader struct {
	*source
	documents bool // it stops at the next YAML document
	endless   bool // the last part is broken and had no cut: the next line that may be a blob is one
}

// checkEvery is the number of tokens or items between two checks of the context.
const checkEvery = 1 << 12

// errTooLarge means that a value does not fit the window.
var errTooLarge = errors.New("too large")

// read reads all values. The error is that of the sink, or fatal.
func (r *jsonReader) read() error {
	for r.skipSpace() && !r.atMarker() {
		n, err := r.part()
		switch {
		case err == errTooLarge:
			r.tooLarge()
		case r.fatal(err):
			return err
		case err != nil:
			r.advance(len(r.window()))
			return nil // reported at the end of the stream
		default:
			b := Blob{Raw: r.window()[:n], Line: r.line, last: r.err == io.EOF && n == len(r.window()), limit: r.limits.MaxBytes}
			if err := r.pass(b); err != nil {
				return err
			}
			for r.endless && r.skipLine() && (len(r.window()) > 0 || r.more()) && !r.ended() {
				r.endless = r.window()[0] != '{'
			}
		}
	}
	if err := r.failed(); r.fatal(err) {
		return err
	}
	return nil
}

// atMarker reports whether the document ends here, and skips the end marker.
func (r *jsonReader) atMarker() bool {
	for r.documents && len(r.window()) < len("---\n") && r.more() {
	}
	switch w := r.window(); {
	case !r.documents:
		return false
	case isMarker(w, "..."):
		r.advance(len("..."))
		return true
	default:
		return isMarker(w, "---")
	}
}

// part returns the length of the part to pass on: complete values, unless they are broken. Reports
// on broken values depend on the cuts, so the cuts depend only on the text, not on the size of the
// window. The error is errTooLarge, or that of the stream.
func (r *jsonReader) part() (int, error) {
	broken, searched := false, 0
	for want := r.to.batchBytes(); ; want *= 2 {
		for len(r.window()) <= want && r.more() {
		}
		w := r.window()
		more := len(w) > want
		w = w[:min(len(w), want)]
		if r.documents {
			if n := marker(w, searched); n > 0 {
				return n, nil
			}
		}
		if r.err == io.EOF && !more {
			return len(w), nil
		}
		if n := lastPlace(r.ctx, w, searched); n > 0 {
			return n, nil
		}
		if searched = max(0, bytes.LastIndexByte(w, '\n')); !broken {
			n := 0
			if n, broken = measure(r.ctx, w); n > 0 {
				return n, nil
			}
		}
		switch {
		case more || r.err == nil && !r.full():
		case r.failed() != nil:
			return 0, r.err
		case broken:
			r.endless = true
			return len(w), nil // its receiver reports it
		default:
			return 0, errTooLarge
		}
	}
}

// Most boundaries between two values can be found without scanning their content: a closing brace
// ends a line, and the next token is an opening one. Inside a value there would be a comma between
// them, and no JSON string spans lines.

// lastPlace returns the start of the last value after such a boundary, at or after the newline at
// from. It returns 0 if there is none, or the context ended.
func lastPlace(ctx context.Context, text []byte, from int) int {
	for n, end := 1, len(text); end > from && (n%checkEvery > 0 || ctx.Err() == nil); n++ {
		i := bytes.LastIndexByte(text[from:end], '\n')
		if i < 0 {
			break
		}
		end = len(bytes.TrimRight(text[:from+i], " \t\r\n"))
		next := end + quickjson.Space(text[end:])
		if next < len(text) && text[next] == '{' && end > 0 && text[end-1] == '}' {
			return next
		}
	}
	return 0
}

// firstPlace returns the start of the second value after such a boundary, or the length of the
// text, also if the context ended.
func firstPlace(ctx context.Context, text []byte) int {
	for n, from := 1, 0; ; n++ {
		i := bytes.IndexByte(text[from:], '\n')
		if i < 0 || n%checkEvery == 0 && ctx.Err() != nil {
			return len(text)
		}
		end := len(bytes.TrimRight(text[:from+i], " \t\r"))
		from += i + quickjson.Space(text[from+i:])
		if from < len(text) && text[from] == '{' && end > 0 && text[end-1] == '}' {
			return from
		}
	}
}

// marker returns the start of the first line that is a document marker, at or after the newline at
// from; 0 if there is none.
func marker(text []byte, from int) int {
	for {
		i := bytes.IndexByte(text[from:], '\n')
		if i < 0 {
			return 0
		}
		if from += i + 1; isMarker(text[from:], "---") || isMarker(text[from:], "...") {
			return from
		}
	}
}

// measure returns the length of the complete values at the start of a text. Broken reports that
// what follows is not a value, whatever comes after the text.
func measure(ctx context.Context, text []byte) (n int, broken bool) {
	const mostOfToken = len(`\ud83d\ude00`) // the longest token that is invalid only as a whole
	s := quickjson.Scanner{Text: text, Stop: func() bool { return ctx.Err() != nil }}
	for {
		// A number at the end of the text may continue; but no blob is a number, and the rest is a
		// problem as well.
		end, ok := s.Value(n + quickjson.Space(text[n:]))
		if !ok {
			return n, end+mostOfToken < len(text)
		}
		n = end
	}
}

// tooLarge skips and reports a value over the limit.
func (r *jsonReader) tooLarge() {
	problem := tooLargeValue(r.line, r.limits.MaxBytes)
	r.skipLarge()
	if r.skipSpace() && r.line > problem.Line+1 {
		problem.Message += fmt.Sprintf("; reading goes on at line %d", r.line)
	}
	r.to.Problem(problem)
}

// tooLargeValue returns the problem of a value over the size limit of blobs.
func tooLargeValue(line int, limit int64) graph.Problem {
	return failure(CodeTooLarge, line, "this value is larger than the %d bytes that a blob may have, and is ignored", limit)
}

// skipLarge skips a value that does not fit the window: to its closing bracket, or at most to the
// end of its line if it starts one.
func (r *jsonReader) skipLarge() {
	oneLine := bytes.IndexByte(r.window(), '\n') < 0
	depth, inString, escaped := 0, false, false
	for {
		w := r.window()
		w = w[:min(len(w), readAtOnce)]
		for i, c := range w {
			switch {
			case c == '\n' && (oneLine || depth == 0):
				r.advance(i)
				return
			case escaped:
				escaped = false
			case inString:
				escaped, inString = c == '\\', c != '"'
			case c == '"':
				inString = true
			case c == '{' || c == '[':
				depth++
			case c == '}' || c == ']':
				if depth--; depth <= 0 {
					r.advance(i + 1)
					return
				}
			}
		}
		r.advance(len(w))
		if r.ended() || len(r.window()) == 0 && !r.more() {
			return
		}
	}
}

// invalid returns the syntax error of the value at the start of a text: io.EOF for none, a
// [*jsontext.SyntacticError] that may wrap io.ErrUnexpectedEOF, or the error of the context.
func invalid(ctx context.Context, text []byte) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
	for i := 1; ; i++ {
		switch _, err := dec.ReadToken(); {
		case err != nil:
			return err
		case dec.StackDepth() == 0:
			return errors.New("it cannot be understood") // unreachable: the scanner accepts what the library accepts
		case i%checkEvery == 0 && ctx.Err() != nil:
			return ctx.Err()
		}
	}
}
