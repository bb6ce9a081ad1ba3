package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/internal/text"
)

// Write writes the scenario as YAML, in the form that people write. Reading it returns the
// same scenario; comments of the file that it was read from are not kept. Paths of catalogs
// are written as they are, relative to wherever the text is put. What encoding/json makes of
// a scenario reads the same.
//
// The error is that of the writer, or says which part is not JSON.
func (s *Scenario) Write(w io.Writer) error {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return fmt.Errorf("the scenario cannot be written: %w", err)
	}
	// Every limit is lifted: what a program made may be as large as it likes.
	root, err := document.Decode(context.Background(), out.Bytes(), ".json", document.Limits{MaxBytes: -1, MaxNodes: -1, MaxDepth: -1})
	if err != nil {
		return fmt.Errorf("the scenario cannot be written: %w", err)
	}
	var y emitter
	y.mapping(root, 0)
	_, err = y.out.WriteTo(w)
	return err
}

// emitter writes a tree as YAML the way people do: what is short on one line,
// the rest as a block. Text that could be taken for anything else is quoted as
// in JSON, which is YAML as well.
type emitter struct{ out bytes.Buffer }

// longestKey is the length in bytes up to which YAML knows a key by the colon behind
// it; before a longer one there has to be a question mark.
const longestKey = 1000

// flowWidth is the length up to which a value stands on one line.
const flowWidth = 100

// mapping writes the fields of a mapping, each on a line of its own.
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

// value writes the value of a key: behind it, or as a block below. Lists and
// mappings of the first level are blocks.
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

// sequence writes the items of a list, each behind a dash on a line of its own.
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

// plainText is text that needs no quotes wherever it stands, unless it is one of the words
// below. A version such as 1.2.3 is no number.
var plainText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z]([A-Za-z0-9._/-]*[A-Za-z0-9])?|[0-9]+\.[0-9]+\.[0-9]+)$`)
})

// words are the texts that one version of YAML or another takes for something else, in any case.
var words = []string{"y", "yes", "n", "no", "true", "false", "on", "off", "null"}

// scalarText returns text as YAML, in quotes unless it needs none.
func scalarText(s string) string {
	if plainText().MatchString(s) && !slices.Contains(words, strings.ToLower(s)) {
		return s
	}
	return text.YAML(s)
}
