package certificate

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// world is what a request and its catalogs say, read once more from the contract: bundles,
// demands, candidates in their order.
type world struct {
	work
	req       *resolver.Request
	cats      []resolver.Catalog // that can be used, best first
	ranked    bool               // the numbers of a catalog are not the order of candidates
	facts     *factSet           // of an unsatisfiable request: the rules that count; nil for all
	installed []*bundle          // by index in the request; nil for one that is replaced
	index     map[string]int     // by name, into req.Installed
	nodes     map[nodeKey]*bundle
	demands   []*demand
	goals     map[constraints.Constraint]*goal
	byKey     map[string]*goal // of compounds: equal ones share one
	atoms     map[string]*atom
	apis      map[properties.GVK]bool // that the cluster serves
	eval      *constraints.Evaluator
	surround
}

type nodeKey struct {
	cat int
	id  int32
}

// bundle is a variable: a bundle of a catalog, or an installed one.
type bundle struct {
	*graph.Bundle
	cat       int // index into cats, -1 if it is not known
	inst      int // index into req.Installed, or -1
	id        int // in the certificate; 0 for none
	place     string
	version   *semver.Version // nil if it is not known
	apis      []properties.GVK
	groups    []*demand // of which at most one candidate can be in the set
	channel   string    // that an installed one came from
	value     int       // 1 in the set, -1 not, 0 open
	goals     []*goal
	compiled  bool
	barred    bool
	barKnown  bool
	subject   *constraints.Subject
	ownNeeds  []constraints.Constraint
	installed bool
}

// demand is a subscription, an extension, an installed bundle that stays, or a forced bundle.
type demand struct {
	what        resolver.ProofDemand
	sub         resolver.Subscription
	extension   *resolver.Extension
	owned       *bundle
	owns        int // index into req.Installed, or -1
	candidates  []*bundle
	wanted      []*bundle // the same; for facts as they are without its hold
	held        bool
	exclusive   bool // at most one of its candidates, and what it owns, can be in the set
	forcedIndex int
}

// key is the fact that the demand counts.
func (d *demand) key() factKey {
	switch {
	case d.what.Subscription != "":
		return factKey{kind: "subscription", subject: d.sub.Name}
	case d.what.Installed != "":
		return factKey{kind: "installed", subject: d.what.Installed}
	}
	return factKey{kind: "forced", index: d.forcedIndex}
}

func newWorld(ctx context.Context, req *resolver.Request, facts *factSet, left map[string]bool) *world {
	w := &world{work: work{ctx: ctx}, req: req, facts: facts, nodes: make(map[nodeKey]*bundle), goals: make(map[constraints.Constraint]*goal), byKey: make(map[string]*goal),
		atoms: make(map[string]*atom), apis: make(map[properties.GVK]bool), index: make(map[string]int)}
	for _, g := range req.Cluster.APIs {
		w.apis[g] = true
	}
	p := req.Policy
	w.ranked = p.Goal == resolver.Oldest || p.Deprecations == resolver.DeprecationsAvoid || len(req.Extensions) > 0
	for _, c := range req.Catalogs {
		if c.Content != nil && (c.Unavailable == nil || p.Unavailable == resolver.UnavailableLastGood) {
			w.cats = append(w.cats, c)
		}
	}
	local := func(c resolver.Catalog) int {
		if c.Key.Namespace == req.Namespace {
			return 0
		}
		return 1
	}
	slices.SortFunc(w.cats, func(a, b resolver.Catalog) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(local(a), local(b)), a.Key.Compare(b.Key))
	})
	w.survey()
	w.install()
	w.ask(left)
	return w
}

// of returns the variable of a catalog's bundle.
func (w *world) of(cat int, b *graph.Bundle) *bundle {
	key := nodeKey{cat, b.ID}
	n := w.nodes[key]
	if n == nil {
		n = &bundle{Bundle: b, cat: cat, inst: -1, place: b.Package, version: b.Version}
		n.apis = slices.Collect(b.Properties.GVKs())
		w.nodes[key] = n
	}
	return n
}

// install finds out what is known of the installed bundles (section 1).
func (w *world) install() {
	for i, in := range w.req.Installed {
		w.index[in.Name] = i
	}
	owners := w.owners()
	w.installed = make([]*bundle, len(w.req.Installed))
	for i := range w.req.Installed {
		in := &w.req.Installed[i]
		if _, known := w.index[in.ReplacedBy]; known && in.ReplacedBy != "" {
			continue
		}
		w.installed[i] = w.installedBundle(i, in, w.packageOf(i, in, owners))
	}
}

