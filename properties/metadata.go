package properties

import (
	"encoding/binary"
	"fmt"

	"github.com/seed109e2655/resolute/internal/quickjson"
)

// MaxNativeAPIs bounds the native APIs that are kept of one bundle.
const MaxNativeAPIs = 1000

// maxInstallModes bounds the install modes that are looked at; OLM knows four.
const maxInstallModes = 1000

// metadata is the part of the metadata of a cluster service version that says
// where it runs, as JSON; nil for what is absent.
type metadata struct {
	installModes, minKubeVersion, nativeAPIs []byte
	kind                                     string // of JSON, if it is not an object
}

// field returns where the value of a field is kept, or nil for any other. The
// name has its quotes.
func (m *metadata) field(name []byte) *[]byte {
	switch string(quickjson.Unquote(name)) {
	case "installModes":
		return &m.installModes
	case "minKubeVersion":
		return &m.minKubeVersion
	case "nativeAPIs":
		return &m.nativeAPIs
	}
	return nil
}

// appendKey appends a text that no two sets of parts have in common.
func (m *metadata) appendKey(b []byte) []byte {
	b = append(b, m.kind...)
	for _, part := range [][]byte{m.installModes, m.minKubeVersion, m.nativeAPIs} {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	return b
}

// readMetadata finds the parts in a JSON text. They are parts of that text, or
// of a copy. Metadata has hundreds of times the size of what is wanted of it,
// so it is gone through once, and only what is not an object is copied.
func readMetadata(text []byte) (metadata, *Error) {
	var m metadata
	found := quickjson.Object(text, func(name, value []byte) {
		if at := m.field(name); at != nil {
			*at = value
		}
	})
	if found {
		return m, nil
	}
	raw, err := compact(text)
	if err != nil {
		err.Type, err.Field = TypeCSVMetadata, "value"
		return metadata{}, err
	}
	return metadata{kind: quickjson.KindOf(raw)}, nil
}

// compatibility returns what the parts say.
func (m *metadata) compatibility(s *sharedStrings) (Compatibility, *Error) {
	var c Compatibility
	if m.kind != "" {
		c.malformed("is not an object, but %s", m.kind)
		return c, nil
	}
	for _, part := range []*[]byte{&m.installModes, &m.minKubeVersion, &m.nativeAPIs} {
		if len(*part) == 0 {
			continue
		}
		raw, err := compact(*part)
		if err != nil {
			err.Type, err.Field = TypeCSVMetadata, "value"
			return Compatibility{}, err
		}
		if *part = raw; string(raw) == "null" {
			*part = nil
		}
	}
	c.readInstallModes(m.installModes)
	c.readMinKubeVersion(m.minKubeVersion)
	c.readNativeAPIs(m.nativeAPIs, s)
	return c, nil
}

// malformed notes what cannot be understood.
func (c *Compatibility) malformed(format string, args ...any) {
	c.Malformed = append(c.Malformed, fmt.Sprintf(format, args...))
}

// readInstallModes reads compact JSON; a missing list has no modes.
func (c *Compatibility) readInstallModes(raw []byte) {
	if len(raw) > 0 && raw[0] != '[' {
		c.malformed("has installModes that are not a list, but %s", quickjson.KindOf(raw))
		return
	}
	set, seen := NewInstallModes(), InstallModes(0)
	wrong, twice := false, false
	n := 0
	for at := range quickjson.Items(raw) {
		if n++; n > maxInstallModes {
			c.malformed("has more installModes than the %d that are looked at", maxInstallModes)
			break
		}
		element := at.Of(raw)
		name, supported, ok := readInstallMode(element)
		mode, known := parseInstallMode(name)
		switch {
		case !ok && !wrong:
			wrong = true
			c.malformed("has an install mode that is not an object with a type and supported, true or false: %s", shorten(string(element)))
		case !ok, !known: // one that is not known may come with a later version of OLM
		case seen&mode != 0 && !twice:
			twice = true
			c.malformed("lists the install mode %s more than once, so no install mode is supported", name)
		default:
			seen |= mode
			if supported {
				set |= mode
			}
		}
	}
	if twice {
		set = NewInstallModes()
	}
	c.InstallModes = set
}

// readInstallMode reads one {"type": …, "supported": …}. Supported may be
// absent, for false.
func readInstallMode(raw []byte) (name string, supported, ok bool) {
	typ, value := []byte(nil), []byte(nil)
	ok = raw[0] == '{'
	for key, at := range quickjson.Members(raw) {
		switch v := at.Of(raw); string(quickjson.Unquote(key)) {
		case "type":
			ok = ok && typ == nil && v[0] == '"'
			typ = quickjson.Unquote(v)
		case "supported":
			ok = ok && value == nil && (v[0] == 't' || v[0] == 'f')
			value = v
		}
	}
	return string(typ), len(value) > 0 && value[0] == 't', ok && len(typ) > 0
}

// readMinKubeVersion reads compact JSON. Like the other version that people
// write by hand, it may be a number: 1.25 without quotes is one in YAML.
func (c *Compatibility) readMinKubeVersion(raw []byte) {
	switch {
	case len(raw) == 0:
	case raw[0] == '"':
		c.MinKubeVersion = parseMinKubeVersion(string(quickjson.Unquote(raw)))
	case quickjson.KindOf(raw) == "a number":
		c.MinKubeVersion = parseMinKubeVersion(string(raw))
	default:
		c.MinKubeVersion = MinKubeVersion{Text: shorten(string(raw)), Invalid: "is not a version, but " + quickjson.KindOf(raw)}
	}
}

// readNativeAPIs reads compact JSON.
func (c *Compatibility) readNativeAPIs(raw []byte, s *sharedStrings) {
	if len(raw) == 0 {
		return
	}
	if raw[0] != '[' {
		c.malformed("has nativeAPIs that are not a list, but %s", quickjson.KindOf(raw))
		return
	}
	wrong := 0
	for at := range quickjson.Items(raw) {
		if len(c.NativeAPIs)+wrong >= MaxNativeAPIs {
			c.malformed("has more nativeAPIs than the %d that are looked at", MaxNativeAPIs)
			return
		}
		if g, ok := readNativeAPI(at.Of(raw), s); ok {
			c.NativeAPIs = append(c.NativeAPIs, g)
		} else if wrong++; wrong == 1 {
			c.malformed("has a native API that is not an object with group, version and kind: %s", shorten(string(at.Of(raw))))
		}
	}
}

// nativeAPI is what a native API looks like: the group may be absent or empty.
var nativeAPI = form{typ: TypeCSVMetadata, fields: []string{"group", "version", "kind"}, optional: "group"}

// readNativeAPI reads a native API.
func readNativeAPI(raw []byte, s *sharedStrings) (g GVK, ok bool) {
	texts, err := readFields(&nativeAPI, raw)
	if err != nil {
		return GVK{}, false
	}
	g = gvkOf(&texts, s)
	return g, (g.Group == "" || subdomainProblem(g.Group) == "") && labelProblem(g.Version, false) == "" && labelProblem(g.Kind, true) == ""
}
