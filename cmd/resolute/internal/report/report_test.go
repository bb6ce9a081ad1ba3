package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/report"
)

// hostile is text that means something in every format.
const hostile = "x|y <b>&amp; \"q\" `c` [l](http://e.example) @all #1 %0A ::error::\n\x1b[31m\u202eend"

func sample() *report.Report {
	return &report.Report{Command: "diff", Title: "catalog", Summary: "2 things got worse.", Root: "catalog", Version: "v1",
		Rules: map[string]string{"edgeLost": "an edge was lost"},
		Findings: []report.Finding{
			{Code: "edgeLost", Severity: report.Error, Subject: []string{"", "a", "stable", "a.v1"}, Text: "clusters on a.v1 cannot upgrade", File: "catalog/a,b:c.yaml", Line: 7},
			{Code: "other", Severity: report.Warning, Subject: []string{"", "a", "", ""}, Text: hostile, Ignored: true},
		},
		Better: []report.Finding{{Code: "clash", Severity: report.Warning, Subject: []string{"", "b", "", ""}, Text: "together"}},
	}
}

// written is a report in one of its forms.
func written(t *testing.T, r *report.Report, form string) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, r.Write(&b, form))
	return b.String()
}

// command is a workflow command as the runner of GitHub Actions parses it: "::" and the
// name, properties behind a space and with commas between them, "::" and the data. Of the
// data %25, %0D and %0A are unescaped, of properties %3A and %2C as well.
type command struct {
	name, data string
	properties map[string]string
}

func parseCommand(t *testing.T, line string) command {
	t.Helper()
	rest, ok := strings.CutPrefix(line, "::")
	require.True(t, ok, line)
	head, data, ok := strings.Cut(rest, "::")
	require.True(t, ok, line)
	c := command{properties: make(map[string]string)}
	c.data = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(data)
	name, props, _ := strings.Cut(head, " ")
	c.name = name
	for _, p := range strings.Split(props, ",") {
		k, v, ok := strings.Cut(p, "=")
		require.True(t, ok, line)
		c.properties[k] = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(v)
	}
	return c
}

func TestGitHub(t *testing.T) {
	b := written(t, sample(), "github")
	lines := strings.Split(strings.TrimSuffix(b, "\n"), "\n")
	require.Len(t, lines, 3, "a finding is one line")
	require.Equal(t, command{"error", "clusters on a.v1 cannot upgrade", map[string]string{
		"file": "catalog/a,b:c.yaml", "line": "7", "title": "edgeLost a stable a.v1"}}, parseCommand(t, lines[0]))
	second := parseCommand(t, lines[1])
	require.Equal(t, "warning", second.name)
	require.Equal(t, "catalog", second.properties["file"], "what has no place of its own is in the catalog")
	require.Contains(t, second.data, "%0A ::error::")
	require.NotContains(t, second.data, "\x1b")
	require.Equal(t, "notice", parseCommand(t, lines[2]).name)
}

func TestSARIF(t *testing.T) {
	b := written(t, sample(), "sarif")
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct {
						ID               string
						ShortDescription struct{ Text string }
					}
				}
			}
			Results []map[string]any
		}
	}
	require.NoError(t, json.Unmarshal([]byte(b), &log))
	require.Equal(t, "2.1.0", log.Version)
	run := log.Runs[0]
	require.Len(t, run.Tool.Driver.Rules, 2)
	require.Equal(t, "an edge was lost", run.Tool.Driver.Rules[0].ShortDescription.Text)
	require.Len(t, run.Results, 2)
	require.Equal(t, "edgeLost", run.Results[0]["ruleId"])
	require.Contains(t, b, `"uri": "catalog/a,b:c.yaml"`)

	moved := sample()
	moved.Findings[0].Line, moved.Findings[0].Text = 99, "in other words"
	again := written(t, moved, "sarif")
	prints := func(data string) (out []string) {
		for line := range strings.Lines(data) {
			if strings.Contains(line, "resolute/v1") {
				out = append(out, line)
			}
		}
		return out
	}
	require.Equal(t, prints(b), prints(again), "a finding that moved is the same")

	many := &report.Report{Command: "x"}
	for i := range report.MaxSARIFResults + 3 {
		many.Findings = append(many.Findings, report.Finding{Code: "c", Severity: report.Note, Subject: []string{strconv.Itoa(i)}})
	}
	b = written(t, many, "sarif")
	require.Contains(t, b, "3 more findings are omitted")
}

