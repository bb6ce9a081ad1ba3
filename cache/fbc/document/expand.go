package document

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"github.com/seed109e2655/resolute/internal/text"
)

// expansion converts the tree of a YAML document to nodes: aliases and merge keys are expanded,
// within limits on the result.
type expansion struct {
	ctx    context.Context
	limits Limits
	base   int // lines before the text

	nodes int
	bytes int64
	open  map[*yaml.Node]bool // the anchors that are being expanded
}

// fail returns an error about a node.
func (x *expansion) fail(n *yaml.Node, format string, args ...any) error {
	return &SyntaxError{Line: x.base + n.Line, Reason: fmt.Sprintf(format, args...)}
}

// exceed returns an error about a node over a limit.
func (x *expansion) exceed(n *yaml.Node, format string, most any) error {
	return &SyntaxError{Line: x.base + n.Line, TooLarge: true, Reason: fmt.Sprintf(format, most)}
}

// count counts a node with its text against the limits.
func (x *expansion) count(n *yaml.Node, text string) error {
	x.nodes++
	x.bytes += int64(len(text)) + 1
	if x.nodes%checkEvery == 0 && x.ctx.Err() != nil {
		return x.ctx.Err()
	}
	if x.nodes > x.limits.MaxNodes {
		return x.exceed(n, "with its aliases expanded it has more than the %d values that a document may have", x.limits.MaxNodes)
	}
	if x.bytes > x.limits.MaxBytes {
		return x.exceed(n, "with its aliases expanded it has more than the %d bytes that a document may have", x.limits.MaxBytes)
	}
	return nil
}

// node converts one node and its children.
func (x *expansion) node(n *yaml.Node, depth int) (*Node, error) {
	if n.Kind == yaml.DocumentNode {
		if len(n.Content) == 0 {
			return &Node{Line: x.base + n.Line}, nil
		}
		return x.node(n.Content[0], depth)
	}
	if n.Kind == yaml.AliasNode {
		target, err := x.enter(n)
		if err != nil {
			return nil, err
		}
		defer delete(x.open, target)
		return x.node(target, depth)
	}
	if err := x.count(n, n.Value); err != nil {
		return nil, err
	}
	switch n.Kind {
	case yaml.ScalarNode:
		return x.scalar(n)
	case yaml.SequenceNode, yaml.MappingNode:
		if depth >= x.limits.MaxDepth {
			return nil, x.exceed(n, "it is nested deeper than %d levels", x.limits.MaxDepth)
		}
		if n.Kind == yaml.SequenceNode {
			return x.sequence(n, depth+1)
		}
		return x.mapping(n, depth+1)
	}
	return &Node{Line: x.base + n.Line}, nil
}

// enter resolves an alias, and marks its anchor as being expanded.
func (x *expansion) enter(n *yaml.Node) (*yaml.Node, error) {
	if n.Alias == nil || x.open[n.Alias] {
		return nil, x.fail(n, "the anchor %q contains itself", n.Value)
	}
	x.open[n.Alias] = true
	return n.Alias, nil
}

// sequence converts a sequence.
func (x *expansion) sequence(n *yaml.Node, depth int) (*Node, error) {
	out := &Node{Kind: KindSequence, Line: x.base + n.Line, Items: make([]*Node, len(n.Content))}
	for i, item := range n.Content {
		var err error
		if out.Items[i], err = x.node(item, depth); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// mapping converts a mapping. Merged fields follow its own.
func (x *expansion) mapping(n *yaml.Node, depth int) (*Node, error) {
	out := &Node{Kind: KindMapping, Line: x.base + n.Line, Fields: make([]Field, 0, len(n.Content)/2)}
	known := make(map[string]bool, len(n.Content)/2)
	var merged *yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if isMerge(key) {
			if merged != nil {
				return nil, x.fail(key, "the merge key << is given more than once: give it a list instead")
			}
			merged = value
			continue
		}
		name, err := x.key(key)
		if err != nil {
			return nil, err
		}
		if known[name] {
			return nil, x.fail(key, "the key %q is given more than once: remove all but one", text.Clip(name, maxQuoted))
		}
		known[name] = true
		v, err := x.node(value, depth)
		if err != nil {
			return nil, err
		}
		out.Fields = append(out.Fields, Field{Name: name, Line: x.base + key.Line, Value: v})
	}
	if merged == nil {
		return out, nil
	}
	return out, x.merge(merged, depth, out, known, true)
}

// merge adds the fields of a mapping, or of each mapping of a list, that do not exist yet.
func (x *expansion) merge(n *yaml.Node, depth int, out *Node, known map[string]bool, list bool) error {
	if err := x.count(n, ""); err != nil {
		return err
	}
	if n.Kind == yaml.AliasNode {
		target, err := x.enter(n)
		if err != nil {
			return err
		}
		defer delete(x.open, target)
		n = target
	}
	switch {
	case n.Kind == yaml.SequenceNode && list:
		for _, item := range n.Content {
			if err := x.merge(item, depth, out, known, false); err != nil {
				return err
			}
		}
		return nil
	case n.Kind == yaml.MappingNode:
		if depth >= x.limits.MaxDepth {
			return x.exceed(n, "it is nested deeper than %d levels", x.limits.MaxDepth)
		}
		from, err := x.mapping(n, depth+1)
		if err != nil {
			return err
		}
		for _, f := range from.Fields {
			if !known[f.Name] {
				known[f.Name] = true
				out.Fields = append(out.Fields, f)
			}
		}
		return nil
	}
	return x.fail(n, "the merge key << takes a mapping or a list of mappings")
}

// isMerge reports whether a key is a merge key: << without quotes.
func isMerge(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.Value == "<<" && key.ShortTag() == "!!merge"
}

// key returns the name of a key in JSON.
func (x *expansion) key(n *yaml.Node) (string, error) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n == nil || n.Kind != yaml.ScalarNode {
		return "", x.fail(n, "a key must be a simple value, not a list or mapping")
	}
	return n.Value, x.count(n, n.Value)
}

// scalar converts a scalar.
func (x *expansion) scalar(n *yaml.Node) (*Node, error) {
	out := &Node{Line: x.base + n.Line, Value: n.Value}
	switch n.ShortTag() {
	case "!!null":
		out.Value = ""
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err != nil {
			return nil, x.fail(n, "%q is not a boolean", text.Clip(n.Value, maxQuoted))
		}
		out.Kind, out.Value = KindBool, strconv.FormatBool(b)
	case "!!int", "!!float":
		value, ok := number(n)
		if !ok {
			return nil, x.fail(n, "%q is not a number that JSON has", text.Clip(n.Value, maxQuoted))
		}
		out.Kind, out.Value = KindNumber, value
	default: // times and binary data are text in JSON
		out.Kind = KindString
	}
	return out, nil
}

// number returns a number as in JSON, unchanged if JSON permits: a version such as 4.10 must not
// become 4.1.
func number(n *yaml.Node) (string, bool) {
	if v := jsontext.Value(n.Value); v.Kind() == '0' && v.IsValid() && strings.TrimSpace(n.Value) == n.Value {
		return n.Value, true
	}
	if n.ShortTag() == "!!int" {
		var i int64
		if n.Decode(&i) == nil {
			return strconv.FormatInt(i, 10), true
		}
		var u uint64
		if n.Decode(&u) == nil {
			return strconv.FormatUint(u, 10), true
		}
	}
	var f float64
	if n.Decode(&f) != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return "", false
	}
	return strconv.FormatFloat(f, 'g', -1, 64), true
}

// maxQuoted is the maximum number of bytes of untrusted text that a message quotes.
const maxQuoted = 80
