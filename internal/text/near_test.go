package text_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/internal/text"
)

func TestNear(t *testing.T) {
	for _, test := range []struct{ want, names, near string }{
		{"ectd", "etcd vault consul", "etcd"},              // two letters swapped
		{"resolv", "test resolve whatif graph", "resolve"}, // one dropped
		{"stabel", "alpha stable beta", "stable"},
		{"prometheus", "prometheus-operator thanos", "prometheus-operator"}, // a prefix
		{"prometheus-operator", "prometheus prom", "prometheus prom"},
		{"pro", "prometheus", ""},                 // prefix too short
		{"abc", "xyz axy abx bac", "abx bac axy"}, // never all letters
		{"ab", "xy ba b a abc", "abc ba"},         // fewer edits than the shorter name has letters
		{"a", "b c aa", ""},
		{"äöü", "äüö aou", "äüö"}, {"ä", "ö", ""}, // letters, not bytes
		{"kubernetes-operator", "kubrnetsoprtr thanos", "kubrnetsoprtr"},                  // a third of 19
		{"kubernetes-operator", "kubernates-operatr kubrnetsoprtr", "kubernates-operatr"}, // much farther than the nearest
		{"etcd", "etcd etcd2 etcd", "etcd2"},                                              // not the name itself
		{"etcd", "etce etcf etcg etca", "etca etce etcf"},
		{"etcd", "etcd-operator-x etcd-backup etcdx", "etcdx etcd-backup etcd-operator-x"},
		{"", "a b", ""}, {"etcd", "", ""},
	} {
		near := text.Near(test.want, slices.Values(strings.Fields(test.names)), 3)
		require.Equal(t, test.near, strings.Join(near, " "), "for %s of %s", test.want, test.names)
	}
	require.Empty(t, text.Near("etcd", slices.Values([]string{"etcx"}), 0))
}

func TestDidYouMean(t *testing.T) {
	ask := func(names ...string) string { return text.DidYouMean("stabel", slices.Values(names)) }
	require.Empty(t, ask())
	require.Empty(t, ask("alpha"))
	require.Equal(t, "; did you mean stable?", ask("alpha", "stable"))
	require.Equal(t, `; did you mean "st bel", stable or stable2?`, ask("stable2", "stable", "st bel", "stable23"))
	require.Less(t, len(ask("stabel"+strings.Repeat("x", 10_000))), 300)
}

// TestNearAgainstNaive compares Near with its definition.
func TestNearAgainstNaive(t *testing.T) {
	name := rapid.StringMatching(`(a{60}){0,1}[abä]{0,3}[abcä]{0,5}`)
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		want, names, limit := name.Draw(t, "want"), rapid.SliceOf(name).Draw(t, "names"), rapid.IntRange(0, 4).Draw(t, "limit")
		near := text.Near(want, slices.Values(names), limit)
		found += len(near)
		require.Equal(t, naiveNear(want, names, limit), near)
	})
	require.Positive(t, found)
}

// naiveNear is the definition of Near.
func naiveNear(want string, names []string, limit int) []string {
	type alike struct {
		name   string
		edits  int
		prefix bool
	}
	var all []alike
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		a, b := []rune(want), []rune(name)
		edits := naiveDistance(a, b)
		switch {
		case name == want || want == "":
		case edits <= max(2, len(a)/3) && edits < min(len(a), len(b)):
			all = append(all, alike{name, edits, false})
		case min(len(a), len(b)) >= 4 && (strings.HasPrefix(want, name) || strings.HasPrefix(name, want)):
			all = append(all, alike{name, edits, true})
		}
	}
	slices.SortStableFunc(all, func(x, y alike) int { return cmp.Compare(x.edits, y.edits) })
	var out []string
	for _, a := range all[:min(limit, len(all))] {
		if a.prefix || a.edits <= all[0].edits+2 {
			out = append(out, a.name)
		}
	}
	return out
}

// naiveDistance fills the whole table of the optimal string alignment.
func naiveDistance(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = 1 + d[i-1][j-1]
			}
			d[i][j] = min(d[i][j], d[i-1][j]+1, d[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// TestLongNames: unusually long names are not compared letter by letter.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("x", 128)
	require.Len(t, text.Near(long, slices.Values([]string{"y" + long[1:]}), 3), 1)
	require.Empty(t, text.Near(long+"x", slices.Values([]string{"y" + long}), 3))
	require.Empty(t, text.Near(long, slices.Values([]string{"y" + long}), 3))
	require.Len(t, text.Near(long, slices.Values([]string{long + long}), 3), 1, "a beginning")
}

// TestNearEnds: the search ends with the sequence, and a sequence with its
// context.
func TestNearEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	endless := func(yield func(string) bool) {
		for n = 0; n < 100_000 && yield(fmt.Sprint("etce", n)); n++ {
			if n == 5000 {
				cancel()
			}
		}
	}
	require.Equal(t, []string{"etce0", "etce1"}, text.Near("etcd0", text.Until(ctx, endless), 2))
	require.Less(t, n, 6000)
}

// BenchmarkNear searches 100,000 names with hardly any match.
func BenchmarkNear(b *testing.B) {
	names := make([]string, 100_000)
	for i := range names {
		names[i] = fmt.Sprintf("%s-operator-%d.v%d.%d.0", []string{"etcd", "kafka", "prometheus", "vault"}[i%4], i, i%7, i%13)
	}
	for _, want := range []string{"ectd", "prometheus-operator-7002.v2.9.1", strings.Repeat("k", 128)} {
		b.Run(fmt.Sprint(len(want)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				text.Near(want, slices.Values(names), 3)
			}
		})
	}
	b.Run("hostile", func(b *testing.B) {
		hostile := strings.Repeat("ab", 64)
		for b.Loop() {
			text.Near("c"+hostile[1:], func(yield func(string) bool) {
				for range 100_000 {
					if !yield("d" + hostile[1:]) {
						return
					}
				}
			}, 3)
		}
	})
}
