package ready

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

// view is what becomes of each operator if a state is put into a world and nothing
// moves that need not.
type view struct {
	needs map[*operator][]Reason // for which something has to be done
	info  map[*operator][]Reason // which change nothing
	// bad are the bundles that cannot stay, of operators that nothing had to be done
	// about: such as a dependency that came with another's road.
	bad map[string]bool
}

func (v *view) hard(o *operator) bool {
	return slices.ContainsFunc(v.needs[o], func(r Reason) bool { return r.Code == MaxOpenShift })
}

// look puts a state into a world.
func (c *checker) look(ctx context.Context, state resolver.Request, w *world) (*view, error) {
	v := &view{needs: make(map[*operator][]Reason), info: make(map[*operator][]Reason), bad: make(map[string]bool)}
	sol, err := c.r.Resolve(ctx, w.request(state, resolver.GoalMinimalChange))
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) { // which stands for every operator
		sol, err = new(resolver.Solution), nil
		for _, in := range state.Installed {
			sol.Unresolved = append(sol.Unresolved, resolver.Unresolved{Installed: in.Name, Conflict: conflict})
		}
	}
	if err != nil {
		return nil, err
	}
	kept := make(map[string]bool, len(sol.Steps))
	for i := range sol.Steps {
		kept[sol.Steps[i].Bundle] = sol.Steps[i].Action == resolver.Keep
	}
	for _, o := range append(slices.Clone(c.ops), c.newcomers(state)...) {
		if o.start == "" || o.dead {
			continue
		}
		b := &bundleView{checker: c, view: v, o: o, state: &state, world: w, sol: sol}
		b.find()
		if b.in == nil {
			continue // it went away on the road
		}
		b.offer()
		b.fits()
		b.holds(kept)
		if len(v.needs[o]) > 0 && !slices.Contains(c.needy, o) {
			v.bad[b.in.Name] = true
		}
	}
	return v, nil
}

// newcomers are the operators of a state that came on the road: each is a dependency
// with the subscription that came with it.
func (c *checker) newcomers(state resolver.Request) []*operator {
	var out []*operator
	for _, s := range state.Subscriptions {
		if !slices.ContainsFunc(c.ops, func(o *operator) bool { return o.Subscription == s.Name || o.start == s.InstalledCSV }) {
			out = append(out, &operator{Operator: Operator{Subscription: s.Name}, start: s.InstalledCSV})
		}
	}
	return out
}

type bundleView struct {
	*checker
	view  *view
	o     *operator
	state *resolver.Request
	world *world
	sol   *resolver.Solution

	sub *resolver.Subscription // owns it, or nil
	in  *resolver.Installed    // where it is now
}

func (b *bundleView) need(code Code, format string, args ...any) {
	b.view.needs[b.o] = append(b.view.needs[b.o], Reason{code, text.Clip(fmt.Sprintf(format, args...), maxReason)})
}

func (b *bundleView) tell(code Code, format string, args ...any) {
	b.view.info[b.o] = append(b.view.info[b.o], Reason{code, text.Clip(fmt.Sprintf(format, args...), maxReason)})
}

// maxReason bounds the text of a reason, in bytes.
const maxReason = 2000

// find finds the bundle at which an operator is now.
func (b *bundleView) find() {
	name := b.o.start
	if b.o.Subscription != "" {
		i := slices.IndexFunc(b.state.Subscriptions, func(s resolver.Subscription) bool { return s.Name == b.o.Subscription })
		if i < 0 {
			return
		}
		b.sub = &b.state.Subscriptions[i]
		name = b.sub.InstalledCSV
	}
	if i := slices.IndexFunc(b.state.Installed, func(in resolver.Installed) bool { return in.Name == name }); i >= 0 {
		b.in = &b.state.Installed[i]
	}
}

// offer looks for the bundle in the catalogs, and for a way on.
func (b *bundleView) offer() {
	name := text.Name(b.in.Name)
	if b.sub == nil {
		b.tell(Unowned, "no subscription owns %s, so that nothing updates it", name)
		if b.in.Package == "" {
			return
		}
		packages, _ := b.world.packages(cache.Key{}, b.in.Package)
		switch {
		case len(packages) == 0:
			b.need(PackageGone, "the next version has no package %s", text.Name(b.in.Package))
		case !slices.ContainsFunc(packages, func(p *graph.Package) bool { return p.Bundle(b.in.Name) != nil }):
			b.need(NotOffered, "the catalogs of the next version do not have %s", name)
		}
		return
	}
	channels, gone := b.world.channels(b.sub)
	switch gone {
	case CatalogGone:
		b.need(gone, "the next version has no catalog %s, from which subscription %s takes %s", b.sub.Catalog, text.Name(b.sub.Name), name)
	case PackageGone:
		b.need(gone, "the catalogs of the next version have no package %s", text.Name(b.sub.Package))
	case ChannelGone:
		b.need(gone, "the next version has no channel %s of package %s%s", text.And(text.Names(b.sub.Channels)), text.Name(b.sub.Package), b.channelsThere())
		b.otherChannel()
	default:
		b.standing(channels)
	}
}

