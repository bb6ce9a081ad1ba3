package upgrade

import (
	"io"

	"github.com/seed109e2655/resolute/internal/shards"
)

// WriteLine writes the report as a line of JSON.
func (r *Report) WriteLine(w io.Writer) error { return shards.WriteLine(w, r) }

// WriteLine writes the last of the lines of JSON, {"summary": …}. Where there is but one
// report, and it is no shard, there is none.
func (s *Summary) WriteLine(w io.Writer) error {
	if s.alone() {
		return nil
	}
	return shards.WriteSummary(w, s)
}

// alone reports whether the summary says nothing that the one report does not say.
func (s *Summary) alone() bool { return s.Clusters <= 1 && s.Shard == "" }

// Merge reads the JSON lines of all shards of a fleet, given in any order, and calls each
// with the reports as the whole would have, then returns the summary of the whole. One
// input may be the whole. It needs the memory of one line of each shard. Several inputs
// are read twice, and have to be [io.ReadSeeker].
//
// The error says which input is not a shard, is missing or comes twice; otherwise it is
// that of each.
func Merge(each func(*Report) error, parts ...io.Reader) (*Summary, error) {
	all := newTally()
	lines := shards.Lines[Report, Summary]{
		What: "reports",
		Sum:  func(s *Summary) (int, string) { return s.Clusters, s.Shard },
		Check: func(r, _ *Report) string {
			if r.Status == "" {
				return "this is not the line of a report: it has no status"
			}
			return ""
		},
	}
	_, err := lines.Merge(func(r *Report) error {
		all.add(r)
		return each(r)
	}, parts...)
	if err != nil {
		return nil, err
	}
	return all.summary(), nil
}
