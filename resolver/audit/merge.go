package audit

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// compareFindings orders bundles as an audit does.
func compareFindings(a, b *Bundle) int {
	return cmp.Or(strings.Compare(a.Catalog, b.Catalog), strings.Compare(a.Package, b.Package), strings.Compare(a.Bundle, b.Bundle))
}

// Merge puts the JSON lines of all shards of an audit together, in any
// order, and writes them as the whole audit would have been, byte for byte but
// for its seconds, which are the sum. It needs the memory of one line of each.
//
// The error is an [*FormatError] if an input is no audit, if a shard is
// missing or comes twice, or if the shards are not of one audit; otherwise it is
// that of w.
func Merge(w io.Writer, shards ...io.Reader) (*Summary, error) {
	m := &merger{out: NewWriter(w)}
	for i, r := range shards {
		in := &mergeInput{reader: newReader(r, i)}
		if err := in.advance(); err != nil {
			return nil, err
		}
		m.inputs = append(m.inputs, in)
	}
	if err := m.lines(w); err != nil {
		return nil, err
	}
	if err := m.summarize(); err != nil {
		return nil, err
	}
	return &m.sum, m.out.Summary(&m.sum)
}

// merger merges audits.
type merger struct {
	out    *Writer
	inputs []*mergeInput
	sum    Summary
}

// mergeInput is an input with the next bundle of it.
type mergeInput struct {
	*reader
	next   *Bundle // nil at the end
	counts Summary
}

func (in *mergeInput) advance() error {
	b, err := in.reader.next()
	if in.next = b; b != nil {
		in.counts.add(b)
	}
	return err
}

// lines writes the lines of the bundles as they are, always the least one next.
func (m *merger) lines(w io.Writer) error {
	for {
		var least *mergeInput
		for _, in := range m.inputs {
			if in.next == nil {
				continue
			}
			c := -1
			if least != nil {
				c = compareFindings(in.next, least.next)
			}
			if c == 0 {
				return in.fail(fmt.Sprintf("%s is in audit input %d as well; give each shard once", text.Inert(in.next.Bundle), least.input+1), nil)
			}
			if c < 0 {
				least = in
			}
		}
		if least == nil {
			return nil
		}
		m.sum.add(least.next)
		if _, err := w.Write(append(slices.Clone(least.raw), '\n')); err != nil {
			return err
		}
		if err := least.advance(); err != nil {
			return err
		}
	}
}

// summarize checks the summaries of the inputs and adds them up.
func (m *merger) summarize() error {
	if len(m.inputs) == 0 {
		return &FormatError{Message: "there is nothing to merge; give the output of every shard"}
	}
	first := m.inputs[0].summary
	seen := make(map[string]int)
	for _, in := range m.inputs {
		s := in.summary
		in.line = 0
		if in.counts.Bundles != s.Bundles {
			return in.fail(fmt.Sprintf("it has %d bundles and its summary counts %d; lines were lost", in.counts.Bundles, s.Bundles), nil)
		}
		if before, twice := seen[s.Shard]; twice {
			return in.fail(fmt.Sprintf("it is %s, as audit input %d is; give each shard once", shardName(s.Shard), before+1), nil)
		}
		seen[s.Shard] = in.input
		if !slices.EqualFunc(s.Clashes, first.Clashes, func(a, b Clash) bool {
			return a.GVK == b.GVK && slices.Equal(a.Packages, b.Packages)
		}) || !slices.EqualFunc(s.Apart, first.Apart, slices.Equal[[]string]) {
			return in.fail("it names other clashes than audit input 1; the shards have to be of the same catalogs", nil)
		}
		m.sum.Seconds += s.Seconds
	}
	m.sum.Seconds = math.Round(m.sum.Seconds*1e6) / 1e6
	m.sum.Clashes, m.sum.Apart, m.sum.NotCompared = first.Clashes, first.Apart, first.NotCompared
	return m.complete(seen)
}

// complete checks that the shards make up a whole.
func (m *merger) complete(seen map[string]int) error {
	if _, whole := seen[""]; whole && len(seen) == 1 {
		return nil
	}
	var names []string
	_, shards, err := ParseShard(m.inputs[0].summary.Shard)
	same := err == nil && shards > 0
	for _, in := range m.inputs {
		names = append(names, shardName(in.summary.Shard))
		_, n, err := ParseShard(in.summary.Shard)
		same = same && err == nil && n == shards
	}
	if !same {
		return &FormatError{Message: "the inputs do not make up one audit: they are " + text.Short(names, maxShardNames)}
	}
	var missing []string
	for i := 0; i < shards && len(missing) < maxShardNames; i++ {
		if name := fmt.Sprintf("%d/%d", i, shards); !has(seen, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	text := text.And(missing)
	if more := shards - len(seen) - len(missing); more > 0 {
		text = fmt.Sprintf("%s and %d more", strings.Join(missing, ", "), more)
	}
	return &FormatError{Message: "not all shards are there, missing are " + text + "; run them and merge again"}
}

// maxShardNames bounds the shards that an error names.
const maxShardNames = 10

func has[K comparable, V any](m map[K]V, k K) bool {
	_, ok := m[k]
	return ok
}

func shardName(shard string) string {
	if shard == "" {
		return "a whole audit"
	}
	return "shard " + text.Inert(shard)
}
