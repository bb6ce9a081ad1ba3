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

// MaxLine is how many bytes one line may have to be read.
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

// WriteSummary writes the last line.
func WriteSummary(w io.Writer, summary any) error {
	return WriteLine(w, map[string]any{"summary": summary})
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

// Lines says what the JSON lines of a kind of work hold: an L each, and an S in the key
// "summary" of the last of them.
type Lines[L, S any] struct {
	// Check says what is wrong with a line, empty if nothing is. Before is the one before
	// it in the same input, nil for the first.
	Check func(line, before *L) string
	// What names the things that have a line, in the plural. Sum says how many of them a
	// summary counts, and which shard it is of.
	What string
	Sum  func(*S) (lines int, shard string)
	// Compare orders the lines of the whole; it is 0 for those of the same thing. It is nil
	// where the shards take turns.
	Compare func(a, b *L) int
}

// input is one of several inputs.
type input[L, S any] struct {
	*Lines[L, S]
	number int
	in     *bufio.Scanner
	line   int // that was read last
	lines  int // that hold an L
	head   *L  // the last of them; nil after the summary
	sum    *S  // nil before it is read
}

func (l *Lines[L, S]) input(r io.Reader, number int) *input[L, S] {
	s := bufio.NewScanner(r)
	s.Buffer(nil, MaxLine)
	return &input[L, S]{Lines: l, number: number, in: s}
}

// advance reads the next line. The error is a [*FormatError]: the input cannot be read,
// is something else, or breaks off before its summary.
func (i *input[L, S]) advance() error {
	for i.in.Scan() {
		i.line++
		raw := i.in.Bytes()
		switch {
		case len(bytes.TrimSpace(raw)) == 0:
			continue
		case i.sum != nil:
			return i.fail("there is more after the summary; give each shard as an input of its own", nil)
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
			return i.fail("this is not a line that a shard writes", err)
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
		return i.fail("it cannot be read", err)
	}
	i.line = 0
	if i.sum == nil {
		return i.fail("it breaks off before its summary; run this shard again", nil)
	}
	if n, _ := i.Sum(i.sum); n != i.lines {
		return i.fail(fmt.Sprintf("it has %d %s and its summary counts %d; lines were lost", i.lines, i.What, n), nil)
	}
	return nil
}

// fail is an error about the line that was read last, or the input as a whole.
func (i *input[L, S]) fail(message string, err error) error {
	return &FormatError{Input: i.number, Line: i.line, Message: message, Err: err}
}
