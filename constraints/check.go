package constraints

import "fmt"

// Warning is something in a constraint that is allowed but most likely not
// what its author meant.
type Warning struct {
	// Path leads to the place, as [Error.Path] does.
	Path string
	// Text says what is odd, in words. Prose.
	Text string
}

// String returns the path and the text.
func (w Warning) String() string { return w.Path + ": " + w.Text }

// Check returns a warning for each compound without children, in the order of
// the constraint: an empty all or not always holds, an empty any never does
// (section 3 of the semantics).
func Check(c Constraint) []Warning { return check(nil, "", c) }

// check appends the warnings for c, which stands at path.
func check(ws []Warning, path string, c Constraint) []Warning {
	var kind, effect string
	switch c.(type) {
	case *All:
		kind, effect = "all", "always holds"
	case *Any:
		kind, effect = "any", "never holds"
	case *Not:
		kind, effect = "not", "always holds"
	default:
		return ws
	}
	path = join(path, kind)
	children := Children(c)
	if len(children) == 0 {
		return append(ws, Warning{Path: path, Text: fmt.Sprintf("%s without constraints %s", kind, effect)})
	}
	for i, child := range children {
		ws = check(ws, fmt.Sprintf("%s.constraints[%d]", path, i), child)
	}
	return ws
}

// join appends a key to a path, shortened where it is long: in an error, the
// key may be any text.
func join(path, key string) string {
	key = shorten(key)
	if path == "" {
		return key
	}
	return path + "." + key
}
