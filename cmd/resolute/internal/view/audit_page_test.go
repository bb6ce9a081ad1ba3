package view_test

import (
	"context"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// untidy is a catalog with every kind of note.
func untidy(t testing.TB) string {
	return string(testkit.Must(os.ReadFile("../../../../resolver/audit/testdata/untidy.txt"))(t))
}

// audited audits catalogs into a report, and writes JSON lines.
func audited(t testing.TB, catalogs []resolver.Catalog, opts audit.Options, lines io.Writer) *audit.Report {
	t.Helper()
	report := &audit.Report{}
	opts.Each = func(b *audit.Bundle) error {
		if lines != nil {
			require.NoError(t, b.WriteLine(lines))
		}
		return report.Bundle(b)
	}
	sum := testkit.Must(audit.Run(t.Context(), resolver.New(), catalogs, opts))(t)
	if lines != nil {
		require.NoError(t, sum.WriteLine(lines))
	}
	report.Summary = *sum
	return report
}

// auditPage returns the page of a report.
func auditPage(t testing.TB, report *audit.Report) string {
	t.Helper()
	return testkit.Written(t, func(ctx context.Context, w io.Writer) error { return view.WriteAudit(ctx, w, report) })
}

// TestAuditPage: the page has the content of the text, is self-contained, and closes its
// elements in order.
func TestAuditPage(t *testing.T) {
	page := auditPage(t, audited(t, universe.Catalogs(t, untidy(t)), audit.Options{}, nil))
	for _, want := range []string{
		"<dt>bundles</dt><dd>18</dd>", "<dt>installable</dt><dd>8</dd>", "<dt>stuck</dt><dd class=\"bad\">11</dd>",
		"<dt>incomplete</dt><dd class=\"bad\">1</dd>", "<dt>not installable</dt><dd class=\"bad\">6</dd>", "<dt>not offered</dt><dd>4</dd>",
		"<b>e</b> <span class=\"soft\">of olm/shapes: 1 of 6 installable, 6 stuck</span>",
		"e.v2 and e.v3, in channel stable up to e.v4: the upgrade requires an operator that provides example.com/v1/None</summary>\n<div class=\"pair\"><div class=\"why\">",
		"use a.v2", "nothing requires d.v1 any more", "<li>a and b</li>", "<td class=\"names\">example.com/v1/Foo</td><td>a and b</td>",
	} {
		require.Contains(t, page, want)
	}
	require.NotContains(t, page, "http://")
	require.NotContains(t, page, "https://")
	require.NotContains(t, page, "<script")
	requireClosed(t, page)
}

// requireClosed checks that elements are closed in reverse order of opening.
func requireClosed(t *testing.T, page string) {
	t.Helper()
	var open []string
	for _, tag := range regexp.MustCompile(`<(/?)([a-z0-9]+)[^>]*>`).FindAllStringSubmatch(page, -1) {
		switch name := tag[2]; {
		case name == "meta" || name == "br" || name == "input":
		case tag[1] == "":
			open = append(open, name)
		default:
			require.NotEmpty(t, open, name)
			require.Equal(t, open[len(open)-1], name)
			open = open[:len(open)-1]
		}
	}
	require.Empty(t, open)
}

// The page names no channel for a bundle that no channel lists, and says which shard it shows.
func TestAuditPageOfUnlistedBundles(t *testing.T) {
	page := auditPage(t, audited(t, universe.Catalogs(t, `
		bundle a.v1
		a/stable a.v2 skips=a.v3
		a/stable a.v4 replaces=a.v2 needs=None`), audit.Options{}, nil))
	require.NotContains(t, page, "starting")
	require.Contains(t, page, "a.v1, which no channel lists, followed in channel stable: ")
	page = auditPage(t, audited(t, universe.Catalogs(t, "a/stable a.v1\nb/stable b.v1"), audit.Options{Shard: 1, Shards: 2}, nil))
	require.Contains(t, page, "This is shard 1/2 only.")
}

var (
	argued = regexp.MustCompile(`(?s)<div class="why">.*?</figure>|<pre>.*?</pre>`)
	figure = regexp.MustCompile(`(?s)<figure>.*?</figure>`)
)

// Each conflict of the page is drawn, with its sources. An audit that was read back gives the same
// page, with its arguments as text.
func TestAuditPageDrawsConflicts(t *testing.T) {
	var lines strings.Builder
	report := audited(t, universe.Catalogs(t, untidy(t)), audit.Options{}, &lines)
	drawn := 0
	for _, p := range report.Packages {
		for _, n := range p.Notes {
			if n.Conflict != nil {
				drawn++
			}
		}
	}
	require.Positive(t, drawn)
	page := auditPage(t, report)
	require.Len(t, figure.FindAllString(page, -1), drawn)
	require.Equal(t, drawn, strings.Count(page, "Show source"))

	again := &audit.Report{}
	again.Summary = *testkit.Must(audit.Merge(again.Bundle, strings.NewReader(lines.String())))(t)
	second := auditPage(t, again)
	require.NotContains(t, second, "<svg")
	require.Equal(t, argued.ReplaceAllString(page, ""), argued.ReplaceAllString(second, ""))
}

// The page of an audit stops with its context.
func TestAuditPageEnds(t *testing.T) {
	report := audited(t, universe.Catalogs(t, untidy(t)), audit.Options{}, nil)
	require.ErrorIs(t, view.WriteAudit(testkit.Ended(), io.Discard, report), context.Canceled)
}

// FuzzAuditPage writes the page of any audit that can be read.
func FuzzAuditPage(f *testing.F) {
	var lines strings.Builder
	audited(f, universe.Catalogs(f, untidy(f)), audit.Options{}, &lines)
	f.Add(lines.String())
	f.Fuzz(func(t *testing.T, text string) {
		report := &audit.Report{}
		sum, err := audit.Merge(report.Bundle, strings.NewReader(text))
		if err != nil {
			t.Skip()
		}
		report.Summary = *sum
		requireClosed(t, auditPage(t, report))
	})
}
