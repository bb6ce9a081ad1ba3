package upgrade

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// view is the situation of each operator in a world if only what must move moves.
type view struct {
	needs map[*operator][]Reason // reasons for an action
	info  map[*operator][]Reason // reasons that need no action
	// bad are the bundles that cannot stay of operators that needed no action before, for example a
	// dependency that another's path installed.
	bad map[string]bool
}

func (v *view) hard(o *operator) bool {
	return slices.ContainsFunc(v.needs[o], func(r Reason) bool { return r.Code == maxOpenShift })
}

// view resolves a state in a world.
func (c *checker) view(ctx context.Context, state resolver.Request, w *world) (*view, error) {
	v := &view{needs: make(map[*operator][]Reason), info: make(map[*operator][]Reason), bad: make(map[string]bool)}
	req := w.request(state, resolver.MinimalChange)
	stay(&req, nil)
	sol, err := c.r.Resolve(ctx, req)
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) { // it applies to every operator
		sol, err = new(resolver.Solution), nil
		for i := range state.Installed {
			sol.Unresolved = append(sol.Unresolved, resolver.Unresolved{Installed: state.Installed[i].Name, Conflict: conflict})
		}
	}
	if err != nil {
		return nil, err
	}
	found, at := outcomeOf(sol), placesOf(&state)
	for _, o := range append(slices.Clone(c.ops), c.added(&state)...) {
		if err := ended(ctx); err != nil {
			return nil, err
		}
		if o.start == "" || o.dead {
			continue
		}
		b := &bundleView{checker: c, view: v, o: o, world: w, found: found}
		if b.sub, b.in = at.of(o); b.in == nil {
			continue // removed on the path
		}
		b.checkOffer()
		b.checkCompatible()
		b.checkConflict()
		if len(v.needs[o]) > 0 && !o.needy {
			v.bad[b.in.Name] = true
		}
	}
	return v, nil
}

// added returns the operators of a state that the path has installed: dependencies with the
// subscriptions created for them.
func (c *checker) added(state *resolver.Request) []*operator {
	var out []*operator
	subs := demands(state)
	for i := range subs {
		if s := &subs[i]; !c.owners[s.Name] && !c.starts[s.InstalledCSV] {
			out = append(out, &operator{Operator: withOwner(Operator{}, s.Name, s.extension != nil), start: s.InstalledCSV})
		}
	}
	return out
}

// places are the owners and the installed bundles of a state, by name.
type places struct {
	subs      map[string]*demand
	installed map[string]*resolver.Installed
}

func placesOf(state *resolver.Request) places {
	p := places{make(map[string]*demand), make(map[string]*resolver.Installed)}
	subs := demands(state)
	for i := range subs {
		p.subs[subs[i].Name] = &subs[i]
	}
	for i := range state.Installed {
		p.installed[state.Installed[i].Name] = &state.Installed[i]
	}
	return p
}

// of returns the owner of an operator, and its current bundle. Both are nil if there is none.
func (p places) of(o *operator) (*demand, *resolver.Installed) {
	if o.owner() == "" {
		return nil, p.installed[o.start]
	}
	if sub := p.subs[o.owner()]; sub != nil {
		return sub, p.installed[sub.InstalledCSV]
	}
	return nil, nil
}

// outcome is a solution, indexed by its subjects.
type outcome struct {
	*resolver.Solution
	kept       map[string]bool
	warnings   map[string][]*resolver.Warning
	unresolved map[unresolved]int // indexes of the first
	moved      map[string]int     // steps, by replaced bundle
	meets      map[string]int     // steps, by satisfied subscription
}

// unresolved is an installed bundle or a subscription.
type unresolved struct{ installed, subscription string }

func outcomeOf(sol *resolver.Solution) *outcome {
	f := &outcome{sol, make(map[string]bool), make(map[string][]*resolver.Warning), make(map[unresolved]int), make(map[string]int), make(map[string]int)}
	for i := range sol.Warnings {
		w := &sol.Warnings[i]
		f.warnings[w.Bundle] = append(f.warnings[w.Bundle], w)
	}
	for i, u := range slices.Backward(sol.Unresolved) {
		f.unresolved[unresolved{installed: u.Installed}] = i
		f.unresolved[unresolved{subscription: u.Subscription}] = i
	}
	for i := range slices.Backward(sol.Steps) {
		s := &sol.Steps[i]
		f.kept[s.Bundle] = s.Action == resolver.Keep
		for _, r := range s.Because {
			f.meets[r.Subscription] = i
		}
		for _, name := range s.Replaces {
			if s.Action != resolver.Keep {
				f.moved[name] = i
			}
		}
	}
	return f
}

