package shards_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/shards"
)

func TestParse(t *testing.T) {
	for s, want := range map[string][2]int{"": {0, 0}, "0/1": {0, 1}, "3/4": {3, 4}} {
		shard, all, err := shards.Parse(s)
		require.NoError(t, err, s)
		require.Equal(t, want, [2]int{shard, all})
		require.Equal(t, s, shards.Name(shard, all))
	}
	for _, s := range []string{"1", "4/4", "-1/2", "0/0", "a/b", "1/2/3", "/", "0x0/2"} {
		_, _, err := shards.Parse(s)
		require.ErrorContains(t, err, "write i/n with i from 0 to n-1", s)
	}
}

type sum struct {
	N int `json:"n"`
}

type line struct{ Name string }

// read reads all lines of one input.
func read(input io.Reader) (list []string, s *sum, err error) {
	lines := shards.Lines[line, sum]{
		What: "names", Check: func(*line, *line) string { return "" },
		Sum: func(s *sum) (int, string) { return s.N, "" },
	}
	sums, err := lines.Merge(func(l *line) error { list = append(list, l.Name); return nil }, input)
	if err != nil {
		return list, nil, err
	}
	return list, sums[0], nil
}

// TestLines: written lines are read back, and invalid ones are rejected with
// their location.
func TestLines(t *testing.T) {
	var out bytes.Buffer
	for _, name := range []string{"a", `<"summary">`} {
		require.NoError(t, shards.WriteLine(&out, map[string]string{"name": name}))
	}
	require.NoError(t, shards.WriteSummary(&out, sum{2}))
	require.Equal(t, "{\"name\":\"a\"}\n{\"name\":\"<\\\"summary\\\">\"}\n{\"summary\":{\"n\":2}}\n", out.String())
	list, s, err := read(bytes.NewReader(out.Bytes()))
	require.NoError(t, err)
	require.Equal(t, []string{"a", `<"summary">`}, list)
	require.Equal(t, &sum{2}, s)

	broken := errors.New("cable\x1b[31m pulled")
	for want, input := range map[string]io.Reader{
		"input 1: the input ends before its summary":                   strings.NewReader(`{"name":"a"}`),
		"input 1, line 2: not the line of a shard: ":                   strings.NewReader("{\"name\":\"a\"}\n[]"),
		"input 1, line 3: unexpected line after the summary":           strings.NewReader("{\"summary\":{}}\n\n{}"),
		"input 1: the input has 1 names but its summary counts 3":      strings.NewReader("{}\n{\"summary\":{\"n\":3}}"),
		"input 1, line 1: not the line":                                strings.NewReader(`{"summary":{"n":"x"}}`),
		"input 1, line 1: the line has more than 1000000":              strings.NewReader(`{"x":[` + strings.Repeat("[],", shards.MaxItems) + `[]]}`),
		`input 1, line 2: cannot read the input: cable\x1b[31m pulled`: io.MultiReader(strings.NewReader("{}\n"), failing{broken}),
		"input 1, line 1: the line is longer than":                     io.LimitReader(blanks{}, shards.MaxLine+1),
	} {
		_, _, err := read(input)
		var format *shards.FormatError
		require.ErrorAs(t, err, &format)
		require.Contains(t, err.Error(), want)
		require.Equal(t, 0, format.Input)
	}
	_, _, err = read(failing{broken})
	require.ErrorIs(t, err, broken)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error)  { return 0, f.err }
func (f failing) Write([]byte) (int, error) { return 0, f.err }

type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestWriteLineFails(t *testing.T) {
	full := errors.New("disk is full")
	require.Equal(t, full, shards.WriteLine(failing{full}, 1))
	require.Error(t, shards.WriteLine(io.Discard, func() {}))
}

// double is the work in the tests.
func double(context.Context) func(int) (int, error) {
	return func(i int) (int, error) { return 2 * i, nil }
}

// TestInOrder: results arrive in order for any number of goroutines, and no
// goroutine leaks, even if the caller panics.
func TestInOrder(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, workers := range []int{0, 1, 7, 500} {
		var got []int
		err := shards.InOrder(t.Context(), 300, workers, double, func(i, v int) error {
			require.Equal(t, 2*i, v)
			got = append(got, i)
			return nil
		})
		require.NoError(t, err)
		require.Len(t, got, 300)
		require.True(t, slices.IsSorted(got))
	}
	require.NoError(t, shards.InOrder(t.Context(), 0, 0, double, func(int, int) error { return errors.New("unexpected result") }))
	require.Panics(t, func() {
		_ = shards.InOrder(t.Context(), 300, 7, double, func(int, int) error { panic("oops") })
	})
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end), "a goroutine outlived its call")
	}
}

// TestInOrderEnds: the first failing number is reported, and an error of each
// ends the work.
func TestInOrderEnds(t *testing.T) {
	fails := func(context.Context) func(int) (int, error) {
		return func(i int) (int, error) {
			if i >= 5 {
				return 0, fmt.Errorf("number %d", i)
			}
			return i, nil
		}
	}
	for range 50 {
		seen := 0
		err := shards.InOrder(t.Context(), 40, 8, fails, func(int, int) error { seen++; return nil })
		require.EqualError(t, err, "number 5")
		require.Equal(t, 5, seen)
	}
	full := errors.New("full")
	var worked atomic.Int64
	err := shards.InOrder(t.Context(), 1000, 2, func(context.Context) func(int) (int, error) {
		return func(i int) (int, error) { worked.Add(1); return i, nil }
	}, func(i, _ int) error {
		if i == 3 {
			return full
		}
		return nil
	})
	require.Equal(t, full, err)
	require.LessOrEqual(t, worked.Load(), int64(4+2*shards.MaxAhead+2), "no worker runs far ahead")

	ctx, cancel := context.WithCancel(t.Context())
	err = shards.InOrder(ctx, 1000, 2, double, func(i, _ int) error {
		if i == 3 {
			cancel()
		}
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("{\"name\":\"a\"}\n{\"summary\":{\"n\":1}}\n"))
	f.Add([]byte("{\"summary\":null}\n\n{\"summary\":{}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, s, err := read(bytes.NewReader(data))
		var format *shards.FormatError
		if err != nil {
			require.ErrorAs(t, err, &format)
			return
		}
		require.NotNil(t, s)
	})
}
