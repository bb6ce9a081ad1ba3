package ready

import (
	"fmt"
	"io"
	"slices"

	"github.com/seed109e2655/resolute/resolver/shards"
)

// Writer writes reports as JSON lines: an object for each, then one with the summary.
// Where there is but one report, and it is no shard, there is no summary. It is not
// safe for concurrent use, and does not buffer.
type Writer struct{ w io.Writer }

// NewWriter returns a writer of JSON lines.
func NewWriter(w io.Writer) *Writer { return &Writer{w} }

// Report writes the line of a report.
func (w *Writer) Report(r *Report) error { return shards.WriteLine(w.w, r) }

// Summary writes the last line, where there is one.
func (w *Writer) Summary(s *Summary) error {
	if s.Clusters <= 1 && s.Shard == "" {
		return nil
	}
	return shards.WriteLine(w.w, map[string]*Summary{"summary": s})
}

type reader struct {
	*shards.Reader[Summary]
	count int
}

// next returns the next report, nil at the end.
func (r *reader) next() (*Report, error) {
	report := new(Report)
	more, err := r.Next(report)
	switch {
	case err != nil:
		return nil, err
	case !more && r.Summary.Clusters != r.count:
		return nil, r.Lost(r.count, r.Summary.Clusters, "reports")
	case !more:
		return nil, nil
	case report.Status == "":
		return nil, r.Fail("this is not the line of a report: it has no status", nil)
	}
	r.count++
	return report, nil
}

// Merge puts the JSON lines of all shards together, given in any order, and writes them
// as the whole would have been, byte for byte. Each, if it is not nil, is called with the
// reports one by one. It needs the memory of one line of each shard. Several inputs are
// read twice, and have to be [io.ReadSeeker].
//
// The error is a [*shards.FormatError] if an input is not a shard, if one is missing or
// comes twice, or that of w or each.
func Merge(w io.Writer, each func(*Report) error, parts ...io.Reader) (*Summary, error) {
	if len(parts) == 0 {
		return nil, shards.Nothing()
	}
	tally := NewTally()
	order, err := shardOrder(parts)
	if err != nil {
		return nil, err
	}
	for turn, ended := 0, 0; ended < len(order); turn++ {
		in := order[turn%len(order)]
		r, err := in.next()
		switch {
		case err != nil:
			return nil, err
		case r == nil: // all after it in the turn must be at their end as well
			ended++
			continue
		case ended > 0:
			return nil, in.Fail("it has more reports than its turn; the shards are not of one fleet", nil)
		}
		tally.Add(r)
		if each != nil {
			if err := each(r); err != nil {
				return nil, err
			}
		}
		if _, err := w.Write(append(slices.Clone(in.Raw()), '\n')); err != nil {
			return nil, err
		}
	}
	sum := tally.Summary()
	return sum, NewWriter(w).Summary(sum)
}

// shardOrder puts the inputs into the order of their shards. Which shard an input is, its
// summary says, at its end; one input alone is read only once.
func shardOrder(parts []io.Reader) ([]*reader, error) {
	order := make([]*reader, len(parts))
	for i, r := range parts {
		in := &reader{Reader: shards.NewReader[Summary](r, i)}
		seeker, ok := r.(io.ReadSeeker)
		switch {
		case !ok && len(parts) > 1:
			return nil, in.FailWhole("it cannot be read twice; give shards as files")
		case !ok:
			return []*reader{in}, nil
		}
		name, err := shardOf(seeker, i)
		if err != nil {
			return nil, err
		}
		shard, n, err := shards.Parse(name)
		switch {
		case err != nil:
			return nil, &shards.FormatError{Input: i, Message: "its summary has a shard that makes no sense", Err: err}
		case max(n, 1) != len(parts):
			return nil, in.FailWhole(fmt.Sprintf("it is %s, and %d inputs are given; give every shard of one fleet once", shards.Words(name), len(parts)))
		case order[shard] != nil:
			return nil, in.Twice(name, order[shard].Input)
		}
		order[shard] = in
	}
	return order, nil
}

// shardOf reads to the summary of an input, and goes back to its beginning.
func shardOf(r io.ReadSeeker, input int) (string, error) {
	in := &reader{Reader: shards.NewReader[Summary](r, input)}
	for {
		if report, err := in.next(); err != nil {
			return "", err
		} else if report == nil {
			break
		}
	}
	_, err := r.Seek(0, io.SeekStart)
	return in.Summary.Shard, err
}
