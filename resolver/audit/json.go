package audit

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/shards"
	"github.com/seed109e2655/resolute/internal/text"
)

// WriteLine writes the finding as a line of JSON, unbuffered.
func (b *Bundle) WriteLine(w io.Writer) error { return shards.WriteLine(w, b) }

// WriteLine writes the summary as the last line of JSON, {"summary": …}.
func (s *Summary) WriteLine(w io.Writer) error {
	with := *s
	if with.Clashes == nil { // the key is always present
		with.Clashes = []Clash{}
	}
	return shards.WriteSummary(w, &with)
}

func compareFindings(a, b *Bundle) int {
	return cmp.Or(strings.Compare(a.Catalog, b.Catalog), strings.Compare(a.Package, b.Package), strings.Compare(a.Bundle, b.Bundle))
}

// checkLine describes the error of a line after another one.
func checkLine(b, before *Bundle) string {
	switch {
	case b.Catalog == "" || b.Package == "" || b.Bundle == "":
		return "this line names no bundle: catalog, package and bundle are required"
	case before != nil && compareFindings(before, b) >= 0:
		return fmt.Sprintf("%s comes after %s, out of order; an audit lists each bundle once, by catalog, package and bundle",
			text.Inert(b.Bundle), text.Inert(before.Bundle))
	}
	return ""
}

// Merge reads the JSON lines of all shards of an audit in any order, and calls each with the
// findings in the order of the complete audit. It returns the merged summary; its seconds are the
// sum. The only input may be a complete audit. It needs memory for one line of each shard.
//
// The error reports an input that is not an audit, is truncated, missing or duplicate, or that
// the shards are not of the same audit; otherwise it is the error of each.
func Merge(each func(*Bundle) error, parts ...io.Reader) (*Summary, error) {
	var all Summary
	lines := shards.Lines[Bundle, Summary]{
		What: "bundles", Check: checkLine, Compare: compareFindings,
		Sum: func(s *Summary) (int, string) { return s.Bundles, s.Shard },
	}
	sums, err := lines.Merge(func(b *Bundle) error {
		all.add(b)
		return each(b)
	}, parts...)
	if err != nil {
		return nil, err
	}
	first := sums[0]
	for _, s := range sums {
		if !slices.EqualFunc(s.Clashes, first.Clashes, func(a, b Clash) bool {
			return a.GVK == b.GVK && slices.Equal(a.Packages, b.Packages)
		}) || !slices.EqualFunc(s.Apart, first.Apart, slices.Equal[[]string]) {
			return nil, &shards.FormatError{Message: fmt.Sprintf("shards %s and %s have different clashes; all shards must be of the same catalogs",
				text.Name(first.Shard), text.Name(s.Shard))}
		}
		all.Seconds += s.Seconds
	}
	all.Seconds = math.Round(all.Seconds*1e6) / 1e6
	all.Clashes, all.Apart, all.NotCompared = first.Clashes, first.Apart, first.NotCompared
	return &all, nil
}
