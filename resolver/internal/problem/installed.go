package problem

import (
	"encoding/json"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// InstalledCompatibility is what is known of where an installed bundle runs: what the
// properties say that the request gives, and the metadata of the catalog's bundle.
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

// Identity is the one property that a bundle of which nothing else is known has.
func Identity(b *graph.Bundle) properties.Set {
	value, err := json.Marshal(map[string]string{"packageName": b.Package, "version": b.Version.String()})
	if err != nil {
		return properties.Set{}
	}
	prop, err := properties.New(properties.TypePackage, value)
	if err != nil {
		return properties.Set{}
	}
	return properties.NewSet(prop)
}
