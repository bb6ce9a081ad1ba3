package resolver_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/draw"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/trace"
)

var update = flag.Bool("update", false, "write the arguments as they are now; read every one of them before committing")

// situations loads the scenarios of testdata/arguments, each of which has no
// solution, and resolves them.
func situations(t *testing.T, check func(t *testing.T, file string, c *resolver.Conflict)) {
	t.Helper()
	files := testkit.Must(filepath.Glob("testdata/arguments/*.yaml"))(t)
	require.GreaterOrEqual(t, len(files), 20)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			check(t, file, conflictOf(t, file))
		})
	}
}

func conflictOf(t *testing.T, file string) *resolver.Conflict {
	t.Helper()
	req := requestOf(t, file)
	return universe.Conflict(t, req)
}

func requestOf(t testing.TB, file string) resolver.Request {
	t.Helper()
	ctx := context.Background()
	s := testkit.Must(scenario.ReadFile(ctx, file))(t)
	return testkit.Must(s.Load(ctx))(t).Request
}

// What an argument begins a line with is in the middle of the line that an error is.
func TestErrorIsOneSentence(t *testing.T) {
	require.EqualError(t, conflictOf(t, "testdata/arguments/all-deprecated.yaml"),
		"subscription etcd cannot be met: each of etcd.v0.9.4 and etcd.v0.9.2 is marked olm.deprecated")
}

// The arguments are compared with files that were read and judged by the list of
// what a good message has: the text is for people, so people decide what is right.
func TestArguments(t *testing.T) {
	situations(t, func(t *testing.T, file string, c *resolver.Conflict) {
		golden := strings.TrimSuffix(file, ".yaml") + ".txt"
		if *update {
			require.NoError(t, os.WriteFile(golden, []byte(c.Text()), 0o644))
		}
		want := testkit.Must(os.ReadFile(golden))(t)
		if d := cmp.Diff(string(want), c.Text()); d != "" {
			t.Errorf("the argument changed (-want +got):\n%s", d)
		}
	})
}

// What must hold of every argument, whatever its words are.
func TestArgumentsAreSound(t *testing.T) {
	internal := regexp.MustCompile(`(?i)\b(variable|clause|literal|mandatory|solver|formula|assumption|node)s?\b`)
	situations(t, func(t *testing.T, file string, c *resolver.Conflict) {
		text := c.Text()
		require.Equal(t, text, conflictOf(t, file).Text(), "the same conflict gives the same text")
		require.NotRegexp(t, internal, text, "no internal word shows")
		require.Equal(t, -1, strings.IndexFunc(strings.ReplaceAll(text, "\n", ""), unicode.IsControl), "text is inert")
		require.True(t, strings.HasPrefix(strings.ToLower(text), strings.ToLower(c.Headline())), "it begins with the headline")
		require.True(t, strings.HasPrefix(c.Error(), c.Headline()) && !strings.Contains(c.Error(), "\n"), "the error is the headline and the cause, in one line")
		for _, f := range c.Facts {
			if f.Kind == argument.FactPackage || f.Kind == argument.FactGVK {
				require.Contains(t, text, f.Text, "the rule that closes the case is told")
				continue
			}
			subject := f.Subject
			if f.Kind == argument.FactConstraint { // those of many versions are told in one line
				_, subject, _ = strings.Cut(f.Text, " requires ")
			}
			require.Contains(t, text, subject, "every fact is told")
		}
	})
}

// Up to four candidates are named one by one.
func TestCandidatesAreNamed(t *testing.T) {
	told := func(versions int) string {
		var b strings.Builder
		for i := range versions {
			fmt.Fprintf(&b, "a/x a.v%[1]d replaces=a.v%[2]d version=1.%[1]d.0 needs=none@1.x\n", i, i-1)
		}
		conflict := universe.Conflict(t, universe.Request(t, b.String()+"subscribe a"))
		return conflict.Text()
	}
	require.Contains(t, told(4), "- a.v3, a.v2, a.v1 and a.v0 require package none in range 1.x.")
	require.Contains(t, told(5), "- All 5 candidates (a.v4 … a.v0) require package none in range 1.x.")
}

// Where there is no catalog at all, the argument says so.
func TestNoCatalogs(t *testing.T) {
	_, err := resolver.New().Resolve(context.Background(), resolver.Request{
		Subscriptions: []resolver.Subscription{{Name: "s", Package: "a", Catalog: cache.Key{Namespace: "ns", Name: "c"}}},
	})
	conflict := testkit.As[*resolver.Conflict](t, err)
	require.Contains(t, conflict.Text(), "Catalog ns/c not found; there are no catalogs.")
}

// Every fact of a conflict is told by one statement at least, what a statement refers
// to is there, and what it says in words is nothing but its own fields.
func TestArgumentTrees(t *testing.T) {
	situations(t, func(t *testing.T, _ string, c *resolver.Conflict) {
		a := c.Argument()
		require.Equal(t, c.Text(), a.Text())
		told, numbers, sees := map[int]bool{}, map[int]bool{}, map[int]bool{}
		a.Walk(func(depth int, s *argument.Statement) {
			for _, f := range s.Facts {
				told[f] = true
			}
			for _, f := range append(slices.Clone(s.Because), s.Facts...) {
				require.Less(t, f, len(c.Facts))
			}
			require.Equal(t, depth == 0, s.Kind == argument.StatementAsked || s.Kind == argument.StatementRule, s.Text)
			require.Contains(t, s.Sentence(), s.Text)
			if s.Number > 0 {
				numbers[s.Number] = true
			}
			if s.See > 0 {
				sees[s.See] = true
				require.Empty(t, s.Children, "the reasons are told once")
			}
		})
		require.Equal(t, numbers, sees)
		for i, f := range c.Facts {
			require.True(t, told[i], f.Text)
		}
		data := testkit.Must(json.Marshal(a))(t)
		var again argument.Argument
		require.NoError(t, json.Unmarshal(data, &again))
		again.Facts = a.Facts
		require.Equal(t, a, &again, "JSON tells everything but the facts")
		require.Equal(t, a.Text(), again.Text())
	})
}

