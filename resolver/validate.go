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

// validate holds a request against the rules that no catalog can change. The error is a
// *RequestError that lists every problem. The ranges are those of the extensions.
func validate(req *Request, memory *problem.Memory) (ranges []*problem.Range, err error) {
	v := validator{memory: memory}
	v.catalogs(req)
	v.installed(req)
	seen := make(map[string]int, len(req.Subscriptions))
	for i, s := range req.Subscriptions {
		v.asking("subscriptions", i, s.Name, s.Package, seen)
	}
	v.extensions(req)
	for i, f := range req.Forbid {
		v.named("forbid[%d].bundle", i, f.Bundle.Name)
	}
	for i, f := range req.Force {
		v.named("force[%d]", i, f.Name)
	}
	for i, c := range req.Constraints {
		v.named("constraints[%d].bundle", i, c.Bundle.Name)
		if c.Constraint == nil {
			v.at(i, "constraints[%d].constraint", "", "missing; say what the bundle shall require", nil)
		}
	}
	for i, r := range req.Relax {
		v.named("relax[%d].bundle", i, r.Bundle.Name)
	}
	v.cluster(req.Cluster)
	v.problems = append(v.problems, req.Policy.Validate()...)
	if len(v.problems) > 0 {
		return nil, &RequestError{Problems: v.problems}
	}
	return v.ranges, nil
}

type validator struct {
	problems []RequestProblem
	ranges   []*problem.Range
	memory   *problem.Memory // may be nil
}

func (v *validator) add(field, value, message string, err error) {
	v.problems = append(v.problems, RequestProblem{Field: field, Value: value, Message: message, Err: err})
}

// at adds a problem of the i-th item of a list; field says with %d where its number
// goes.
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
		case c.Unavailable != nil && req.Policy.Unavailable != unavailableIgnore && req.Policy.Unavailable != unavailableLastGood:
			v.at(i, "catalogs[%d]", c.Key.String(), "catalog cannot be read: "+c.Unavailable.Error(), c.Unavailable)
		case c.Unavailable == nil && c.Content == nil:
			v.at(i, "catalogs[%d]", c.Key.String(), "catalog has neither content nor a reason why not", nil)
		}
	}
}

func (v *validator) installed(req *Request) {
	seen := make(map[string]int, len(req.Installed))
	subs := make(map[string]bool, len(req.Subscriptions))
	for _, s := range req.Subscriptions {
		subs[s.Name] = true
	}
	for i := range req.Extensions {
		subs[req.Extensions[i].Name] = true
	}
	for i, in := range req.Installed {
		if !v.distinct("installed", "installed bundles", i, in.Name, seen) {
			continue
		}
		if in.PackageUnknown && in.Package != "" {
			v.at(i, "installed[%d].package", in.Package, "given, and said to be unknown; say one or the other", nil)
		}
		if in.Subscription != "" && !subs[in.Subscription] {
			v.at(i, "installed[%d].subscription", in.Subscription, "no subscription of this name; leave it empty if nobody owns the bundle"+text.DidYouMean(in.Subscription, subscriptionNames(req)), nil)
		}
	}
	v.replacements(req, seen)
}

// replacements wants every chain of replacedBy to end.
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
				"the installed bundles replace each other in a circle; one of them has to be the last", nil)
		}
	}
}

// asking wants what asks for a package to have a name of its own and to name the package.
func (v *validator) asking(list string, i int, name, pkg string, seen map[string]int) {
	v.distinct(list, list, i, name, seen)
	if pkg == "" {
		v.at(i, list+"[%d].package", "", "missing; say which package to install", nil)
	}
}

// distinct wants an item of a list to have a name of its own, and reports whether it has
// one at all. It notes in seen where the name is.
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

func subscriptionNames(req *Request) iter.Seq[string] {
	names := text.Each(req.Subscriptions, func(s Subscription) string { return s.Name })
	return slices.Values(append(names, text.Each(req.Extensions, func(e Extension) string { return e.Name })...))
}

func installedNames(req *Request) iter.Seq[string] {
	return slices.Values(text.Each(req.Installed, func(in Installed) string { return in.Name }))
}
