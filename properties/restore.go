package properties

import (
	"sync"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/internal/saved"
)

// Restore fills in a property of what an equal one returned as Type, Raw and
// Value. It serves package cache/snapshot: nothing is parsed or checked.
func Restore(into *Property, typ string, raw []byte, value any, _ saved.Mark) {
	into.typ, into.raw, into.value = typ, raw, value
}

// RestoreSet is [NewSet] without a copy: the set takes the list over. It
// serves package cache/snapshot.
func RestoreSet(list []*Property, _ saved.Mark) Set { return Set{list: list} }

// RestoreRanges returns the ranges of texts that [ParseRange] accepted before.
// Each is parsed when it is first asked for a version: most are never asked. A
// text that does not parse after all, or is longer than [MaxRangeLength],
// gives a range without any version. It serves package cache/snapshot.
func RestoreRanges(texts []string, _ saved.Mark) []Range {
	later := make([]deferredRange, len(texts))
	ranges := make([]Range, len(texts))
	for i, text := range texts {
		later[i].text = text
		ranges[i] = Range{text: text, in: later[i].contains}
	}
	return ranges
}

// deferredRange is a range that is parsed when it is needed.
type deferredRange struct {
	text string
	once sync.Once
	in   semver.Range
}

// contains is the function of the range.
func (d *deferredRange) contains(v semver.Version) bool {
	d.once.Do(func() {
		if r, err := ParseRange(d.text); err == nil {
			d.in = r.in
		}
	})
	return d.in != nil && d.in(v)
}
