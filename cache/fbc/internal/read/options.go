package read

import (
	"slices"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/properties"
)

// Options are those of package fbc that say what of a blob is kept, all filled in.
type Options struct {
	Catalog                   string // stamped on every problem
	Exact                     bool
	KeepMetadata, KeepObjects bool     // olm.csv.metadata and olm.bundle.object
	Drop                      []string // types of properties
	Limits                    document.Limits
	MaxItems, MaxNameBytes    int
	MaxPropertyBytes          int
	MaxProblems               int
}

// keeps reports whether properties of a type are kept.
func (o *Options) keeps(typ string) bool {
	switch typ {
	case properties.TypeCSVMetadata:
		return o.KeepMetadata
	case properties.TypeBundleObject:
		return o.KeepObjects
	}
	return !slices.Contains(o.Drop, typ)
}
