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
	of := compoundOf(c)
	if of == nil {
		return ws
	}
	path = join(path, of.kind)
	if len(of.Constraints) == 0 {
		effect := "always holds"
		if of.kind == "any" {
			effect = "never holds"
		}
		return append(ws, Warning{Path: path, Text: fmt.Sprintf("%s without constraints %s", of.kind, effect)})
	}
	for i, child := range of.Constraints {
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
