package mirror

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"

	"github.com/seed109e2655/resolute/graph"
)

// CatalogWriter writes a file-based catalog, filtered as a selection says, while the
// whole one is read once more: give its Blob to the reader as [fbc.Options].Blob. Blobs
// that are kept whole are kept byte for byte, those of schemas that nobody knows
// included; of channels, entries go, of deprecations those of what goes, and a package
// gets its new default channel. It is not safe for concurrent use.
type CatalogWriter struct {
	w        io.Writer
	packages map[string]*SelectedPackage
	err      error
}

// NewCatalogWriter returns a writer of what is selected.
func NewCatalogWriter(w io.Writer, s *Selection) *CatalogWriter {
	c := &CatalogWriter{w: w, packages: make(map[string]*SelectedPackage)}
	for i := range s.Packages {
		c.packages[s.Packages[i].Name] = &s.Packages[i]
	}
	return c
}

// Err is the first error of the writer below.
func (c *CatalogWriter) Err() error { return c.err }

// schemaDeprecations is the schema of what is deprecated.
const schemaDeprecations = "olm.deprecations"

// Blob writes a blob, or what is left of it, or nothing. A blob that cannot be
// understood is left out: the reader reports it.
func (c *CatalogWriter) Blob(schema string, raw []byte) {
	var about struct{ Name, Package string }
	if c.err != nil || json.Unmarshal(raw, &about) != nil {
		return
	}
	if schema == graph.SchemaPackage {
		about.Package = about.Name
	}
	p := c.packages[about.Package]
	switch {
	case p == nil && (about.Package != "" || ours(schema)):
		return
	case schema == graph.SchemaPackage:
		raw = withDefault(raw, p.DefaultChannel)
	case schema == graph.SchemaChannel:
		i := slices.IndexFunc(p.Channels, func(ch SelectedChannel) bool { return ch.Name == about.Name })
		if i < 0 {
			return
		}
		raw = withItems(raw, "entries", func(item json.RawMessage) bool {
			var e struct{ Name string }
			return json.Unmarshal(item, &e) == nil && slices.Contains(p.Channels[i].Entries, e.Name)
		})
	case schema == graph.SchemaBundle:
		if !slices.Contains(p.Bundles, about.Name) {
			return
		}
	case schema == schemaDeprecations:
		raw = withItems(raw, "entries", func(item json.RawMessage) bool { return p.mentions(item) })
	}
	if raw == nil {
		return
	}
	_, c.err = c.w.Write(append(slices.Clone(raw), '\n'))
}

// ours reports whether a schema is one of a catalog's.
func ours(schema string) bool {
	return slices.Contains([]string{graph.SchemaPackage, graph.SchemaChannel, graph.SchemaBundle, schemaDeprecations}, schema)
}

// mentions reports whether a deprecation is about something that is selected.
func (p *SelectedPackage) mentions(item json.RawMessage) bool {
	var d struct {
		Reference struct{ Schema, Name string }
	}
	if json.Unmarshal(item, &d) != nil {
		return false
	}
	switch d.Reference.Schema {
	case graph.SchemaBundle:
		return slices.Contains(p.Bundles, d.Reference.Name)
	case graph.SchemaChannel:
		return slices.ContainsFunc(p.Channels, func(ch SelectedChannel) bool { return ch.Name == d.Reference.Name })
	}
	return true
}

// withDefault is a package's blob with a default channel.
func withDefault(raw []byte, channel string) []byte {
	var blob map[string]json.RawMessage
	if json.Unmarshal(raw, &blob) != nil {
		return nil
	}
	var is string
	if json.Unmarshal(blob["defaultChannel"], &is) == nil && is == channel || channel == "" {
		return raw
	}
	blob["defaultChannel"], _ = json.Marshal(channel) // a text always has a form
	return object(blob)
}

// withItems is a blob with some of the items of a list; nil if none is left.
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
	var list bytes.Buffer
	list.WriteByte('[')
	for i, item := range kept {
		if i > 0 {
			list.WriteByte(',')
		}
		list.Write(item)
	}
	list.WriteByte(']')
	blob[key] = list.Bytes()
	return object(blob)
}

// object writes an object with its keys in their order.
func object(blob map[string]json.RawMessage) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(blob) != nil {
		return nil
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}