// Brackets make links of a message of SARIF, and braces placeholders.
func TestSARIFMessagesAreText(t *testing.T) {
	for in, want := range map[string]string{
		"[words](http://e.example)": `\[words\](http://e.example)`,
		`\[words\](1)`:              `\\\[words\\\](1)`,
		"{0} of {x}":                "{{0}} of {{x}}",
		`C:\x`:                      `C:\x`,
	} {
		var log struct {
			Runs []struct {
				Results []struct{ Message struct{ Text string } }
			}
		}
		r := &report.Report{Command: "diff", Findings: []report.Finding{{Code: "c", Severity: report.Error, Text: in}}}
		require.NoError(t, json.Unmarshal([]byte(written(t, r, "sarif")), &log))
		require.Equal(t, want, log.Runs[0].Results[0].Message.Text)
	}
}

// GitHub decodes entities and removes backslashes before it looks for what it links.
func TestMarkdownLinksNothing(t *testing.T) {
	linked := regexp.MustCompile(`(?i)(^|\W)@[a-z0-9]|[\w.+-]+@[\w-]+\.|#\d|\bgh-\d|\bwww\.|://|mailto:|xmpp:|\b[0-9a-f]{7,40}\b|:[a-z0-9_+-]+:|!\d|\$\w.*\$`)
	for _, in := range []string{"@all", "@a/team", "a@b.example", "owner/name@0123456789abcdef0123456789abcdef01234567", "#1", "o/n#1", "GH-12", "gh-12", "!7",
		"0123456", "deadbeef", "0123456789abcdef0123456789abcdef01234567", "www.e.example", "WWW.e.example", "http://e.example", "ftp://x", "mailto:a@b.example",
		"xmpp:a@b.example", ":smile:", ":a:b:c:", "$x$ and $y$", "&#64;all", "&commat;all", `\@all`} {
		require.Regexp(t, linked, html.UnescapeString(strings.ReplaceAll(in, `\@`, "@")), "%s would be a link", in)
		r := &report.Report{Command: "diff", Title: in, Findings: []report.Finding{{Code: "c", Severity: report.Error, Subject: []string{in}, Text: in, File: in}}}
		_, b, _ := strings.Cut(written(t, r, "markdown"), "\n")
		b = strings.NewReplacer("### resolute diff", "").Replace(b)
		shown := html.UnescapeString(b)
		shown = regexp.MustCompile(`\\([!-/:-@[-\x60{-~])`).ReplaceAllString(shown, "$1")
		require.NotRegexp(t, linked, shown)
		if !strings.ContainsAny(in, "&\\") {
			require.Contains(t, strings.ReplaceAll(shown, "\u2060", ""), in, "nothing is lost")
		}
	}
}

func TestJUnit(t *testing.T) {
	b := written(t, sample(), "junit")
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Cases []struct {
				Class   string `xml:"classname,attr"`
				Name    string `xml:"name,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
					Text    string `xml:",chardata"`
				} `xml:"failure"`
				Out string `xml:"system-out"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal([]byte(b), &suites))
	require.Equal(t, 2, suites.Tests)
	require.Equal(t, 1, suites.Failures, "what is ignored passes")
	first, second := suites.Suites[0].Cases[0], suites.Suites[0].Cases[1]
	require.Equal(t, "a stable a.v1", first.Name)
	require.Equal(t, "catalog/a,b:c.yaml:7: clusters on a.v1 cannot upgrade", first.Failure.Text)
	require.Nil(t, second.Failure)
	require.Contains(t, second.Out, "<b>")

	b = written(t, (&report.Report{Command: "diff"}), "junit")
	require.Contains(t, b, `tests="1" failures="0"`)
	require.Contains(t, b, "no findings")
}

// TestMarkdownByCause: findings of one cause are one row, those of different packages or
// causes are not, and what is left out for its size is counted in findings.
func TestMarkdownByCause(t *testing.T) {
	r := &report.Report{Command: "audit"}
	for i := range 40 {
		r.Findings = append(r.Findings, report.Finding{Code: "c", Severity: report.Warning, Subject: []string{"p", fmt.Sprintf("p.v%d", i)},
			Text: fmt.Sprintf("p.v%d needs x", i), Cause: "needs x", File: "f", Line: i + 1})
	}
	r.Findings = append(r.Findings, report.Finding{Code: "c", Severity: report.Warning, Subject: []string{"q", "q.v1"}, Text: "q.v1 needs x", Cause: "needs x"},
		report.Finding{Code: "c", Severity: report.Warning, Subject: []string{"p", "p.v40"}, Text: "p.v40 needs y"},
		report.Finding{Code: "c", Severity: report.Warning, Subject: []string{"p", "p.v41"}, Text: "p.v41 needs y"})
	b := written(t, r, "markdown")
	require.Equal(t, 4, strings.Count(b, "⚠️"))
	require.Contains(t, b, "p: p.v0, p.v1, p.v2, … p.v39 (40 in all) | f:1 | needs x |")
	require.Contains(t, b, "q q.v1 |  | q.v1 needs x |")
	require.Contains(t, b, "p p.v41 |  | p.v41 needs y |")

	for i := range 2000 {
		r.Findings = append(r.Findings, report.Finding{Code: "c", Severity: report.Error, Text: strings.Repeat("long ", 20), Line: i})
	}
	b = written(t, r, "markdown")
	_, left, _ := strings.Cut(b, "\n… and ")
	var n int
	_, err := fmt.Sscanf(left, "%d more.", &n)
	require.NoError(t, err)
	require.Equal(t, 2000-strings.Count(b, "❌"), n)
}

