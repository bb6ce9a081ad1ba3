package olm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// judge resolves a namespace and the extensions that its subscriptions would become.
type judge struct {
	resolver *resolver.Resolver
	targets  *scenario.Scenario // with the catalogs of OLM v1
	contents map[string]*cache.Catalog

	classic resolver.Request  // the current namespace; without catalogs if one cannot be read
	unread  bool              // a catalog cannot be read
	next    map[string]string // the bundles of its solution by package
	err     error             // why there is no solution
}

// resolve resolves the current namespace.
func (j *judge) resolve(ctx context.Context, s *scenario.Scenario, load func(context.Context, *scenario.Scenario) (resolver.Request, error)) {
	var err error
	if j.classic, err = load(ctx, s); err != nil {
		j.unread = true
		bare := *s
		bare.Catalogs = nil
		if j.classic, err = bare.Request(); err != nil {
			j.classic = resolver.Request{}
		}
		return
	}
	j.next, j.err = answers(ctx, j.resolver, j.classic)
}

// request returns the request for the extension of a migration. It uses the catalogs of OLM v1,
// or, if none has the package, the CatalogSource. Known is false if the content of all of them is
// unknown.
func (j *judge) request(m *Migration) (req resolver.Request, known bool) {
	req = resolver.Request{Namespace: scenario.DefaultNamespace, Cluster: j.classic.Cluster, Extensions: []resolver.Extension{*m.Extension}}
	wanted := m.Extension.Catalogs.MatchLabels[labelName]
	for i := range j.targets.Catalogs {
		t := &j.targets.Catalogs[i]
		if content := j.contents[t.Name]; content != nil {
			req.Catalogs = append(req.Catalogs, resolver.Catalog{Key: cache.Key{Namespace: req.Namespace, Name: t.Name}, Priority: t.Priority, Labels: t.Labels, Content: content})
		}
	}
	if j.contents[wanted] != nil {
		return req, true
	}
	content := contentOf(j.classic, m.facts.source)
	if content == nil {
		return req, false
	}
	req.Catalogs = append(req.Catalogs, resolver.Catalog{Key: cache.Key{Namespace: req.Namespace, Name: wanted}, Content: content})
	return req, true
}

// installed returns the installed bundle of a migration and the installed bundles that it
// requires.
func (j *judge) installed(m *Migration) (own, others []resolver.Installed) {
	for _, in := range j.classic.Installed {
		switch {
		case in.Name == m.Extension.InstalledCSV:
			own = append(own, in)
		case m.facts.others[in.Name]:
			others = append(others, in)
		}
	}
	return own, others
}

// compare warns if the next version of the extension differs from that of the subscription.
func (j *judge) compare(ctx context.Context, m *Migration) {
	req, known := j.request(m)
	if j.unread || !known {
		m.warn("the next versions of subscription %s and the extension were not compared: the content of a catalog is unknown", m.Subscription)
		return
	}
	own := m.Extension.InstalledCSV
	was := cmp.Or(j.next[m.Package], own)
	req.Installed, _ = j.installed(m)
	after, err := answers(ctx, j.resolver, req)
	var conflict *resolver.Conflict
	is := after[m.Package]
	switch {
	case errors.As(err, &conflict):
		is = "none: " + conflict.Error()
	case err != nil:
		is = "unknown: " + err.Error()
	}
	if is == was {
		return
	}
	why := "OLM v1 selects the highest version with an upgrade edge, and OLM v0 the one nearest to the head of the channel"
	switch {
	case conflict != nil:
		why = "an extension without a solution stays at its version, and OLM v1 reports the failure"
	case j.err != nil:
		why = "the namespace has no solution, and an extension does not wait for the others"
	case m.facts.sub.Spec.InstallPlanApproval == "Manual":
		why = "approval is Manual, so the extension stays pinned to its version until you change it"
	}
	m.warn("the next version differs: subscription %s gets %s, the extension %s (%s)", m.Subscription, was, is, why)
}

func (m *Migration) warn(format string, args ...any) {
	m.Warnings = append(m.Warnings, text.Clip(text.Inert(fmt.Sprintf(format, args...)), maxMessage))
}

// order describes in which order an operator and its requirements become extensions. It resolves
// with dependencies Plan: first with the operator and all other installed bundles pinned, then
// with only the operator pinned, and last with the installed bundles alone, which needs no
// catalog.
func (j *judge) order(ctx context.Context, m *Migration) string {
	req, known := j.request(m)
	req.Policy.Dependencies = resolver.DependenciesPlan
	own, others := j.installed(m)
	switch {
	case len(own) == 0:
		return ""
	case !m.facts.whole:
		return fmt.Sprintf("it requires more than %d installed operators, the limit for computing their order", maxRequired)
	}
	own[0].Properties = withRequirements(own[0].Properties, m.requires)
	req.Extensions[0].VersionRange, req.Extensions[0].Pin = "", m.Extension.InstalledCSV
	together, alone, asInstalled := req, req, req
	together.Installed, alone.Installed, asInstalled.Installed = slices.Concat(own, others), own, slices.Concat(own, others)
	asInstalled.Extensions, asInstalled.Catalogs = nil, nil
	var conflict *resolver.Conflict
	for _, attempt := range []resolver.Request{together, alone, asInstalled} {
		sol, err := j.resolver.Resolve(ctx, attempt)
		if err == nil && len(sol.Unresolved) == 0 {
			return "with `dependencies: Plan` they become extensions in this order: " + strings.Join(required(sol, m.Extension.InstalledCSV), ", ")
		}
		if len(attempt.Extensions) > 0 {
			errors.As(err, &conflict)
		}
	}
	switch {
	case !known:
		return "the order in which they become extensions is unknown without the content of catalog " + m.facts.source.String()
	case conflict != nil:
		return "with `dependencies: Plan` there is no solution: " + conflict.Error()
	}
	return ""
}

// withRequirements returns the properties of a bundle with the requirements that it lacks added.
func withRequirements(set *properties.Set, more []scenario.Property) *properties.Set {
	var list []*properties.Property
	have := make(map[string]bool)
	if set != nil {
		for p := range set.All() {
			list = append(list, p)
			have[p.Type()+" "+p.Raw()] = true
		}
	}
	for _, p := range more {
		if known, err := properties.New(p.Type, p.Value); err == nil && !have[p.Type+" "+known.Raw()] {
			list = append(list, known)
		}
	}
	out := properties.NewSet(list...)
	return &out
}

// required returns a bundle of a solution and the bundles that it requires, directly or
// indirectly, dependencies first.
func required(sol *resolver.Solution, bundle string) []string {
	wanted := map[string]bool{bundle: true}
	for grown := true; grown; {
		grown = false
		for i := range sol.Steps {
			s := &sol.Steps[i]
			if !wanted[s.Bundle] && slices.ContainsFunc(s.Because, func(r resolver.Reason) bool { return wanted[r.Bundle] }) {
				wanted[s.Bundle], grown = true, true
			}
		}
	}
	var out []string
	for i := range sol.Steps {
		if b := sol.Steps[i].Bundle; wanted[b] && b != bundle {
			out = append(out, b)
		}
	}
	return append(out, bundle)
}
