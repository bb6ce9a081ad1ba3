package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// packageAudit audits the bundles of one package, in one goroutine.
type packageAudit struct {
	r         *resolver.Resolver
	session   *session
	base      *resolver.Request
	catalog   resolver.Catalog
	pkg       *graph.Package
	maxRounds int
	paths     *paths
	err       error // of the context; later answers are discarded
}

// bundle audits one bundle.
func (p *packageAudit) bundle(ctx context.Context, b *graph.Bundle) *Bundle {
	pkg := p.pkg
	ch := ChannelOf(pkg, b)
	out := &Bundle{Catalog: p.catalog.Key.String(), Package: pkg.Name, Bundle: b.Name,
		Deprecated: deprecationText(pkg, ch, b), Quarantined: quarantineText(pkg, b), SkippedBy: skippedBy(pkg, b)}
	stop, rounds := p.straight(ctx, b, ch, false)
	if stop != nil {
		out.Installable = true
		out.reach(ch, stop, rounds)
		return out
	}
	state := p.install(ctx, b, ch, out)
	if ch == nil || out.Incomplete != "" {
		return out
	}
	if !out.Installable {
		stop, rounds = p.straight(ctx, b, ch, true)
	}
	if stop == nil {
		stop, rounds = p.follow(ctx, state)
	}
	if p.err == nil {
		out.reach(ch, stop, rounds)
	}
	return out
}

// ChannelOf returns the channel in which an audit follows a bundle; nil if its package has none.
func ChannelOf(pkg *graph.Package, b *graph.Bundle) *graph.Channel {
	if len(b.Places) > 0 {
		return b.Places[0].Channel
	}
	for _, ch := range pkg.Channels {
		if ch.Entry(b.Name) != nil {
			return ch
		}
	}
	if len(pkg.Channels) == 0 {
		return nil
	}
	return pkg.Channels[0] // the default channel, if any
}

// install finds out whether a bundle can be installed on an empty cluster, and returns the
// installed state: the solution, or the bundle alone.
func (p *packageAudit) install(ctx context.Context, b *graph.Bundle, ch *graph.Channel, out *Bundle) state {
	s := p.empty(ch)
	sub := s.req.Subscriptions[0]
	sub.Pin = b.Name // not StartingCSV, which a conflict would mention
	sol, conflict, incomplete := answered(p.session.Resolve(ctx, resolver.AddSubscription{Subscription: sub}))
	if sol != nil {
		out.Installable = true
		s.req = s.req.Advance(sol)
		return s
	}
	out.Conflict, out.Incomplete, s.req.Subscriptions[0].InstalledCSV = conflict, incomplete, b.Name
	if ch != nil {
		s.req.Installed = []resolver.Installed{{Name: b.Name, Package: b.Package, Version: b.Version,
			Properties: &b.Properties, Catalog: p.catalog.Key, Channel: ch.Name}}
	}
	return s
}

// answered distinguishes a solution, a conflict, and an incomplete answer. If the context ended,
// the finding is discarded.
func answered(sol *resolver.Solution, err error) (_ *resolver.Solution, conflict *resolver.Conflict, incomplete string) {
	switch {
	case err == nil:
		return sol, nil, ""
	case errors.As(err, &conflict):
		return nil, conflict, ""
	}
	return nil, nil, incompleteText(err)
}

func (b *Bundle) reach(ch *graph.Channel, stop *stop, rounds int) {
	if stop.incomplete != "" {
		b.Incomplete = stop.incomplete
		return
	}
	b.Orphans = stop.orphans
	b.ReachesHead = &Reach{Channel: ch.Name, Unlisted: ch.Entry(b.Bundle) == nil, Rounds: rounds, Reaches: stop.conflict == nil}
	if stop.conflict != nil {
		b.ReachesHead.StuckAt, b.ReachesHead.Conflict = stop.at, stop.conflict
	}
}

// incompleteText describes an incomplete answer, without counts of work that differ between runs.
func incompleteText(err error) string {
	var limit *resolver.IncompleteError
	if errors.As(err, &limit) {
		return fmt.Sprintf("more than %d %s needed; raise %s to find out", limit.Allowed, limit.Limit, cmp.Or(limit.Setting, "the limit"))
	}
	return text.Inert(err.Error())
}

// quarantineText returns the problem that quarantines a bundle, or empty.
func quarantineText(pkg *graph.Package, b *graph.Bundle) string {
	switch {
	case len(b.Places) > 0:
		return ""
	case b.Quarantine != nil:
		return b.Quarantine.Message
	case pkg.Quarantine != nil:
		return pkg.Quarantine.Message
	}
	for _, ch := range pkg.Channels {
		if ch.Quarantine != nil && ch.Entry(b.Name) != nil {
			return ch.Quarantine.Message
		}
	}
	return ""
}

// skippedBy returns the entry that skips a bundle, if every channel that lists it does.
func skippedBy(pkg *graph.Package, b *graph.Bundle) string {
	by := ""
	for _, ch := range pkg.Channels {
		e := ch.Entry(b.Name)
		if e == nil {
			continue
		}
		if e.SkippedBy() == "" || ch.Quarantined() != nil {
			return ""
		}
		by = cmp.Or(by, e.SkippedBy())
	}
	if b.Quarantine != nil {
		return ""
	}
	return by
}

// skipped reports whether the bundle cannot be installed because a newer version skips it.
func (b *Bundle) skipped() bool { return !b.Installable && b.SkippedBy != "" }

// deprecationText returns the deprecation message for a bundle in a channel, or empty.
func deprecationText(pkg *graph.Package, ch *graph.Channel, b *graph.Bundle) string {
	named := false
	var messages []string
	add := func(deprecated bool, message string) {
		named = named || deprecated
		if deprecated && message != "" {
			messages = append(messages, message)
		}
	}
	add(pkg.Deprecated, pkg.Deprecation)
	if ch != nil {
		add(ch.Deprecated, ch.Deprecation)
	}
	add(b.Deprecated, b.Deprecation)
	add(b.Barred, "it has the property olm.deprecated")
	if named && len(messages) == 0 {
		return "deprecated"
	}
	return strings.Join(messages, "; ")
}