func TestMarkdown(t *testing.T) {
	b := written(t, sample(), "markdown")
	require.True(t, strings.HasPrefix(b, "<!-- resolute diff -->\n"))
	for line := range strings.Lines(b) {
		if strings.HasPrefix(line, "| ❌") || strings.HasPrefix(line, "| ⚠️") {
			cells := strings.Count(line, "|") - strings.Count(line, `\|`)
			require.Equal(t, 5, cells, "four cells: %s", line)
		}
	}
	for _, not := range []string{"<b>", "@all", "(http://", "](", "#1 "} {
		require.NotContains(t, strings.ReplaceAll(b, `\]`, ""), not)
	}
	require.Contains(t, b, "Improvements (1)")
	linked := &report.Report{Command: "diff", Findings: []report.Finding{{Code: "c", Severity: report.Error,
		Text: "www.evil.example WWW.evil.example GH-12 gh-12 http://x ftp://x a@b.example"}}}
	b = written(t, linked, "markdown")
	require.NotRegexp(t, `(?i)www\.|gh-\d|://|@`, b, "what GitHub makes links of")

	many := sample()
	for i := range 5000 {
		many.Findings = append(many.Findings, report.Finding{Code: "c", Severity: report.Error, Subject: []string{fmt.Sprint(i)}, Text: strings.Repeat("x", 100)})
	}
	b = written(t, many, "markdown")
	require.Less(t, len(b), 65_536)
	require.Contains(t, b, " more.")
}

func TestBaseline(t *testing.T) {
	r := sample()
	r.Findings = append(r.Findings, r.Findings[0]) // the same again
	var b bytes.Buffer
	require.NoError(t, report.BaselineOf(r.Findings[:2]).Write(&b))
	known, err := report.ReadBaseline(bytes.NewReader(b.Bytes()))
	require.NoError(t, err)

	moved := sample()
	moved.Findings[0].Line, moved.Findings[0].Text, moved.Findings[0].File = 1, "other words", "other"
	require.Zero(t, known.Apply(moved))
	require.Empty(t, moved.Findings)
	require.Equal(t, 2, moved.Known)

	require.Zero(t, known.Apply(r))
	require.Len(t, r.Findings, 1, "of two alike one is known")

	fewer := sample()
	fewer.Findings = fewer.Findings[:1]
	require.Equal(t, 1, known.Apply(fewer), "one is gone")

	for _, broken := range []string{"", "[]", `{"findings": 1}`, `{"known": []}`, `{"findings": []} x`} {
		_, err := report.ReadBaseline(strings.NewReader(broken))
		require.Error(t, err, broken)
	}
}

// A baseline that says much of nothing is refused before it takes memory.
func TestBaselineOfNothing(t *testing.T) {
	many := func(item string, n int) string { return "[" + strings.Repeat(item+",", n) + item + "]" }
	for text, want := range map[string]string{
		`{"findings":` + many(`{}`, 5*report.MaxKnown) + `}`:                          "more than 500000 findings",
		`{"findings":[{"code":"x","subject":` + many(`""`, report.MaxSubject) + `}]}`: "the subject of finding 1 has more than 1000 parts",
		`{"findings":[],"findings":` + many(`{}`, 3) + `}`:                            "must end after the findings",
		`{"else":[]}`: "must begin with",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := report.ReadBaseline(strings.NewReader(text))
		runtime.ReadMemStats(&after)
		require.ErrorContains(t, err, want)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(200<<20))
	}
	known, err := report.ReadBaseline(strings.NewReader(`{"findings":` + many(`{}`, report.MaxKnown-1) + `}`))
	require.NoError(t, err)
	require.Len(t, known.Findings, report.MaxKnown)
}

// FuzzBaseline: nothing makes the reader panic, and what it reads it can write.
func FuzzBaseline(f *testing.F) {
	f.Add([]byte(`{"findings": [{"code":"edgeLost","subject":["","a","stable","a.v1"]}]}`))
	f.Add([]byte(`{"findings": [{"code":"x","subject":null}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := report.ReadBaseline(bytes.NewReader(data))
		if err != nil {
			return
		}
		var out bytes.Buffer
		require.NoError(t, b.Write(&out))
		again, err := report.ReadBaseline(&out)
		require.NoError(t, err)
		require.Len(t, again.Findings, len(b.Findings))
	})
}
