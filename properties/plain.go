package properties

// part is a field of a value and its text, which needs no escape.
type part struct{ name, text string }

// fieldsOf returns the names of the fields of a value that is nothing but texts, in
// the order in which everybody writes them; none for another type.
func fieldsOf(typ string) []string {
	switch typ {
	case TypePackage:
		return []string{"packageName", "version"}
	case TypePackageRequired:
		return []string{"packageName", "versionRange"}
	case TypeGVK, TypeGVKRequired:
		return []string{"group", "version", "kind"}
	}
	return nil
}

// Plain reports whether the value of a property is written as nearly all are that are
// nothing but texts: the fields of its type in their order, in printable ASCII without
// escapes, and nothing else. Such a value is valid JSON, and its text can be made
// again of what it says.
func Plain(typ string, value []byte) bool {
	var f [3]field
	names := fieldsOf(typ)
	for i, name := range names {
		f[i].name = name
	}
	if len(names) == 0 || !plainFields(value, f[:len(names)]) {
		return false
	}
	for _, c := range value {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// parts returns the fields of a plain value.
func (p *Property) parts() (parts [3]part, n int) {
	var texts [3]string
	switch v := p.value.(type) {
	case *numbered:
		texts = [3]string{p.kind.pkg, v.version.String()}
	case PackageRequired:
		texts = [3]string{v.Name, v.Range.String()}
	case GVK:
		texts = [3]string{v.Group, v.Version, v.Kind}
	case GVKRequired:
		texts = [3]string{v.Group, v.Version, v.Kind}
	default:
		return parts, 0
	}
	for i, name := range fieldsOf(p.kind.typ) {
		parts[i] = part{name, texts[i]}
		n++
	}
	return parts, n
}

// says reports whether a value is the text that Raw returns.
func (p *Property) says(value []byte) bool {
	if p.raw != nil {
		return string(p.raw) == string(value)
	}
	parts, n := p.parts()
	rest, before := value, `{"`
	for _, part := range parts[:n] {
		for _, text := range [...]string{before, part.name, `":"`, part.text} {
			if len(rest) < len(text) || string(rest[:len(text)]) != text {
				return false
			}
			rest = rest[len(text):]
		}
		before = `","`
	}
	return n > 0 && string(rest) == `"}`
}
