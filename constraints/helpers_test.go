package constraints

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

// parse parses a constraint that must parse.
func parse(t testing.TB, raw string) Constraint {
	t.Helper()
	c, err := Parse([]byte(raw))
	require.NoError(t, err, raw)
	return c
}

// set parses properties.
func set(t testing.TB, data string) properties.Set {
	t.Helper()
	return testkit.Must(properties.Parse([]byte(data)))(t)
}

// ranged parses a range.
func ranged(t testing.TB, text string) properties.Range {
	t.Helper()
	return testkit.Must(properties.ParseRange(text))(t)
}

var foo = properties.GVK{Group: "foos.example.com", Version: "v1", Kind: "Foo"}

const (
	gvkJSON     = `{"gvk": {"group": "foos.example.com", "version": "v1", "kind": "Foo"}}`
	packageJSON = `{"package": {"packageName": "blue", "versionRange": ">=1.0.0"}}`
	celJSON     = `{"cel": {"rule": "properties.exists(p, p.type == 'certified')"}}`
)

func newGVK(g properties.GVK) *GVK { return &GVK{GVK: g} }

func newLabel(label string) *Label { return &Label{Label: label} }

func newPackage(name string, r properties.Range) *Package { return &Package{Name: name, Range: r} }

// children returns the children of a compound, or nil for an atom.
func children(c Constraint) []Constraint { return c.parts().children }
