// Package saved marks what is put together again from a saved catalog.
//
// What the library parses it also checks, and its types are built so that
// nobody can make one that was not checked. A snapshot on disk is the one
// exception: its point is that nothing is parsed again. The functions through
// which package cache/snapshot rebuilds values take a type of this package as
// a parameter, so that no other module can call them.
package saved

// Mark stands for a promise of the caller: the values were parsed and checked
// by this build of the library before they were saved, or nothing worse comes
// of them than a wrong answer.
type Mark struct{}

// Columns is what a catalog knows of its bundles besides the packages
// themselves, by number, so that its indexes are built by counting and nothing
// has to be looked up or sorted. GVK is the type of an API.
type Columns[GVK any] struct {
	// Names holds for each bundle, in the order of the packages and of the
	// bundles in each, the rank of its name among NameCount texts: equal names
	// have the same rank, and the lower name has the lower one.
	Names     []uint32
	NameCount int
	// Starts holds where the properties of each bundle begin in Properties,
	// and one more number at the end. Properties holds numbers of properties.
	Starts     []uint32
	Properties []uint32
	// API, Label and Type hold for each property the number of what it says
	// in APIs, Labels and Types; None where it says nothing of the kind.
	API, Label, Type []uint32
	// APIs are distinct and in ascending order, Labels and Types distinct.
	APIs          []GVK
	Labels, Types []string
}

// None stands for no number at all.
const None = ^uint32(0)