func (w *world) installedBundle(i int, in *resolver.Installed, pkg string) *bundle {
	b := &graph.Bundle{ID: -1, Name: in.Name, Package: pkg}
	known := w.known(in, pkg)
	n := &bundle{Bundle: b, cat: w.catalog(in.Catalog), inst: i, place: pkg, channel: in.Channel, installed: true, version: in.Version}
	switch {
	case in.Properties != nil:
		b.Properties = *in.Properties
		parser := constraints.NewParser()
		for p := range b.Properties.All() {
			if c, ok, err := parser.FromProperty(p); ok && err == nil {
				n.ownNeeds = append(n.ownNeeds, c)
			}
		}
	case known != nil:
		b.Properties = known.Properties
		for _, r := range known.Constraints {
			n.ownNeeds = append(n.ownNeeds, r.Constraint)
		}
	}
	if len(w.req.Extensions) > 0 && w.req.Policy.Dependencies != "Plan" {
		n.ownNeeds = nil // OLM v1 follows no constraint of what is installed
	}
	if said, ok := b.Properties.Package(); ok && n.version == nil {
		n.version = &said.Version
	} else if n.version == nil && known != nil {
		if _, ok := known.Properties.Package(); ok {
			n.version = known.Version
		}
	}
	if in.Properties == nil && known == nil && pkg != "" && n.version != nil {
		value, _ := json.Marshal(map[string]string{"packageName": pkg, "version": n.version.String()})
		if p, err := properties.New(properties.TypePackage, value); err == nil {
			b.Properties = properties.NewSet(p)
		}
	}
	if pkg == "" {
		n.place = "\x00" + in.Name
	}
	n.apis = slices.Collect(b.Properties.GVKs())
	return n
}

func (w *world) catalog(k cache.Key) int {
	return slices.IndexFunc(w.cats, func(c resolver.Catalog) bool { return c.Key == k })
}

// known is the catalog's bundle that an installed one stands for.
func (w *world) known(in *resolver.Installed, pkg string) *graph.Bundle {
	for _, c := range w.cats {
		if pkg == "" || !in.Catalog.IsZero() && c.Key != in.Catalog {
			continue
		}
		if p := c.Content.Package(pkg); p != nil {
			if b := p.Bundle(in.Name); b != nil {
				return b
			}
		}
	}
	return nil
}

func (w *world) packageOf(i int, in *resolver.Installed, owners map[int]string) string {
	if in.Package != "" || in.PackageUnknown {
		return in.Package
	}
	if in.Properties != nil {
		if p, ok := in.Properties.Package(); ok {
			return p.Name
		}
	}
	if owners[i] != "" {
		return owners[i]
	}
	only := ""
	for _, c := range w.cats {
		for _, id := range c.Content.Named(in.Name) {
			pkg := c.Content.Bundle(id).Package
			if only != "" && only != pkg {
				return ""
			}
			only = pkg
		}
	}
	return only
}

// current follows replacedBy from an installed bundle to the one that counts, -1 for none.
func (w *world) current(name string) int {
	i, ok := w.index[name]
	if name == "" || !ok {
		return -1
	}
	for range w.req.Installed {
		next, ok := w.index[w.req.Installed[i].ReplacedBy]
		if !ok {
			break
		}
		i = next
	}
	return i
}

// requested lists what the request itself asks for, with what it owns.
func (w *world) requested() []*demand {
	var all []*demand
	for i := range w.req.Extensions {
		e := &w.req.Extensions[i]
		all = append(all, &demand{extension: e, sub: resolver.Subscription{Name: e.Name, Package: e.Package, Channels: e.Channels, InstalledCSV: e.InstalledCSV, Pin: e.Pin}})
	}
	if len(w.req.Extensions) == 0 {
		for _, s := range w.req.Subscriptions {
			all = append(all, &demand{sub: s})
		}
	}
	for _, d := range all {
		if d.owns = w.current(d.sub.InstalledCSV); d.owns >= 0 {
			continue
		}
		for i := range w.req.Installed {
			if in := &w.req.Installed[i]; in.Subscription != "" && in.Subscription == d.sub.Name {
				d.owns = w.current(in.Name)
				break
			}
		}
	}
	return all
}

