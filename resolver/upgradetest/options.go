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

// The defaults of the options.
const (
	defaultShrink = 5
	defaultDir    = "testdata/failures"
)

// Options are the options of a check; the zero value is the default.
type Options struct {
	// Around is what surrounds the catalog, and who answers; its zero Key stands for
	// olm/catalog.
	Around catalogdiff.Options
	// Only are the codes of the findings that count, of [catalogdiff.Codes]; nil stands for
	// all. Those in Skip do not count.
	Only, Skip []string
	// Packages narrows the check to packages of these names; nil stands for all. The
	// whole catalog stays available for what they depend on.
	Packages []string

	// Before is the state of the catalog before a change: findings that it has already are
	// left out, so that a catalog with a past is held to not getting worse. With nil, all
	// that is wrong is found.
	Before *cache.Catalog
	// Exceptions are flaws that are known and stay for a reason.
	Exceptions []Exception

	// Within bounds the time; 0 is no bound. A check that it ends is incomplete, which
	// fails the test: what was not looked at is not known to be right. The deadline of the
	// test holds in any case.
	Within time.Duration

	// Shrink bounds how many findings of each code are shrunk and written; 0 stands
	// for 5, and less shrinks none.
	Shrink int
	// Dir is the folder that scenarios are written to, which is made where it does not
	// exist; empty stands for testdata/failures. NoFiles writes none.
	Dir     string
	NoFiles bool
}

// Exception is a flaw that is known: findings about a package, or about a bundle, are
// listed in the [Report] apart and fail no test. An exception that nothing is found for
// is reported as no longer needed.
type Exception struct {
	// Name is that of the package or bundle.
	Name string
	// Reason says why the flaw stays; it must not be empty.
	Reason string
	// Code narrows the exception to findings of one code.
	Code string
}

// complete puts the defaults in.
func (o Options) complete() (*Options, error) {
	codes := catalogdiff.Codes()
	for _, code := range slices.Concat(o.Only, o.Skip) {
		if codes[code] == "" {
			return nil, fmt.Errorf("there is no code %q; see catalogdiff.Codes", code)
		}
	}
	for _, e := range o.Exceptions {
		if e.Reason == "" {
			return nil, fmt.Errorf("the exception of %q gives no reason: say why the flaw stays", e.Name)
		}
	}
	o.Around.Key = cmp.Or(o.Around.Key, cache.Key{Namespace: "olm", Name: "catalog"})
	o.Around.Resolver = cmp.Or(o.Around.Resolver, resolver.New())
	o.Dir, o.Shrink = cmp.Or(o.Dir, defaultDir), max(0, cmp.Or(o.Shrink, defaultShrink))
	return &o, nil
}

// counts reports whether findings of a code count.
func (o *Options) counts(code string) bool {
	return (o.Only == nil || slices.Contains(o.Only, code)) && !slices.Contains(o.Skip, code)
}
