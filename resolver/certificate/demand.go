package certificate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
)

// demand is a subscription or an extension.
type demand struct {
	sub       resolver.Subscription
	extension *resolver.Extension
	owns      int   // the installed bundle that it owns, by its index in the request; -1 for none
	owned     *node // likewise; nil if that is being replaced
}

// requested lists the subscriptions or extensions of the request.
func (w *world) requested() (all []*demand) {
	for i := range w.req.Extensions {
		e := &w.req.Extensions[i]
		all = append(all, &demand{extension: e, sub: resolver.Subscription{Name: e.Name, Package: e.Package, Channels: e.Channels, InstalledCSV: e.InstalledCSV, Pin: e.Pin}})
	}
	for _, s := range w.req.Subscriptions {
		all = append(all, &demand{sub: s})
	}
	owned := make(map[string]int) // by what the installed bundles say
	for i, in := range slices.Backward(w.req.Installed) {
		owned[in.Subscription], w.index[in.Name] = i, i
	}
	for _, d := range all {
		i, known := w.index[d.sub.InstalledCSV]
		if !known {
			i, known = owned[d.sub.Name]
		}
		for range w.req.Installed {
			next, replaced := w.index[w.req.Installed[i].ReplacedBy]
			if !replaced {
				break
			}
			i = next
		}
		if d.owns = i; !known {
			d.owns = -1
		}
	}
	return all
}

// generate makes the subscriptions of automatic bundles that nothing owns (section 5), by name.
func (w *world) generate(requested []*demand) []*demand {
	taken, owned := make(map[string]bool), make(map[*node]bool)
	for _, d := range requested {
		taken[d.sub.Name], owned[d.owned] = true, true
	}
	all := slices.Clip(requested)
	for _, n := range w.installed {
		if n == nil || !n.in.Automatic || owned[n] || n.Package == "" || len(w.req.Extensions) > 0 {
			continue
		}
		catalog, channel, origins := w.origins(n)
		if origins != 1 {
			continue
		}
		base := strings.Join([]string{n.Package, channel, catalog.Name, catalog.Namespace}, "-")
		name := base
		for k := 2; taken[name]; k++ {
			name = base + "-" + strconv.Itoa(k)
		}
		taken[name] = true
		all = append(all, &demand{owned: n, sub: resolver.Subscription{Name: name, Package: n.Package, Channels: []string{channel}, Catalog: catalog, Generated: true}})
	}
	slices.SortStableFunc(all, func(a, b *demand) int {
		if c := first(!a.sub.Generated, !b.sub.Generated); c != 0 || !a.sub.Generated {
			return c
		}
		return strings.Compare(a.sub.Name, b.sub.Name)
	})
	return all
}

// origins counts the channels that an installed bundle can have come from, and returns the last.
func (w *world) origins(n *node) (catalog cache.Key, channel string, count int) {
	if !n.in.Catalog.IsZero() && n.in.Channel != "" {
		return n.in.Catalog, n.in.Channel, 1
	}
	for _, c := range w.cats {
		p := c.Content.Package(n.Package)
		if p == nil || !n.in.Catalog.IsZero() && c.Key != n.in.Catalog {
			continue
		}
		for _, ch := range p.Channels {
			if (n.in.Channel == "" || n.in.Channel == ch.Name) && ch.Entry(n.Name) != nil {
				catalog, channel = c.Key, ch.Name
				count++
			}
		}
	}
	return catalog, channel, count
}

// demand makes the goals of the root in the order of their decisions (step 1 of section 6).
func (w *world) demand(subs []*demand) {
	owned := make(map[*node]bool)
	for _, d := range subs {
		w.order = append(w.order, d.sub.Name)
	}
	subs = slices.DeleteFunc(subs, w.dropped)
	for _, d := range subs {
		owned[d.owned] = true
	}
	for _, n := range w.installed {
		if n != nil && (!owned[n] || w.stage.broken[n.Name]) {
			w.require(resolver.ProofDemand{Installed: n.Name}, []*node{n}, fact{Kind: "installed", Subject: n.Name})
		}
	}
	for _, d := range subs {
		w.subscribe(d)
	}
	for i, ref := range w.req.Force {
		if w.stage.next == nil || w.stage.next.Subscription != "" {
			w.require(resolver.ProofDemand{Forced: ref.Name}, w.named(ref), fact{Kind: "forced", Subject: ref.Name, Index: i})
		}
	}
}

