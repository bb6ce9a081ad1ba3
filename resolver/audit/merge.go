package audit

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/shards"
)

func compareFindings(a, b *Bundle) int {
	return cmp.Or(strings.Compare(a.Catalog, b.Catalog), strings.Compare(a.Package, b.Package), strings.Compare(a.Bundle, b.Bundle))
}

// Merge puts the JSON lines of all shards of an audit together, in any
// order, and writes them as the whole audit would have been, byte for byte but
// for its seconds, which are the sum. Each, if it is not nil, is called with the bundles
// one by one. It needs the memory of one line of each shard.
//
// The error is a [*shards.FormatError] if an input is not an audit, if a shard is
// missing or comes twice, or if the shards are not of one audit; otherwise it is
// that of w or each.
func Merge(w io.Writer, each func(*Bundle) error, parts ...io.Reader) (*Summary, error) {
	m := &merger{w: w, each: each}
	for i, r := range parts {
		in := &reader{Reader: shards.NewReader[Summary](r, i)}
		if err := in.advance(); err != nil {
			return nil, err
		}
		m.inputs = append(m.inputs, in)
	}
	if err := m.lines(); err != nil {
		return nil, err
	}
	if err := m.summarize(); err != nil {
		return nil, err
	}
	return &m.sum, NewWriter(w).Summary(&m.sum)
}

type merger struct {
	w      io.Writer
	each   func(*Bundle) error
	inputs []*reader
	sum    Summary
}

// lines writes the lines of the bundles as they are, always the least one next.
func (m *merger) lines() error {
	for {
		var least *reader
		for _, in := range m.inputs {
			if in.bundle == nil {
				continue
			}
			c := -1
			if least != nil {
				c = compareFindings(in.bundle, least.bundle)
			}
			if c == 0 {
				return in.Fail(fmt.Sprintf("%s is in input %d as well; give each shard once", text.Inert(in.bundle.Bundle), least.Input+1), nil)
			}
			if c < 0 {
				least = in
			}
		}
		if least == nil {
			return nil
		}
		m.sum.add(least.bundle)
		if _, err := m.w.Write(append(slices.Clone(least.Raw()), '\n')); err != nil {
			return err
		}
		if m.each != nil {
			if err := m.each(least.bundle); err != nil {
				return err
			}
		}
		if err := least.advance(); err != nil {
			return err
		}
	}
}

func (m *merger) summarize() error {
	if len(m.inputs) == 0 {
		return shards.Nothing()
	}
	first := m.inputs[0].Summary
	seen := make(map[string]int)
	for _, in := range m.inputs {
		s := in.Summary
		if in.counts.Bundles != s.Bundles {
			return in.Lost(in.counts.Bundles, s.Bundles, "bundles")
		}
		if before, twice := seen[s.Shard]; twice {
			return in.Twice(s.Shard, before)
		}
		seen[s.Shard] = in.Input
		if !slices.EqualFunc(s.Clashes, first.Clashes, func(a, b Clash) bool {
			return a.GVK == b.GVK && slices.Equal(a.Packages, b.Packages)
		}) || !slices.EqualFunc(s.Apart, first.Apart, slices.Equal[[]string]) {
			return in.FailWhole("it names other clashes than input 1; the shards have to be of the same catalogs")
		}
		m.sum.Seconds += s.Seconds
	}
	m.sum.Seconds = math.Round(m.sum.Seconds*1e6) / 1e6
	m.sum.Clashes, m.sum.Apart, m.sum.NotCompared = first.Clashes, first.Apart, first.NotCompared
	return m.complete(seen)
}

func (m *merger) complete(seen map[string]int) error {
	if _, whole := seen[""]; whole && len(seen) == 1 {
		return nil
	}
	var names []string
	_, all, err := shards.Parse(m.inputs[0].Summary.Shard)
	same := err == nil && all > 0
	for _, in := range m.inputs {
		names = append(names, shards.Words(in.Summary.Shard))
		_, n, err := shards.Parse(in.Summary.Shard)
		same = same && err == nil && n == all
	}
	if !same {
		return &shards.FormatError{Message: "the inputs do not make up one audit: they are " + text.Short(names, maxShardNames)}
	}
	var missing []string
	for i := 0; i < all && len(missing) < maxShardNames; i++ {
		name := shards.Name(i, all)
		if _, there := seen[name]; !there {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	text := text.And(missing)
	if more := all - len(seen) - len(missing); more > 0 {
		text = fmt.Sprintf("%s and %d more", strings.Join(missing, ", "), more)
	}
	return &shards.FormatError{Message: "not all shards are there, missing are " + text + "; run them and merge again"}
}

// maxShardNames bounds the shards that an error names.
const maxShardNames = 10
