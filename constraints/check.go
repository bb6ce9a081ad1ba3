package constraints

import "fmt"

// Warnings lists the parts of a constraint that are valid but most likely not what its author
// meant, each with the path of the place as [Error.Path] has it: the compounds
// without children, in the order of the constraint. An empty all or not always holds, an
// empty any never does (section 3 of the semantics).
func Warnings(c Constraint) []string { return warn(nil, "", c) }

// warn appends the warnings for c, which stands at path.
func warn(ws []string, path string, c Constraint) []string {
	var effect string
	switch c.(type) {
	case *All, *Not:
		effect = "always holds"
	case *Any:
		effect = "never holds"
	default:
		return ws
	}
	p := c.parts()
	path = join(path, p.kind)
	if len(p.children) == 0 {
		return append(ws, fmt.Sprintf("%s: %s without constraints %s", path, p.kind, effect))
	}
	for i, child := range p.children {
		ws = warn(ws, fmt.Sprintf("%s.constraints[%d]", path, i), child)
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
