package resolver

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Extension asks for an operator as OLM v1 does (section 13 of the semantics): for
// the highest version in a range, whatever the head of a channel is. A request has
// extensions or subscriptions, not both. In answers and changes an extension stands
// where a subscription would.
type Extension struct {
	// Name identifies the extension in the request and in answers.
	Name string
	// Package is the package to install.
	Package string
	// VersionRange keeps the versions inside it, in the syntax of Masterminds semver,
	// for example "^1.2" or ">=1.0, <3". Empty keeps all; a range keeps versions with a
	// pre-release only if it names one itself.
	VersionRange string
	// Channels narrows the extension to the bundles of these channels; empty means
	// every channel of the package.
	Channels []string
	// Catalogs chooses the catalogs to look in; the zero value chooses all.
	Catalogs CatalogSelector
	// Upgrades says which versions an installed bundle may move to; empty stands for
	// what the policy says.
	Upgrades Upgrades
	// InstalledCSV names the installed bundle that the extension owns.
	InstalledCSV string
	// Pin keeps one of the candidates alone.
	Pin string
}

// CatalogSelector chooses catalogs by their labels, as label selectors of Kubernetes
// do. Beside those that a catalog is given, it has the label
// olm.operatorframework.io/metadata.name with its name.
type CatalogSelector struct {
	// MatchLabels are labels that a catalog must have, with these values.
	MatchLabels map[string]string `json:"matchLabels,omitempty"`
	// MatchExpressions must all hold.
	MatchExpressions []LabelRequirement `json:"matchExpressions,omitempty"`
}

// LabelRequirement is one expression of a [CatalogSelector].
type LabelRequirement struct {
	Key string `json:"key"`
	// Operator is In, NotIn, Exists or DoesNotExist.
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitempty"`
}

// LabelCatalogName is the label that every catalog has: its name.
const LabelCatalogName = "olm.operatorframework.io/metadata.name"

// Matches reports whether the selector chooses a catalog.
func (s CatalogSelector) Matches(c *Catalog) bool {
	value := func(key string) (string, bool) {
		if v, ok := c.Labels[key]; ok || key != LabelCatalogName {
			return v, ok
		}
		return c.Key.Name, true
	}
	for key, want := range s.MatchLabels {
		if got, ok := value(key); !ok || got != want {
			return false
		}
	}
	for _, r := range s.MatchExpressions {
		got, ok := value(r.Key)
		holds := false
		switch r.Operator {
		case "In":
			holds = ok && slices.Contains(r.Values, got)
		case "NotIn":
			holds = !ok || !slices.Contains(r.Values, got)
		case "Exists":
			holds = ok
		case "DoesNotExist":
			holds = !ok
		}
		if !holds {
			return false
		}
	}
	return true
}

// extensionOffers are the candidates of an extension, in its order of preference, or why there
// are none.
type extensionOffers struct {
	list []extensionOffer
	why  string
}

// extensionOffer is one candidate. Its id is -1 for the installed bundle.
type extensionOffer struct {
	catalog cache.Key
	id      int32
	channel *graph.Channel
}

// targets are what a request asks for: its subscriptions, or its extensions as
// subscriptions with candidates of their own.
func (p *translation) targets() []Subscription {
	if len(p.req.Extensions) == 0 {
		return p.req.Subscriptions
	}
	f := offerFinder{req: p.req, tick: p.Tick, byName: make(map[string]*Installed), bySubscription: make(map[string]*Installed)}
	for i := range p.req.Installed {
		in := &p.req.Installed[i]
		f.byName[in.Name] = in
		if f.bySubscription[in.Subscription] == nil {
			f.bySubscription[in.Subscription] = in
		}
	}
	out := make([]Subscription, 0, len(p.req.Extensions))
	asked := make(map[string]*extensionOffers) // by what is asked
	for i := range p.req.Extensions {
		e := &p.req.Extensions[i]
		owns := ""
		if in := f.owned(e); in != nil {
			owns = in.Name
		}
		question := fmt.Sprintf("%q", []any{e.Package, e.VersionRange, e.Channels, e.Catalogs, e.Upgrades, owns})
		offers := asked[question]
		if offers == nil && !p.Stopped() {
			offers = f.offersOf(e)
			p.List(len(offers.list))
		}
		if offers == nil {
			offers = new(extensionOffers) // the work has ended
		}
		asked[question] = offers
		out = append(out, Subscription{Name: e.Name, Package: e.Package, Channels: e.Channels,
			InstalledCSV: e.InstalledCSV, Pin: e.Pin, offers: offers})
	}
	return out
}

