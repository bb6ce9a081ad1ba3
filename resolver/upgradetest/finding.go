package upgradetest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Finding is one thing that is not as it should be. Findings of bundles that come
// to the same are one.
type Finding struct {
	// Property is what does not hold.
	Property Property `json:"property"`
	// Catalog is "namespace/name"; Package and Channel are where the finding is.
	// Channel may be empty.
	Catalog string `json:"catalog,omitempty"`
	Package string `json:"package,omitempty"`
	Channel string `json:"channel,omitempty"`
	// At is the bundle at which it shows: where paths end, or what was added. It may
	// be empty.
	At string `json:"at,omitempty"`
	// Code distinguishes findings of one place: what is in the way. It is stable.
	Code string `json:"code"`
	// Bundles are those that the finding is true of, sorted; for Dependents, the
	// dependents. It may be empty.
	Bundles []string `json:"bundles,omitempty"`
	// Want and Got say, for the first of the bundles, what should be and what is.
	// They are for people and may change in any release.
	Want string `json:"want,omitempty"`
	Got  string `json:"got,omitempty"`
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
	// Want and Got say what should be and what is in the small case.
	Want string `json:"want,omitempty"`
	Got  string `json:"got,omitempty"`
	// Scenario is the case itself. It stands alone: blobs are in place.
	Scenario *scenario.Scenario `json:"-"`

	verb string // the command that shows most
}

// key is what makes findings the same but for their bundles.
type key [6]string

func (f *Finding) key() key {
	return key{string(f.Property), f.Catalog, f.Package, f.Channel, f.At, f.Code}
}

// compareFindings orders findings by property, as [Properties] does, then by place.
func compareFindings(a, b Finding) int {
	all, x, y := Properties(), a.key(), b.key()
	return cmp.Or(cmp.Compare(slices.Index(all, a.Property), slices.Index(all, b.Property)), slices.Compare(x[1:], y[1:]))
}

// String says where the finding is and what it is, in one line.
func (f *Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:", f.Property)
	for _, part := range []struct{ word, name string }{{"package", f.Package}, {"channel", f.Channel}, {"at", f.At}} {
		if part.name != "" {
			fmt.Fprintf(&b, " %s %s,", part.word, text.Name(part.name))
		}
	}
	line := strings.TrimSuffix(b.String(), ",")
	if n := len(f.Bundles); n > 0 && (n > 1 || f.Bundles[0] != f.At) {
		line += ": " + few(f.Bundles)
	}
	return line + " [" + f.Code + "]"
}

// Text says all that is known of the finding, in lines.
func (f *Finding) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n  property: %s\n", f, f.Property.Title())
	want, got := f.Want, f.Got
	if f.Small != nil {
		want, got = f.Small.Want, f.Small.Got
	}
	fmt.Fprintf(&b, "  expected: %s\n  happened: %s\n", indented(want), indented(got))
	if s := f.Small; s != nil {
		fmt.Fprintf(&b, "  smallest case: %s", text.Count(s.Bundles, "bundle", "bundles"))
		if s.File != "" {
			fmt.Fprintf(&b, ", in %s\n", s.File)
			for _, line := range s.Replay {
				fmt.Fprintf(&b, "  replay: %s\n", line)
			}
		} else {
			b.WriteString(", not written\n")
		}
	}
	return b.String()
}

// Report is what a check found.
type Report struct {
	// Seed is that of the options.
	Seed uint64 `json:"seed"`
	// Looked says how many cases of each property were looked at, and of how many.
	Looked []Looked `json:"looked"`
	// Findings are what is wrong, in a fixed order.
	Findings []Finding `json:"findings"`
	// Excepted are findings that an exception stands for.
	Excepted []Excepted `json:"excepted,omitempty"`
	// Idle are the names of exceptions that nothing was found for.
	Idle []string `json:"idle,omitempty"`
	// Known is how many findings an earlier report had already.
	Known int `json:"known,omitempty"`
}

// Looked says how much of a property was looked at.
type Looked struct {
	Property Property `json:"property"`
	Cases    int      `json:"cases"`
	Of       int      `json:"of"`
}

// Excepted is a finding that stays, and why.
type Excepted struct {
	Finding
	Reason string `json:"reason"`
}

// Since returns what of the findings is new: those that old does not have, and of
// those that it has the bundles that are new. Want, Got, Small and the order of the
// bundles play no part.
func Since(old, now []Finding) []Finding {
	seen := map[key]map[string]bool{}
	for i := range old {
		k := old[i].key()
		if seen[k] == nil {
			seen[k] = map[string]bool{}
		}
		for _, b := range old[i].Bundles {
			seen[k][b] = true
		}
	}
	var out []Finding
	for _, f := range now {
		had, again := seen[f.key()]
		if again {
			f.Bundles = slices.DeleteFunc(slices.Clone(f.Bundles), func(b string) bool { return had[b] })
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
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, f := range findings {
		f.Want, f.Got, f.Small = "", "", nil
		if err := enc.Encode(f); err != nil {
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
		case !f.Property.known():
			return nil, fmt.Errorf("finding %d is of the unknown property %q", len(out)+1, f.Property)
		}
		out = append(out, f)
	}
}

// few names things, of many the first and the last.
func few(names []string) string { return text.Short(text.Names(names), 6) }

func indented(s string) string { return strings.ReplaceAll(s, "\n", "\n    ") }
