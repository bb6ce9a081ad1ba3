package upgradetest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
)

// Option is a setting of a check.
type Option func(*config)

// The defaults of the options.
const (
	// DefaultSample is how many cases of each property are looked at.
	DefaultSample = 20_000
	// DefaultShrunk is how many findings of each property are shrunk and written.
	DefaultShrunk = 5
	// DefaultDir is where scenarios are written, relative to the test's folder.
	DefaultDir = "testdata/failures"
	// DefaultKey is the key of a catalog that is given without one.
	DefaultKey = "olm/catalog"
)

// config is the sum of all options.
type config struct {
	properties []Property
	key        cache.Key
	beside     []resolver.Catalog
	namespace  string
	cluster    resolver.Cluster
	policy     resolver.Policy
	packages   []string
	exceptions []exception
	known      []Finding
	seed       uint64
	sample     int
	shrunk     int
	workers    int
	within     time.Duration
	dir        string
	file       string
	resolver   Resolver
	problems   []error
}

// exception is a flaw that somebody knows of.
type exception struct {
	property     Property // empty for all
	name, reason string
}

func newConfig(opts []Option) (*config, error) {
	cfg := &config{properties: Properties(), sample: DefaultSample, shrunk: DefaultShrunk, dir: DefaultDir, seed: 1,
		namespace: "default", resolver: resolver.New()}
	cfg.key, _ = cache.ParseKey(DefaultKey) // it is one
	for _, o := range opts {
		o(cfg)
	}
	for _, p := range cfg.properties {
		if !p.known() {
			cfg.problems = append(cfg.problems, fmt.Errorf("there is no property %q; there are %v", p, Properties()))
		}
	}
	for _, e := range cfg.exceptions {
		if e.reason == "" {
			cfg.problems = append(cfg.problems, fmt.Errorf("the exception of %q gives no reason: say why the flaw stays", e.name))
		}
	}
	if len(cfg.problems) > 0 {
		return nil, cfg.problems[0]
	}
	return cfg, nil
}

// Only selects properties; the others are not checked.
func Only(properties ...Property) Option {
	return func(c *config) { c.properties = slices.Clone(properties) }
}

// Skip leaves properties out.
func Skip(properties ...Property) Option {
	return func(c *config) {
		c.properties = slices.DeleteFunc(slices.Clone(c.properties), func(p Property) bool { return slices.Contains(properties, p) })
	}
}

// Except says that findings about a package, or about a bundle, are known and
// stay for a reason. They are listed in the [Report] apart and fail no test. An
// exception that nothing is found for is reported as no longer needed. The reason
// must not be empty.
func Except(name, reason string) Option {
	return func(c *config) { c.exceptions = append(c.exceptions, exception{name: name, reason: reason}) }
}

// ExceptFor is [Except] for one property alone.
func ExceptFor(p Property, name, reason string) Option {
	return func(c *config) {
		c.exceptions = append(c.exceptions, exception{property: p, name: name, reason: reason})
	}
}

// Known leaves out what an earlier report found already, as [Since] does: so a
// catalog with a past is held to not getting worse. [ReadFindings] reads an earlier
// report from a file.
func Known(findings ...Finding) Option {
	return func(c *config) { c.known = append(c.known, findings...) }
}

// Packages narrows the check to packages of these names. The whole catalog stays
// available for what they depend on.
func Packages(names ...string) Option {
	return func(c *config) { c.packages = append(c.packages, names...) }
}

// Key names the catalog that is checked; the default is [DefaultKey].
func Key(k cache.Key) Option { return func(c *config) { c.key = k } }

// Beside puts further catalogs beside the one that is checked, to depend on. They
// are not checked themselves.
func Beside(catalogs ...resolver.Catalog) Option {
	return func(c *config) { c.beside = append(c.beside, catalogs...) }
}

// On describes the cluster: its properties, and the APIs that it serves. The
// default is a cluster without any.
func On(cluster resolver.Cluster) Option { return func(c *config) { c.cluster = cluster } }

// Namespace is the namespace that is resolved; the default is "default".
func Namespace(name string) Option { return func(c *config) { c.namespace = name } }

// Under sets the policy of section 8 of the semantics. Failures is always
// AllOrNothing.
func Under(p resolver.Policy) Option {
	return func(c *config) {
		p.Failures = resolver.FailuresAll
		c.policy = p
	}
}

// Resolver is what answers the requests: a [*resolver.Resolver], or what somebody built
// around one. It has to be safe for concurrent use.
type Resolver interface {
	Resolve(ctx context.Context, req resolver.Request) (*resolver.Solution, error)
	Converge(ctx context.Context, req resolver.Request, opts resolver.ConvergeOptions) (*resolver.Road, error)
	// With is that of a *resolver.Resolver: audits are made with the same settings.
	With(opts ...resolver.Option) *resolver.Resolver
}

// With has a resolver of one's own answer the requests: one with other limits than the
// default, or what was built around one, which is then held to the same properties.
func With(r Resolver) Option { return func(c *config) { c.resolver = r } }

// Seed chooses which cases are looked at where there are more than [Sample], and
// the orders that [BlobOrder] tries. The default is 1. The same seed gives the same
// findings and the same files; every report names it.
func Seed(seed uint64) Option { return func(c *config) { c.seed = seed } }

// Sample bounds how many cases of each property are looked at; 0 stands for
// [DefaultSample], less for no bound. Which ones, the seed says: a case is chosen by
// its name, so that most stay chosen when the catalog changes.
func Sample(n int) Option {
	return func(c *config) {
		if c.sample = n; n == 0 {
			c.sample = DefaultSample
		}
	}
}

// Shrink bounds how many findings of each property are shrunk and written; the
// default is [DefaultShrunk], less than 0 is no bound, and 0 shrinks none.
func Shrink(n int) Option { return func(c *config) { c.shrunk = n } }

// Workers is how many cases are looked at at a time; 0 stands for the number of
// processors that Go may use. It changes nothing of the report.
func Workers(n int) Option { return func(c *config) { c.workers = n } }

// Within bounds the time. A check that it ends is incomplete, which fails the test:
// what was not looked at is not known to be right. [Sample] is the better way to
// make a check shorter. The deadline of the test holds in any case.
func Within(d time.Duration) Option { return func(c *config) { c.within = d } }

// Dir is the folder that scenarios are written to; the default is [DefaultDir], and
// the empty name writes none. It is made where it does not exist.
func Dir(name string) Option { return func(c *config) { c.dir = name } }

// File has the scenario of the first finding of each property written to
// "property-name.yaml" instead of under a name made of its content, which overwrites
// what was there. It is for tests that run many times over until the smallest case is
// found, as rapid's do: the last one stays.
func File(name string) Option { return func(c *config) { c.file = name } }
