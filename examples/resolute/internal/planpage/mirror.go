package planpage

import (
	"io"
	"slices"

	"github.com/seed109e2655/resolute/internal/diagram"
	"github.com/seed109e2655/resolute/resolver/mirror"
)

// WriteMirror writes a plan as a page. It needs nothing else: no script, no picture, no
// font from elsewhere. Whatever is in names and texts is shown as text.
func WriteMirror(w io.Writer, p *mirror.Plan) error {
	return write(w, "mirror", mirrorPage, map[string]any{
		"Plan": p, "Roads": diagram.Inline(mirrorRoads(p)),
	})
}

// maxRoads bounds the channels whose roads are drawn.
const maxRoads = 200

// mirrorRoads draws, of each channel of what is mirrored, the bundles from its lower end
// to its head.
func mirrorRoads(p *mirror.Plan) string {
	c := diagram.Chart{Title: "Mirrored channels"}
	added := make(map[[2]string]bool)
	for _, a := range p.Added {
		added[[2]string{a.Package, a.Bundle}] = true
	}
	for _, sel := range p.Selections {
		for _, pkg := range sel.Packages {
			for _, ch := range pkg.Channels {
				if len(c.Rows) == maxRoads {
					c.End = "more channels are not drawn"
					break
				}
				row := diagram.Row{Name: pkg.Name + " " + ch.Name}
				for _, name := range slices.Backward(ch.Entries) {
					if added[[2]string{pkg.Name, name}] {
						name += " (added)"
					}
					row.Cells = append(row.Cells, name)
				}
				c.Rows = append(c.Rows, row)
			}
		}
	}
	longest := 0
	for _, r := range c.Rows {
		longest = max(longest, len(r.Cells))
	}
	for i := range c.Rows { // heads stand at the right
		c.Rows[i].Cells = append(make([]string, longest-len(c.Rows[i].Cells)), c.Rows[i].Cells...)
	}
	for i := range longest {
		title := ""
		if i == longest-1 {
			title = "head"
		}
		c.Columns = append(c.Columns, title)
	}
	if len(c.Rows) == 0 {
		return ""
	}
	return c.SVG()
}

// mirrorPage is the page of a plan.
const mirrorPage = `{{template "head" "Mirror plan"}}<body>
<h1>Mirror plan</h1>
{{- with .Plan}}
{{- if .Clean}}
<p class="good">Everything that is selected can be installed, and gets to its head.</p>
{{- end}}
<dl>
<div><dt>packages</dt><dd>{{len .Packages}}</dd></div>
<div><dt>to be added</dt><dd class="{{if .Added}}warn{{else}}good{{end}}">{{len .Added}}</dd></div>
<div><dt>not installable</dt><dd class="{{if .Unresolved}}bad{{else}}good{{end}}">{{len .Unresolved}}</dd></div>
<div><dt>stuck</dt><dd class="{{if .Stuck}}bad{{else}}good{{end}}">{{len .Stuck}}</dd></div>
<div><dt>images</dt><dd>{{len .Images}}</dd></div>
</dl>
{{- range .Warnings}}
<p class="warn">{{inert .}}</p>
{{- end}}
{{- if .Added}}
<h2>To be added</h2>
<table>
<thead><tr><th scope="col">bundle</th><th scope="col">package</th><th scope="col">channel</th><th scope="col">why</th></tr></thead>
<tbody>
{{- range .Added}}
<tr><td>{{name .Bundle}}</td><td>{{name .Package}}</td><td>{{name .Channel}}</td><td><ul>{{range .Because}}<li>{{.}}</li>{{end}}</ul></td></tr>
{{- end}}
</tbody>
</table>
{{- end}}
{{- if .Unresolved}}
<h2>Cannot be installed, whatever is added</h2>
{{- range .Unresolved}}
<h3>{{name .Bundle}} of package {{name .Package}}</h3>
<pre>{{lines .Conflict.Text}}</pre>
{{with picture .Conflict}}<div class="road" tabindex="0" role="group" aria-label="The conflict as a graph">{{.}}</div>{{end}}
{{- end}}
{{- end}}
{{- if .Stuck}}
<h2>Does not get to the head, whatever is added</h2>
{{- range .Stuck}}
<h3>{{name .Bundle}} in channel {{name .Channel}}{{with .Head}}, to {{name .}}{{end}}</h3>
<pre>{{lines .Conflict.Text}}</pre>
{{with picture .Conflict}}<div class="road" tabindex="0" role="group" aria-label="The conflict as a graph">{{.}}</div>{{end}}
{{- end}}
{{- end}}
<h2>Selected</h2>
<table>
<thead><tr><th scope="col">package</th><th scope="col">channel</th><th scope="col">head</th><th scope="col">bundles</th></tr></thead>
<tbody>
{{- range $p := .Packages}}{{range .Channels}}
<tr><td>{{name $p.Name}}</td><td>{{name .Name}}{{if eq .Name $p.DefaultChannel}} <span class="faint">default</span>{{end}}</td><td>{{name .Head}}</td><td>{{range $i, $b := .Bundles}}{{if $i}}, {{end}}{{name $b}}{{end}}</td></tr>
{{- end}}{{end}}
</tbody>
</table>
{{- end}}
{{- with .Roads}}
<h2>What is mirrored, channel by channel</h2>
<div class="road" tabindex="0" role="group" aria-label="Mirrored channels">{{.}}</div>
{{- end}}
{{- with .Plan.Images}}
<h2>Images</h2>
<ul>
{{- range .}}
<li>{{inert .}}</li>
{{- end}}
</ul>
{{- end}}
</body>
</html>
`
