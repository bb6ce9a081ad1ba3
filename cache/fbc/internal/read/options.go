package read

import (
	"slices"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/properties"
)

// Options are those of package fbc that say what of a blob is kept, all filled in.
type Options struct {
	Catalog                string // stamped on every problem
	Exact                  bool
	Drop                   []string // types of properties
	Metadata               bool     // keep annotations and labels
	Limits                 document.Limits
	MaxItems, MaxNameBytes int
	MaxPropertyBytes       int
	MaxProblems            int
}

// keeps reports whether properties of a type are kept.
func (o *Options) keeps(typ string) bool {
	return typ != properties.TypeCSVMetadata && typ != properties.TypeBundleObject && !slices.Contains(o.Drop, typ)
}