// The pictures have a box for each demand, requirement and rule, lines between existing boxes only,
// no box that nothing leads to, and no markup of anybody else's.
func TestArgumentGraphs(t *testing.T) {
	dotLine := regexp.MustCompile(`^  n\d+( -> n\d+)?( \[.*\])?;$|^  (rankdir=LR|compound=true);$|^  (node|edge) \[.*\];$|^digraph conflict \{$|^\}$`)
	mermaidLine := regexp.MustCompile(`^flowchart LR$|^  n\d+(\["[^"<>&]*"\]|\{\{"[^"<>&]*"\}\})$|^  n\d+ (-->|-\.-)(\|"[^"<>&]*"\|)? n\d+$|^  (classDef|class|linkStyle) [-a-z0-9,:# ]+$`)
	node := regexp.MustCompile(`(?m)^  (n\d+) \[shape=(\w+)(.*)\];$`)
	edge := regexp.MustCompile(`(?m)^  (n\d+) -> (n\d+)`)
	situations(t, func(t *testing.T, _ string, c *resolver.Conflict) {
		a := c.Argument()
		dot, mermaid := testkit.Written(t, draw.Conflict(a).WriteDOT), testkit.Written(t, draw.Conflict(a).WriteMermaid)
		for line := range strings.Lines(dot) {
			require.Regexp(t, dotLine, strings.TrimSuffix(line, "\n"))
		}
		for line := range strings.Lines(strings.ReplaceAll(mermaid, "<br/>", " ")) {
			require.Regexp(t, mermaidLine, strings.TrimSuffix(line, "\n"))
		}
		boxes, reached := make(map[string]string), make(map[string]bool)
		demands := 0
		for _, m := range node.FindAllStringSubmatch(dot, -1) {
			boxes[m[1]] = m[2]
			if strings.Contains(m[3], ",bold") {
				demands++
				reached[m[1]] = true
			}
		}
		for _, m := range edge.FindAllStringSubmatch(dot, -1) {
			require.Contains(t, boxes, m[1])
			require.Contains(t, boxes, m[2])
			reached[m[2]] = true
		}
		require.Len(t, reached, len(boxes), "something leads to each box:\n%s", dot)
		for _, f := range c.Facts {
			switch {
			case f.Kind.IsRoot():
				demands--
			case f.Kind == argument.FactPackage:
				require.Contains(t, dot, "only one version of "+f.Subject)
			case f.Kind != argument.FactConstraint:
				require.Contains(t, dot, text.DOT(f.Text))
			}
		}
		require.Zero(t, demands)
		if graphviz, err := exec.LookPath("dot"); err == nil {
			cmd := exec.Command(graphviz, "-Tsvg")
			cmd.Stdin = strings.NewReader(dot)
			require.NoError(t, cmd.Run(), "Graphviz reads it")
		}
	})
}

// TestAlgorithmTraces: what ALGORITHM.md shows of searches is what happens. Each
// problem there is a block of "problem", followed by the "trace" of its resolution.
func TestAlgorithmTraces(t *testing.T) {
	doc := testkit.Must(os.ReadFile("ALGORITHM.md"))(t)
	blocks := regexp.MustCompile("(?s)```problem\n(.*?)```.*?```trace\n(.*?)```").FindAllStringSubmatch(string(doc), -1)
	require.Len(t, blocks, 2)
	for i, b := range blocks {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			require.Equal(t, b[2], events(t, universe.Request(t, b[1])))
		})
	}
}

// events resolves a request and writes down what happens, a line for each decision.
func events(t *testing.T, req resolver.Request) string {
	t.Helper()
	var out, line strings.Builder
	solves := make(map[trace.Purpose]int)
	_, err := resolver.New(resolver.WithHooks(trace.Hooks{
		Search: func(_ context.Context, e trace.Event) {
			switch {
			case e.Decide != nil:
				line.Reset()
				fmt.Fprintf(&line, "%d. %s %s:", e.Decide.Index+1, e.Decide.Kind, e.Decide.Subject)
			case e.Candidate != nil && e.Candidate.Verdict != trace.Chosen:
				fmt.Fprintf(&line, " not %s (%s),", e.Candidate.Bundle, e.Candidate.Verdict)
			case e.Decision != nil:
				fmt.Fprintf(&out, "%s %s\n", line.String(), strings.TrimSpace(fmt.Sprintf("%s %s", e.Decision.Result, e.Decision.Choice.Bundle)))
			case e.Back != nil:
				fmt.Fprintf(&out, "back to %d, %d undone\n", e.Back.Index+1, e.Back.Undone)
			}
		},
		Solver: func(_ context.Context, e trace.Event) {
			if e.Solve != nil {
				solves[e.Solve.Purpose]++
			}
		},
	})).Resolve(context.Background(), req)
	outcome := "resolved"
	var conflict *resolver.Conflict
	if err != nil {
		require.ErrorAs(t, err, &conflict)
		outcome = "unsatisfiable"
		for i := range conflict.Facts {
			fmt.Fprintf(&out, "fact: %s %s\n", conflict.Facts[i].Kind, conflict.Facts[i].Subject)
		}
	}
	fmt.Fprintf(&out, "%s, solver calls: %v\n", outcome, solves)
	return out.String()
}
