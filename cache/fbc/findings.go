package fbc

import (
	"encoding/json"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc/internal/read"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// place returns a position with the index of its file.
func (w *writer) place(p graph.Pos) read.Place {
	n, ok := w.files[p.File]
	if !ok {
		n = len(w.about.Files)
		w.files[p.File] = n
		w.about.Files = append(w.about.Files, p.File)
	}
	return read.Place{n, p.Line}
}

// outside returns the problems of a catalog that are not those of a package.
func outside(c *cache.Catalog) []graph.Problem {
	inside := map[graph.Problem]int{}
	for p := range c.Packages() {
		for _, problem := range p.Problems {
			inside[problem]++
		}
	}
	var out []graph.Problem
	for _, problem := range c.Problems() {
		if inside[problem] > 0 {
			inside[problem]--
			continue
		}
		out = append(out, problem)
	}
	return out
}

// take records the problems of a package.
func (w *writer) take(p *graph.Package) {
	f := &w.about
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

// note adds to a map, creating it if necessary.
func note[V any](to *map[string]V, name string, v V) {
	if *to == nil {
		*to = map[string]V{}
	}
	(*to)[name] = v
}

// excerpt is the property that replaces dropped metadata.
type excerpt struct {
	text     []byte // or nil
	complete bool   // it is complete
}

// excerpt returns the excerpt of a bundle, usually shared with another.
func (w *writer) excerpt(b *graph.Bundle) excerpt {
	c := b.Compatibility
	if c == nil {
		return excerpt{}
	}
	own := *c
	own.MaxOpenShift, own.CRDs = properties.MaxOpenShift{}, nil
	if own.Equal(&properties.Compatibility{}) {
		return excerpt{} // the other properties are complete
	}
	key := own.Key()
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
		return excerpt{} // unreachable: it consists of strings
	}
	again, err := properties.ParseCompatibility(says)
	x := excerpt{text: []byte(read.BeforeExcerpt), complete: err == nil && again.Equal(c)}
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
