package resolver

import (
	"fmt"
	"iter"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// validate checks a request without its catalogs. The error is a *RequestError that lists every
// problem.
func validate(req *Request, memory *problem.Memory) error {
	v := validator{memory: memory}
	v.catalogs(req)
	v.installed(req)
	v.demands(req)
	for i, f := range req.Forbid {
		v.named("forbid[%d].bundle", i, f.Bundle.Name)
	}
	for i, f := range req.Force {
		v.named("force[%d]", i, f.Name)
	}
	for i, c := range req.Constraints {
		v.named("constraints[%d].bundle", i, c.Bundle.Name)
		if c.Constraint == nil {
			v.at(i, "constraints[%d].constraint", "", "missing; set the constraint to add", nil)
		}
	}
	for i, r := range req.Relax {
		v.named("relax[%d].bundle", i, r.Bundle.Name)
	}
	v.cluster(req.Cluster)
	v.problems = append(v.problems, req.Policy.Validate()...)
	if len(v.problems) > 0 {
		v.suggest(demandNames(req))
		return &RequestError{Problems: v.problems}
	}
	return nil
}

type validator struct {
	problems []RequestProblem
	memory   *problem.Memory // may be nil
	unknown  []int           // problems about unknown demand names
}

// maxSuggested bounds the unknown names of one request for which a similar one is suggested.
const maxSuggested = 100

// suggest adds similar names to the problems about unknown ones.
func (v *validator) suggest(names []string) {
	for _, i := range v.unknown[:min(len(v.unknown), maxSuggested)] {
		p := &v.problems[i]
		p.Message += text.DidYouMean(p.Value, slices.Values(names))
	}
}

// demandNames returns the names of the subscriptions and extensions.
func demandNames(req *Request) []string {
	names := make([]string, 0, len(req.Subscriptions)+len(req.Extensions))
	for i := range req.Subscriptions {
		names = append(names, req.Subscriptions[i].Name)
	}
	for i := range req.Extensions {
		names = append(names, req.Extensions[i].Name)
	}
	return names
}

func (v *validator) add(field, value, message string, err error) {
	v.problems = append(v.problems, RequestProblem{Field: field, Value: value, Message: message, Err: err})
}

// at adds a problem of the i-th item of a list; field has %d for the index.
func (v *validator) at(i int, field, value, message string, err error) {
	v.add(fmt.Sprintf(field, i), value, message, err)
}

func (v *validator) named(field string, i int, name string) {
	if name == "" {
		v.at(i, field, "", "missing; a bundle is named by its name", nil)
	}
}

func (v *validator) catalogs(req *Request) {
	seen := make(map[cache.Key]bool, len(req.Catalogs))
	for i, c := range req.Catalogs {
		switch {
		case c.Key.Name == "":
			v.at(i, "catalogs[%d].key", "", "missing; a catalog is named by namespace and name", nil)
		case seen[c.Key]:
			v.at(i, "catalogs[%d].key", c.Key.String(), "two catalogs have this key; keys must differ", nil)
		}
		seen[c.Key] = true
		switch {
		case c.Unavailable != nil && req.Policy.Unavailable != UnavailableIgnore && req.Policy.Unavailable != UnavailableLastGood:
			v.at(i, "catalogs[%d]", c.Key.String(), "catalog cannot be read: "+c.Unavailable.Error(), c.Unavailable)
		case c.Unavailable == nil && c.Content == nil:
			v.at(i, "catalogs[%d]", c.Key.String(), "catalog has neither content nor a reason why not", nil)
		}
		for _, p := range labelProblems(c.Labels) {
			v.at(i, "catalogs[%d].labels", p.Value, p.Message, nil)
		}
	}
}

func (v *validator) installed(req *Request) {
	seen := make(map[string]int, len(req.Installed))
	var demands map[string]bool
	if len(req.Installed) > 0 {
		demands = make(map[string]bool, len(req.Subscriptions)+len(req.Extensions))
		for _, name := range demandNames(req) {
			demands[name] = true
		}
	}
	for i, in := range req.Installed {
		if !v.distinct("installed", "installed bundles", i, in.Name, seen) {
			continue
		}
		if in.PackageUnknown && in.Package != "" {
			v.at(i, "installed[%d].package", in.Package, "set, but packageUnknown is set too; use one or the other", nil)
		}
		if _, err := properties.ParseRelease(string(in.Release)); err != nil {
			v.at(i, "installed[%d].release", string(in.Release), err.Error(), err)
		}
		if in.Subscription != "" && !demands[in.Subscription] {
			v.unknown = append(v.unknown, len(v.problems))
			v.at(i, "installed[%d].subscription", in.Subscription, "no subscription of this name; leave it empty if the bundle has no owner", nil)
		}
	}
	v.replacements(req, seen)
}

// replacements checks that replacedBy has no cycles.
func (v *validator) replacements(req *Request, byName map[string]int) {
	ends, before := make([]bool, len(req.Installed)), make([][]int, len(req.Installed))
	var todo []int
	for i, in := range req.Installed {
		if next, known := byName[in.ReplacedBy]; known && in.ReplacedBy != "" {
			before[next] = append(before[next], i)
		} else {
			todo = append(todo, i)
		}
	}
	for ; len(todo) > 0; todo = todo[1:] {
		ends[todo[0]] = true
		todo = append(todo, before[todo[0]]...)
	}
	for i, in := range req.Installed {
		if !ends[i] {
			v.at(i, "installed[%d].replacedBy", in.ReplacedBy,
				"the installed bundles replace each other in a cycle; remove one replacedBy", nil)
		}
	}
}

// demands checks the subscriptions and extensions.
func (v *validator) demands(req *Request) {
	seen := make(map[string]int, len(req.Subscriptions))
	for i := range req.Subscriptions {
		v.demand("subscriptions", i, req.Subscriptions[i].Name, req.Subscriptions[i].Package, seen)
	}
	if len(req.Extensions) > 0 && len(req.Subscriptions) > 0 {
		v.add("extensions", "", "the request has extensions and subscriptions; give one or the other", nil)
	}
	seen = make(map[string]int, len(req.Extensions))
	for i := range req.Extensions {
		e := &req.Extensions[i]
		v.demand("extensions", i, e.Name, e.Package, seen)
		v.extension(i, e)
	}
}

// demand checks that a demand has a distinct name and a package.
func (v *validator) demand(list string, i int, name, pkg string, seen map[string]int) {
	v.distinct(list, list, i, name, seen)
	if pkg == "" {
		v.at(i, list+"[%d].package", "", "missing; set the package to install", nil)
	}
}

// extension checks the fields that only an extension has.
func (v *validator) extension(i int, e *Extension) {
	if _, err := v.memory.Range(e.VersionRange); err != nil {
		v.at(i, "extensions[%d].versionRange", e.VersionRange, err.Error()+"; write it like \">=1.2.0, <2.0.0\" or ^1.2", err)
	}
	if u := e.Upgrades; u != "" && u != UpgradesCatalog && u != UpgradesSelfCertified {
		v.at(i, "extensions[%d].upgrades", string(u), fmt.Sprintf("not one of its values; use %s or %s", UpgradesCatalog, UpgradesSelfCertified), nil)
	}
	for _, p := range e.Catalogs.problems() {
		v.at(i, "extensions[%d].catalogs", p.Value, p.Message, nil)
	}
}

// distinct checks that an item has a distinct name, and reports whether it has a name. It
// records the index of the name in seen.
func (v *validator) distinct(list, items string, i int, name string, seen map[string]int) bool {
	if name == "" {
		v.at(i, list+"[%d].name", "", "missing", nil)
		return false
	}
	if _, twice := seen[name]; twice {
		v.at(i, list+"[%d].name", name, "two "+items+" have this name; names must differ", nil)
	}
	seen[name] = i
	return true
}

func (v *validator) cluster(c Cluster) {
	if c.KubernetesVersion != "" {
		if _, err := properties.ParseKubernetesVersion(c.KubernetesVersion); err != nil {
			v.add("cluster.kubernetesVersion", c.KubernetesVersion, err.Error()+"; write it like 1.33.0", err)
		}
	}
	if c.OpenShiftVersion != "" {
		if _, err := properties.ParseOpenShiftVersion(c.OpenShiftVersion); err != nil {
			v.add("cluster.openshiftVersion", c.OpenShiftVersion, err.Error()+"; write it like 4.20", err)
		}
	}
}

func installedNames(req *Request) iter.Seq[string] {
	return slices.Values(text.Each(req.Installed, func(in Installed) string { return in.Name }))
}
