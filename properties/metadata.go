package properties

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed109e2655/resolute/internal/quickjson"
)

// maxNativeAPIs bounds the native APIs that are kept of one bundle, and the definitions that
// it owns.
const maxNativeAPIs = 1000

// maxInstallModes bounds the install modes that are looked at; OLM knows four.
const maxInstallModes = 1000

// readMetadata returns what metadata says, or an error about text that is not JSON.
// Metadata may have hundreds of times the size of what is wanted of it: that alone has
// to have no half of a surrogate pair in it.
func readMetadata(text []byte) (*Compatibility, *Error) {
	var parts [len(metadataParts)][]byte
	var described []byte
	object := quickjson.Object(text, func(name, value []byte) {
		if i := slices.Index(metadataParts[:], string(name)); i >= 0 {
			parts[i] = value
		} else if string(name) == "crdDescriptions" {
			described = value
		}
	})
	if v := jsontext.Value(text); !object && utf8.Valid(text) && v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		c := &Compatibility{}
		c.malformed("is not an object, but %s", quickjson.KindOf(text[quickjson.Space(text):]))
		return c, nil
	}
	if !object {
		parts[0] = text // which cannot be read, and says why
	}
	for i, part := range parts {
		if object && len(part) == 0 {
			continue
		}
		raw, err := compact(nil, part)
		if err != nil {
			err.Type, err.Field = TypeCSVMetadata, "value"
			return nil, err
		}
		if parts[i] = raw; string(raw) == "null" {
			parts[i] = nil
		}
	}
	c := &Compatibility{}
	c.readInstallModes(parts[0])
	c.readMinKubeVersion(parts[1])
	c.readNativeAPIs(parts[2])
	c.readOwned(described)
	return c, nil
}

// metadataParts are the members of metadata that are read.
var metadataParts = [...]string{"installModes", "minKubeVersion", "nativeAPIs"}

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
	set, seen := newInstallModes(), InstallModes(0)
	wrong, twice := false, false
	n := 0
	for _, at := range quickjson.All(raw) {
		element := at.Of(raw)
		if n++; n > maxInstallModes {
			c.malformed("has more installModes than the %d that are looked at", maxInstallModes)
			break
		}
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
		set = newInstallModes()
	}
	c.InstallModes = set
}

// readInstallMode reads one {"type": …, "supported": …}. Supported may be
// absent, for false.
func readInstallMode(raw []byte) (name string, supported, ok bool) {
	typ, value := []byte(nil), []byte(nil)
	ok = raw[0] == '{'
	for key, at := range quickjson.All(raw) {
		v := at.Of(raw)
		switch string(key) {
		case "type":
			if ok = ok && typ == nil && v[0] == '"'; ok {
				typ = quickjson.Unquote(v)
			}
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
func (c *Compatibility) readNativeAPIs(raw []byte) {
	if len(raw) == 0 {
		return
	}
	if raw[0] != '[' {
		c.malformed("has nativeAPIs that are not a list, but %s", quickjson.KindOf(raw))
		return
	}
	wrong := 0
	for _, at := range quickjson.All(raw) {
		item := at.Of(raw)
		if len(c.NativeAPIs)+wrong >= maxNativeAPIs {
			c.malformed("has more nativeAPIs than the %d that are looked at", maxNativeAPIs)
			return
		}
		if g, ok := readNativeAPI(item); ok {
			c.NativeAPIs = append(c.NativeAPIs, g)
		} else if wrong++; wrong == 1 {
			c.malformed("has a native API that is not an object with group, version and kind: %s", shorten(string(item)))
		}
	}
}

// readOwned reads the owned ones of crdDescriptions, of which the name is "plural.group". One
// that cannot be understood says nothing of where the bundle runs, and is left out.
func (c *Compatibility) readOwned(raw []byte) {
	raw = quickjson.Member(raw, "owned")
	for _, at := range quickjson.All(raw) {
		f, err := readFields(TypeCSVMetadata, at.Of(raw), "", "name", "version", "kind")
		_, group, _ := strings.Cut(f[0], ".")
		if g := (GVK{group, f[1], f[2]}); err == nil && g.Validate() == nil && len(c.CRDs) < maxNativeAPIs {
			c.CRDs = append(c.CRDs, CRD{Group: g.Group, Kind: g.Kind, Versions: []CRDVersion{{Name: g.Version, Served: true}}})
		}
	}
}

// readNativeAPI reads a native API, of which the group may be absent or empty.
func readNativeAPI(raw []byte) (g GVK, ok bool) {
	f, err := readFields(TypeCSVMetadata, raw, "group", "group", "version", "kind")
	if err != nil {
		return GVK{}, false
	}
	g = GVK{f[0], f[1], f[2]}
	return g, (g.Group == "" || subdomainProblem(g.Group) == "") && labelProblem(g.Version, false) == "" && labelProblem(g.Kind, true) == ""
}
