package shards

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// Merge reads the JSON lines of all shards, given in any order, and calls each
// with the merged lines. It returns the summaries in shard order. A single
// input may hold the whole work. Memory is limited to one line per shard.
// Without Compare, several inputs are read twice and must implement
// [io.Seeker].
//
// The error is a [*FormatError] if an input is not a shard, or if a shard is
// missing or duplicated; otherwise it is the error of each.
func (l *Lines[L, S]) Merge(each func(*L) error, parts ...io.Reader) ([]*S, error) {
	if len(parts) == 0 {
		return nil, &FormatError{Message: "nothing to merge; give the output of every shard"}
	}
	inputs := make([]*input[L, S], len(parts))
	for i, r := range parts {
		inputs[i] = l.input(r, i)
	}
	if l.Compare == nil && len(parts) > 1 {
		order, err := l.turns(inputs, parts)
		if err != nil {
			return nil, err
		}
		inputs = order
	}
	for _, in := range inputs {
		if err := in.advance(); err != nil {
			return nil, err
		}
	}
	for turn := 0; ; turn++ {
		next, err := nextInput(inputs, turn)
		if err != nil {
			return nil, err
		}
		if next == nil {
			break
		}
		if err := each(next.head); err != nil {
			return nil, err
		}
		if err := next.advance(); err != nil {
			return nil, err
		}
	}
	inputs, err := inOrder(inputs)
	sums := make([]*S, len(inputs))
	for i, in := range inputs {
		sums[i] = in.sum
	}
	return sums, err
}

// nextInput returns the input with the next line, or nil at the end of all.
func nextInput[L, S any](inputs []*input[L, S], turn int) (*input[L, S], error) {
	var next *input[L, S]
	for k := range inputs {
		in := inputs[(turn+k)%len(inputs)]
		if in.head == nil {
			continue
		}
		if in.Compare == nil {
			return in, nil
		}
		if next == nil {
			next = in
			continue
		}
		switch c := in.Compare(in.head, next.head); {
		case c < 0:
			next = in
		case c == 0:
			a, b := next, in
			if a.number > b.number {
				a, b = b, a
			}
			return nil, b.fail(fmt.Sprintf("the same line is in input %d; give each shard once", a.number+1), nil)
		}
	}
	return next, nil
}

// turns orders the inputs by shard. The summary, at the end of an input, names
// its shard.
func (l *Lines[L, S]) turns(inputs []*input[L, S], parts []io.Reader) ([]*input[L, S], error) {
	for i, r := range parts {
		seeker, ok := r.(io.Seeker)
		if !ok {
			return nil, inputs[i].fail("cannot read the input twice; give shards as files", nil)
		}
		for more := true; more; more = inputs[i].head != nil {
			if err := inputs[i].advance(); err != nil {
				return nil, err
			}
		}
		if _, err := seeker.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
	}
	order, err := inOrder(inputs)
	for i, in := range order {
		order[i] = l.input(parts[in.number], in.number)
	}
	return order, err
}

// maxNames limits the shards named in an error.
const maxNames = 10

// inOrder orders the inputs by shard, which must be complete.
func inOrder[L, S any](inputs []*input[L, S]) ([]*input[L, S], error) {
	at := make(map[string]*input[L, S])
	var names []string
	all, same := -1, true
	for _, in := range inputs {
		_, name := in.Sum(in.sum)
		if before := at[name]; before != nil {
			return nil, in.fail(fmt.Sprintf("the input is %s, and so is input %d; give each shard once", words(name), before.number+1), nil)
		}
		at[name] = in
		names = append(names, words(name))
		_, n, err := Parse(name)
		same = same && err == nil && (all < 0 || n == all)
		all = n
	}
	if !same || all == 0 && len(inputs) > 1 {
		return nil, &FormatError{Message: "the inputs are not shards of the same whole: " + text.Short(names, maxNames)}
	}
	if all == 0 {
		return inputs, nil
	}
	var order []*input[L, S]
	var missing []string
	for i := 0; i < all && len(missing) < maxNames; i++ {
		if in := at[Name(i, all)]; in != nil {
			order = append(order, in)
		} else {
			missing = append(missing, Name(i, all))
		}
	}
	if len(missing) == 0 {
		return order, nil
	}
	list := text.And(missing)
	if more := all - len(at) - len(missing); more > 0 {
		list = fmt.Sprintf("%s and %d more", strings.Join(missing, ", "), more)
	}
	return nil, &FormatError{Message: "missing shards " + list + "; run them and merge again"}
}