func (b *bundleView) channelsThere() string {
	var names []string
	packages, _ := b.world.packages(cache.Key{}, b.sub.Package)
	for _, p := range packages {
		for _, ch := range p.Channels {
			names = text.AppendNew(names, text.Name(ch.Name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; it has " + text.Short(names, 10)
}

// standing says where the bundle stands in the channels that its subscription looks
// at.
func (b *bundleView) standing(channels []*graph.Channel) {
	listed, head, healthy, edge := false, false, false, b.policy.Upgrades == resolver.UpgradesSelfCertified
	for _, ch := range channels {
		if e := ch.Entry(b.in.Name); e != nil && e.Bundle != nil {
			listed = true
		}
		if p := ch.Quarantined(); p != nil {
			b.tell(Quarantined, "channel %s of package %s is set aside, so that nothing leads on there: %s", text.Name(ch.Name), text.Name(ch.Package.Name), text.Inert(p.Message))
			continue
		}
		healthy = true
		head = head || ch.Head() != nil && ch.Head().Name == b.in.Name
		edge = edge || leadsOn(ch, b.in)
	}
	where := text.And(channelNames(channels))
	if !listed {
		b.need(NotOffered, "the catalogs of the next version do not have %s in %s", text.Name(b.in.Name), where)
	}
	if healthy && !head && !edge {
		b.need(NoEdge, "no update leads on from %s in %s, and it is not the head", text.Name(b.in.Name), where)
		b.otherChannel()
	}
}

// channelNames are "channel a of b" for each.
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

// otherChannel names a channel of the package in which there would be a way on.
func (b *bundleView) otherChannel() {
	packages, _ := b.world.packages(cache.Key{}, b.sub.Package)
	for _, p := range packages {
		for _, ch := range p.Channels {
			head := ch.Head()
			switch {
			case head == nil || slices.Contains(b.sub.Channels, ch.Name):
			case head.Name == b.in.Name:
				b.tell(OtherChannel, "%s is the head of channel %s there", text.Name(b.in.Name), text.Name(ch.Name))
				return
			case leadsOn(ch, b.in):
				b.tell(OtherChannel, "an update leads on from %s in channel %s there", text.Name(b.in.Name), text.Name(ch.Name))
				return
			}
		}
	}
}

// fits looks for what keeps the bundle from running in the next version.
func (b *bundleView) fits() {
	if b.in.Properties != nil {
		limit := b.in.Properties.MaxOpenShift()
		next, err := properties.ParseOpenShiftVersion(b.world.cluster.OpenShiftVersion)
		if b.policy.Compatibility != resolver.CompatibilityIgnore && err == nil && !limit.Allows(next) && b.minor(next) {
			if limit.Invalid != "" {
				b.need(MaxOpenShift, "%s names no greatest OpenShift version that can be understood (%q %s), so that Operator Lifecycle Manager holds the cluster back",
					text.Name(b.in.Name), limit.Text, limit.Invalid)
			} else {
				b.need(MaxOpenShift, "%s works up to OpenShift %s, so that Operator Lifecycle Manager holds the cluster back from %s while it is installed",
					text.Name(b.in.Name), limit.Version, next)
			}
			return
		}
	}
	for _, w := range b.sol.Warnings {
		switch {
		case w.Bundle != b.in.Name:
		case w.Kind == "incompatible":
			if b.o.unfitToday {
				b.tell(AlreadyToday, "%s, as it is today", text.Inert(w.Message))
				continue
			}
			b.need(Incompatible, "%s", text.Inert(w.Message))
		case w.Kind == "deprecated":
			b.tell(Deprecated, "%s", text.Inert(w.Message))
		}
	}
}

// minor reports whether the cluster moves to another minor version: only such moves
// are held back.
func (b *bundleView) minor(next properties.OpenShiftVersion) bool {
	now, err := properties.ParseOpenShiftVersion(b.worlds[0].cluster.OpenShiftVersion)
	return err != nil || now.Compare(next) != 0
}

// holds looks whether the bundle can stay, with all others.
func (b *bundleView) holds(kept map[string]bool) {
	for _, u := range b.sol.Unresolved {
		if u.Installed == b.in.Name || b.sub != nil && u.Subscription == b.sub.Name {
			b.need(Conflict, "%s", text.Inert(u.Conflict.Headline()))
			return
		}
	}
	for i := range b.sol.Steps {
		if s := &b.sol.Steps[i]; s.Action != resolver.Keep && slices.Contains(s.Replaces, b.in.Name) {
			b.need(MustMove, "%s cannot stay beside the others: %s has to take over", text.Name(b.in.Name), text.Name(s.Bundle))
			return
		}
	}
	if len(b.sol.Steps) > 0 && !kept[b.in.Name] {
		b.need(MustMove, "%s cannot stay beside the others", text.Name(b.in.Name))
	}
}

// versionOf is the version of an installed bundle, as far as it is known.
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

// leadsOn reports whether a channel has an update from an installed bundle.
func leadsOn(ch *graph.Channel, in *resolver.Installed) bool {
	version, known := versionOf(in)
	return slices.ContainsFunc(ch.Successors(in.Name, version), func(e *graph.Entry) bool {
		return !e.Bundle.Barred && (known || e.Replaces == in.Name || slices.Contains(e.Skips, in.Name))
	})
}
