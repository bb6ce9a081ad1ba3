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

// MaxLine is the maximum length of one line in bytes.
const MaxLine = 64 << 20

// MaxItems is the maximum number of lists, objects and list items in one line:
// some 200,000 facts of conflicts.
const MaxItems = 1_000_000

// WriteLine writes one value as a line of JSON in a single write, so that a
// line is never partial.
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

// WriteSummary writes the last line, with the summary.
func WriteSummary(w io.Writer, summary any) error {
	return WriteLine(w, map[string]any{"summary": summary})
}

// FormatError reports input that is not the expected JSON lines, or shards
// that do not form a whole.
type FormatError struct {
	// Input is the index of the input, from 0. Line is the line number, from
	// 1, or 0 if the error is not about one line.
	Input, Line int
	// Message is the reason and what to do.
	Message string
	// Err is the cause, or nil.
	Err error
}

// Error returns the location, the message and the cause.
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

// Lines defines the JSON lines of a kind of work: lines of type L, and a last
// line with an S under the key "summary".
type Lines[L, S any] struct {
	// Check validates a line and returns the problem, or "". Before is the
	// previous line of the same input, nil for the first.
	Check func(line, before *L) string
	// What names the items that have a line, in the plural. Sum returns the
	// number of items in a summary and its shard.
	What string
	Sum  func(*S) (lines int, shard string)
	// Compare orders the merged lines; it returns 0 for duplicates. If it is
	// nil, lines of the shards are interleaved round-robin.
	Compare func(a, b *L) int
}

// input is one of the inputs.
type input[L, S any] struct {
	*Lines[L, S]
	number int
	in     *bufio.Scanner
	line   int // the last line read
	lines  int // lines with an L
	head   *L  // the last of them; nil after the summary
	sum    *S  // nil until read
}

func (l *Lines[L, S]) input(r io.Reader, number int) *input[L, S] {
	s := bufio.NewScanner(r)
	s.Buffer(nil, MaxLine)
	return &input[L, S]{Lines: l, number: number, in: s}
}

// advance reads the next line. The error is a [*FormatError]: the input is
// unreadable, has another format, or ends before its summary.
func (i *input[L, S]) advance() error {
	for i.in.Scan() {
		i.line++
		raw := i.in.Bytes()
		switch {
		case len(bytes.TrimSpace(raw)) == 0:
			continue
		case i.sum != nil:
			return i.fail("unexpected line after the summary; give each shard as a separate input", nil)
		case !quickjson.Bounded(raw, MaxItems):
			return i.fail(fmt.Sprintf("the line has more than %d lists, objects and items of lists, or more than %d levels of them", MaxItems, quickjson.MaxLevels), nil)
		}
		line := new(L)
		var last struct {
			Summary *S `json:"summary"`
		}
		err := json.Unmarshal(raw, line)
		if err == nil && bytes.Contains(raw, []byte(`"summary"`)) {
			err = json.Unmarshal(raw, &last)
		}
		if err != nil {
			return i.fail("not the line of a shard", err)
		}
		if i.sum = last.Summary; i.sum != nil {
			continue
		}
		if wrong := i.Check(line, i.head); wrong != "" {
			return i.fail(wrong, nil)
		}
		i.head = line
		i.lines++
		return nil
	}
	i.line++
	i.head = nil
	switch err := i.in.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return i.fail(fmt.Sprintf("the line is longer than %d bytes", MaxLine), nil)
	case err != nil:
		return i.fail("cannot read the input", err)
	}
	i.line = 0
	if i.sum == nil {
		return i.fail("the input ends before its summary; run this shard again", nil)
	}
	if n, _ := i.Sum(i.sum); n != i.lines {
		return i.fail(fmt.Sprintf("the input has %d %s but its summary counts %d; lines are missing", i.lines, i.What, n), nil)
	}
	return nil
}

// fail returns an error about the current line, or about the whole input.
func (i *input[L, S]) fail(message string, err error) error {
	return &FormatError{Input: i.number, Line: i.line, Message: message, Err: err}
}