func (w *world) owners() map[int]string {
	owners := make(map[int]string)
	for _, d := range w.requested() {
		if d.owns >= 0 && owners[d.owns] == "" {
			owners[d.owns] = d.sub.Package
		}
	}
	return owners
}

// ask makes the demands in the order of their decisions (step 1 of section 6), but for those that
// are left out.
func (w *world) ask(left map[string]bool) {
	subs := w.requested()
	if len(w.req.Extensions) == 0 {
		subs = append(subs, w.generated(subs)...)
		slices.SortStableFunc(subs, func(a, b *demand) int {
			switch {
			case a.sub.Generated && b.sub.Generated:
				return strings.Compare(a.sub.Name, b.sub.Name)
			case a.sub.Generated:
				return 1
			case b.sub.Generated:
				return -1
			}
			return 0
		})
	}
	subs = slices.DeleteFunc(subs, func(d *demand) bool { return left[d.sub.Name] })
	owned := make(map[int]bool)
	for _, d := range subs {
		if d.owns >= 0 {
			owned[d.owns] = true
		}
	}
	for i, n := range w.installed {
		if n != nil && !owned[i] {
			w.demands = append(w.demands, &demand{what: resolver.ProofDemand{Installed: n.Name}, candidates: []*bundle{n}, wanted: []*bundle{n}, owns: -1})
		}
	}
	for _, d := range subs {
		d.what.Subscription = d.sub.Name
		if d.owns >= 0 {
			d.owned = w.installed[d.owns]
		}
		w.list(d)
		w.demands = append(w.demands, d)
	}
	for i, ref := range w.req.Force {
		d := &demand{what: resolver.ProofDemand{Forced: ref.Name}, owns: -1, forcedIndex: i}
		for _, n := range w.installed {
			if n != nil && w.means(ref, n) {
				d.candidates = append(d.candidates, n)
			}
		}
		for c := range w.cats {
			for _, id := range w.cats[c].Content.Named(ref.Name) {
				if n := w.of(c, w.cats[c].Content.Bundle(id)); w.offered(n) && w.means(ref, n) {
					d.candidates = append(d.candidates, n)
				}
			}
		}
		d.wanted = d.candidates
		w.demands = append(w.demands, d)
	}
}

// means reports whether a reference means a bundle.
func (w *world) means(ref cache.BundleRef, n *bundle) bool {
	return ref.Name == n.Name && (ref.Catalog.IsZero() || n.cat >= 0 && w.cats[n.cat].Key == ref.Catalog)
}

// generated makes the subscriptions of automatic bundles that nobody owns (section 5).
func (w *world) generated(asked []*demand) []*demand {
	taken, owned := make(map[string]bool), make(map[int]bool)
	for _, d := range asked {
		taken[d.sub.Name] = true
		owned[d.owns] = true
	}
	var out []*demand
	for i, n := range w.installed {
		if n == nil || !w.req.Installed[i].Automatic || owned[i] || n.Package == "" {
			continue
		}
		in := &w.req.Installed[i]
		catalog, channel, places := in.Catalog, in.Channel, 1
		if catalog.IsZero() || channel == "" {
			catalog, channel, places = w.origin(in, n.Package)
		}
		if places != 1 {
			continue
		}
		base := strings.Join([]string{n.Package, channel, catalog.Name, catalog.Namespace}, "-")
		name := base
		for k := 2; taken[name]; k++ {
			name = base + "-" + strconv.Itoa(k)
		}
		taken[name] = true
		out = append(out, &demand{owns: i, sub: resolver.Subscription{Name: name, Package: n.Package, Channels: []string{channel}, Catalog: catalog, InstalledCSV: n.Name, Generated: true}})
	}
	return out
}

// origin counts the places that an installed bundle can have come from.
func (w *world) origin(in *resolver.Installed, pkg string) (catalog cache.Key, channel string, places int) {
	for _, c := range w.cats {
		p := c.Content.Package(pkg)
		if p == nil || !in.Catalog.IsZero() && c.Key != in.Catalog {
			continue
		}
		for _, ch := range p.Channels {
			if (in.Channel == "" || in.Channel == ch.Name) && ch.Entry(in.Name) != nil {
				catalog, channel = c.Key, ch.Name
				places++
			}
		}
	}
	return catalog, channel, places
}
