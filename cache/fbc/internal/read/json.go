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

// jsonReader cuts a stream of JSON values into blobs.
type jsonReader struct {
	src       *source
	to        Sink
	documents bool // it ends where another document of YAML begins
}

// checkEvery is how many tokens or items are read between two looks at the context.
const checkEvery = 1 << 12

// errTooLarge says that a value does not fit into the window.
var errTooLarge = errors.New("too large")

// read reads all values. The error is that of the sink, or one that is fatal.
func (r *jsonReader) read() error {
	for r.src.skipSpace() && !r.atMarker() {
		if err := r.next(); err != nil {
			return err
		}
	}
	return nil
}

// atMarker reports whether the document ends here. It moves behind the marker of an end.
func (r *jsonReader) atMarker() bool {
	for r.documents && len(r.src.window()) < len("---\n") && r.src.more() {
	}
	switch w := r.src.window(); {
	case !r.documents:
		return false
	case isMarker(w, "..."):
		r.src.advance(len("..."))
		return true
	default:
		return isMarker(w, "---")
	}
}

// next reads one value, or skips text that is not a value.
func (r *jsonReader) next() error {
	if line := r.wholeLine(); line != nil {
		err := r.to.Take(Blob{Raw: line, Line: r.src.line})
		r.src.advance(len(line))
		return err
	}
	n, err := r.measure()
	if err == nil {
		err = r.to.Take(Blob{Raw: r.src.window()[:n], Line: r.src.line})
		r.src.advance(n)
		return err
	}
	if r.src.fatal(err) {
		return err
	}
	return r.skip(err)
}

// wholeLine returns the rest of the line if it certainly holds whole values,
// without looking at what is in between: it begins with an opening brace and
// ends with a closing one, and the next thing is another opening brace or the
// end. Inside of a value, where a brace closes none can open without a comma
// before it; and no string of JSON goes over a line. Should the line be broken
// all the same, the damage ends with it.
func (r *jsonReader) wholeLine() []byte {
	src := r.src
	if src.window()[0] != '{' {
		return nil
	}
	end, from := -1, 0
	for end < 0 {
		w := src.window()
		if i := bytes.IndexByte(w[from:], '\n'); i >= 0 {
			end = from + i
		} else if from = len(w); !src.more() {
			if src.err != io.EOF {
				return nil
			}
			end = len(w)
		}
	}
	size := len(bytes.TrimRight(src.window()[:end], " \t\r"))
	if src.window()[size-1] != '}' || int64(size) > src.input.Limits.MaxBytes {
		return nil
	}
	for from = end; ; {
		w := src.window()
		from += quickjson.Space(w[from:])
		if from < len(w) {
			if w[from] != '{' {
				return nil
			}
			break
		}
		if !src.more() {
			if src.err != io.EOF {
				return nil
			}
			break
		}
	}
	return src.window()[:size]
}

// measure returns the length of the value at the beginning of the window,
// which it makes long enough to hold it. The error is errTooLarge, a
// *jsontext.SyntacticError, the one of the stream, or one that is fatal.
func (r *jsonReader) measure() (int, error) {
	for {
		w := r.src.window()
		n, err := measureValue(r.src, w)
		switch {
		case err == nil && int64(n) <= r.src.input.Limits.MaxBytes:
			return n, nil
		case err == nil:
			return 0, errTooLarge
		case !errors.Is(err, io.ErrUnexpectedEOF):
			return 0, err
		}
		// Ask for as much again, so that what is looked at twice stays less
		// than what there is.
		for want := 2 * len(w); len(r.src.window()) < want; {
			if !r.src.more() {
				break
			}
		}
		if len(r.src.window()) > len(w) {
			continue
		}
		if r.src.full() {
			return 0, errTooLarge
		}
		if r.src.failed() != nil {
			return 0, r.src.err
		}
		return 0, err
	}
}

// measureValue returns the length of the first value in text.
func measureValue(src *source, text []byte) (int, error) {
	scanner := quickjson.Scanner{Text: text, Stop: func() bool { return src.ctx.Err() != nil }}
	// A number that ends with the text may go on behind it; but no blob is a
	// number, and what follows is a problem as well.
	end, ok := scanner.Value(quickjson.Space(text))
	switch {
	case src.ctx.Err() != nil:
		return 0, src.ctx.Err()
	case ok:
		return end, nil
	}
	err := Invalid(src.ctx, text)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return 0, err
}

