package mirror

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/graph"
)

// CatalogWriter writes the selected part of a file-based catalog from the blobs of the whole one.
// Blobs that are kept completely are copied byte for byte, including those of unknown schemas;
// channels lose entries, deprecations lose the items of unselected objects, and a package gets its
// new default channel. It is not safe for concurrent use.
type CatalogWriter struct {
	w        io.Writer
	packages map[string]*SelectedPackage
}

// NewCatalogWriter returns a writer of the selected blobs.
func NewCatalogWriter(w io.Writer, s *Selection) *CatalogWriter {
	c := &CatalogWriter{w: w, packages: make(map[string]*SelectedPackage)}
	for i := range s.Packages {
		c.packages[s.Packages[i].Name] = &s.Packages[i]
	}
	return c
}

const schemaDeprecations = "olm.deprecations"

// Add writes the selected part of a blob, or nothing. It skips a blob that cannot be parsed,
// which reading the catalog reports. The error is that of the writer.
func (c *CatalogWriter) Add(b fbc.Blob) error {
	raw, pkg := []byte(b.Raw), b.Package
	if b.Schema == graph.SchemaPackage {
		pkg = b.Name
	}
	p := c.packages[pkg]
	switch {
	case p == nil && (pkg != "" || ours(b.Schema)):
		return nil
	case b.Schema == graph.SchemaPackage:
		raw = withDefault(raw, p.DefaultChannel)
	case b.Schema == graph.SchemaChannel:
		i, found := p.channel(b.Name)
		if !found {
			return nil
		}
		kept := make(map[string]bool, len(p.Channels[i].Entries))
		for _, name := range p.Channels[i].Entries {
			kept[name] = true
		}
		raw = withItems(raw, "entries", func(item json.RawMessage) bool {
			var e struct{ Name string }
			return json.Unmarshal(item, &e) == nil && kept[e.Name]
		})
	case b.Schema == graph.SchemaBundle:
		if !p.has(b.Name) {
			return nil
		}
	case b.Schema == schemaDeprecations:
		raw = withItems(raw, "entries", p.mentions)
	}
	if raw == nil {
		return nil
	}
	_, err := c.w.Write(append(slices.Clone(raw), '\n'))
	return err
}

// ours reports whether a schema is one of a catalog's.
func ours(schema string) bool {
	return slices.Contains([]string{graph.SchemaPackage, graph.SchemaChannel, graph.SchemaBundle, schemaDeprecations}, schema)
}

func (p *SelectedPackage) has(bundle string) bool {
	_, found := slices.BinarySearch(p.Bundles, bundle)
	return found
}

// channel finds a channel among those of the package, which are sorted.
func (p *SelectedPackage) channel(name string) (int, bool) {
	return slices.BinarySearchFunc(p.Channels, name, func(ch SelectedChannel, name string) int { return strings.Compare(ch.Name, name) })
}

func (p *SelectedPackage) firstChannels() map[string]string {
	out := make(map[string]string)
	for _, ch := range slices.Backward(p.Channels) {
		for _, name := range ch.Entries {
			out[name] = ch.Name
		}
	}
	return out
}

// mentions reports whether a deprecation concerns a selected object.
func (p *SelectedPackage) mentions(item json.RawMessage) bool {
	var d struct {
		Reference struct{ Schema, Name string }
	}
	if json.Unmarshal(item, &d) != nil {
		return false
	}
	return p.selects(d.Reference.Schema, d.Reference.Name)
}

// selects reports whether the object with a schema and a name is selected.
func (p *SelectedPackage) selects(schema, name string) bool {
	switch schema {
	case graph.SchemaBundle:
		return p.has(name)
	case graph.SchemaChannel:
		_, found := p.channel(name)
		return found
	}
	return true
}

// withDefault returns the blob of a package with a default channel.
func withDefault(raw []byte, channel string) []byte {
	var blob map[string]json.RawMessage
	if json.Unmarshal(raw, &blob) != nil {
		return nil
	}
	var is string
	if json.Unmarshal(blob["defaultChannel"], &is) == nil && is == channel || channel == "" {
		return raw
	}
	blob["defaultChannel"], _ = json.Marshal(channel) // encoding a string never fails
	return encoded(blob)
}

// withItems returns a blob with some of the items of a list; nil if none remains.
func withItems(raw []byte, key string, keep func(json.RawMessage) bool) []byte {
	var blob map[string]json.RawMessage
	var items []json.RawMessage
	if json.Unmarshal(raw, &blob) != nil || json.Unmarshal(blob[key], &items) != nil {
		return nil
	}
	kept := slices.DeleteFunc(slices.Clone(items), func(item json.RawMessage) bool { return !keep(item) })
	switch len(kept) {
	case 0:
		return nil
	case len(items):
		return raw
	}
	blob[key] = encoded(kept)
	return encoded(blob)
}

// encoded returns a value as JSON, an object with its keys in order.
func encoded(value any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(value) != nil {
		return nil
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}
