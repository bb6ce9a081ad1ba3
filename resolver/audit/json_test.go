package audit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/shards"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// shapes is a catalog whose audit has every key of its JSON.
const shapes = `
	catalog olm/shapes
	a/stable a.v2 replaces=a.v1 provides=Foo
	a/stable a.v1 provides=Foo needs=Bar
	deprecated a.v1 use a.v2
	b/stable b.v2 replaces=b.v1 provides=Foo needs=None
	b/stable b.v1 provides=Foo
	c/stable c.v1 flawed
	d/stable d.v1 provides=Bar`

// TestJSON checks the keys and their order against the documentation of the command; the
// conflicts are those of the resolver.
func TestJSON(t *testing.T) {
	lines := strings.Split(timeless(linesOf(t, resolver.New(), universe.Catalogs(t, shapes), audit.Options{}, nil)), "\n")
	for i, line := range lines[:len(lines)-1] {
		var parts map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(line), &parts))
		lines[i] = withoutConflicts(t, line)
	}
	want := []string{
		`{"catalog":"olm/shapes","package":"a","bundle":"a.v1","installable":true,"reachesHead":{"channel":"stable","reaches":true,"rounds":1},"deprecated":"use a.v2","orphans":["d.v1"]}`,
		`{"catalog":"olm/shapes","package":"a","bundle":"a.v2","installable":true,"reachesHead":{"channel":"stable","reaches":true,"rounds":0}}`,
		`{"catalog":"olm/shapes","package":"b","bundle":"b.v1","installable":true,"reachesHead":{"channel":"stable","reaches":false,"rounds":0,"stuckAt":"b.v1","conflict":{…}}}`,
		`{"catalog":"olm/shapes","package":"b","bundle":"b.v2","installable":false,"conflict":{…},"reachesHead":{"channel":"stable","reaches":false,"rounds":0,"stuckAt":"b.v2","conflict":{…}}}`,
		`{"catalog":"olm/shapes","package":"c","bundle":"c.v1","installable":false,"conflict":{…},"reachesHead":{"channel":"stable","reaches":true,"rounds":0},"quarantined":"bundle \"c.v1\" has no olm.package property, so its version is unknown: add one"}`,
		`{"catalog":"olm/shapes","package":"d","bundle":"d.v1","installable":true,"reachesHead":{"channel":"stable","reaches":true,"rounds":0}}`,
		`{"summary":{"bundles":6,"installable":4,"stuck":2,"clashes":[{"gvk":"example.com/v1/Foo","packages":["a","b"]}],"seconds":0,"neverTogether":[["a","b"]],"deprecated":1,"quarantined":1,"orphans":1}}`,
		``,
	}
	if d := cmp.Diff(want, lines); d != "" {
		t.Errorf("lines (- want, + got):\n%s", d)
	}
	var empty bytes.Buffer
	require.NoError(t, (&audit.Summary{Shard: "0/2"}).WriteLine(&empty))
	require.Equal(t, `{"summary":{"bundles":0,"installable":0,"stuck":0,"clashes":[],"seconds":0,"shard":"0/2"}}`+"\n", empty.String())
}

// withoutConflicts removes the content of conflicts.
func withoutConflicts(t *testing.T, line string) string {
	for {
		before, after, found := strings.Cut(line, `"conflict":{"`)
		if !found {
			return line
		}
		dec := json.NewDecoder(strings.NewReader(`{"` + after))
		var conflict struct {
			Facts []struct{ Kind, Subject, Text string }
			Text  string
		}
		require.NoError(t, dec.Decode(&conflict))
		require.NotEmpty(t, conflict.Facts)
		require.NotEmpty(t, conflict.Text)
		line = before + `"conflict":{…}` + (`{"` + after)[dec.InputOffset():]
	}
}

// TestReadRoundTrip reads an audit back and writes it again.
func TestReadRoundTrip(t *testing.T) {
	catalogs := universe.Catalogs(t, shapes)
	first, sum := runAll(t, catalogs, audit.Options{})
	var out, again bytes.Buffer
	write := func(w io.Writer, found []*audit.Bundle, sum *audit.Summary) {
		for _, b := range found {
			require.NoError(t, b.WriteLine(w))
		}
		require.NoError(t, sum.WriteLine(w))
	}
	write(&out, first, sum)
	var read []*audit.Bundle
	sum2 := testkit.Must(audit.Merge(func(b *audit.Bundle) error {
		read = append(read, b)
		return nil
	}, bytes.NewReader(out.Bytes())))(t)
	require.Equal(t, sum, sum2)
	write(&again, read, sum2)
	require.Equal(t, out.String(), again.String())
	for i, b := range read {
		if b.Conflict != nil {
			require.Equal(t, first[i].Conflict.Text(), b.Conflict.Text())
			require.Equal(t, audit.Reason(first[i].Conflict), audit.Reason(b.Conflict))
			require.Equal(t, len(first[i].Conflict.Facts), len(b.Conflict.Facts))
		}
	}
	stop := errors.New("enough")
	_, err := audit.Merge(func(*audit.Bundle) error { return stop }, bytes.NewReader(out.Bytes()))
	require.Equal(t, stop, err)
}

// line returns the JSON line of a bundle.
func line(catalog, pkg, bundle string) string {
	return fmt.Sprintf(`{"catalog":%q,"package":%q,"bundle":%q,"installable":true}`+"\n", catalog, pkg, bundle)
}

func summaryLine(bundles int, shard string) string {
	return fmt.Sprintf(`{"summary":{"bundles":%d,"installable":%d,"stuck":0,"clashes":[],"seconds":1,"shard":%q}}`+"\n", bundles, bundles, shard)
}

