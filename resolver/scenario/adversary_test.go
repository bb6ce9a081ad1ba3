package scenario_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// listOf returns a YAML flow list of n items.
func listOf(n int, item string) string {
	return "[" + strings.Repeat(item+",", n) + "]"
}

// A file that exceeds any limit is rejected quickly, with an error that names the limit.
func TestAbsurdScenarios(t *testing.T) {
	many := func(key, item string, n int) string {
		var b strings.Builder
		fmt.Fprintf(&b, `{"%s":[`, key)
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, item, i)
		}
		b.WriteString("]}")
		return b.String()
	}
	tests := map[string]struct{ text, says string }{
		"subscriptions":            {many("subscriptions", `{"name":"s%d","package":"p"}`, scenario.MaxSubscriptions+1), "subscriptions: 20001 items exceed the limit of 20000"},
		"installed":                {many("installed", `{"name":"s%d","version":"1.0.0"}`, scenario.MaxInstalled+1), "installed: 20001 items"},
		"what-ifs":                 {many("whatif", `{"name":"w%d"}`, scenario.MaxWhatIfs+1), "whatif: 1001 items"},
		"catalogs":                 {many("catalogs", `{"name":"c%d","blobs":[]}`, scenario.MaxCatalogs+1), "catalogs: 1001 items"},
		"changes of a what-if":     {`{"whatif":[{"name":"w","force":` + strings.ReplaceAll(listOf(scenario.MaxSubscriptions, `"x"`), ",]", `,"x"]`) + `}]}`, "whatif: 20001 changes"},
		"bytes":                    {`{"namespace":"` + strings.Repeat("x", scenario.MaxBytes) + `"}`, "bytes"},
		"levels":                   {"expect: " + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), "depth of"},
		"aliases":                  {"a0: &a0 [x]\n" + aliases(30) + "\n", "aliases expanded"},
		"problems":                 {many("subscriptions", `{"name":"s%d"}`, 10_000), "and more; correct these first"},
		"one name, very long":      {`{"policy":{"goal":"` + strings.Repeat("x", 1<<20) + `"}}`, "policy.goal: "},
		"a key that is no key":     {`{"\u001b[31m\u202e":1}`, "unknown key"},
		"a pin that turns round":   {`{"whatif":[{"name":"w","pin":{"\u001b[31m\u202e":"x"}}]}`, "there is no subscription"},
		"a name that is a command": {"whatif: [{name: w, drop: {subscriptions: [\"\\e[2J\"]}}]\nsubscriptions: [{name: \"\\e]0;x\\a\", package: p}]", "there is no subscription"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, err := scenario.Parse(context.Background(), "absurd\x1b[31m.yaml", []byte(test.text))
			require.Less(t, time.Since(start), 30*time.Second)
			testkit.As[*scenario.Error](t, err)
			require.ErrorContains(t, err, test.says)
			require.Less(t, len(err.Error()), 1<<20)
			for _, r := range err.Error() {
				require.True(t, r == '\n' || unicode.IsPrint(r), "%U", r)
			}
		})
	}
}

// A program may set the expectation, from a separate file.
func TestExpectedOfNothing(t *testing.T) {
	s := &scenario.Scenario{Expect: []byte(`{"conflict":{"facts":[` + strings.Repeat("{},", scenario.MaxExpected/2) + `{}]}}`)}
	err := s.Validate()
	testkit.As[*scenario.Error](t, err)
	require.ErrorContains(t, err, "more than 1000000 lists, objects and items of lists")
}

func aliases(n int) string {
	var b strings.Builder
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d, *a%d, *a%d]\n", i, i, i-1, i-1, i-1)
	}
	return b.String()
}

// The end of a context stops parsing of a large scenario: within 50 ms on an idle machine, which
// a test must not rely on.
func TestParsingStops(t *testing.T) {
	const bound = 2 * time.Second
	large := []byte("expect: {set: " + listOf(200_000, "x") + "}\n")
	for _, after := range []time.Duration{time.Millisecond, 20 * time.Millisecond} {
		best := time.Hour
		for try := 0; try < 8 && best > bound; try++ {
			ctx, cancel := context.WithTimeout(context.Background(), after)
			start := time.Now()
			_, err := scenario.Parse(ctx, "large.yaml", large)
			best = min(best, time.Since(start)-after)
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				break
			}
		}
		require.LessOrEqual(t, best, bound, "after %s", after)
	}
}

// A scenario from a file system reads catalogs only from it.
func TestPathsOfCatalogs(t *testing.T) {
	for _, path := range []string{"../../../etc/passwd", "/etc/passwd", "a\x00b", `..\..\x`, "a/../../b", "//host/share"} {
		s := &scenario.Scenario{Catalogs: []scenario.Catalog{{Name: "c", Path: path}}}
		fsys := fstest.MapFS{"dir/s.json": {Data: []byte(asJSON(t, s))}}
		read := testkit.Must(scenario.Read(context.Background(), fsys, "dir/s.json"))(t)
		loaded := testkit.Must(read.Load(context.Background()))(t)
		require.Error(t, loaded.Request.Catalogs[0].Unavailable)
		require.Nil(t, loaded.Request.Catalogs[0].Content)
	}
}
