package fbc

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc/internal/read"
	"github.com/seed109e2655/resolute/graph"
)

// WriteOptions are the options of [Write]. The zero value is the default.
type WriteOptions struct {
	// Exact also writes quarantined parts, problems, and positions in the original files. The
	// format has no fields for these, so they are in additional blobs of the schema
	// resolute.findings, which other tools skip. Reading with [Options].Exact restores the same
	// catalog.
	Exact bool
}

// Write writes a catalog as JSON lines, one blob per line: packages by name, and of each package
// its olm.package blob, its channels, its bundles, each by name, and its olm.deprecations. Equal
// catalogs give equal bytes.
//
// Without [WriteOptions].Exact, quarantined parts are omitted, because they are incomplete. A
// channel still lists an omitted bundle, so that its chain stays the same.
//
// A catalog lacks, and Write does not write, some parts of its files: blobs of other
// schemas, fields such as icon, description and relatedImages, properties that [Options] dropped,
// and entries of olm.deprecations without a target. For a dropped olm.csv.metadata, an excerpt is
// written: install modes, the minimum version of Kubernetes and native APIs. The resource
// definitions of dropped manifests are written with [WriteOptions].Exact only.
//
// The error is that of w, or names a text that is not valid UTF-8, which only a catalog built by a
// program has. Only w can observe the end of a context.
func Write(w io.Writer, c *cache.Catalog, opts WriteOptions) error {
	out := &writer{w: bufio.NewWriterSize(w, 64<<10), exact: opts.Exact}
	if opts.Exact {
		out.line(&read.Findings{Schema: read.SchemaFindings, Problems: outside(c)})
	}
	for p := range c.Packages() {
		out.pack(p)
		if out.err != nil {
			return out.err
		}
	}
	return out.w.Flush()
}

// writer writes the blobs of a catalog.
type writer struct {
	w     *bufio.Writer
	exact bool
	buf   []byte // the blob being written
	err   error
	about read.Findings // of the package being written
	files map[string]int

	excerpts map[string]excerpt
}

// text appends a string as JSON.
func (w *writer) text(s string) {
	if w.err == nil && !utf8.ValidString(s) {
		w.err = fmt.Errorf("the catalog cannot be written: %q is not valid UTF-8", s)
	}
	w.buf, _ = jsontext.AppendQuote(w.buf, s)
}

// raw appends text as it is.
func (w *writer) raw(s string) { w.buf = append(w.buf, s...) }

// member appends a string member, unless it is empty.
func (w *writer) member(name, value string) {
	if value != "" {
		w.raw(`,"` + name + `":`)
		w.text(value)
	}
}

// begin starts a blob.
func (w *writer) begin(schema, pkg, name string) {
	w.buf = append(append(append(w.buf[:0], `{"schema":"`...), schema...), '"')
	w.member("package", pkg)
	w.member("name", name)
}

// end finishes a blob. One that is quarantined is kept for the findings.
func (w *writer) end(sound bool) {
	w.raw("}")
	switch {
	case sound:
		w.write(w.buf)
	case w.exact:
		w.about.SetAside = append(w.about.SetAside, append(json.RawMessage(nil), w.buf...))
	}
}

// write writes a line.
func (w *writer) write(line []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(line)
	}
	if w.err == nil {
		w.err = w.w.WriteByte('\n')
	}
}

