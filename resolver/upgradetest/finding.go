package upgradetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Finding is an error of a catalog, with the smallest case that reproduces it.
type Finding struct {
	catalogdiff.Finding
	// Small is the smallest case; nil if not searched, or if a catalog that is rebuilt from
	// declarations does not reproduce the finding.
	Small *Small `json:"small,omitempty"`
}

// Small is a shrunk case.
type Small struct {
	// File is the scenario file; empty if it was not written.
	File string `json:"file,omitempty"`
	// Catalog is the file with the catalog of the finding alone, beside File, if commands on
	// catalogs reproduce the finding and commands on scenarios do not; else empty.
	Catalog string `json:"catalog,omitempty"`
	// Replay are command lines that reproduce the finding: each exits with status 1.
	Replay []string `json:"replay,omitempty"`
	// Bundles is the number of bundles in its catalogs.
	Bundles int `json:"bundles"`
	// Text is the text of the finding in the small case.
	Text string `json:"text,omitempty"`
	// Scenario is the case itself. It is self-contained, with inline blobs.
	Scenario *scenario.Scenario `json:"-"`

	replay  []replay          // the commands
	catalog []json.RawMessage // the blobs of Catalog, if a command needs it
}

// key identifies findings that differ only in their bundles.
type key [6]string

func keyOf(f *catalogdiff.Finding) key {
	return key{f.Code, string(f.Problem), f.Catalog, f.Package, f.Channel, f.Bundle}
}

// String returns the finding as one line, with file and line if known.
func (f *Finding) String() string {
	switch {
	case f.File == "":
		return f.Code + ": " + f.Text
	case f.Line == 0:
		return text.Inert(f.File) + ": " + f.Code + ": " + f.Text
	}
	return fmt.Sprintf("%s:%d: %s: %s", text.Inert(f.File), f.Line, f.Code, f.Text)
}

// Lines returns all details of the finding, one per line.
func (f *Finding) Lines() string {
	var b strings.Builder
	fmt.Fprintln(&b, f)
	if s := f.Small; s != nil {
		fmt.Fprintf(&b, "  smallest case: %s", text.Count(s.Bundles, "bundle", "bundles"))
		if s.File == "" {
			b.WriteString(", not written\n")
			return b.String()
		}
		fmt.Fprintf(&b, ", in %s\n", s.File)
		if s.Text != f.Text {
			fmt.Fprintf(&b, "  there: %s\n", s.Text)
		}
		for _, line := range s.Replay {
			fmt.Fprintf(&b, "  replay: %s\n", line)
		}
	}
	return b.String()
}

// Report is the result of a check.
type Report struct {
	// Findings are the errors, in the order of [catalogdiff.Check].
	Findings []Finding `json:"findings"`
	// Excepted are the findings covered by an exception.
	Excepted []Excepted `json:"excepted,omitempty"`
	// Idle are the names of exceptions without a finding.
	Idle []string `json:"idle,omitempty"`
}

// Excepted is an accepted finding with its reason.
type Excepted struct {
	Finding
	Reason string `json:"reason"`
}

// since returns the new findings, and existing ones reduced to their new bundles. Texts and
// locations are ignored.
func since(before, now []catalogdiff.Finding) []catalogdiff.Finding {
	seen := make(map[key][]string)
	for i := range before {
		k := keyOf(&before[i])
		seen[k] = append(append(seen[k], before[i].Bundle), before[i].Bundles...)
	}
	return slices.DeleteFunc(now, func(f catalogdiff.Finding) bool {
		had, again := seen[keyOf(&f)]
		return again && !slices.ContainsFunc(f.Bundles, func(b string) bool { return !slices.Contains(had, b) })
	})
}
