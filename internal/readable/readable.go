// Package readable writes values as YAML for people: short values on one line, others as blocks.
package readable

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/internal/text"
)

// Write writes a value as YAML, with the keys and the order of its JSON. The error is that of the
// encoder or of the writer.
func Write(w io.Writer, value any) error {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return err
	}
	// No limits: the value of a program may have any size.
	root, err := document.Decode(context.Background(), out.Bytes(), ".json", document.Limits{MaxBytes: -1, MaxNodes: -1, MaxDepth: -1})
	if err != nil {
		return err
	}
	var y emitter
	y.mapping(root, 0)
	_, err = y.out.WriteTo(w)
	return err
}

// emitter writes a tree as readable YAML: short values on one line, others as blocks. Ambiguous
// strings are quoted as in JSON, which is valid YAML.
type emitter struct{ out bytes.Buffer }

// longestKey is the maximum length in bytes of a key without a question mark in YAML.
const longestKey = 1000

// flowWidth is the maximum length of a value on one line.
const flowWidth = 100

// mapping writes the fields of a mapping, one per line.
func (y *emitter) mapping(n *document.Node, indent int) {
	if len(n.Fields) == 0 {
		y.out.WriteString("{}\n")
		return
	}
	for i, f := range n.Fields {
		if i > 0 {
			y.indent(indent)
		}
		key := scalarText(f.Name)
		if len(key) > longestKey {
			y.out.WriteString("? " + key + "\n")
			y.indent(indent)
			key = ""
		}
		y.out.WriteString(key + ":")
		y.value(f.Value, indent, indent == 0)
	}
}

// value writes the value of a key, on the same line or as a block. Top-level lists and mappings
// are blocks.
func (y *emitter) value(n *document.Node, indent int, block bool) {
	line := flow(n)
	switch {
	case n.Kind == document.KindSequence && len(n.Items) > 0 && (block && slices.ContainsFunc(n.Items, isCompound) || len(line) > flowWidth):
		y.out.WriteByte('\n')
		y.indent(indent)
		y.sequence(n, indent)
	case n.Kind == document.KindMapping && len(n.Fields) > 0 && len(line) > flowWidth:
		y.out.WriteByte('\n')
		y.indent(indent + 2)
		y.mapping(n, indent+2)
	default:
		y.out.WriteString(" " + line + "\n")
	}
}

// sequence writes the items of a list, one per line after a dash.
func (y *emitter) sequence(n *document.Node, indent int) {
	for i, item := range n.Items {
		if i > 0 {
			y.indent(indent)
		}
		y.out.WriteString("- ")
		switch line := flow(item); {
		case len(line) <= flowWidth || !isCompound(item):
			y.out.WriteString(line + "\n")
		case item.Kind == document.KindMapping:
			y.mapping(item, indent+2)
		default:
			y.sequence(item, indent+2)
		}
	}
}

func (y *emitter) indent(n int) { y.out.WriteString(strings.Repeat(" ", n)) }

// flow returns a value as one line.
func flow(n *document.Node) string {
	switch n.Kind {
	case document.KindString:
		return scalarText(n.Value)
	case document.KindNumber, document.KindBool:
		return n.Value
	case document.KindSequence:
		return "[" + strings.Join(text.Each(n.Items, flow), ", ") + "]"
	case document.KindMapping:
		return "{" + strings.Join(text.Each(n.Fields, func(f document.Field) string { return scalarText(f.Name) + ": " + flow(f.Value) }), ", ") + "}"
	}
	return "null"
}

func isCompound(n *document.Node) bool {
	return n.Kind == document.KindSequence || n.Kind == document.KindMapping
}

// plainText matches strings that need no quotes anywhere, except for the words below. A version
// such as 1.2.3 is not a number.
var plainText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z]([A-Za-z0-9._/-]*[A-Za-z0-9])?|[0-9]+\.[0-9]+\.[0-9]+)$`)
})

// words are the strings that some YAML version does not read as strings, in any case.
var words = []string{"y", "yes", "n", "no", "true", "false", "on", "off", "null"}

// scalarText returns a string as YAML, quoted if necessary.
func scalarText(s string) string {
	if plainText().MatchString(s) && !slices.Contains(words, strings.ToLower(s)) {
		return s
	}
	return text.YAML(s)
}
