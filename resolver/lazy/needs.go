package lazy

import (
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// needs is what a problem refers to: packages to list, queries to ask, and versions to read. It
// grows with each version that is read.
type needs struct {
	perBundle bool                    // one version has to satisfy a compound
	served    map[properties.GVK]bool // by the cluster
	packages  []packageNeed
	queries   []queryNeed
	compounds bool // some constraint is no package
	rules     bool // some versions are taken to satisfy a rule
	// installed are the installed bundles whose properties or version are those of a catalog.
	installed []installedNeed
	seen      map[any]bool
}

// A packageNeed and a queryNeed are about one catalog, or about all if the key is zero.
type packageNeed struct {
	catalog cache.Key
	name    string
}

type queryNeed struct {
	catalog cache.Key
	query   Query
	key     string
}

// installedNeed is an installed bundle. The package may be empty.
type installedNeed struct {
	catalog   cache.Key
	pkg, name string
}

// needsOf returns what a request refers to.
func needsOf(req *resolver.Request, parser *constraints.Parser) *needs {
	n := &needs{perBundle: req.Policy.Compounds == resolver.CompoundsPerBundle, served: make(map[properties.GVK]bool), seen: make(map[any]bool)}
	for _, g := range req.Cluster.APIs {
		n.served[g] = true
	}
	owners := make(map[string]string)
	for i := range req.Subscriptions {
		s := &req.Subscriptions[i]
		n.list(s.Catalog, s.Package)
		owners[s.InstalledCSV] = s.Package
	}
	for i := range req.Extensions {
		n.list(cache.Key{}, req.Extensions[i].Package)
		owners[req.Extensions[i].InstalledCSV] = req.Extensions[i].Package
	}
	for i := range req.Installed {
		n.addInstalled(req, &req.Installed[i], owners, parser)
	}
	for _, f := range req.Force {
		n.ask(f.Catalog, ByName{f.Name}, "name "+f.Name)
	}
	for _, c := range req.Constraints {
		n.require(c.Constraint)
	}
	return n
}

// addInstalled adds the package and the constraints of an installed bundle. owners are the packages
// of those that a subscription or an extension names.
func (n *needs) addInstalled(req *resolver.Request, in *resolver.Installed, owners map[string]string, parser *constraints.Parser) {
	pkg, known := in.Package, false
	if in.Properties != nil {
		own, ok := in.Properties.Package()
		if known = ok || in.Version != nil; pkg == "" {
			pkg = own.Name
		}
		for p := range in.Properties.All() {
			if c, ok, err := parser.FromProperty(p); ok && err == nil {
				n.require(c)
			}
		}
	}
	if pkg == "" {
		if pkg = owners[in.Name]; pkg == "" {
			for i := range req.Subscriptions {
				if s := &req.Subscriptions[i]; s.Name == in.Subscription && in.Subscription != "" {
					pkg = s.Package
				}
			}
		}
	}
	switch {
	case pkg != "":
		n.list(cache.Key{}, pkg)
	case !in.PackageUnknown:
		n.ask(cache.Key{}, ByName{in.Name}, "name "+in.Name)
	default:
		return
	}
	replaced := slices.ContainsFunc(req.Installed, func(o resolver.Installed) bool { return o.Name == in.ReplacedBy })
	if !known && !replaced {
		n.installed = append(n.installed, installedNeed{in.Catalog, pkg, in.Name})
	}
}

// list adds a package.
func (n *needs) list(catalog cache.Key, name string) {
	if need := (packageNeed{catalog, name}); !n.seen[need] && name != "" {
		n.seen[need] = true
		n.packages = append(n.packages, need)
	}
}

// ask adds a query. Queries of one key are equal.
func (n *needs) ask(catalog cache.Key, q Query, key string) {
	type asked struct {
		catalog cache.Key
		key     string
	}
	if need := (asked{catalog, key}); !n.seen[need] {
		n.seen[need] = true
		n.queries = append(n.queries, queryNeed{catalog, q, key})
	}
}

// requireAll adds the constraints of a bundle.
func (n *needs) requireAll(list []graph.Requirement) {
	for _, r := range list {
		n.require(r.Constraint)
	}
}

// require adds a constraint.
func (n *needs) require(c constraints.Constraint) {
	if c != nil && !n.seen[c] {
		n.seen[c] = true
		if n.rules = n.rules || n.perBundle; n.perBundle && unconfined(c) {
			n.ask(cache.Key{}, ByRule{c}, ruleKey(c))
		}
		n.add(c, true)
	}
}

// add adds the atoms of a constraint that have to hold, not those that must not: a version that
// was not read matches none of these.
func (n *needs) add(c constraints.Constraint, holds bool) {
	if _, ok := c.(*constraints.Package); !ok {
		n.compounds = true
	}
	switch c := c.(type) {
	case *constraints.All:
		n.addAll(c.Constraints, holds)
		return
	case *constraints.Any:
		n.addAll(c.Constraints, holds)
		return
	case *constraints.Not:
		n.addAll(c.Constraints, !holds)
		return
	}
	if !holds {
		return
	}
	switch c := c.(type) {
	case *constraints.Package:
		n.list(cache.Key{}, c.Name)
	case *constraints.GVK:
		if !n.served[c.GVK] {
			n.ask(cache.Key{}, ByAPI{c.GVK}, apiKey(c.GVK))
		}
	case *constraints.Label:
		n.ask(cache.Key{}, ByLabel{c.Label}, labelKey(c.Label))
	case *constraints.CEL:
		n.rule(c)
	}
}

func (n *needs) addAll(list []constraints.Constraint, holds bool) {
	for _, c := range list {
		n.add(c, holds)
	}
}

// rule adds a rule.
func (n *needs) rule(c *constraints.CEL) {
	if c.Program == nil {
		return
	}
	n.rules = true
	switch of := c.Program.Needs(); {
	case of.Never:
	case of.Packages != nil:
		for _, name := range of.Packages {
			n.list(cache.Key{}, name)
		}
	default:
		n.ask(cache.Key{}, ByRule{c}, ruleKey(c))
	}
}

// unconfined reports whether a version of any package may satisfy a compound by itself.
func unconfined(c constraints.Constraint) bool {
	switch c := c.(type) {
	case *constraints.Not:
		return true
	case *constraints.Any:
		return slices.ContainsFunc(c.Constraints, unconfined)
	case *constraints.All:
		return !slices.ContainsFunc(c.Constraints, func(kid constraints.Constraint) bool { return !unconfined(kid) })
	}
	return false
}

func apiKey(g properties.GVK) string          { return "api " + g.String() }
func labelKey(label string) string            { return "label " + label }
func ruleKey(c constraints.Constraint) string { return "rule " + c.Key() }
