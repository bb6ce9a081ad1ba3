package problem

import (
	"encoding/json"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// InstalledCompatibility returns the compatibility of an installed bundle. It combines the
// properties that the request gives with the metadata of the catalog's bundle.
func InstalledCompatibility(b, known *graph.Bundle, given bool) *properties.Compatibility {
	var own *properties.Compatibility
	if given {
		own = b.Properties.Compatibility()
	}
	switch {
	case known == nil || known.Compatibility == nil || b.Properties.HasType(properties.TypeCSVMetadata):
		return own
	case !given:
		return known.Compatibility
	}
	c := *known.Compatibility
	c.MaxOpenShift = properties.MaxOpenShift{}
	if own != nil {
		c.MaxOpenShift = own.MaxOpenShift
	}
	return &c
}

// Identity returns the properties of a bundle of which only package and version are known.
func Identity(b *graph.Bundle) properties.Set {
	value, err := json.Marshal(properties.Package{Name: b.Package, Version: *b.Version, Release: b.Release})
	if err != nil {
		return properties.Set{}
	}
	prop, err := properties.New(properties.TypePackage, value)
	if err != nil {
		return properties.Set{}
	}
	return properties.NewSet(prop)
}