// line writes a value as a blob.
func (w *writer) line(v any) {
	enc := json.NewEncoder(w.w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil && w.err == nil {
		w.err = err
	}
}

// pack writes a package: usable parts first, then quarantined ones.
func (w *writer) pack(p *graph.Package) {
	w.about = read.Findings{Schema: read.SchemaFindings, Package: p.Name}
	w.files = map[string]int{}
	channels := slices.Clone(p.Channels) // the default one comes first
	slices.SortFunc(channels, func(a, b *graph.Channel) int { return strings.Compare(a.Name, b.Name) })
	for _, sound := range [...]bool{true, false} {
		if !sound && !w.exact {
			return
		}
		w.definition(p, sound)
		for _, c := range channels {
			if sound == (c.Quarantined() == nil) {
				w.channel(p, c, sound)
			}
		}
		for _, b := range p.Bundles {
			if sound == usable(p, b) {
				w.bundle(b, sound)
			}
		}
		w.deprecations(p, sound)
	}
	w.take(p)
	w.line(&w.about)
}

// usable reports whether a bundle of a package is not quarantined with it or by
// itself.
func usable(p *graph.Package, b *graph.Bundle) bool {
	return p.Quarantine == nil && b.Quarantine == nil
}

// definition writes the olm.package blob.
func (w *writer) definition(p *graph.Package, sound bool) {
	if sound != (p.Quarantine == nil) || p.Quarantine != nil && p.Quarantine.Code == "packageMissing" {
		return
	}
	w.begin(graph.SchemaPackage, "", p.Name)
	w.member("defaultChannel", p.DefaultChannel)
	w.end(sound)
	w.about.Definition = w.place(p.Pos)
}

// channel writes an olm.channel blob.
func (w *writer) channel(p *graph.Package, c *graph.Channel, sound bool) {
	w.begin(graph.SchemaChannel, p.Name, c.Name)
	w.raw(`,"entries":[`)
	for i := range c.Entries {
		e := &c.Entries[i]
		if i > 0 {
			w.raw(",")
		}
		w.raw(`{"name":`)
		w.text(e.Name)
		w.member("replaces", e.Replaces)
		if len(e.Skips()) > 0 {
			w.raw(`,"skips":[`)
			for j, name := range e.Skips() {
				if j > 0 {
					w.raw(",")
				}
				w.text(name)
			}
			w.raw("]")
		}
		w.member("skipRange", e.SkipRange().String())
		w.raw("}")
	}
	w.raw("]")
	w.end(sound)
	w.about.Channels = append(w.about.Channels, w.place(c.Pos))
}

// bundle writes an olm.bundle blob.
func (w *writer) bundle(b *graph.Bundle, sound bool) {
	w.begin(graph.SchemaBundle, b.Package, b.Name)
	w.member("image", b.Image)
	w.raw(`,"properties":[`)
	between := ""
	for p := range b.Properties.All() {
		w.raw(between)
		w.raw(`{"type":`)
		w.text(p.Type())
		w.raw(`,"value":`)
		w.buf = append(w.buf, p.Raw()...)
		w.raw("}")
		between = ","
	}
	if x := w.excerpt(b); x.text != nil {
		w.raw(between)
		w.buf = append(w.buf, x.text...)
		if !x.complete {
			note(&w.about.Compatibility, b.Name, b.Compatibility)
		}
	}
	if b.Compatibility != nil && len(b.Compatibility.CRDs) > 0 {
		note(&w.about.Compatibility, b.Name, b.Compatibility)
	}
	w.raw("]")
	w.end(sound)
	w.about.Bundles = append(w.about.Bundles, w.place(b.Pos()))
}

// deprecations writes the olm.deprecations entries of the package for usable targets, or for
// quarantined ones; no blob if there are none.
func (w *writer) deprecations(p *graph.Package, sound bool) {
	w.begin(read.SchemaDeprecations, p.Name, "")
	w.raw(`,"entries":[`)
	n := 0
	entry := func(schema, name, message string) {
		if n++; n > 1 {
			w.raw(",")
		}
		w.raw(`{"reference":{"schema":"` + schema + `"`)
		w.member("name", name)
		w.raw(`},"message":`)
		w.text(message)
		w.raw("}")
	}
	if p.Deprecated && sound == (p.Quarantine == nil) {
		entry(graph.SchemaPackage, "", p.Deprecation)
	}
	for _, c := range p.Channels {
		if c.Deprecated && sound == (c.Quarantined() == nil) {
			entry(graph.SchemaChannel, c.Name, c.Deprecation)
		}
	}
	for _, b := range p.Bundles {
		if b.Deprecated && sound == usable(p, b) {
			entry(graph.SchemaBundle, b.Name, b.Deprecation)
		}
	}
	if n > 0 {
		w.raw("]")
		w.end(sound)
	}
}
