package upgradetest

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

// Defaults of the options.
const (
	defaultShrink = 5
	defaultDir    = "testdata/failures"
)

// Options configures a check. The zero value is the default.
type Options struct {
	// Around configures the environment of the catalog and the resolver; its zero Key means
	// olm/catalog.
	Around catalogdiff.Options
	// Only lists the included codes of [catalogdiff.Codes]; nil means all. Skip lists excluded
	// ones.
	Only, Skip []string
	// Packages restricts the check to packages of these names; nil means all. Dependencies come
	// from the complete catalog in any case.
	Packages []string

	// Before is the state of the catalog before a change: its findings are excluded, so that a
	// catalog with known errors is only checked for regressions. With nil, all errors are found.
	Before *cache.Catalog
	// Exceptions are known flaws, with a reason to keep them.
	Exceptions []Exception

	// Within limits the time; 0 is no limit. A check that exceeds it is incomplete, which fails
	// the test, since the rest was not checked. The deadline of the test applies in any case.
	Within time.Duration

	// Shrink limits how many findings of each code are shrunk and written; 0 means 5, and a
	// negative number none.
	Shrink int
	// Dir is the folder for scenarios, which is created if missing; empty means
	// testdata/failures. NoFiles disables writing.
	Dir     string
	NoFiles bool
}

// Exception is a known flaw: findings about a package or a bundle are listed separately in the
// [Report] and fail no test. An exception without a finding is reported as unneeded.
type Exception struct {
	// Name is the name of the package or bundle.
	Name string
	// Reason is the reason to keep the flaw; it must not be empty.
	Reason string
	// Code restricts the exception to findings of one code.
	Code string
}

// complete applies the defaults.
func (o Options) complete() (*Options, error) {
	codes := catalogdiff.Codes()
	for _, code := range slices.Concat(o.Only, o.Skip) {
		if codes[code] == "" {
			return nil, fmt.Errorf("there is no code %q; see catalogdiff.Codes", code)
		}
	}
	for _, e := range o.Exceptions {
		if e.Reason == "" {
			return nil, fmt.Errorf("the exception for %q has no reason: explain why the flaw is acceptable", e.Name)
		}
	}
	o.Around.Key = cmp.Or(o.Around.Key, cache.Key{Namespace: "olm", Name: "catalog"})
	o.Around.Resolver = cmp.Or(o.Around.Resolver, resolver.New())
	o.Dir, o.Shrink = cmp.Or(o.Dir, defaultDir), max(0, cmp.Or(o.Shrink, defaultShrink))
	return &o, nil
}

// counts reports whether findings of a code are included.
func (o *Options) counts(code string) bool {
	return (o.Only == nil || slices.Contains(o.Only, code)) && !slices.Contains(o.Skip, code)
}
