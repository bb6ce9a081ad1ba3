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

// Finding is one thing that is not as it should be, with the smallest case that shows it.
type Finding struct {
	catalogdiff.Finding
	// Small is the smallest case found, nil where none was looked for or the
	// finding does not show in a catalog that is built again.
	Small *Small `json:"small,omitempty"`
}

// Small is a shrunk case.
type Small struct {
	// File is the scenario, empty if it was not written.
	File string `json:"file,omitempty"`
	// Catalog is the catalog of the finding alone, beside File, where commands about
	// catalogs show the finding and those about scenarios do not; empty elsewhere.
	Catalog string `json:"catalog,omitempty"`
	// Replay are the command lines that show the finding: each exits with status 1.
	Replay []string `json:"replay,omitempty"`
	// Bundles is how many bundles its catalogs have.
	Bundles int `json:"bundles"`
	// Text is that of the finding in the small case.
	Text string `json:"text,omitempty"`
	// Scenario is the case itself. It stands alone: blobs are in place.
	Scenario *scenario.Scenario `json:"-"`

	replay  []replay          // the commands
	catalog []json.RawMessage // the blobs of Catalog, where a command needs it
}

// key is what makes findings the same but for their bundles.
type key [6]string

func keyOf(f *catalogdiff.Finding) key {
	return key{f.Code, string(f.Problem), f.Catalog, f.Package, f.Channel, f.Bundle}
}

// String says the finding in one line, with its file and line where they are known.
func (f *Finding) String() string {
	switch {
	case f.File == "":
		return f.Code + ": " + f.Text
	case f.Line == 0:
		return text.Inert(f.File) + ": " + f.Code + ": " + f.Text
	}
	return fmt.Sprintf("%s:%d: %s: %s", text.Inert(f.File), f.Line, f.Code, f.Text)
}

// Lines says all that is known of the finding, in lines.
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

// Report is what a check found.
type Report struct {
	// Findings are what is wrong, in the order of [catalogdiff.Check].
	Findings []Finding `json:"findings"`
	// Excepted are findings that an exception stands for.
	Excepted []Excepted `json:"excepted,omitempty"`
	// Idle are the names of exceptions that nothing was found for.
	Idle []string `json:"idle,omitempty"`
}

// Excepted is a finding that stays, and why.
type Excepted struct {
	Finding
	Reason string `json:"reason"`
}

// since returns what of the findings is new: those that were not there before, and of
// those that were the bundles that are new. Texts and places play no part.
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
