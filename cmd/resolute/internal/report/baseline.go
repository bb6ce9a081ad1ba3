package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Baseline records known findings, so that only new ones are reported. A finding is identified
// by its code and subject, independent of its location and text. A repeated entry covers that
// number of findings.
type Baseline struct {
	// Findings lists the known findings.
	Findings []KnownFinding `json:"findings"`
}

// KnownFinding is an entry of a [Baseline].
type KnownFinding struct {
	Code    string   `json:"code"`
	Subject []string `json:"subject"`
}

// MaxBaselineBytes bounds the file read by [ReadBaseline].
const MaxBaselineBytes = 64 << 20

// MaxKnown bounds the findings of a baseline, and MaxSubject the parts of a subject.
const (
	MaxKnown   = 500_000
	MaxSubject = 1_000
)

// ReadBaseline reads a file written by [Baseline.Write].
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
		return nil, fmt.Errorf("not a baseline written by --write-baseline: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("unexpected data after the baseline")
	}
	return b, nil
}

// decodeBaseline decodes findings one by one, because an empty finding takes three bytes in the
// file but much more memory.
func decodeBaseline(dec *json.Decoder) (*Baseline, error) {
	for _, want := range []json.Token{json.Delim('{'), "findings", json.Delim('[')} {
		if got, err := dec.Token(); err != nil {
			return nil, err
		} else if got != want {
			return nil, fmt.Errorf("must begin with {\"findings\": [")
		}
	}
	b := &Baseline{Findings: []KnownFinding{}}
	for dec.More() {
		var k KnownFinding
		if len(b.Findings) == MaxKnown {
			return nil, fmt.Errorf("more than %d findings", MaxKnown)
		}
		if err := dec.Decode(&k); err != nil {
			return nil, err
		}
		if len(k.Subject) > MaxSubject {
			return nil, fmt.Errorf("the subject of finding %d has more than %d parts", len(b.Findings)+1, MaxSubject)
		}
		b.Findings = append(b.Findings, k)
	}
	for range 2 { // the list and the object
		if end, err := dec.Token(); err != nil {
			return nil, err
		} else if end != json.Delim(']') && end != json.Delim('}') {
			return nil, fmt.Errorf("must end after the findings")
		}
	}
	return b, nil
}

// BaselineOf returns a baseline of all findings of a report.
func BaselineOf(findings []Finding) *Baseline {
	b := &Baseline{Findings: []KnownFinding{}}
	for i := range findings {
		b.Findings = append(b.Findings, KnownFinding{findings[i].Code, findings[i].Subject})
	}
	slices.SortStableFunc(b.Findings, func(x, y KnownFinding) int { return strings.Compare(x.key(), y.key()) })
	return b
}

// key returns the identity of a finding.
func (k KnownFinding) key() string {
	return strings.Join(append([]string{k.Code}, k.Subject...), "\x00")
}

// Write writes the baseline with one finding per line, for readable diffs.
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

// Apply removes known findings from the report and counts them in Known. It returns the number
// of baseline entries without a finding.
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
