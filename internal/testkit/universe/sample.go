package universe

import (
	"fmt"

	"github.com/blang/semver/v4"
	testify "github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// Property parses a property.
func Property(t testify.TestingT, typ, value string) *properties.Property {
	p, err := properties.New(typ, []byte(value))
	testify.NoError(t, err)
	return p
}

// PackageProperty returns an olm.package property.
func PackageProperty(t testify.TestingT, pkg, version string) *properties.Property {
	return Property(t, properties.TypePackage, fmt.Sprintf(`{"packageName":%q,"version":%q}`, pkg, version))
}

// Written makes the package op of a universe.
func Written(t testify.TestingT, text string) *graph.Package {
	return Content(t, text).Package("op")
}

// Version returns the version of a bundle that its package declares.
func Version(p *graph.Package, name string) *semver.Version {
	b := p.Bundle(name)
	if b == nil {
		return nil
	}
	declared, ok := b.Properties.Package()
	if !ok {
		return nil
	}
	return &declared.Version
}
