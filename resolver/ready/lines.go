package ready

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// MaxLine is how many bytes a report may have as one line of JSON for [Read] and
// [Merge] to read it.
const MaxLine = 64 << 20

// MaxItems is how many lists, objects and items of lists one line may have in all.
const MaxItems = 1_000_000

// Writer writes reports as JSON lines: an object for each, then one with the summary.
// Where there is but one report, and it is no shard, there is no summary. It is not
// safe for concurrent use, and does not buffer.
type Writer struct{ w io.Writer }

// NewWriter returns a writer of JSON lines.
func NewWriter(w io.Writer) *Writer { return &Writer{w} }

// summaryLine is the last line.
type summaryLine struct {
	Summary *Summary `json:"summary"`
}

// Report writes the line of a report.
func (w *Writer) Report(r *Report) error { return w.line(r) }

// Summary writes the last line, where there is one.
func (w *Writer) Summary(s *Summary) error {
	if s.Clusters <= 1 && s.Shard == "" {
		return nil
	}
	return w.line(summaryLine{s})
}

func (w *Writer) line(v any) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.w.Write(line.Bytes())
	return err
}

// FormatError says that something is not the JSON of reports, or that shards do not
// make up one fleet.
type FormatError struct {
	// Input is which of the inputs it is, counted from 0, and Line where it is,
	// counted from 1; 0 if it is not about one line.
	Input, Line int
	// Message says what is wrong and what to do.
	Message string
	// Err is the cause, if there is one.
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

// lineReader reads the lines of one shard.
type lineReader struct {
	input   int
	lines   *bufio.Scanner
	line    int
	count   int
	raw     []byte
	summary *Summary
}

func newLineReader(r io.Reader, input int) *lineReader {
	s := bufio.NewScanner(r)
	s.Buffer(nil, MaxLine)
	return &lineReader{input: input, lines: s}
}

func (r *lineReader) fail(message string, err error) error {
	return &FormatError{Input: r.input, Line: r.line, Message: message, Err: err}
}

// next returns the next report, nil at the end.
func (r *lineReader) next() (*Report, error) {
	for r.lines.Scan() {
		r.line++
		r.raw = r.lines.Bytes()
		if len(bytes.TrimSpace(r.raw)) == 0 {
			continue
		}
		if r.summary != nil {
			return nil, r.fail("there is more after the summary; give each shard as an input of its own", nil)
		}
		if !quickjson.Bounded(r.raw, MaxItems) {
			return nil, r.fail(fmt.Sprintf("the line has more than %d lists, objects and items of lists, or more than %d levels of them", MaxItems, quickjson.MaxLevels), nil)
		}
		var line struct {
			Report
			summaryLine
		}
		if err := json.Unmarshal(r.raw, &line); err != nil {
			return nil, r.fail("this is no line of a report", err)
		}
		if line.summaryLine.Summary != nil {
			r.summary = line.summaryLine.Summary
			continue
		}
		if line.Status == "" {
			return nil, r.fail("this is no line of a report: it has no status", nil)
		}
		r.count++
		return &line.Report, nil
	}
	r.line++
	switch err := r.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, r.fail(fmt.Sprintf("the line is longer than %d bytes", MaxLine), nil)
	case err != nil:
		return nil, r.fail("it cannot be read", err)
	case r.summary == nil:
		r.line = 0
		return nil, r.fail("it breaks off before its summary; run this shard again", nil)
	case r.summary.Clusters != r.count:
		r.line = 0
		return nil, r.fail(fmt.Sprintf("it has %d reports and its summary counts %d; lines were lost", r.count, r.summary.Clusters), nil)
	}
	return nil, nil
}

// Merge puts the JSON lines of all shards together, given in any order, and writes them
// as the whole would have been, byte for byte. Each, if it is not nil, is handed the
// reports one by one. It needs the memory of one line of each shard.
//
// The error is a [*FormatError] if an input is no shard, if one is missing or comes
// twice, or that of w or each.
func Merge(w io.Writer, each func(*Report) error, shards ...io.Reader) (*Summary, error) {
	if len(shards) == 0 {
		return nil, &FormatError{Message: "there is nothing to merge; give the output of every shard"}
	}
	inputs := make([]*lineReader, len(shards))
	for i, r := range shards {
		inputs[i] = newLineReader(r, i)
	}
	out, tally := NewWriter(w), NewTally()
	// Which shard an input is, is known only at its end, so the summaries are read
	// first, unless there is but one.
	order, err := shardOrder(shards, inputs)
	if err != nil {
		return nil, err
	}
	for turn := 0; len(order) > 0; turn++ {
		in := order[turn%len(order)]
		r, err := in.next()
		if err != nil {
			return nil, err
		}
		if r == nil { // all after it in the turn must be at their end as well
			if err := allEnd(order, turn); err != nil {
				return nil, err
			}
			break
		}
		tally.Add(r)
		if each != nil {
			if err := each(r); err != nil {
				return nil, err
			}
		}
		if _, err := w.Write(append(slices.Clone(in.raw), '\n')); err != nil {
			return nil, err
		}
	}
	sum := tally.Summary()
	return sum, out.Summary(sum)
}

// allEnd checks that once it is the turn of a shard that has no more, no other has.
func allEnd(order []*lineReader, turn int) error {
	for k := 1; k < len(order); k++ {
		in := order[(turn+k)%len(order)]
		r, err := in.next()
		if err != nil {
			return err
		}
		if r != nil {
			return in.fail("it has more reports than its turn; the shards are not of one fleet", nil)
		}
	}
	return nil
}

// shardOrder puts the inputs into the order of their shards.
func shardOrder(shards []io.Reader, inputs []*lineReader) ([]*lineReader, error) {
	order := make([]*lineReader, len(inputs))
	for i, r := range shards {
		seeker, ok := r.(io.ReadSeeker)
		if !ok && len(shards) > 1 {
			return nil, &FormatError{Input: i, Message: "it cannot be read twice; give shards as files"}
		}
		if !ok {
			order[0] = inputs[0]
			continue
		}
		name, err := shardOf(seeker, i)
		if err != nil {
			return nil, err
		}
		shard, n, err := audit.ParseShard(name)
		switch {
		case err != nil:
			return nil, &FormatError{Input: i, Message: "its summary has a shard that makes no sense", Err: err}
		case max(n, 1) != len(shards):
			return nil, &FormatError{Input: i, Message: fmt.Sprintf("it is %s, and %d inputs are given; give every shard of one fleet once", shardName(name), len(shards))}
		case order[shard] != nil:
			return nil, &FormatError{Input: i, Message: fmt.Sprintf("it is %s, as input %d is; give each shard once", shardName(name), order[shard].input+1)}
		}
		order[shard] = inputs[i]
	}
	return order, nil
}

func shardName(name string) string {
	if name == "" {
		return "a whole fleet"
	}
	return "shard " + text.Name(name)
}

// shardOf reads to the summary of an input, and goes back to its beginning.
func shardOf(r io.ReadSeeker, input int) (string, error) {
	lines := newLineReader(r, input)
	for {
		report, err := lines.next()
		if err != nil {
			return "", err
		}
		if report == nil {
			break
		}
	}
	_, err := r.Seek(0, io.SeekStart)
	return lines.summary.Shard, err
}