// dropped reports whether a subscription demands nothing: it is left out, or not admitted yet and
// owns nothing.
func (w *world) dropped(d *demand) bool {
	return w.stage.dropped[d.sub.Name] || d.owned == nil && w.pending(d)
}

// pending reports whether a subscription is not admitted yet under policy Partial: what it owns
// stays or is replaced by a candidate. While installed bundles are admitted, none is.
func (w *world) pending(d *demand) bool {
	if w.stage.next == nil {
		return w.facts != nil && w.req.Policy.Failures == resolver.FailuresPartial
	}
	return slices.Index(w.order, d.sub.Name) > slices.Index(w.order, w.stage.next.Subscription)
}

// rank orders what policy Partial leaves out: installed bundles as in the request, then
// subscriptions as they are decided; -1 for what there is not.
func (w *world) rank(l *resolver.ProofLeft) int {
	if i, known := w.index[l.Installed]; known && l.Subscription == "" {
		return i
	}
	if i := slices.Index(w.order, l.Subscription); i >= 0 && l.Installed == "" {
		return len(w.req.Installed) + i
	}
	return -1
}

// require adds a goal to the root: a candidate is in the set.
func (w *world) require(what resolver.ProofDemand, candidates []*node, facts ...fact) {
	w.demands, w.stated = append(w.demands, what), append(w.stated, facts)
	w.root.goals = append(w.root.goals, &goal{list: candidates})
}

// listed lists the candidates of a demand. Demands that own nothing and ask for the same share a list.
func (w *world) listed(d *demand) []*node {
	list := w.candidates
	key := fmt.Sprintf("%q %q %v %q %v", d.sub.Package, d.sub.Channels, d.sub.Catalog, d.sub.StartingCSV, d.sub.VersionRange)
	if d.extension != nil {
		e := *d.extension
		e.Name, list = "", w.extensionCandidates
		text, err := json.Marshal(&e)
		w.fail(err)
		key += string(text)
	}
	if d.owned != nil {
		return list(d)
	}
	if _, known := w.asked[key]; !known {
		w.asked[key] = list(d)
	}
	return w.asked[key]
}

// subscribe adds the demand of a subscription or an extension. Of an unsatisfiable request its hold
// is a fact of its own.
func (w *world) subscribe(d *demand) {
	candidates := w.listed(d)
	if d.sub.Pin != "" {
		candidates = slices.DeleteFunc(slices.Clone(candidates), func(n *node) bool { return n.Name != d.sub.Pin })
	}
	facts, held := []fact{{Kind: "subscription", Subject: d.sub.Name}}, d.owned != nil && d.sub.Hold != ""
	if n := d.owned; n != nil {
		if w.stage.broken[n.Name] {
			candidates = []*node{n}
		}
		if w.pending(d) && !slices.Contains(candidates, n) {
			candidates = append(candidates, n)
		}
		if !held { // at most one of its candidates and what it owns is in the set
			p := &place{fact: facts[0]}
			for _, n := range append(slices.Clip(candidates), n) {
				n.places = append(n.places, p)
			}
		}
	}
	stays := slices.DeleteFunc(slices.Clone(candidates), func(n *node) bool { return n != d.owned })
	if held && w.facts == nil {
		candidates = stays
	}
	if len(candidates) == 0 {
		facts = append(facts, fact{Kind: "noCandidate", Subject: d.sub.Name})
	}
	what := resolver.ProofDemand{Subscription: d.sub.Name}
	if w.require(what, candidates, facts...); held && w.facts != nil {
		w.require(what, stays, facts[0], fact{Kind: "hold", Subject: d.sub.Name})
	}
}