// skip skips what cannot be read as a value, and reports it. Reading
// goes on with the next line that holds whole values.
func (r *jsonReader) skip(cause error) error {
	src := r.src
	first := src.line
	problem := graph.Problem{Severity: graph.SeverityError, Code: CodeSyntax, Line: first}
	var syntactic *jsontext.SyntacticError
	resumed := false
	switch {
	case cause == errTooLarge:
		problem.Code = CodeTooLarge
		problem.Message = fmt.Sprintf("this value is larger than the %d bytes that a blob may have, and is left out", src.input.Limits.MaxBytes)
		r.skipLarge()
		resumed = src.skipSpace()
	case src.failed() != nil && cause == src.err:
		src.advance(len(src.window()))
		return nil // reported at the end of the stream
	case errors.Is(cause, io.ErrUnexpectedEOF):
		problem.Code = CodeTruncated
		problem.Message = "the file ends in the middle of the value that begins here: it was cut off, or a bracket or quote is not closed"
		resumed = r.resume()
	case errors.As(cause, &syntactic):
		at := min(max(int(syntactic.ByteOffset), 0), len(src.window()))
		problem.Line = first + bytes.Count(src.window()[:at], newline)
		problem.Message = "this is not valid JSON: " + Reason(syntactic)
		resumed = r.resume()
		if resumed && src.line <= problem.Line {
			// The lines behind the first are good, so it is that one.
			problem.Line = first
			problem.Message = "this line is not valid JSON, as if it was cut off"
		} else if problem.Line > first {
			problem.Message += fmt.Sprintf(", in the value that begins at line %d", first)
		}
	default:
		problem.Message = "this is not valid JSON: " + cause.Error()
		resumed = r.resume()
	}
	switch err := src.failed(); {
	case src.fatal(err):
		return err
	case resumed && src.line > first+1:
		problem.Message += fmt.Sprintf("; reading goes on at line %d", src.line)
	case !resumed && cause != errTooLarge:
		problem.Message += "; the rest of the file is lost"
	}
	r.to.Problem(problem)
	return nil
}

// resume moves on to the next line that holds whole values. It returns false
// if there is no such line.
func (r *jsonReader) resume() bool {
	for n := 1; r.src.skipLine(); n++ {
		if n%checkEvery == 0 && r.src.ended() {
			return false
		}
		for len(r.src.window()) == 0 {
			if !r.src.more() {
				return false
			}
		}
		if r.atMarker() || r.wholeLine() != nil || r.validLine() {
			return true
		}
	}
	return false
}

// validLine reports whether the line that the window begins with is a blob by
// itself, whatever comes behind it. It has to look at all of the line, and
// has to be sure that it is not a part of a blob that goes over many lines:
// those have no schema.
func (r *jsonReader) validLine() bool {
	line, _, whole := bytes.Cut(r.src.window(), newline)
	line = bytes.TrimRight(line, " \t\r")
	if len(line) == 0 || line[0] != '{' || line[len(line)-1] != '}' || !whole && r.src.err != io.EOF {
		return false
	}
	if !bytes.Contains(line, []byte(`"schema"`)) {
		return false
	}
	n, err := measureValue(r.src, line)
	return err == nil && n == len(line)
}

// skipLarge skips a value that is too large to be held: to its closing
// bracket, or if it stands on a line of its own, at most to the end of that.
func (r *jsonReader) skipLarge() {
	src := r.src
	oneLine := bytes.IndexByte(src.window(), '\n') < 0
	depth, inString, escaped := 0, false, false
	for {
		w := src.window()
		w = w[:min(len(w), readAtOnce)]
		for i, c := range w {
			switch {
			case c == '\n' && (oneLine || depth == 0):
				src.advance(i)
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
					src.advance(i + 1)
					return
				}
			}
		}
		src.advance(len(w))
		if src.ended() || len(src.window()) == 0 && !src.more() {
			return
		}
	}
}

// Reason renders a syntax error of the library without its prefix and offset:
// problems name the line.
func Reason(err *jsontext.SyntacticError) string {
	if err.Err != nil {
		return err.Err.Error()
	}
	return "it cannot be understood"
}

// Invalid returns what is wrong with the value that a text begins with: io.EOF for
// none, a [*jsontext.SyntacticError] in which io.ErrUnexpectedEOF may be, or the
// error of the context.
func Invalid(ctx context.Context, text []byte) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
	for i := 1; ; i++ {
		switch _, err := dec.ReadToken(); {
		case err != nil:
			return err
		case dec.StackDepth() == 0:
			return errors.New("it cannot be understood") // cannot be: the scanner takes what the library takes
		case i%checkEvery == 0 && ctx.Err() != nil:
			return ctx.Err()
		}
	}
}