// conflict returns the conflict of an installed bundle and of its owner, which may be empty; nil if
// there is none.
func (f *outcome) conflict(installed, subscription string) *resolver.Conflict {
	first := len(f.Unresolved)
	for _, u := range []unresolved{{installed: installed}, {subscription: subscription}} {
		if i, ok := f.unresolved[u]; ok && u != (unresolved{}) {
			first = min(first, i)
		}
	}
	if first == len(f.Unresolved) {
		return nil
	}
	return f.Unresolved[first].Conflict
}

// met returns the bundle that satisfies a subscription; empty if there is none.
func (f *outcome) met(subscription string) string {
	if i, ok := f.meets[subscription]; ok && subscription != "" {
		return f.Steps[i].Bundle
	}
	return ""
}

type bundleView struct {
	*checker
	view  *view
	o     *operator
	world *world
	found *outcome

	sub *demand             // its owner, or nil
	in  *resolver.Installed // the current bundle
}

func (b *bundleView) need(code, format string, args ...any) {
	b.view.needs[b.o] = append(b.view.needs[b.o], Reason{code, text.Clip(fmt.Sprintf(format, args...), maxReason)})
}

func (b *bundleView) note(code, format string, args ...any) {
	b.view.info[b.o] = append(b.view.info[b.o], Reason{code, text.Clip(fmt.Sprintf(format, args...), maxReason)})
}

// maxReason limits the text of a reason, in bytes.
const maxReason = 2000

// checkOffer checks whether the catalogs offer the bundle or an upgrade.
func (b *bundleView) checkOffer() {
	name := text.Name(b.in.Name)
	if b.sub == nil {
		b.note(unowned, "no %s owns %s, so nothing updates it", b.demandNoun(), name)
		if b.in.Package == "" {
			return
		}
		there, offered := false, false
		for _, p := range b.world.Packages(cache.Key{}, b.in.Package) {
			there, offered = true, offered || p.Bundle(b.in.Name) != nil
		}
		switch {
		case !there:
			b.need(packageGone, "the next version has no package %s", text.Name(b.in.Package))
		case !offered:
			b.need(notOffered, "the catalogs of the next version do not have %s", name)
		}
		return
	}
	channels, gone := b.world.channels(b.sub)
	if gone == "" && b.sub.extension != nil {
		b.checkExtensionOffer()
		return
	}
	if gone == "" {
		b.checkChannels(channels)
		return
	}
	b.need(gone, "%s", b.world.missingIn(gone, b.sub))
	if gone == channelGone {
		b.otherChannel()
	}
}

// missingIn describes what a subscription needs that the next version lacks.
func (w *world) missingIn(gone string, s *demand) string {
	switch gone {
	case catalogGone:
		if s.extension != nil {
			return fmt.Sprintf("the next version has no catalog that extension %s selects for package %s", text.Name(s.Name), text.Name(s.Package))
		}
		return fmt.Sprintf("the next version has no catalog %s, which subscription %s selects for package %s", s.Catalog, text.Name(s.Name), text.Name(s.Package))
	case packageGone:
		if s.extension != nil {
			return fmt.Sprintf("the catalogs of the next version that extension %s selects have no package %s", text.Name(s.Name), text.Name(s.Package))
		}
		return fmt.Sprintf("the catalogs of the next version have no package %s", text.Name(s.Package))
	}
	var names []string
	for _, p := range w.packages(s) {
		for _, ch := range p.Channels {
			names = text.AppendNew(names, text.Name(ch.Name))
		}
	}
	said := fmt.Sprintf("the next version has no channel %s of package %s", text.And(text.Names(s.Channels)), text.Name(s.Package))
	if len(names) == 0 {
		return said
	}
	return said + "; it has " + text.Short(names, 10)
}

// checkChannels checks the position of the bundle in the channels that its subscription selects.
func (b *bundleView) checkChannels(channels []*graph.Channel) {
	listed, head, healthy, edge := false, false, false, b.policy.Upgrades == resolver.UpgradesSelfCertified
	for _, ch := range channels {
		if e := ch.Entry(b.in.Name); e != nil && e.Bundle != nil {
			listed = true
		}
		if p := ch.Quarantined(); p != nil {
			b.note(quarantined, "channel %s of package %s is ignored, because it is broken: %s", text.Name(ch.Name), text.Name(ch.Package.Name), text.Inert(p.Message))
			continue
		}
		healthy = true
		head = head || ch.Head() != nil && ch.Head().Name == b.in.Name
		edge = edge || leadsOn(ch, b.in)
	}
	where := text.And(channelNames(channels))
	if !listed {
		b.need(notOffered, "the catalogs of the next version do not have %s in %s", text.Name(b.in.Name), where)
	}
	if healthy && !head && !edge {
		b.need(noEdge, "there is no upgrade from %s in %s, and it is not the head", text.Name(b.in.Name), where)
		b.otherChannel()
	}
}

