package audit

import (
	"bytes"
	"html/template"
	"io"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// WriteHTML writes the report as one page of HTML that needs nothing else: no
// script, no picture, no font from elsewhere. Whatever is in the names and texts
// of a catalog is shown as text.
func (r *Report) WriteHTML(w io.Writer) error {
	page, err := template.New("audit").Funcs(template.FuncMap{
		"clean":    text.Inert,
		"list":     func(names []string) string { return text.Inert(text.And(names)) },
		"where":    func(n Note) string { return n.where() },
		"title":    func(n Note) string { return n.Kind.title(len(n.Bundles)) },
		"lines":    lines,
		"headline": r.headline,
		"further":  r.further,
	}).Parse(pageSource)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := page.Execute(&b, r); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// lines makes each line of a text inert.
func lines(block string) []string {
	return strings.Split(text.Block(strings.TrimSuffix(block, "\n")), "\n")
}

// pageSource is the page. Each package is a section that can be folded.
const pageSource = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Catalog audit</title>
<style>
:root { color-scheme: light dark; --line: #8886; --bad: #c33; --faint: #888; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
dl { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1rem 0; }
dl div { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem 1rem; min-width: 7rem; }
dt { color: var(--faint); } dd { margin: 0; font-size: 1.5rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
td.n, th.n { text-align: right; white-space: nowrap; }
details { border-bottom: 1px solid var(--line); padding: .25rem 0; }
summary { cursor: pointer; } summary b { font-weight: 600; }
details details { border: 0; margin-left: 1.25rem; }
details p { margin: .25rem 0 .25rem 1.25rem; overflow-wrap: anywhere; }
.bad { color: var(--bad); } .faint { color: var(--faint); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem; margin: .25rem 0 .75rem 1.25rem; }
</style>
</head>
<body>
<h1>Catalog audit</h1>
<p>{{headline}}.{{with further}} Of them {{.}}.{{end}}{{with .Summary.Shard}} <strong class="bad">This is shard {{clean .}} only.</strong>{{end}}</p>
<dl>
<div><dt>bundles</dt><dd>{{.Summary.Bundles}}</dd></div>
<div><dt>installable</dt><dd>{{.Summary.Installable}}</dd></div>
<div><dt>stuck</dt><dd>{{.Summary.Stuck}}</dd></div>
<div><dt>quarantined</dt><dd>{{.Summary.Quarantined}}</dd></div>
<div><dt>deprecated</dt><dd>{{.Summary.Deprecated}}</dd></div>
<div><dt>leave orphans</dt><dd>{{.Summary.Orphans}}</dd></div>
{{- if .Summary.Incomplete}}
<div><dt>not fully answered</dt><dd class="bad">{{.Summary.Incomplete}}</dd></div>
{{- end}}
<div><dt>seconds</dt><dd>{{printf "%.1f" .Summary.Seconds}}</dd></div>
</dl>
{{- if .Summary.Apart}}
<h2>Never together</h2>
<p class="faint">Of each group no two packages can be installed together, whatever their versions.</p>
<ul>
{{- range .Summary.Apart}}
<li>{{list .}}</li>
{{- end}}
</ul>
{{- end}}
{{- if .Summary.Clashes}}
<h2>APIs that several packages provide</h2>
<table>
<thead><tr><th scope="col">API</th><th scope="col">packages</th></tr></thead>
<tbody>
{{- range .Summary.Clashes}}
<tr><td>{{clean .GVK}}</td><td>{{list .Packages}}</td></tr>
{{- end}}
</tbody>
</table>
{{- end}}
<h2>Out of the ordinary</h2>
{{- range .Packages}}{{if .Notes}}
<details>
<summary><b>{{clean .Package}}</b> <span class="faint">of {{clean .Catalog}}: {{.Counts.Installable}} of {{.Counts.Bundles}} installable, {{.Counts.Stuck}} stuck</span></summary>
{{- range .Notes}}
{{- if .Text}}
<details><summary><span class="bad">{{title .}}</span>: {{where .}}: {{clean .Reason}}</summary><pre>{{range $i, $line := lines .Text}}{{if $i}}
{{end}}{{$line}}{{end}}</pre></details>
{{- else}}
<p><span class="bad">{{title .}}</span>: {{where .}}: {{clean .Reason}}</p>
{{- end}}
{{- end}}
</details>
{{- end}}{{end}}
<h2>All packages</h2>
<table>
<thead><tr><th scope="col">package</th><th scope="col">catalog</th><th scope="col" class="n">bundles</th><th scope="col" class="n">installable</th><th scope="col" class="n">stuck</th><th scope="col" class="n">quarantined</th><th scope="col" class="n">deprecated</th></tr></thead>
<tbody>
{{- range .Packages}}
<tr><td>{{clean .Package}}</td><td>{{clean .Catalog}}</td><td class="n">{{.Counts.Bundles}}</td><td class="n">{{.Counts.Installable}}</td><td class="n">{{.Counts.Stuck}}</td><td class="n">{{.Counts.Quarantined}}</td><td class="n">{{.Counts.Deprecated}}</td></tr>
{{- end}}
</tbody>
</table>
</body>
</html>
`
