package document

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seed109e2655/resolute/internal/text"
)

// AppendYAML appends a blob as a YAML document, preceded by the line ---. Members keep their order,
// and numbers their text. Reading it returns the same JSON.
//
// The error is a [*SyntaxError] for anything but an object of valid JSON without duplicate members,
// or that of the context.
func AppendYAML(ctx context.Context, dst []byte, raw json.RawMessage) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return dst, err
	}
	n, err := decodeJSON(ctx, raw, Limits{MaxBytes: -1, MaxNodes: -1}.withDefaults())
	if err != nil {
		return dst, err
	}
	if n.Kind != KindMapping {
		return dst, &SyntaxError{Line: n.Line, Reason: fmt.Sprintf("it is %s, not an object", n.Kind)}
	}
	var b strings.Builder
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(n.yaml()), enc.Close()); err != nil {
		return dst, err
	}
	return append(append(dst, "---\n"...), text.JSONInYAML(b.String())...), nil // control characters are in double quotes
}

// yaml returns the node as a node of the library.
func (n *Node) yaml() *yaml.Node {
	out := &yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}
	switch n.Kind {
	case KindNull:
		out.Tag, out.Value = "!!null", "null"
	case KindNumber:
		if tag := out.ShortTag(); tag != "!!int" && tag != "!!float" {
			out.Tag = "!!float" // YAML would read it as a string, as 1E400
		}
	case KindString:
		out.Tag, out.Style = "!!str", styleOf(n.Value)
	case KindSequence:
		out.Kind = yaml.SequenceNode
		out.Content = make([]*yaml.Node, len(n.Items))
		for i, item := range n.Items {
			out.Content[i] = item.yaml()
		}
	case KindMapping:
		out.Kind = yaml.MappingNode
		for _, f := range n.Fields {
			name := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: f.Name, Style: styleOf(f.Name)}
			out.Content = append(out.Content, name, f.Value.yaml())
		}
	}
	return out
}

// styleOf returns the style of a string: quoted unless every version of YAML reads it as a string.
func styleOf(s string) yaml.Style {
	if lines := strings.TrimRight(s, "\n"); strings.Contains(lines, "\n") && !strings.ContainsFunc(s, text.Hidden) &&
		lines[0] != ' ' && lines[0] != '\n' && len(s)-len(lines) <= 1 && !strings.Contains(lines, " \n") {
		return yaml.LiteralStyle
	}
	if s == "" || !isLetter(s[0]) || !isPlainEnd(s[len(s)-1]) || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f }) ||
		strings.Contains(s, ": ") || strings.Contains(s, " #") {
		return yaml.DoubleQuotedStyle
	}
	switch strings.ToLower(s) {
	case "y", "yes", "n", "no", "on", "off", "true", "false", "null":
		return yaml.DoubleQuotedStyle
	}
	return 0
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isPlainEnd(c byte) bool { return c != ' ' && c != ':' }