func ignore(*audit.Bundle) error { return nil }

func TestMergeAddsUp(t *testing.T) {
	var out bytes.Buffer
	sum := testkit.Must(audit.Merge(func(b *audit.Bundle) error { return b.WriteLine(&out) },
		strings.NewReader(line("c", "p", "b")+summaryLine(1, "1/2")), strings.NewReader(line("c", "p", "a")+summaryLine(1, "0/2"))))(t)
	require.Equal(t, &audit.Summary{Bundles: 2, Installable: 2, Clashes: []audit.Clash{}, Seconds: 2}, sum)
	require.Equal(t, line("c", "p", "a")+line("c", "p", "b"), out.String())
}

func TestMergeRefuses(t *testing.T) {
	one, two := line("c", "p", "a"), line("c", "q", "a")
	clash := strings.Replace(summaryLine(1, "1/2"), `"clashes":[]`, `"clashes":[{"gvk":"g/v/K","packages":["x","y"]}]`, 1)
	tests := []struct {
		name   string
		shards []string
		want   string
	}{
		{"no input", nil, "nothing to merge"},
		{"a missing shard", []string{one + summaryLine(1, "0/3"), two + summaryLine(1, "2/3")}, "missing shards 1/3; run them"},
		{"many missing shards", []string{one + summaryLine(1, "0/2000000000")}, "2/2000000000, 3/2000000000, 4/2000000000, 5/2000000000, 6/2000000000, 7/2000000000, 8/2000000000, 9/2000000000, 10/2000000000 and 1999999989 more"},
		{"a shard twice", []string{one + summaryLine(1, "0/2"), one + summaryLine(1, "0/2")}, "input 2, line 1: the same line is in input 1"},
		{"an empty shard twice", []string{summaryLine(0, "0/2"), summaryLine(0, "0/2")}, "input 2: the input is shard 0/2, and so is input 1"},
		{"shards of different splits", []string{one + summaryLine(1, "0/2"), two + summaryLine(1, "1/3")}, "are not shards of the same whole: shard 0/2 and shard 1/3"},
		{"a shard and a whole", []string{one + summaryLine(1, ""), two + summaryLine(1, "1/2")}, "are not shards of the same whole: the whole and shard 1/2"},
		{"no shard", []string{one + summaryLine(1, "x")}, "are not shards of the same whole: shard x"},
		{"lost lines", []string{one + summaryLine(2, "0/1")}, "the input has 1 bundles but its summary counts 2; lines are missing"},
		{"other catalogs", []string{one + summaryLine(1, "0/2"), two + clash}, "shards 0/2 and 1/2 have different clashes"},
		{"another JSON", []string{`{"problems":[]}`}, "line 1: this line names no bundle"},
		{"out of order", []string{line("c", "p", "b") + one}, "line 2: a comes after b, out of order"},
		{"twice", []string{one + one}, "line 2: a comes after a, out of order"},
		{"a conflict of another shape", []string{`{"catalog":"c","package":"p","bundle":"a","conflict":{"facts":3}}`},
			"line 1: not the line of a shard"},
		{"cut off", []string{one + summaryLine(1, "0/2"), two}, "input 2: the input ends before its summary"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := mergeBytes(tt.shards)
			testkit.As[*shards.FormatError](t, err)
			require.ErrorContains(t, err, tt.want)
		})
	}
	full := errors.New("disk is full")
	_, err := audit.Merge(func(b *audit.Bundle) error { return b.WriteLine(failingWriter{full}) }, strings.NewReader(one+summaryLine(1, "0/1")))
	require.Equal(t, full, err)
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// FuzzRead feeds any input to the reader, and accepted input to Merge, which must return it
// unchanged.
func FuzzRead(f *testing.F) {
	f.Add(linesOf(f, resolver.New(), universe.Catalogs(f, shapes), audit.Options{}, nil))
	f.Add(line("c", "p", "a") + summaryLine(1, "0/1"))
	f.Add(summaryLine(0, "1/2"))
	f.Add("{}\n")
	f.Fuzz(func(t *testing.T, text string) {
		report := &audit.Report{}
		sum, err := audit.Merge(report.Bundle, strings.NewReader(text))
		if err != nil {
			testkit.As[*shards.FormatError](t, err)
			return
		}
		report.Summary = *sum
		require.NoError(t, report.WriteText(io.Discard))
		merged, err := mergeBytes([]string{text})
		if err != nil {
			return
		}
		again := testkit.Must(mergeBytes([]string{merged}))(t)
		require.Equal(t, merged, again)
	})
}

// An audit can be read back for a report.
func ExampleMerge() {
	lines := `{"catalog":"olm/community","package":"etcd","bundle":"etcd.v1","installable":true,"reachesHead":{"channel":"stable","reaches":true,"rounds":1}}
{"catalog":"olm/community","package":"etcd","bundle":"etcd.v2","installable":true,"reachesHead":{"channel":"stable","reaches":true,"rounds":0}}
{"summary":{"bundles":2,"installable":2,"stuck":0,"clashes":[],"seconds":0.1}}
`
	report := &audit.Report{}
	summary, err := audit.Merge(report.Bundle, strings.NewReader(lines))
	if err != nil {
		log.Fatal(err)
	}
	report.Summary = *summary
	for _, p := range report.Packages {
		fmt.Printf("%s: %d of %d installable\n", p.Package, p.Counts.Installable, p.Counts.Bundles)
	}
	// Output: etcd: 2 of 2 installable
}
