package fbc

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// schemaFindings is the schema of the blobs with what file-based catalogs have
// no field for: see [WriteOptions].
const schemaFindings = "resolute.findings"

// findings are such a blob: about a package, or without one about all else.
type findings struct {
	Schema  string `json:"schema"`
	Package string `json:"package,omitempty"`
	// Files are the names that places refer to.
	Files []string `json:"files,omitempty"`
	// Definition, Channels and Bundles are the places of the blobs: first of
	// those that stand before this one, then of those that are set aside.
	Definition place   `json:"definition"`
	Channels   []place `json:"channels,omitempty"`
	Bundles    []place `json:"bundles,omitempty"`
	// SetAside are the blobs of what is quarantined.
	SetAside []json.RawMessage `json:"setAside,omitempty"`
	// Quarantine is why the package is quarantined, and the others are why its
	// channels and bundles are.
	Quarantine         *graph.Problem            `json:"quarantine,omitempty"`
	QuarantinedChannel map[string]*graph.Problem `json:"quarantinedChannels,omitempty"`
	QuarantinedBundle  map[string]*graph.Problem `json:"quarantinedBundles,omitempty"`
	// Problems are those of the package, or those outside of packages.
	Problems []graph.Problem `json:"problems,omitempty"`
	// Compatibility is that of the bundles of which the excerpt does not say
	// everything.
	Compatibility map[string]*properties.Compatibility `json:"compatibility,omitempty"`
}

// place is a number of a file, and a line.
type place [2]int

// place returns a place, and numbers its file.
func (w *writer) place(p graph.Pos) place {
	n, ok := w.files[p.File]
	if !ok {
		n = len(w.about.Files)
		w.files[p.File] = n
		w.about.Files = append(w.about.Files, p.File)
	}
	return place{n, p.Line}
}

// pos returns the i-th of some places.
func (f *findings) pos(places []place, i int) (p graph.Pos) {
	if i < len(places) {
		if n := places[i][0]; n >= 0 && n < len(f.Files) {
			p.File = f.Files[n]
		}
		p.Line = places[i][1]
	}
	return p
}

// take notes what is wrong with a package.
func (f *findings) take(p *graph.Package) {
	f.Problems, f.Quarantine = p.Problems, p.Quarantine
	for _, c := range p.Channels {
		if c.Quarantine != nil {
			note(&f.QuarantinedChannel, c.Name, c.Quarantine)
		}
	}
	for _, b := range p.Bundles {
		if b.Quarantine != nil {
			note(&f.QuarantinedBundle, b.Name, b.Quarantine)
		}
	}
}

// compatibility notes all that a bundle says of where it runs.
func (f *findings) compatibility(b *graph.Bundle) { note(&f.Compatibility, b.Name, b.Compatibility) }

// note adds to a map, which is made if there is none.
func note[V any](to *map[string]V, name string, v V) {
	if *to == nil {
		*to = map[string]V{}
	}
	(*to)[name] = v
}

// beforeExcerpt is how the property begins that stands for an olm.csv.metadata
// which was not kept.
const beforeExcerpt = `{"type":"` + properties.TypeCSVMetadata + `","value":{"annotations":{"resolute.excerpt":"true"}`

// excerpt is the property that stands for metadata which was not kept.
type excerpt struct {
	text     []byte // nil for none
	complete bool   // it says all that is known
}

// excerpt returns the excerpt of a bundle, mostly that of another.
func (w *writer) excerpt(b *graph.Bundle) excerpt {
	c := b.Compatibility
	if c == nil || b.Properties.HasType(properties.TypeCSVMetadata) {
		return excerpt{}
	}
	own := *c
	own.MaxOpenShift = properties.MaxOpenShift{}
	if own.Equal(&properties.Compatibility{}) {
		return excerpt{} // the other properties say it all
	}
	key := string(own.AppendKey(nil))
	x, ok := w.excerpts[key]
	if !ok {
		x = newExcerpt(&own)
		note(&w.excerpts, key, x)
	}
	return x
}

// newExcerpt writes an excerpt.
func newExcerpt(c *properties.Compatibility) excerpt {
	value := struct {
		InstallModes   []installMode    `json:"installModes,omitempty"`
		MinKubeVersion string           `json:"minKubeVersion,omitempty"`
		NativeAPIs     []properties.GVK `json:"nativeAPIs,omitempty"`
	}{MinKubeVersion: c.MinKubeVersion.Text, NativeAPIs: c.NativeAPIs}
	if c.InstallModes.Known() {
		for _, m := range [...]properties.InstallModes{properties.OwnNamespace, properties.SingleNamespace, properties.MultiNamespace, properties.AllNamespaces} {
			value.InstallModes = append(value.InstallModes, installMode{m.Names()[0], c.InstallModes.Has(m)})
		}
	}
	says, err := json.Marshal(value)
	if err != nil {
		return excerpt{} // cannot be: it consists of texts
	}
	again, err := properties.ParseCompatibility(says)
	x := excerpt{text: []byte(beforeExcerpt), complete: err == nil && again.Equal(c)}
	if len(says) > len("{}") {
		x.text = append(append(x.text, ','), says[1:len(says)-1]...)
	}
	x.text = append(x.text, "}}"...)
	return x
}

// installMode is an install mode in metadata.
type installMode struct {
	Type      string `json:"type"`
	Supported bool   `json:"supported"`
}

// findings keeps a resolute.findings blob, and what is set aside in it.
func (r *reading) takeFindings() {
	f := &findings{}
	if err := json.Unmarshal(r.all.Of(r.blob.raw), f); err != nil {
		r.problem(graph.Problem{Severity: graph.SeverityError, Code: CodeFieldType, Line: r.blob.line,
			Message: fmt.Sprintf("this %s blob cannot be read: %v", schemaFindings, err)})
		return
	}
	r.collector.findings = append(r.collector.findings, f)
	r.aside = append(r.aside, f.SetAside...)
	f.SetAside = nil
}

// restore gives declarations the places that they had, and what was wrong with
// them.
func (f *findings) restore(d *graph.PackageDecl) {
	d.Findings = &graph.Findings{Problems: f.Problems, Package: f.Quarantine, Channels: f.QuarantinedChannel, Bundles: f.QuarantinedBundle}
	for i := range d.Definitions {
		d.Definitions[i].Pos = f.pos([]place{f.Definition}, 0)
		if f.Quarantine != nil {
			d.Definitions[i].Flaws = foundBefore(f.Quarantine)
		}
	}
	for i := range d.Channels {
		c := &d.Channels[i]
		c.Pos = f.pos(f.Channels, i)
		if q := f.QuarantinedChannel[c.Name]; q != nil && !slices.Contains(foundInOrder, q.Code) {
			c.Flaws = foundBefore(q)
		}
	}
	for i := range d.Bundles {
		b := &d.Bundles[i]
		b.Pos = f.pos(f.Bundles, i)
		if q := f.QuarantinedBundle[b.Name]; q != nil {
			b.Flaws = foundBefore(q)
		}
		if c, ok := f.Compatibility[b.Name]; ok {
			b.Compatibility = c
		}
	}
}

// foundInOrder are the problems of a channel that are found again when its
// entries are put in order, which has to be done for that.
var foundInOrder = []graph.Code{
	graph.CodeChannelEmpty, graph.CodeEntryDuplicate, graph.CodeNoHead, graph.CodeSeveralHeads, graph.CodeReplacesCycle,
}

// foundBefore returns what quarantines a declaration as before.
func foundBefore(q *graph.Problem) []graph.Flaw {
	return []graph.Flaw{{Code: q.Code, Message: q.Message}}
}
