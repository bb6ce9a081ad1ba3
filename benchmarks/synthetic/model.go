package synthetic

import (
	"fmt"
	"strconv"
)

// Kind is the kind of a requirement.
type Kind string

// The kinds of requirement.
const (
	ByRange Kind = "range" // olm.package.required
	ByGVK   Kind = "gvk"   // olm.gvk.required
	ByCEL   Kind = "cel"   // olm.constraint with cel
	ByAll   Kind = "all"   // olm.constraint with all: range and GVK
	ByAny   Kind = "any"   // olm.constraint with any: range of one package, GVK of another, and so on
)

// Package is the content of one package: its channels and bundles.
type Package struct {
	Number   int // from 0
	Name     string
	Catalog  int // index of its catalog, from 0
	Channels []Channel
	Bundles  []Bundle // oldest first
	APIs     []API    // provided by each bundle
}

// API is a group, version and kind.
type API struct{ Group, Version, Kind string }

// Channel is one channel of a package. The first one is the default.
type Channel struct {
	Name    string
	Entries []Entry // oldest first
}

// Entry is an entry of a channel.
type Entry struct {
	Version   int    // index into Package.Bundles
	Replaces  int    // index of the bundle replaced, or -1
	Skips     []int  // indexes of the bundles skipped
	SkipRange string // range of versions that it upgrades, or empty
}

// Bundle is one version of a package.
type Bundle struct {
	Name     string
	Version  string // 1.0.0, 1.1.0, and so on
	Requires []Requirement
}

// Requirement is one constraint of a bundle.
type Requirement struct {
	Kind   Kind
	Target int    // number of the required package
	Range  string // accepted versions of the target; empty for ByGVK
	// Others are the alternatives, for ByAny only.
	Others []Alternative
}

// Alternative is an alternative of an `any`: versions of a package, or without
// a range every provider of its API.
type Alternative struct {
	Target int
	Range  string
}

// PackageName returns the name of the package with that number.
func PackageName(number int) string { return fmt.Sprintf("pkg-%06d", number) }

// CatalogName returns the name of the catalog with that number.
func CatalogName(number int) string { return fmt.Sprintf("catalog-%d", number) }

func versionName(version int) string { return "1." + strconv.Itoa(version) + ".0" }

func bundleName(pkg string, version int) string { return pkg + ".v" + versionName(version) }

// ownAPI returns the API that only the bundles of a package provide.
func ownAPI(number int) API {
	return API{Group: PackageName(number) + ".example.com", Version: "v1", Kind: fmt.Sprintf("Kind%06d", number)}
}

// sharedAPI returns the common API of a run of contenders.
func sharedAPI(run int) API {
	return API{Group: fmt.Sprintf("shared-%06d.example.com", run), Version: "v1", Kind: fmt.Sprintf("Shared%06d", run)}
}
