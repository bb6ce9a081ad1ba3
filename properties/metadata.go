package properties

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/quickjson"
)

// maxNativeAPIs limits the native APIs and the owned definitions of one bundle.
const maxNativeAPIs = 1000

// maxInstallModes limits the install modes that are read; OLM knows four.
const maxInstallModes = 1000

// ParseCompatibility parses installModes, minKubeVersion and nativeAPIs of the value of an
// "olm.csv.metadata" property, or of the spec of a ClusterServiceVersion. Other fields, which may
// be hundreds of times larger, are ignored. Invalid parts are listed in the result; the error is an
// [*Error] about text that is not JSON.
//
// An install mode that is not listed is not supported. If a mode is listed twice, which is an
// error in Operator Lifecycle Manager, no mode is supported.
func ParseCompatibility(metadata json.RawMessage) (*Compatibility, error) {
	c := &Compatibility{}
	var modes, least, apis []byte
	object := quickjson.Object(metadata, func(name, value []byte) {
		if string(value) == "null" {
			value = nil
		}
		switch string(name) {
		case "installModes":
			modes = value
		case "minKubeVersion":
			least = value
		case "nativeAPIs":
			apis = value
		}
	})
	if !object {
		raw, err := compact(nil, metadata)
		if err != nil {
			err.Type, err.Field = TypeCSVMetadata, "value"
			return nil, err
		}
		c.malformed("is not an object, but %s", quickjson.KindOf(raw))
		return c, nil
	}
	c.readInstallModes(modes)
	c.readMinKubeVersion(least)
	c.readNativeAPIs(apis)
	return c, nil
}

// OwnedCRDs returns the definitions that the value of an "olm.csv.metadata" property lists as
// owned, each with one version and without the name of an object, "plural.group". It skips invalid
// ones and those after the first thousand.
func OwnedCRDs(metadata json.RawMessage) []CRD {
	var list []CRD
	owned := quickjson.Member(quickjson.Member(bytes.TrimSpace(metadata), "crdDescriptions"), "owned")
	for _, at := range quickjson.All(owned) {
		f, err := readFields(TypeCSVMetadata, at.Of(owned), "", "", "name", "version", "kind")
		_, group, _ := strings.Cut(f[0], ".")
		if g := (GVK{group, f[1], f[2]}); err == nil && g.Validate() == nil && len(list) < maxNativeAPIs {
			list = append(list, CRD{Group: g.Group, Kind: g.Kind, Versions: []CRDVersion{{Name: g.Version, Served: true}}})
		}
	}
	return list
}

// compactly returns JSON for a message.
func compactly(raw []byte) string {
	raw, _ = compact(nil, raw)
	return shorten(string(raw))
}

// malformed records an invalid part.
func (c *Compatibility) malformed(format string, args ...any) {
	c.Malformed = append(c.Malformed, fmt.Sprintf(format, args...))
}

// readInstallModes reads JSON; a missing list has no modes.
func (c *Compatibility) readInstallModes(raw []byte) {
	if len(raw) > 0 && raw[0] != '[' {
		c.malformed("has installModes that are not a list, but %s", quickjson.KindOf(raw))
		return
	}
	set, seen := modesKnown, InstallModes(0)
	wrong, twice := false, false
	n := 0
	for _, at := range quickjson.All(raw) {
		element := at.Of(raw)
		if n++; n > maxInstallModes {
			c.malformed("has more than %d installModes; the others are ignored", maxInstallModes)
			break
		}
		name, supported, ok := readInstallMode(element)
		i := slices.Index(modeNames[:], string(name))
		mode := OwnNamespace << max(i, 0)
		switch {
		case !ok && !wrong:
			wrong = true
			c.malformed("has an install mode that is not an object with a type and supported, true or false: %s", compactly(element))
		case !ok, i < 0: // a later version of OLM may have more modes
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
		set = modesKnown
	}
	c.InstallModes = set
}

// readInstallMode reads one {"type": …, "supported": …}. A missing supported means false.
func readInstallMode(raw []byte) (name []byte, supported, ok bool) {
	var value []byte
	ok = raw[0] == '{'
	for key, at := range quickjson.All(raw) {
		v := at.Of(raw)
		switch string(key) {
		case "type":
			if ok = ok && name == nil && v[0] == '"'; ok {
				name = quickjson.Unquote(v)
			}
		case "supported":
			ok = ok && value == nil && (v[0] == 't' || v[0] == 'f')
			value = v
		}
	}
	return name, len(value) > 0 && value[0] == 't', ok && len(name) > 0
}

// readMinKubeVersion reads JSON. It may be a number: 1.25 without quotes is one in YAML.
func (c *Compatibility) readMinKubeVersion(raw []byte) {
	switch {
	case len(raw) == 0:
	case raw[0] == '"':
		c.MinKubeVersion = parseMinKubeVersion(string(quickjson.Unquote(raw)))
	case quickjson.KindOf(raw) == "a number":
		c.MinKubeVersion = parseMinKubeVersion(string(raw))
	default:
		c.MinKubeVersion = MinKubeVersion{Text: compactly(raw), Invalid: "is not a version, but " + quickjson.KindOf(raw)}
	}
}

// readNativeAPIs reads JSON.
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
			c.malformed("has more than %d nativeAPIs; the others are ignored", maxNativeAPIs)
			return
		}
		if g, ok := readNativeAPI(item); ok {
			c.NativeAPIs = append(c.NativeAPIs, g)
		} else if wrong++; wrong == 1 {
			c.malformed("has a native API that is not an object with group, version and kind: %s", compactly(item))
		}
	}
}

// readNativeAPI reads a native API; its group may be absent or empty.
func readNativeAPI(raw []byte) (g GVK, ok bool) {
	f, err := readFields(TypeCSVMetadata, raw, "", "group", "group", "version", "kind")
	if err != nil {
		return GVK{}, false
	}
	g = GVK{f[0], f[1], f[2]}
	return g, (g.Group == "" || subdomainProblem(g.Group) == "") && labelProblem(g.Version, false) == "" && labelProblem(g.Kind, true) == ""
}
