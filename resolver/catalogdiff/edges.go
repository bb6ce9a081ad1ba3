package catalogdiff

import (
	"context"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
)

// channelLoss is the loss for subscriptions to a channel of the old state.
type channelLoss struct {
	channel string
	// lowered reports that the head went back to a lower version, from was to is.
	lowered bool
	was, is string
	// moves is the version to which the old head can upgrade; empty if none.
	moves   string
	bundles []bundleLoss
}

// bundleLoss is an installed bundle that lost reachable versions of a channel.
type bundleLoss struct {
	bundle string
	// before are the successors in the old state. Lost are those from which neither they nor any
	// newer version is reachable now, the preferred ones first, at most maxEdges.
	before, lost []string
	// stops reports that no edge leads on, and the bundle is not the head.
	stops bool
}

// maxEdges limits the listed edges of a bundle.
const maxEdges = 100

// lossesOf returns the losses in the update graphs of a package. For a removed channel it
// considers all channels, and lists only bundles without any upgrade. For a quarantined channel
// it lists nothing, since a problem covers it. A removed bundle counts as installed with its old
// version. The error is that of the context.
func lossesOf(ctx context.Context, old, now *graph.Package) ([]channelLoss, error) {
	if old == nil || now == nil || now.Quarantine != nil {
		return nil, nil
	}
	var out []channelLoss
	for _, ch := range old.Channels {
		then := now.Channel(ch.Name)
		if then != nil && then.Quarantined() != nil {
			continue
		}
		l, err := lossOf(ctx, old, ch, now, then)
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

// lossOf returns the losses of a channel; then is its new state, nil if removed.
func lossOf(ctx context.Context, old *graph.Package, ch *graph.Channel, now *graph.Package, then *graph.Channel) (l channelLoss, err error) {
	e := edges{of: old, old: ch, now: then, heads: make(map[string]bool), next: make(map[string]bool)}
	if e.before, err = graph.NewUpdates(ctx, old, graph.UpdateOptions{Channels: []string{ch.Name}}); err != nil {
		return l, err
	}
	var after graph.UpdateOptions
	for name := range e.before.Bundles() {
		in := graph.Installed{Name: name}
		in.Version, in.Release, _ = e.before.Version(name)
		after.Installed = append(after.Installed, in)
	}
	heads := now.Channels
	if then != nil {
		after.Channels, heads = []string{then.Name}, []*graph.Channel{then}
	}
	for _, ch := range heads {
		if head := ch.Head(); head != nil {
			e.heads[head.Name] = true
		}
	}
	if e.after, err = graph.NewUpdates(ctx, now, after); err != nil {
		return l, err
	}
	l.channel = ch.Name
	if then != nil {
		if l.lowered, l.was, l.is = e.lowered(); l.lowered {
			for to := range e.after.Targets(l.was) {
				l.moves = to // the preferred one
				break
			}
		}
	}
	for name := range e.before.Bundles() {
		if err := ctx.Err(); err != nil {
			return l, err
		}
		if lost, some := e.loses(name); some {
			l.bundles = append(l.bundles, lost)
		}
	}
	return l, nil
}

// becomes describes the effect on clusters with the old head.
func (l *channelLoss) becomes() string {
	if l.moves == "" {
		return "cannot upgrade"
	}
	return "upgrade to " + text.Name(l.moves)
}

// edges are the update graphs of a channel in both states.
type edges struct {
	of            *graph.Package // in the old state
	old, now      *graph.Channel // now is nil for a removed channel
	before, after *graph.Updates
	heads         map[string]bool // the heads of the channels in after

	// Scratch buffers for the successors of a bundle in both states.
	from, to []string
	next     map[string]bool
}

// lowered reports whether the head went back to a lower version, while both heads can be
// selected.
func (e *edges) lowered() (is bool, from, to string) {
	was, now := e.old.Head(), e.now.Head()
	if was == nil || now == nil || was.Name == now.Name ||
		!e.now.Standing(now).Offered && e.old.Standing(was).Offered {
		return false, "", ""
	}
	return e.compare(now.Name, was.Name) < 0, was.Name, now.Name
}

// compare orders a bundle of the new state and one of the old state by version: equal if either
// version is unknown.
func (e *edges) compare(now, was string) int {
	v, r, is := e.after.Version(now)
	w, q, also := e.before.Version(was)
	if !is || !also {
		return 0
	}
	return properties.CompareVersions(v, r, w, q)
}

// loses returns the losses of an installed bundle.
func (e *edges) loses(name string) (l bundleLoss, some bool) {
	entry, head := e.old.Entry(name), e.old.Head()
	listed := entry != nil && entry.Bundle != nil
	e.from = slices.AppendSeq(e.from[:0], e.before.Targets(name))
	wasHead := e.now == nil && head != nil && head.Name == name
	switch {
	case len(e.from) == 0 && !wasHead, e.now == nil && !listed, entry == nil && e.elsewhere(name):
		return l, false // never in this channel, or from another channel
	}
	e.to = slices.AppendSeq(e.to[:0], e.after.Targets(name))
	l = bundleLoss{bundle: name, stops: len(e.to) == 0 && !e.heads[name]}
	if !l.stops && e.now != nil {
		l.lost = e.lost(name)
		l.lost = l.lost[:min(len(l.lost), maxEdges)]
	}
	if some = l.stops || len(l.lost) > 0; some {
		l.before = slices.Clone(e.from[:min(len(e.from), maxEdges)])
	}
	return l, some
}

// elsewhere reports whether another channel of the old state lists a bundle.
func (e *edges) elsewhere(name string) bool {
	return slices.ContainsFunc(e.of.Channels, func(ch *graph.Channel) bool { return ch.Entry(name) != nil })
}

// lost returns the old successors of a bundle from which neither they nor any newer version is
// reachable.
func (e *edges) lost(from string) []string {
	clear(e.next)
	for _, to := range e.to {
		e.next[to] = true
	}
	if !slices.ContainsFunc(e.from, func(to string) bool { return !e.next[to] }) {
		return nil // common case: no search needed
	}
	reached, newest := make(map[string]bool), ""
	for to := range e.after.Reachable(from) {
		reached[to] = true
		v, r, known := e.after.Version(to)
		w, q, _ := e.after.Version(newest)
		if known && (newest == "" || properties.CompareVersions(v, r, w, q) > 0) {
			newest = to
		}
	}
	return slices.DeleteFunc(slices.Clone(e.from), func(to string) bool {
		return reached[to] || e.compare(newest, to) > 0
	})
}

// dropped finds versions of resource definitions that upgrades drop and did not drop before. The
// error is that of the context.
func (c *comparison) dropped(ctx context.Context, d *delta) error {
	if d.now == nil {
		return nil
	}
	type drop struct{ from, crd, version string }
	dropOf := func(v graph.DroppedVersion) drop { return drop{v.From.Name, v.CRD, v.Version} }
	known := make(map[drop]bool)
	if d.old != nil {
		before, err := d.old.DroppedVersions(ctx)
		if err != nil {
			return err
		}
		for _, v := range before {
			known[dropOf(v)] = true
		}
	}
	list, err := d.now.DroppedVersions(ctx)
	list = slices.DeleteFunc(list, func(v graph.DroppedVersion) bool { return known[dropOf(v)] })
	for _, p := range graph.DroppedProblems(list) {
		c.add(Finding{Code: string(p.Code), Severity: p.Severity, Package: p.Package, Bundle: p.Bundle, Text: c.either("", "corrected: ") + text.Inert(p.Message)},
			c.pos(subject{pkg: p.Package, bundle: p.Bundle}, ""))
	}
	return err
}
