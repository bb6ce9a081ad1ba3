// Package planpage makes the pages of commands that answer with a plan: what has to be
// done for the next version of a cluster, and what to mirror.
package planpage

import (
	"bytes"
	"html/template"
	"io"
	"slices"

	"github.com/seed109e2655/resolute/internal/diagram"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/ready"
)

// MaxSections bounds the clusters that a page tells of one by one: first of all those
// that are not ready.
const MaxSections = 200

// maxConflicts bounds the conflicts that a page draws; the others are there as text.
const maxConflicts = 50

// Ready collects reports for a page. It keeps those that it shows, and no others.
type Ready struct {
	todo, fine []*ready.Report
	total      int
}

// NewReady returns a page of nothing.
func NewReady() *Ready { return &Ready{} }

// Add adds a report. It never fails.
func (p *Ready) Add(r *ready.Report) error {
	p.total++
	list := &p.todo
	if r.Status == ready.Ready {
		list = &p.fine
	}
	if len(*list) < MaxSections {
		*list = append(*list, r)
	}
	return nil
}

// Write writes the page. It needs nothing else: no script, no picture, no font from
// elsewhere. Whatever is in names and texts is shown as text.
func (p *Ready) Write(w io.Writer, s *ready.Summary) error {
	var sections []readySection
	for _, r := range slices.Concat(p.todo, p.fine) {
		if len(sections) < MaxSections {
			sections = append(sections, readySection{r, diagram.Inline(roadChart(r))})
		}
	}
	return write(w, "ready", readyPage, map[string]any{
		"Summary": s, "Sections": sections, "Omitted": p.total - len(sections),
	})
}

// readySection is what a page says of one cluster.
type readySection struct {
	*ready.Report
	Chart template.HTML
}

// roadChart draws where each operator that moves is before and after each step, and
// where the cluster moves. It is empty where nothing moves.
func roadChart(r *ready.Report) string {
	c := diagram.Chart{Title: "Upgrade road", Columns: []string{"now"}}
	at := make(map[string]int) // the row of a package
	row := func(pkg string) *diagram.Row {
		i, ok := at[pkg]
		if !ok {
			i = len(c.Rows)
			at[pkg] = i
			c.Rows = append(c.Rows, diagram.Row{Name: pkg, Cells: make([]string, len(c.Columns))})
		}
		return &c.Rows[i]
	}
	for i := range r.Operators {
		if o := &r.Operators[i]; o.Verdict != ready.Fine && o.Bundle != "" {
			row(o.Package).Cells[0] = o.Bundle
		}
	}
	column := func(title string) {
		c.Columns = append(c.Columns, title)
		for i := range c.Rows {
			c.Rows[i].Cells = append(c.Rows[i].Cells, c.Rows[i].Cells[len(c.Columns)-2])
		}
	}
	moved := make(map[string]bool)
	open := false
	for _, s := range r.Order {
		if s.When == ready.StepUpgrade {
			column(moveTitle(s))
			open = false
			continue
		}
		if !open || moved[s.Package] {
			column(string(s.When))
			open, moved = true, make(map[string]bool)
		}
		moved[s.Package] = true
		cells := row(s.Package).Cells
		if cells[0] == "" && s.Replaces != "" {
			for i := range len(c.Columns) - 1 {
				cells[i] = s.Replaces
			}
		}
		cells[len(c.Columns)-1] = s.Bundle
	}
	if len(c.Rows) == 0 {
		return ""
	}
	return c.SVG()
}

// moveTitle names the version that a cluster moves to.
func moveTitle(s ready.Step) string {
	switch {
	case s.OpenShift != "":
		return "OpenShift " + s.OpenShift
	case s.Kubernetes != "":
		return "Kubernetes " + s.Kubernetes
	}
	return "upgrade"
}

