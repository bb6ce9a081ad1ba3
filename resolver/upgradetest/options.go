package upgradetest

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
)

// The defaults of the options.
const (
	defaultSample = 20_000
	defaultShrink = 5
	defaultDir    = "testdata/failures"
)

// Options are the options of a check; the zero value is the default.
type Options struct {
	// Only selects properties; nil stands for all of them. Those in Skip are left out.
	Only, Skip []Property
	// Packages narrows the check to packages of these names; nil stands for all. The
	// whole catalog stays available for what they depend on.
	Packages []string

	// Exceptions are flaws that are known and stay for a reason.
	Exceptions []Exception
	// Known are findings of an earlier report, which are left out as [Since] does: so a
	// catalog with a past is held to not getting worse. [ReadFindings] reads them.
	Known []Finding

	// Key names the catalog that is checked; the zero Key stands for olm/catalog.
	Key cache.Key
	// Beside are further catalogs to depend on. They are not checked themselves.
	Beside []resolver.Catalog
	// Namespace is the one that is resolved; empty stands for "default".
	Namespace string
	// Cluster describes the cluster: its properties, and the APIs that it serves.
	Cluster resolver.Cluster
	// Policy is that of section 8 of the semantics. Failures is always
	// ["All"].
	Policy resolver.Policy
	// Resolver answers the requests. Nil stands for resolver.New().
	Resolver *resolver.Resolver

	// Seed chooses which cases are looked at where there are more than Sample; 0 stands
	// for 1. The same seed gives the same findings and the same files; every report names
	// it.
	Seed uint64
	// Sample bounds how many cases of each property are looked at; 0 stands for
	// 20,000, less for no bound. Which ones, the seed says: a case is chosen by
	// its name, so that most stay chosen when the catalog changes.
	Sample int
	// Workers is how many cases are looked at at once; 0 stands for the number of
	// processors that Go may use. It changes nothing of the report.
	Workers int
	// Within bounds the time; 0 is no bound. A check that it ends is incomplete, which
	// fails the test: what was not looked at is not known to be right. Sample is the
	// better way to make a check shorter. The deadline of the test holds in any case.
	Within time.Duration

	// Shrink bounds how many findings of each property are shrunk and written; 0 stands
	// for 5, and less shrinks none.
	Shrink int
	// Dir is the folder that scenarios are written to, which is made where it does not
	// exist; empty stands for testdata/failures. NoFiles writes none.
	Dir     string
	NoFiles bool
	// File has the scenario of the first finding of each property written to
	// "property-name.yaml" instead of under a name made of its content, which overwrites
	// what was there. It is for tests that run many times over until the smallest case
	// is found, as rapid's do: the last one stays.
	File string
}

// Exception is a flaw that is known: findings about a package, or about a bundle, are
// listed in the [Report] apart and fail no test. An exception that nothing is found for
// is reported as no longer needed.
type Exception struct {
	// Name is that of the package or bundle.
	Name string
	// Reason says why the flaw stays; it must not be empty.
	Reason string
	// Property narrows the exception to one property.
	Property Property
}

// complete puts the defaults in. Only is then what is checked.
func (o Options) complete() (*Options, error) {
	if o.Key.IsZero() {
		o.Key = cache.Key{Namespace: "olm", Name: "catalog"}
	}
	for _, p := range slices.Concat(o.Only, o.Skip) {
		if !p.known() {
			return nil, fmt.Errorf("there is no property %q; there are %v", p, Properties())
		}
	}
	for _, e := range o.Exceptions {
		if e.Reason == "" {
			return nil, fmt.Errorf("the exception of %q gives no reason: say why the flaw stays", e.Name)
		}
	}
	if o.Only == nil {
		o.Only = Properties()
	}
	o.Only = slices.DeleteFunc(slices.Clone(o.Only), func(p Property) bool { return slices.Contains(o.Skip, p) })
	if o.Policy != (resolver.Policy{}) {
		o.Policy.Failures = "All"
	}
	o.Namespace, o.Dir = cmp.Or(o.Namespace, "default"), cmp.Or(o.Dir, defaultDir)
	o.Seed, o.Sample, o.Shrink = cmp.Or(o.Seed, 1), cmp.Or(o.Sample, defaultSample), max(0, cmp.Or(o.Shrink, defaultShrink))
	if o.Resolver == nil {
		o.Resolver = resolver.New()
	}
	return &o, nil
}
