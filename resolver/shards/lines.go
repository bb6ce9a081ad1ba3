package shards

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/internal/text"
)

// MaxLine is how many bytes one line may have for a [Reader] to read it.
const MaxLine = 64 << 20

// MaxItems is how many lists, objects and items of lists one line may have in all:
// some 200,000 facts of conflicts.
const MaxItems = 1_000_000

// WriteLine writes one value as a line of JSON, at once, so that a line is never half
// there.
func WriteLine(w io.Writer, v any) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(line.Bytes())
	return err
}

// FormatError says that something is not the JSON lines that were expected, or that
// shards do not make up a whole.
type FormatError struct {
	// Input is which of the inputs it is, counted from 0, and Line where it is,
	// counted from 1; 0 if it is not about one line.
	Input, Line int
	// Message says what is wrong and what to do.
	Message string
	// Err is the cause; nil if there is no other.
	Err error
}

// Error says what is wrong and where.
func (e *FormatError) Error() string {
	where := fmt.Sprintf("input %d", e.Input+1)
	if e.Line > 0 {
		where += fmt.Sprintf(", line %d", e.Line)
	}
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %s", where, e.Message, text.Inert(e.Err.Error()))
	}
	return where + ": " + e.Message
}

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// Reader reads the JSON lines of one shard, an S in the key "summary" of the last of
// them. It is not safe for concurrent use.
type Reader[S any] struct {
	// Input is the number of the input in errors, counted from 0.
	Input int
	// Summary is that of the last line; nil before it is read.
	Summary *S

	lines *bufio.Scanner
	line  int
}

// NewReader returns a reader of one of several inputs.
func NewReader[S any](r io.Reader, input int) *Reader[S] {
	s := bufio.NewScanner(r)
	s.Buffer(nil, MaxLine)
	return &Reader[S]{Input: input, lines: s}
}

// Raw returns the line that was read last, without its end. It is valid until the next
// call of Next.
func (r *Reader[S]) Raw() []byte { return r.lines.Bytes() }

// Next decodes the next line into v, and reports whether there was one: after the
// summary there is no more. The error is a [*FormatError]: the input cannot be read, is
// something else, or breaks off before its summary.
func (r *Reader[S]) Next(v any) (bool, error) {
	for r.lines.Scan() {
		r.line++
		switch {
		case len(bytes.TrimSpace(r.Raw())) == 0:
			continue
		case r.Summary != nil:
			return false, r.Fail("there is more after the summary; give each shard as an input of its own", nil)
		case !quickjson.Bounded(r.Raw(), MaxItems):
			return false, r.Fail(fmt.Sprintf("the line has more than %d lists, objects and items of lists, or more than %d levels of them", MaxItems, quickjson.MaxLevels), nil)
		}
		var last struct {
			Summary *S `json:"summary"`
		}
		err := json.Unmarshal(r.Raw(), v)
		if err == nil && bytes.Contains(r.Raw(), []byte(`"summary"`)) {
			err = json.Unmarshal(r.Raw(), &last)
		}
		if err != nil {
			return false, r.Fail("this is not a line that a shard writes", err)
		}
		if r.Summary = last.Summary; r.Summary == nil {
			return true, nil
		}
	}
	r.line++
	switch err := r.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return false, r.Fail(fmt.Sprintf("the line is longer than %d bytes", MaxLine), nil)
	case err != nil:
		return false, r.Fail("it cannot be read", err)
	case r.Summary == nil:
		return false, r.FailWhole("it breaks off before its summary; run this shard again")
	}
	return false, nil
}

// Fail is an error about the line that was read last.
func (r *Reader[S]) Fail(message string, err error) error {
	return &FormatError{Input: r.Input, Line: r.line, Message: message, Err: err}
}

// Nothing is the error of those who merge no input at all.
func Nothing() error {
	return &FormatError{Message: "there is nothing to merge; give the output of every shard"}
}

// Lost is an error about an input that does not have as many of something as its summary
// counts.
func (r *Reader[S]) Lost(has, counts int, what string) error {
	return r.FailWhole(fmt.Sprintf("it has %d %s and its summary counts %d; lines were lost", has, what, counts))
}

// Twice is an error about an input that is the same shard as an earlier one.
func (r *Reader[S]) Twice(shard string, earlier int) error {
	return r.FailWhole(fmt.Sprintf("it is %s, as input %d is; give each shard once", Words(shard), earlier+1))
}

// FailWhole is an error about the input as a whole.
func (r *Reader[S]) FailWhole(message string) error {
	return &FormatError{Input: r.Input, Message: message}
}
