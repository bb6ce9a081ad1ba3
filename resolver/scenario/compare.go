package scenario

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/strict"
)

// Difference is a difference between an answer and an expectation.
type Difference struct {
	// Path is the location in the answer, for example "steps[1].channel".
	Path string `json:"path"`
	// Want and Got are compact JSON; Got is empty if the answer has no such value.
	Want string `json:"want"`
	Got  string `json:"got,omitempty"`
	// Note explains the difference further, for example which list item is most similar.
	Note string `json:"note,omitempty"`
}

// String returns the difference as one line.
func (d Difference) String() string {
	got := d.Got
	if got == "" {
		got = "nothing"
	}
	s := fmt.Sprintf("%s: want %s, got %s", d.Path, d.Want, got)
	if d.Note != "" {
		s += " (" + d.Note + ")"
	}
	return s
}

// Compare compares an answer with an expectation: a JSON object with any keys of an [Answer].
// Only these keys are compared. Objects match key by key. Lists match as a whole, in order; of
// facts, corrections, warnings, unresolved, further, because and whatif, each expected item must
// match one item of the answer. A key that the answer lacks equals an empty list, an empty
// string, false and null. Compare returns nil if everything matches; the error reports that
// expect is not JSON.
func Compare(expect json.RawMessage, answer *Answer) ([]Difference, error) {
	want, err := decodeTree(expect)
	if err != nil {
		return nil, fmt.Errorf("the expected answer is not JSON: %w", err)
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	got, err := decodeTree(data)
	return compareValue("", want, got), err
}

// anyOrder are the lists in which each expected item must match one item of the answer.
var anyOrder = []string{"facts", "corrections", "warnings", "unresolved", "further", "because", "whatif"}

// compareValue compares one value; got is nil if the answer has none.
func compareValue(path string, want, got any) []Difference {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		var diffs []Difference
		for _, key := range slices.SortedFunc(maps.Keys(w), compareKeys) {
			diffs = append(diffs, compareValue(strict.Join(path, key), w[key], g[key])...)
		}
		if ok || got == nil && len(diffs) == 0 {
			return diffs
		}
		return []Difference{different(path, want, got)}
	case []any:
		g, ok := got.([]any)
		if !ok && got != nil {
			return []Difference{different(path, want, got)}
		}
		if slices.Contains(anyOrder, path[strings.LastIndexByte(path, '.')+1:]) {
			return compareItems(path, w, g)
		}
		return compareList(path, w, g)
	}
	if equalScalar(want, got) {
		return nil
	}
	return []Difference{different(path, want, got)}
}

// compareList compares lists as a whole. It reports a difference in length, or in a list of
// scalars, for the whole list.
func compareList(path string, want, got []any) []Difference {
	var diffs []Difference
	for i := range min(len(want), len(got)) {
		diffs = append(diffs, compareValue(fmt.Sprintf("%s[%d]", path, i), want[i], got[i])...)
	}
	if len(want) == len(got) && (len(diffs) == 0 || isObjects(want)) {
		return diffs
	}
	d := different(path, want, nil)
	if got != nil {
		d.Got = compactJSON(got)
	}
	if isObjects(want) || isObjects(got) {
		d.Note = fmt.Sprintf("want %d items, got %d", len(want), len(got))
	}
	return []Difference{d}
}

// compareItems checks that each expected item matches one item of the answer. For others it
// reports the most similar item.
func compareItems(path string, want, got []any) []Difference {
	var diffs []Difference
	for i, w := range want {
		nearest, fewest := -1, 0
		var at []Difference
		for j, g := range got {
			ds := compareValue(fmt.Sprintf("%s[%d]", path, j), w, g)
			if nearest < 0 || len(ds) < fewest {
				nearest, fewest, at = j, len(ds), ds
			}
			if fewest == 0 {
				break
			}
		}
		if nearest >= 0 && fewest == 0 {
			continue
		}
		d := different(fmt.Sprintf("%s[%d]", path, i), w, nil)
		d.Got = "no such item"
		if nearest >= 0 {
			d.Note = "nearest: " + at[0].String()
		}
		diffs = append(diffs, d)
	}
	return diffs
}

// equalScalar compares scalars; numbers by value.
func equalScalar(want, got any) bool {
	switch w := want.(type) {
	case nil:
		return got == nil
	case json.Number:
		g, ok := got.(json.Number)
		if !ok {
			return got == nil && sameNumber(w, "0")
		}
		return sameNumber(w, g)
	case string:
		return got == want || got == nil && w == ""
	case bool:
		return got == want || got == nil && !w
	}
	return false
}

func sameNumber(a, b json.Number) bool {
	x, errX := a.Float64()
	y, errY := b.Float64()
	return a == b || errX == nil && errY == nil && x == y
}

func different(path string, want, got any) Difference {
	d := Difference{Path: path, Want: compactJSON(want)}
	if got != nil {
		d.Got = compactJSON(got)
	}
	return d
}

// maxShown limits the length of a value in a difference, in bytes.
const maxShown = 400

func compactJSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	s := strings.TrimSpace(b.String())
	if len(s) > maxShown {
		s = strings.ToValidUTF8(s[:maxShown], "") + "…"
	}
	return s
}

func isObjects(list []any) bool {
	if len(list) == 0 {
		return false
	}
	_, ok := list[0].(map[string]any)
	return ok
}

// compareKeys sorts the most informative keys first.
func compareKeys(a, b string) int {
	rank := func(key string) int { return slices.Index([]string{"steps", "set", "status"}, key) }
	return cmp.Or(cmp.Compare(rank(b), rank(a)), strings.Compare(a, b))
}

// decodeTree decodes one JSON value and keeps numbers as written.
func decodeTree(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("more than one value")
	}
	return v, nil
}
