package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Baseline is a list of findings that are known, so that only others count. A known
// finding is identified by its code and subject, not by its place or words; where one
// comes twice in the list, two of its kind are known.
type Baseline struct {
	// Findings are those that are known.
	Findings []KnownFinding `json:"findings"`
}

// KnownFinding is one of a [Baseline].
type KnownFinding struct {
	Code    string   `json:"code"`
	Subject []string `json:"subject"`
}

// MaxBaselineBytes bounds the file that [ReadBaseline] reads.
const MaxBaselineBytes = 64 << 20

// MaxKnown bounds the findings in it, and MaxSubject the words of the subject of one.
const (
	MaxKnown   = 500_000
	MaxSubject = 1_000
)

// ReadBaseline reads a file written by [Baseline.Write]. The error says what is wrong with
// it.
func ReadBaseline(r io.Reader) (*Baseline, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBaselineBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxBaselineBytes {
		return nil, fmt.Errorf("the baseline has more than %d bytes", MaxBaselineBytes)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	b, err := decodeBaseline(dec)
	if err != nil {
		return nil, fmt.Errorf("this is not a baseline as --write-baseline writes it: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("there is more after the baseline")
	}
	return b, nil
}

// decodeBaseline reads a baseline finding by finding: one without words takes three
// bytes of the file, and many times as many in memory.
func decodeBaseline(dec *json.Decoder) (*Baseline, error) {
	for _, want := range []json.Token{json.Delim('{'), "findings", json.Delim('[')} {
		if got, err := dec.Token(); err != nil {
			return nil, err
		} else if got != want {
			return nil, fmt.Errorf("it has to begin with {\"findings\": [")
		}
	}
	b := &Baseline{Findings: []KnownFinding{}}
	for dec.More() {
		var k KnownFinding
		if len(b.Findings) == MaxKnown {
			return nil, fmt.Errorf("it has more than %d findings", MaxKnown)
		}
		if err := dec.Decode(&k); err != nil {
			return nil, err
		}
		if len(k.Subject) > MaxSubject {
			return nil, fmt.Errorf("the subject of finding %d has more than %d words", len(b.Findings)+1, MaxSubject)
		}
		b.Findings = append(b.Findings, k)
	}
	for range 2 { // of the list, and of the object
		if end, err := dec.Token(); err != nil {
			return nil, err
		} else if end != json.Delim(']') && end != json.Delim('}') {
			return nil, fmt.Errorf("it has to end after the findings")
		}
	}
	return b, nil
}

// BaselineOf is the baseline that knows all findings of a report.
func BaselineOf(findings []Finding) *Baseline {
	b := &Baseline{Findings: []KnownFinding{}}
	for i := range findings {
		b.Findings = append(b.Findings, KnownFinding{findings[i].Code, findings[i].Subject})
	}
	slices.SortStableFunc(b.Findings, func(x, y KnownFinding) int { return strings.Compare(x.key(), y.key()) })
	return b
}

// key identifies a known finding.
func (k KnownFinding) key() string {
	return strings.Join(append([]string{k.Code}, k.Subject...), "\x00")
}

// Write writes the baseline, a finding a line, so that a change of it reads well.
func (b *Baseline) Write(w io.Writer) error {
	var out bytes.Buffer
	out.WriteString("{\"findings\": [")
	for i, k := range b.Findings {
		line, err := json.Marshal(k)
		if err != nil {
			return err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n  ")
		out.Write(line)
	}
	out.WriteString("\n]}\n")
	_, err := w.Write(out.Bytes())
	return err
}

// Apply takes the findings off the report that the baseline knows, and counts them
// in Known. It returns how many that it knows were not found.
func (b *Baseline) Apply(r *Report) (gone int) {
	known := make(map[string]int, len(b.Findings))
	for _, k := range b.Findings {
		known[k.key()]++
	}
	before := len(r.Findings)
	r.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool {
		k := KnownFinding{f.Code, f.Subject}.key()
		if known[k] == 0 {
			return false
		}
		known[k]--
		return true
	})
	r.Known += before - len(r.Findings)
	for _, n := range known {
		gone += n
	}
	return gone
}
