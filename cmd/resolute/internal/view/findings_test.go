package view_test

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// problemsPage returns the page of problems: n warnings in each package, and an error in the last.
func problemsPage(t *testing.T, packages, n int) string {
	t.Helper()
	var found []graph.Problem
	for p := range packages {
		for i := range n {
			found = append(found, graph.Problem{Code: "w", Severity: graph.SeverityWarning, Catalog: "c", Package: fmt.Sprintf("p%d", p), Message: fmt.Sprintf("m%d-%d.", p, i)})
		}
	}
	found = append(found, graph.Problem{Code: "e", Severity: graph.SeverityError, Catalog: "c", Package: fmt.Sprintf("p%d", packages-1), Message: "<b>wrong</b>"})
	r := view.ProblemsReport(found, []string{"c"}, "")
	return testkit.Written(t, func(ctx context.Context, w io.Writer) error { return view.WriteProblems(ctx, w, r, 1, 0) })
}

// Groups with errors come first, similar findings are folded from the fourth on, and each kind of
// finding on the page has a switch.
func TestFindingsPage(t *testing.T) {
	page := problemsPage(t, 2, 6)
	requireClosed(t, page)
	require.Contains(t, page, "<title>13 problems in c</title>")
	require.Regexp(t, `(?s)<h2>p1</h2> <span class="tag error">1 error</span> <span class="tag warning">6 warnings</span>.*<h2>p0</h2>`, page)
	require.Regexp(t, `(?s)m0-2\..*<details><summary>and 3 more of w</summary>.*m0-3\.`, page)
	require.Contains(t, page, "&lt;b&gt;wrong&lt;/b&gt;")
	require.Contains(t, page, `<input type="checkbox" id="show-error" checked>`)
	require.Contains(t, page, `<input type="checkbox" id="show-warning" checked>`)
	require.NotContains(t, page, `id="show-note"`)
	for _, id := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(page, -1) {
		require.Contains(t, page, `<div id="`+id[1]+`">`)
	}
	require.Contains(t, problemsPage(t, 1, 4), "m0-3. ", "one more is not worth folding")
	require.NotContains(t, problemsPage(t, 1, 4), " more of w")
}

// A page lists [view.MaxRows] findings and counts the others.
func TestFindingsPageIsBounded(t *testing.T) {
	page := problemsPage(t, 3, view.MaxRows/2)
	require.Equal(t, view.MaxRows, strings.Count(page, `<li><span class="tag`))
	require.Contains(t, page, fmt.Sprintf("<title>%d problems in c</title>", 3*(view.MaxRows/2)+1))
	require.Contains(t, page, "… and 1 more; -o json lists all.")
	require.Contains(t, page, "… and 1 more package; -o json lists all.")
}

// A test page names every scenario that is not answered as expected.
func TestTestPage(t *testing.T) {
	p, counts := view.NewTestPage(), map[view.Result]int{view.OK: 5, view.Unreadable: 5}
	for i := range 5 {
		p.Add(&view.Verdict{File: fmt.Sprintf("ok%d.yaml", i), Result: view.OK})
		p.Add(&view.Verdict{File: fmt.Sprintf("bad%d.yaml", i), Result: view.Unreadable, Error: "no such <file>"})
	}
	page := testkit.Written(t, func(ctx context.Context, w io.Writer) error { return p.Write(ctx, w, counts) })
	require.Contains(t, page, "<h1>Not answered as expected: 5 of 10 scenarios</h1>")
	require.Contains(t, page, "bad4.yaml: no such &lt;file&gt;")
	require.Contains(t, page, "and 2 more of ok")
	require.Equal(t, 1, strings.Count(page, " more of "))
	requireClosed(t, page)
}

// Pages of findings and of dependencies stop with their context.
func TestReportsEnd(t *testing.T) {
	r := view.ProblemsReport([]graph.Problem{{Severity: graph.SeverityError, Catalog: "c", Package: "p"}}, []string{"c"}, "")
	for name, write := range map[string]func(context.Context) error{
		"findings": func(ctx context.Context) error { return view.WriteProblems(ctx, io.Discard, r, 1, 0) },
		"test":     func(ctx context.Context) error { return view.NewTestPage().Write(ctx, io.Discard, nil) },
		"needs": func(ctx context.Context) error {
			return view.WriteNeeds(ctx, io.Discard, "s", []upgrade.Bundle{{Bundle: "a"}}, "", nil)
		},
	} {
		require.ErrorIs(t, write(testkit.Ended()), context.Canceled, name)
		require.NoError(t, write(t.Context()), name)
	}
}

// A page of dependencies lists [view.MaxRows] bundles and counts the others.
func TestNeedsPageIsBounded(t *testing.T) {
	page := testkit.Written(t, func(ctx context.Context, w io.Writer) error {
		return view.WriteNeeds(ctx, w, "s", make([]upgrade.Bundle, view.MaxRows+3), "", nil)
	})
	require.Equal(t, 1+view.MaxRows, strings.Count(page, "<tr"))
	require.Contains(t, page, "… and 3 more bundles; -o json lists all.")
}
