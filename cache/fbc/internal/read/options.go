package read

import (
	"slices"

	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/properties"
)

// Options are the options of package fbc that select what is kept, with defaults filled in.
type Options struct {
	Catalog                string // set in every problem
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
