// Package ranges has version ranges in the syntax of Crossplane, Helm and many others.
package ranges

import (
	"fmt"

	masterminds "github.com/Masterminds/semver/v3"
	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/properties"
)

// Parse returns the range of a text in the syntax of Masterminds.
func Parse(text string) (properties.Range, error) {
	c, err := masterminds.NewConstraint(text)
	if err != nil {
		return properties.Range{}, fmt.Errorf("version range %q: %w", text, err)
	}
	return properties.NewRange(text, func(v semver.Version) bool {
		of, err := masterminds.NewVersion(v.String())
		return err == nil && c.Check(of)
	}), nil
}
