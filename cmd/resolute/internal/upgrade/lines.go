package upgrade

import (
	"io"

	"github.com/seed109e2655/resolute/internal/shards"
)

// WriteLine writes the report as a line of JSON.
func (r *Report) WriteLine(w io.Writer) error { return shards.WriteLine(w, r) }

// WriteLine writes the last line of JSON, {"summary": …}. A single report without a shard has none.
func (s *Summary) WriteLine(w io.Writer) error {
	if s.alone() {
		return nil
	}
	return shards.WriteSummary(w, s)
}

// alone reports whether the only report already has the content of the summary.
func (s *Summary) alone() bool { return s.Clusters <= 1 && s.Shard == "" }

// Merge reads the JSON lines of all shards of a fleet, in any order, calls each with all reports in
// the order of the whole, and returns the summary of the whole. The only input may be the whole. It
// needs the memory of one line of each shard. Several inputs are read twice and must be
// [io.ReadSeeker].
//
// The error names the input that is not a shard, missing or duplicate; otherwise it is that of
// each.
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
