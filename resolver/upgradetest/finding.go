package upgradetest

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/shards"
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
	// Replay are the command lines that show the case.
	Replay []string `json:"replay,omitempty"`
	// Bundles is how many bundles its catalogs have.
	Bundles int `json:"bundles"`
	// Text is that of the finding in the small case.
	Text string `json:"text,omitempty"`
	// Scenario is the case itself. It stands alone: blobs are in place.
	Scenario *scenario.Scenario `json:"-"`
}

// key is what makes findings the same but for their bundles.
type key [6]string

func keyOf(f *catalogdiff.Finding) key {
	return key{f.Code, string(f.Problem), f.Catalog, f.Package, f.Channel, f.Bundle}
}

// String says the finding in one line.
func (f *Finding) String() string { return f.Code + ": " + f.Text }

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
	// Known is how many findings an earlier report had already.
	Known int `json:"known,omitempty"`
}

// Excepted is a finding that stays, and why.
type Excepted struct {
	Finding
	Reason string `json:"reason"`
}

// Since returns what of the findings is new: those that old does not have, and of
// those that it has the bundles that are new. Texts, places, Small and the order of the
// bundles play no part.
func Since(old, now []Finding) []Finding {
	seen := map[key]map[string]bool{}
	for i := range old {
		k := keyOf(&old[i].Finding)
		if seen[k] == nil {
			seen[k] = map[string]bool{}
		}
		for _, b := range old[i].Bundles {
			seen[k][b] = true
		}
	}
	var out []Finding
	for _, f := range now {
		had, again := seen[keyOf(&f.Finding)]
		if again {
			f.Bundles = slices.DeleteFunc(slices.Clone(f.Bundles), func(b string) bool { return had[b] || b == f.Bundle })
			if len(f.Bundles) == 0 {
				continue
			}
		}
		out = append(out, f)
	}
	return out
}

// WriteFindings writes findings as JSON lines, a form that can be kept in a
// repository and compared: one finding a line, without what depends on the run.
func WriteFindings(w io.Writer, findings []Finding) error {
	for _, f := range findings {
		f.Text, f.File, f.Line, f.Small = "", "", 0, nil
		if err := shards.WriteLine(w, f); err != nil {
			return err
		}
	}
	return nil
}

// ReadFindings reads what [WriteFindings] wrote. The error is that of the reader or
// says which finding is invalid.
func ReadFindings(r io.Reader) ([]Finding, error) {
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	var out []Finding
	for {
		var f Finding
		switch err := dec.Decode(&f); {
		case err == io.EOF:
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("finding %d cannot be read: %w; write the file with WriteFindings", len(out)+1, err)
		case catalogdiff.Codes()[f.Code] == "":
			return nil, fmt.Errorf("finding %d has the unknown code %q", len(out)+1, f.Code)
		}
		out = append(out, f)
	}
}
