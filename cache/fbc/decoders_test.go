package fbc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// manyLines returns a file of JSON lines that is long enough to be decoded by
// several goroutines. Blobs of a package lie far from each other.
func manyLines(packages, versions int) []string {
	var lines []string
	for p := range packages {
		lines = append(lines, fmt.Sprintf(`{"schema":"olm.package","name":"p%d","defaultChannel":"stable"}`, p))
	}
	for v := range versions {
		for p := range packages {
			lines = append(lines, fmt.Sprintf(`{"schema":"olm.bundle","package":"p%d","name":"p%d.v1.%d.0","image":"i","properties":[`+
				`{"type":"olm.package","value":{"packageName":"p%d","version":"1.%d.0"}},`+
				`{"type":"olm.gvk","value":{"group":"g%d","version":"v1","kind":"K"}}]}`, p, p, v, p, v, p))
		}
	}
	for p := range packages {
		var entries []string
		for v := range versions {
			entries = append(entries, fmt.Sprintf(`{"name":"p%d.v1.%d.0","skipRange":"<1.%d.0"}`, p, v, v))
			if v > 0 {
				entries[v] = fmt.Sprintf(`{"name":"p%d.v1.%d.0","replaces":"p%d.v1.%d.0"}`, p, v, p, v-1)
			}
		}
		lines = append(lines, fmt.Sprintf(`{"schema":"olm.channel","package":"p%d","name":"stable","entries":[%s]}`, p, strings.Join(entries, ",")))
	}
	return lines
}

// spoil damages some of the lines, in every way that a file is damaged.
func spoil(lines []string, r *rand.Rand, damages int) []string {
	lines = append([]string(nil), lines...)
	for range damages {
		i := r.IntN(len(lines))
		switch l := lines[i]; r.IntN(8) {
		case 0:
			lines[i] = l[:r.IntN(len(l)+1)]
		case 1:
			lines[i] = l[r.IntN(len(l)+1):]
		case 2:
			lines[i] = l + l
		case 3:
			lines[i] = strings.ReplaceAll(l, ",", ",\n  ")
		case 4:
			lines[i] = "[" + l + "]"
		case 5:
			lines[i] = strings.Replace(l, `"name":"p`, `"name":7,"x":"p`, 1)
		case 6:
			lines[i] = ""
		default:
			lines[i] = strings.Replace(l, "{", `{"a":{"b":`, 1)
		}
	}
	return lines
}

// What a file holds does not depend on how many goroutines decode it, and not on how much of it comes at a time.
func TestOneFileDecodedInParallel(t *testing.T) {
	whole := manyLines(60, 60)
	for seed := range testkit.Times(uint64(4), 24) {
		r := rand.New(rand.NewPCG(seed, 1))
		lines := spoil(whole, r, []int{0, 3, 30, 400}[seed%4])
		text := strings.Join(lines, "\n")
		opts := fbc.Options{MaxProblems: []int{0, 5}[seed/4%2]}
		opts.Parallel = 1
		one := dumpAll(read(t, "c.jsonl", text, opts))
		for _, opts.Parallel = range []int{2, 5} {
			require.Empty(t, cmp.Diff(one, dumpAll(read(t, "c.jsonl", text, opts))), "seed %d", seed)
		}
		for name, r := range map[string]io.Reader{
			"halves": iotest.HalfReader(strings.NewReader(text)), "an end with the last bytes": iotest.DataErrReader(strings.NewReader(text)),
		} {
			c, err := fbc.Read(t.Context(), r, "c.jsonl", opts)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(one, dumpAll(c)), "seed %d, %s", seed, name)
		}
		// Behind a file with a large blob there is more memory to read into.
		opts.Parallel = 1
		large := `{"schema":"other","x":"` + strings.Repeat("x", 300_000) + `"}`
		c, err := fbc.Load(t.Context(), fstest.MapFS{"a.json": {Data: []byte(large)}, "c.jsonl": {Data: []byte(text)}}, opts)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(one, dumpAll(c)), "seed %d", seed)
	}
}

// The same with YAML, of which each value knows its line.
func TestYAMLDecodedInParallel(t *testing.T) {
	var text []byte
	for i, line := range manyLines(60, 40) {
		if i%7 == 0 {
			line = strings.Replace(line, `"version":"1.`, `"version":"one.`, 1)
		}
		text = testkit.Must(document.AppendYAML(t.Context(), text, json.RawMessage(line)))(t)
	}
	one := read(t, "c.yaml", string(text), fbc.Options{Parallel: 1})
	require.Empty(t, cmp.Diff(dumpAll(one), dumpAll(read(t, "c.yaml", string(text), fbc.Options{Parallel: 4}))))
	lines := strings.Split(string(text), "\n")
	require.Greater(t, len(one.Problems()), 100)
	for _, p := range one.Problems() {
		if p.Code == "propertyInvalid" {
			require.Contains(t, lines[p.Line-1], "- type: olm.package")
		}
	}
}

// Limits and the end of the context stop all goroutines that decode.
func TestParallelDecodingIsStopped(t *testing.T) {
	text := []byte(strings.Join(manyLines(60, 60), "\n"))
	_, err := fbc.Read(context.Background(), bytes.NewReader(text), "c.jsonl", fbc.Options{Parallel: 4, MaxBlobs: 2000})
	require.Equal(t, "MaxBlobs", testkit.As[*fbc.LimitError](t, err).Limit)

	ctx, cancel := context.WithCancelCause(context.Background())
	_, err = fbc.Read(ctx, &cancelling{Reader: bytes.NewReader(text), after: len(text) / 2, cancel: cancel}, "c.jsonl", fbc.Options{Parallel: 4})
	require.True(t, errors.Is(err, context.Canceled), "%v", err)
}

// cancelling ends a context when so many bytes were read.
type cancelling struct {
	*bytes.Reader
	after  int
	cancel context.CancelCauseFunc
}

func (c *cancelling) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.after -= n; c.after <= 0 {
		c.cancel(errors.New("enough"))
	}
	return n, err
}
