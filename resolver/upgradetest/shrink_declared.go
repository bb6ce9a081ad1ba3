package upgradetest

import (
	"encoding/json"
	"slices"

	"github.com/seed109e2655/resolute/internal/declared"
	"github.com/seed109e2655/resolute/properties"
)

// declarations are declared catalogs to shrink.
type declarations struct{ Catalogs []*declared.Catalog }

// size is the amount of text to read.
func (d *declarations) size() int {
	n := 0
	for _, c := range d.Catalogs {
		for _, b := range c.Blobs() {
			n += len(b)
		}
	}
	return n
}

func (d *declarations) bundles() int {
	n := 0
	for _, c := range d.Catalogs {
		n += c.Bundles()
	}
	return n
}

// edits lists possible removals by kind, and simplifications of compounds.
type edits struct {
	declared.Edits
	catalogs, properties, simpler []func()
}

func (d *declarations) edits() *edits {
	e := &edits{}
	for i, c := range d.Catalogs {
		e.catalogs = append(e.catalogs, declared.Cut(&d.Catalogs, i))
		c.Add(&e.Edits)
		for k := range c.Packages {
			for n := range c.Packages[k].Bundles {
				e.bundle(&c.Packages[k].Bundles[n])
			}
		}
	}
	return e
}

func (e *edits) bundle(b *declared.Bundle) {
	for k := range b.Properties {
		p := &b.Properties[k]
		if p.Type != properties.TypePackage { // has the version
			e.properties = append(e.properties, declared.Cut(&b.Properties, k))
		}
		if p.Type == properties.TypeConstraint {
			for _, simpler := range simplify(p.Value) {
				e.simpler = append(e.simpler, func() { p.Value = simpler })
			}
		}
	}
}

// simplify returns the constraints with one compound replaced by a child, or with one child
// removed, at any depth.
func simplify(constraint json.RawMessage) (out []json.RawMessage) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(constraint, &fields) != nil {
		return nil
	}
	if _, given := fields["failureMessage"]; given {
		delete(fields, "failureMessage")
		out = append(out, declared.Prop("", fields).Value)
	}
	for _, kind := range []string{"all", "any", "not", "none"} {
		var body struct {
			Constraints []json.RawMessage `json:"constraints"`
		}
		if json.Unmarshal(fields[kind], &body) != nil {
			continue
		}
		with := func(children []json.RawMessage) json.RawMessage {
			return declared.Prop("", map[string]any{kind: map[string]any{"constraints": children}}).Value
		}
		for i, child := range body.Constraints {
			out = append(out, child)
			if len(body.Constraints) > 1 {
				out = append(out, with(slices.Delete(slices.Clone(body.Constraints), i, i+1)))
			}
			for _, simpler := range simplify(child) {
				children := slices.Clone(body.Constraints)
				children[i] = simpler
				out = append(out, with(children))
			}
		}
	}
	return out
}
