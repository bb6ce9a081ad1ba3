// Package versions has what several examples need: ranges in the syntax of Masterminds, and the parts
// of a provider whose packages depend on each other by name alone.
package versions

import (
	"context"
	"fmt"
	"slices"
	"strings"

	masterminds "github.com/Masterminds/semver/v3"
	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/lazy"
)

// ParseRange returns the range of a text.
func ParseRange(text string) (properties.Range, error) {
	c, err := masterminds.NewConstraint(text)
	if err != nil {
		return properties.Range{}, fmt.Errorf("version range %q: %w", text, err)
	}
	return properties.NewRange(text, func(v semver.Version) bool {
		pre := make([]string, len(v.Pre))
		for i, part := range v.Pre {
			pre[i] = part.String()
		}
		return c.Check(masterminds.New(v.Major, v.Minor, v.Patch, strings.Join(pre, "."), ""))
	}), nil
}

// HighestFirst returns a package with its versions, nil if it has none.
func HighestFirst(list []lazy.Version) *lazy.Package {
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b lazy.Version) int { return b.Version.Compare(a.Version) })
	return &lazy.Package{Versions: list}
}

// ByName is embedded by providers that are asked for packages by name alone.
type ByName struct{}

// Find implements [lazy.Provider].
func (ByName) Find(_ context.Context, queries []lazy.Query) ([][]lazy.Ref, error) {
	return make([][]lazy.Ref, len(queries)), nil
}

// Flat is embedded by providers whose versions require nothing.
type Flat struct{ ByName }

// Details implements [lazy.Provider].
func (Flat) Details(_ context.Context, versions []lazy.Ref) ([]lazy.Details, error) {
	return make([]lazy.Details, len(versions)), nil
}