// write fills in a page.
func write(w io.Writer, name, source string, data any) error {
	drawn := 0
	t, err := template.New(name).Funcs(template.FuncMap{
		"inert": text.Inert,
		"name":  text.Name,
		"lines": func(s string) string { return text.Block(s) },
		"count": text.Count,
		"picture": func(c *resolver.Conflict) template.HTML {
			if drawn++; c == nil || drawn > maxConflicts {
				return ""
			}
			return diagram.Inline(c.Argument().SVG())
		},
	}).Parse(head + source)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// head begins each page.
const head = `{{define "head"}}<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{.}}</title>
<style>
:root { color-scheme: light dark; --line: #8886; --bad: #c33; --warn: #a60; --good: #383; --faint: #888; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; } h3 { font-size: 1rem; }
dl { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1rem 0; }
dl div { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem 1rem; min-width: 6rem; }
dt { color: var(--faint); } dd { margin: 0; font-size: 1.4rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); }
td.n, th.n { text-align: right; white-space: nowrap; }
td ul { margin: 0; padding-left: 1.1rem; } ol { padding-left: 1.6rem; }
.bad { color: var(--bad); } .warn { color: var(--warn); } .good { color: var(--good); } .faint { color: var(--faint); }
.road { overflow-x: auto; margin: 1rem 0; } pre { white-space: pre-wrap; font-size: .85rem; }
</style>
</head>
{{end}}`

// readyPage is the page of clusters.
const readyPage = `{{template "head" "Cluster readiness"}}<body>
<h1>Cluster readiness</h1>
{{- with .Summary.Shard}}
<p class="bad">This is shard {{name .}} only.</p>
{{- end}}
{{- with .Summary}}
<dl>
<div><dt>clusters</dt><dd>{{.Clusters}}</dd></div>
<div><dt>ready</dt><dd class="good">{{.Ready}}</dd></div>
<div><dt>updates after</dt><dd>{{.After}}</dd></div>
<div><dt>updates before</dt><dd class="warn">{{.Before}}</dd></div>
<div><dt>blocked</dt><dd class="bad">{{.Blocked}}</dd></div>
{{- if .Invalid}}
<div><dt>invalid</dt><dd class="bad">{{.Invalid}}</dd></div>
{{- end}}
{{- if .Incomplete}}
<div><dt>not checked to the end</dt><dd class="bad">{{.Incomplete}}</dd></div>
{{- end}}
</dl>
{{- if .Operators}}
<h2>Who holds clusters back</h2>
<table>
<thead><tr><th scope="col">package</th><th scope="col" class="n">clusters</th><th scope="col" class="n">alone</th><th scope="col">what to do</th></tr></thead>
<tbody>
{{- range .Operators}}
<tr><td>{{name .Package}}</td><td class="n">{{.Clusters}}</td><td class="n">{{.Alone}}</td><td>{{range $i, $m := .Moves}}{{if $i}}; {{end}}{{$m}}{{end}}</td></tr>
{{- end}}
</tbody>
</table>
<h2>What frees most clusters</h2>
<ol>
{{- range .Free}}
<li>{{name .Package}} frees {{count .Clusters "cluster" "clusters"}}, {{.Total}} in all</li>
{{- end}}
</ol>
{{- end}}
{{- end}}
{{- range .Sections}}
<section>
<h2>{{with .File}}{{inert .}}: {{end}}<span class="{{if eq .Status "ready"}}good{{else if eq .Status "blocked"}}bad{{else}}warn{{end}}">{{.Status.Headline}}</span></h2>
{{- with .Error}}
<pre class="bad">{{lines .}}</pre>
{{- end}}
{{- if .Operators}}
<table>
<thead><tr><th scope="col">operator</th><th scope="col">verdict</th><th scope="col">why</th></tr></thead>
<tbody>
{{- range .Operators}}
<tr><td>{{.Title}}</td><td class="{{if eq .Verdict "fine"}}good{{else if or (eq .Verdict "noWay") (eq .Verdict "gone")}}bad{{else}}warn{{end}}">{{.Words}}</td><td>{{with .Reasons}}<ul>{{range .}}<li>{{inert .Text}}</li>{{end}}</ul>{{end}}</td></tr>
{{- end}}
</tbody>
</table>
{{- end}}
{{- range .Notes}}
<p class="warn">{{inert .Text}}</p>
{{- end}}
{{- with .Chart}}
<div class="road" tabindex="0" role="group" aria-label="Upgrade road">{{.}}</div>
{{- end}}
{{- if .Order}}
<h3>Order</h3>
<ol>
{{- range .Order}}
<li><span class="faint">{{.When}}</span> {{.}}</li>
{{- end}}
</ol>
{{- end}}
</section>
{{- end}}
{{- if .Omitted}}
<p class="faint">{{count .Omitted "more cluster" "more clusters"}} not shown one by one.</p>
{{- end}}
</body>
</html>
`
