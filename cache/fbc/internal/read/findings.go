package read

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// SchemaFindings is the schema of the blobs with data for which file-based catalogs have no field:
// see fbc.WriteOptions.
const SchemaFindings = "resolute.findings"

// Findings is such a blob: about a package, or without one about everything else.
type Findings struct {
	Schema  string `json:"schema"`
	Package string `json:"package,omitempty"`
	// Files are the file names to which positions refer.
	Files []string `json:"files,omitempty"`
	// Definition, Channels and Bundles are the positions of the blobs: first of those before this
	// one, then of those in SetAside.
	Definition Place   `json:"definition"`
	Channels   []Place `json:"channels,omitempty"`
	Bundles    []Place `json:"bundles,omitempty"`
	// SetAside are the blobs of quarantined objects.
	SetAside []json.RawMessage `json:"setAside,omitempty"`
	// Quarantine is the reason of the quarantine of the package; the others are those of its
	// channels and bundles.
	Quarantine         *graph.Problem            `json:"quarantine,omitempty"`
	QuarantinedChannel map[string]*graph.Problem `json:"quarantinedChannels,omitempty"`
	QuarantinedBundle  map[string]*graph.Problem `json:"quarantinedBundles,omitempty"`
	// Problems are those of the package, or those outside of packages.
	Problems []graph.Problem `json:"problems,omitempty"`
	// Compatibility has the bundles whose excerpt is incomplete.
	Compatibility map[string]*properties.Compatibility `json:"compatibility,omitempty"`
}

// Place is the index of a file, and a line.
type Place [2]int

// pos returns the i-th position.
func (f *Findings) pos(places []Place, i int) (p graph.Pos) {
	if i < len(places) {
		if n := places[i][0]; n >= 0 && n < len(f.Files) {
			p.File = f.Files[n]
		}
		p.Line = places[i][1]
	}
	return p
}

// BeforeExcerpt is the start of the property that replaces a dropped olm.csv.metadata.
const BeforeExcerpt = `{"type":"` + properties.TypeCSVMetadata + `","value":{"annotations":{"resolute.excerpt":"true"}`

// takeFindings decodes a resolute.findings blob and the quarantined objects in it.
func (r *reading) takeFindings() {
	f := &Findings{}
	if err := json.Unmarshal(r.raw(r.scanned.span), f); err != nil {
		r.fail(CodeFieldType, r.line, "this %s blob cannot be read: %v", SchemaFindings, err)
		return
	}
	r.findings = append(r.findings, f)
	r.findingBlobs = append(r.findingBlobs, f.SetAside...)
	f.SetAside = nil
}

// restore sets the original positions and flaws of declarations.
func (f *Findings) restore(d *graph.PackageDecl) {
	for i := range d.Definitions {
		d.Definitions[i].Pos = f.pos([]Place{f.Definition}, 0)
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

// Apply replaces the problems of the package that was built from the declarations.
func (f *Findings) Apply(p *graph.Package) {
	p.Problems, p.Quarantine = f.Problems, cmp.Or(f.Quarantine, p.Quarantine)
	for _, c := range p.Channels {
		c.Quarantine = cmp.Or(f.QuarantinedChannel[c.Name], c.Quarantine)
	}
	for _, b := range p.Bundles {
		b.Quarantine = cmp.Or(f.QuarantinedBundle[b.Name], b.Quarantine)
	}
}

// foundInOrder are the problems of a channel that ordering its entries, which must be repeated,
// finds again.
var foundInOrder = []graph.Code{
	"channelEmpty", "entryDuplicate", "noHead", "severalHeads", "replacesCycle",
}

// foundBefore returns the flaws that recreate a quarantine.
func foundBefore(q *graph.Problem) []graph.Flaw {
	return []graph.Flaw{{Code: q.Code, Message: q.Message}}
}
