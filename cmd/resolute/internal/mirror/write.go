package mirror

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/internal/text"
)

// WriteConfiguration writes the completed configuration as YAML, with exact versions in
// the order of the names, and a comment with the reason of each addition. Parts of the input that
// do not concern operators are written unchanged; comments are dropped.
func (p *Plan) WriteConfiguration(w io.Writer) error {
	c := p.Configuration
	y := &configWriter{plan: p}
	y.line(0, "kind: %s", kind)
	y.line(0, "apiVersion: %s", apiVersion)
	y.fields(0, c.root, "kind", "apiVersion", "mirror")
	for _, ref := range p.OmittedCatalogs {
		y.line(0, "# %s", text.Inert(omitted(ref)))
	}
	before := y.out.Len()
	y.line(0, "mirror:")
	start := y.out.Len()
	y.fields(2, c.root.Field("mirror"), "operators")
	if len(c.Operators) > 0 {
		y.line(2, "operators:")
	}
	if y.out.Len() == start { // without a value the key would be null, which oc-mirror refuses
		y.out.Truncate(before)
		y.line(0, "mirror: {}")
	}
	for i := range c.Operators {
		y.operator(&c.Operators[i])
	}
	_, err := w.Write(y.out.Bytes())
	return err
}

type configWriter struct {
	plan *Plan
	out  bytes.Buffer
}

func (y *configWriter) line(indent int, format string, args ...any) {
	y.out.WriteString(strings.Repeat(" ", indent))
	fmt.Fprintf(&y.out, format, args...)
	y.out.WriteByte('\n')
}

// fields writes the members of a mapping as they were, but for some.
func (y *configWriter) fields(indent int, n *document.Node, but ...string) {
	if n == nil || n.Kind != document.KindMapping {
		return
	}
	for _, f := range n.Fields {
		if !slices.ContainsFunc(but, func(key string) bool { return strings.EqualFold(key, f.Name) }) {
			y.line(indent, "%s: %s", text.YAML(f.Name), text.JSONInYAML(string(f.Value.JSON())))
		}
	}
}

func (y *configWriter) operator(o *Operator) {
	y.line(2, "- catalog: %s", text.YAML(o.Catalog))
	y.fields(4, o.node, "catalog", "packages")
	if len(o.Packages) > 0 {
		y.line(4, "packages:")
	}
	for _, p := range o.Packages {
		y.line(4, "- name: %s", text.YAML(p.Name))
		if p.DefaultChannel != "" {
			y.line(6, "defaultChannel: %s", text.YAML(p.DefaultChannel))
		}
		if len(p.Bundles) > 0 {
			y.line(6, "bundles:")
		}
		for _, b := range p.Bundles {
			y.reasons(o, Added{Package: p.Name, Bundle: b})
			y.line(6, "- name: %s", text.YAML(b))
		}
		if len(p.Channels) > 0 {
			y.line(6, "channels:")
		}
		for _, c := range p.Channels {
			y.reasons(o, Added{Package: p.Name, Channel: c.Name})
			y.line(6, "- name: %s", text.YAML(c.Name))
			if c.MinVersion != "" {
				y.line(8, "minVersion: %s", text.YAML(c.MinVersion))
			}
			if c.MaxVersion != "" {
				y.line(8, "maxVersion: %s", text.YAML(c.MaxVersion))
			}
		}
	}
}

// maxReasons bounds the reasons that a comment gives for one addition.
const maxReasons = 5

// reasons writes why the additions to a channel are there, or one addition to a list of
// bundles.
func (y *configWriter) reasons(o *Operator, of Added) {
	for _, a := range y.plan.Added {
		if a.Package != of.Package || of.Bundle != "" && a.Bundle != of.Bundle || of.Channel != "" && a.Channel != of.Channel ||
			a.Catalog != "" && a.Catalog != o.Catalog {
			continue
		}
		for i, r := range a.Because {
			if i == maxReasons {
				y.line(6, "# %s: and %d more reasons", text.Name(a.Bundle), len(a.Because)-i)
				break
			}
			y.line(6, "# %s: %s", text.Name(a.Bundle), r)
		}
	}
}

// String says the reason in words.
func (r Reason) String() string {
	if r.Bundle == "" {
		return text.Inert(r.Constraint)
	}
	return fmt.Sprintf("for %s: %s", text.Name(r.Bundle), text.Inert(r.Constraint))
}