// channelNames returns "channel a of b" for each channel.
func channelNames(channels []*graph.Channel) []string {
	var out []string
	for i, ch := range channels {
		if i == 5 {
			return append(out, "other channels")
		}
		out = text.AppendNew(out, "channel "+text.Name(ch.Name))
	}
	return out
}

// otherChannel notes a channel of the package that has an upgrade.
func (b *bundleView) otherChannel() {
	for _, p := range b.world.anyCatalog(b.sub) {
		for _, ch := range p.Channels {
			head := ch.Head()
			switch {
			case head == nil || slices.Contains(b.sub.Channels, ch.Name):
			case head.Name == b.in.Name:
				b.note(otherChannel, "%s is the head of channel %s there", text.Name(b.in.Name), text.Name(ch.Name))
				return
			case leadsOn(ch, b.in):
				b.note(otherChannel, "channel %[2]s has an upgrade from %[1]s there", text.Name(b.in.Name), text.Name(ch.Name))
				return
			}
		}
	}
}

// checkCompatible checks whether the bundle is compatible with the next version.
func (b *bundleView) checkCompatible() {
	if b.in.Properties != nil {
		limit := b.in.Properties.MaxOpenShift()
		next, err := properties.ParseOpenShiftVersion(b.world.Cluster.OpenShiftVersion)
		if b.policy.Compatibility != resolver.CompatibilityIgnore && err == nil && !limit.Allows(next) && b.minor(next) {
			if limit.Invalid != "" {
				b.need(maxOpenShift, "%s has an invalid maximum OpenShift version (%q %s), so Operator Lifecycle Manager blocks the upgrade of the cluster",
					text.Name(b.in.Name), limit.Text, limit.Invalid)
			} else {
				b.need(maxOpenShift, "%s works up to OpenShift %s, so Operator Lifecycle Manager blocks the upgrade to %s while it is installed",
					text.Name(b.in.Name), limit.Version, next)
			}
			return
		}
	}
	for _, w := range b.found.warnings[b.in.Name] {
		switch w.Kind {
		case resolver.WarningIncompatible:
			if b.o.unfitToday {
				b.note(alreadyToday, "%s; this is also the case today", text.Inert(w.Message))
				continue
			}
			b.need(incompatible, "%s", text.Inert(w.Message))
		case sharedCRD:
			b.note(sharedCRD, "%s", text.Inert(w.Message))
		case resolver.WarningDeprecated:
			b.note(deprecated, "%s", text.Inert(w.Message))
		}
	}
}

// minor reports whether the cluster moves to another minor version: only such moves are blocked.
func (b *bundleView) minor(next properties.OpenShiftVersion) bool {
	now, err := properties.ParseOpenShiftVersion(b.worlds[0].Cluster.OpenShiftVersion)
	return err != nil || now.Compare(next) != 0
}

// checkConflict checks whether the bundle can stay, together with all others.
func (b *bundleView) checkConflict() {
	name, owner := text.Name(b.in.Name), ""
	if b.sub != nil {
		owner = b.sub.Name
	}
	if b.sub != nil && b.sub.extension != nil && len(b.view.needs[b.o]) > 0 && b.found.conflict("", owner) != nil && b.lacking() {
		return // already reported as not offered
	}
	if conflict := b.found.conflict(b.in.Name, owner); conflict != nil {
		b.need(conflicts, "%s", text.Inert(conflict.Error()))
		return
	}
	if b.sub != nil && b.sub.extension != nil {
		return // it is kept at its version, so that it stays or conflicts
	}
	if i, moves := b.found.moved[b.in.Name]; moves {
		b.need(mustMove, "%s conflicts with the others: %s has to replace it", name, text.Name(b.found.Steps[i].Bundle))
	} else if len(b.found.Steps) > 0 && !b.found.kept[b.in.Name] {
		b.need(mustMove, "%s conflicts with the others", name)
	}
}

// versionOf returns the version of an installed bundle, if it is known.
func versionOf(in *resolver.Installed) (semver.Version, bool) {
	if in.Version != nil {
		return *in.Version, true
	}
	if in.Properties != nil {
		if p, ok := in.Properties.Package(); ok {
			return p.Version, true
		}
	}
	return semver.Version{}, false
}

// leadsOn reports whether a channel has an upgrade from an installed bundle.
func leadsOn(ch *graph.Channel, in *resolver.Installed) bool {
	version, known := versionOf(in)
	return slices.ContainsFunc(ch.Successors(in.Name, version), func(e *graph.Entry) bool {
		return !e.Bundle.Barred && (known || e.Replaces == in.Name || slices.Contains(e.Skips(), in.Name))
	})
}