// offersOf finds the candidates of an extension. OLM v1 takes the first of them or
// nothing, so that there is only one unless dependencies are planned.
func (f offerFinder) offersOf(e *Extension) *extensionOffers {
	f.e = e
	req := f.req
	f.allowed, _ = parseExtensionRange(e.VersionRange) // validated before
	f.findInstalled()
	var found []catalogOffers
	for i := range req.Catalogs {
		c := &req.Catalogs[i]
		usable := c.Content != nil && (c.Unavailable == nil || req.Policy.Unavailable == UnavailableLastGood)
		if !usable || !e.Catalogs.Matches(c) {
			continue
		}
		if list := f.in(c); len(list) > 0 {
			found = append(found, catalogOffers{c, list})
		}
	}
	switch best := bestCatalogs(found); len(best) {
	case 0:
		return &extensionOffers{why: f.whyNone()}
	case 1:
		return f.settle(best[0])
	default:
		names := make([]string, len(best))
		for i, c := range best {
			names[i] = c.Key.String()
		}
		slices.Sort(names)
		return &extensionOffers{why: fmt.Sprintf("catalogs %s of the same priority %d all have package %s: give one of them a higher priority, or let the extension select one",
			text.And(names), best[0].Priority, e.Package)}
	}
}

// settle makes the offers of the best catalog.
func (f *offerFinder) settle(best catalogOffers) *extensionOffers {
	first := best.list[0].bundle
	if f.req.Policy.Dependencies == DependenciesPlan {
		out := new(extensionOffers)
		for _, o := range best.list {
			out.list = append(out.list, o.extensionOffer)
		}
		return out
	}
	if n := len(first.Constraints); n > 0 {
		needs := first.Constraints[0].Constraint.String()
		if n > 1 {
			needs += fmt.Sprintf(" and %d more", n-1)
		}
		return &extensionOffers{why: fmt.Sprintf("%s is the best version and requires %s, and OLM v1 refuses a bundle that requires anything; narrow the version range, or have its dependencies planned (policy dependencies: Plan)",
			first.Name, needs)}
	}
	return &extensionOffers{list: []extensionOffer{best.list[0].extensionOffer}}
}

// catalogOffers are the candidates of one catalog, best first.
type catalogOffers struct {
	*Catalog
	list []offeredBundle
}

type offeredBundle struct {
	extensionOffer
	bundle *graph.Bundle
}

// bestCatalogs keeps the catalogs that can have the best candidate: one that is not
// deprecated goes first, then the priority of the catalog.
func bestCatalogs(found []catalogOffers) []catalogOffers {
	rank := func(a, b catalogOffers) int {
		return cmp.Or(
			problem.First(!a.list[0].bundle.Deprecated, !b.list[0].bundle.Deprecated),
			cmp.Compare(b.Priority, a.Priority))
	}
	slices.SortStableFunc(found, rank)
	n := 0
	for n < len(found) && rank(found[0], found[n]) == 0 {
		n++
	}
	return found[:n]
}

// givenBy are the candidates of an extension in the terms of a problem.
func (p *translation) givenBy(o *extensionOffers) []problem.Candidate {
	out := []problem.Candidate{}
	for _, of := range o.list {
		cat := int32(slices.IndexFunc(p.Cats, func(c problem.Catalog) bool { return c.Key == of.catalog }))
		switch {
		case of.id < 0:
			out = append(out, problem.Candidate{ID: -1})
		case cat >= 0:
			out = append(out, problem.Candidate{Cat: cat, ID: of.id, Channel: of.channel})
		}
	}
	return out
}

// markPlanned marks the steps that bring what extensions need.
func markPlanned(req *Request, sol *Solution) {
	if len(req.Extensions) == 0 {
		return
	}
	for i := range sol.Steps {
		s := &sol.Steps[i]
		_, s.Planned = s.Subscription()
	}
}

// Extension returns the extension that a step brings, which installs what another
// extension needs: it asks for the package of the bundle in exactly its version. The
// second result is false for all other steps.
func (s *Step) Extension() (Extension, bool) {
	if !s.Planned || s.Version == nil {
		return Extension{}, false
	}
	return Extension{Name: s.Package, Package: s.Package, VersionRange: s.Version.String(), InstalledCSV: s.Bundle}, true
}

// advanceExtensions is [Advance] for extensions: each owns what it is met by, and what
// a plan brings is an extension from then on.
func advanceExtensions(req Request, sol *Solution) Request {
	a := advancer{req: req, before: make(map[string]int, len(req.Installed))}
	for i := range req.Installed {
		a.before[req.Installed[i].Name] = i
	}
	a.req.Extensions = slices.Clone(req.Extensions)
	owners := make(map[string]int, len(a.req.Extensions))
	for i := range a.req.Extensions {
		e := &a.req.Extensions[i]
		e.InstalledCSV, owners[e.Name] = "", i
	}
	a.req.Installed = make([]Installed, 0, len(sol.Steps))
	for i := range sol.Steps {
		step := &sol.Steps[i]
		in := a.installedOf(step)
		if k, was := a.before[step.Bundle]; was && step.Action == Keep {
			in = req.Installed[k]
		}
		in.Subscription, in.ReplacedBy = "", ""
		for _, why := range step.Because {
			if k, known := owners[why.Subscription]; known && why.Subscription != "" {
				a.req.Extensions[k].InstalledCSV = step.Bundle
			}
		}
		if e, comes := step.Extension(); comes {
			for _, taken := owners[e.Name]; taken; _, taken = owners[e.Name] {
				e.Name += "-dependency"
			}
			e.VersionRange = ""
			owners[e.Name] = len(a.req.Extensions)
			a.req.Extensions = append(a.req.Extensions, e)
		}
		a.req.Installed = append(a.req.Installed, in)
	}
	return a.req
}
