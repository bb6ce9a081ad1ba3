package mirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// clusters records the installed bundles with their properties from the whole catalogs. Catalogs
// have other names in a mirror, so subscriptions accept any.
func (m *maker) clusters(requests []resolver.Request) error {
	for _, req := range requests {
		req.Catalogs = slices.Concat(req.Catalogs, m.catalogs())
		req, err := req.Apply()
		if err != nil {
			return err
		}
		req = req.Known()
		for i := range req.Subscriptions {
			req.Subscriptions[i].Catalog = cache.Key{}
		}
		for i := range req.Installed {
			req.Installed[i].Catalog = cache.Key{}
		}
		req.Policy.Failures, req.Policy.Unavailable = resolver.FailuresPartial, ""
		m.installed = append(m.installed, req)
	}
	return nil
}

// paths checks that installed bundles, and the lower end of each range, reach the head of
// their channel within the selection, and adds the bundles that the path needs.
func (m *maker) paths(ctx context.Context) error {
	for _, req := range m.installed {
		if err := m.follow(ctx, req, m.owned(&req)); err != nil {
			return err
		}
	}
	for i := range m.views {
		for _, at := range m.lowerEnds(i) {
			req := resolver.Request{Namespace: namespace, Policy: resolver.Policy{Failures: resolver.FailuresPartial}}
			b := m.whole[i].Content.Package(at.pkg).Bundle(at.bundle)
			req.Installed = []resolver.Installed{{Name: b.Name, Package: b.Package, Version: b.Version, Properties: &b.Properties}}
			req.Subscriptions = []resolver.Subscription{{Name: at.pkg, Package: at.pkg, Channels: []string{at.channel}, Catalog: m.keys[i], InstalledCSV: b.Name}}
			if err := m.follow(ctx, req, []location{at}); err != nil {
				return err
			}
		}
	}
	return nil
}

// owned returns the installed bundles of a cluster whose packages are selected.
func (m *maker) owned(req *resolver.Request) []location {
	var out []location
	installed := make(map[string]bool, len(req.Installed))
	for _, in := range req.Installed {
		installed[in.Name] = true
	}
	for _, s := range req.Subscriptions {
		for i := range m.views {
			p := m.views[i].Content.Package(s.Package)
			if p == nil || !installed[s.InstalledCSV] {
				continue
			}
			at := location{i, s.Package, "", s.InstalledCSV}
			for _, ch := range p.Channels {
				if at.channel == "" && (len(s.Channels) == 0 || slices.Contains(s.Channels, ch.Name)) {
					at.channel = ch.Name
				}
			}
			if at.channel == "" && len(s.Channels) > 0 && m.whole[i].Content.Package(s.Package).Channel(s.Channels[0]) != nil {
				at.channel = s.Channels[0] // it is not selected yet
			}
			out = append(out, at)
			break
		}
	}
	return out
}

// lowerEnds returns the bundle at the lower end of each selected channel, unless it is the head.
func (m *maker) lowerEnds(i int) []location {
	var out []location
	for p := range m.views[i].Content.Packages() {
		for _, ch := range p.Channels {
			for _, e := range slices.Backward(ch.Chain()) {
				if e.Bundle != nil && e.Bundle.Quarantine == nil {
					if e != ch.Head() {
						out = append(out, location{i, p.Name, ch.Name, e.Name})
					}
					break
				}
			}
		}
	}
	return out
}

// follow computes the upgrade path of a cluster, and checks how far some of its bundles get.
func (m *maker) follow(ctx context.Context, req resolver.Request, from []location) error {
	if len(from) == 0 {
		return nil
	}
	req.Catalogs = m.views
	own := req.Veto
	req.Veto = func(ctx context.Context, catalog cache.Key, b *graph.Bundle) (string, error) {
		if why, err := m.veto(ctx, catalog, b); why != "" || err != nil || own == nil {
			return why, err
		}
		return own(ctx, catalog, b)
	}
	path, err := m.r.Converge(ctx, req, resolver.ConvergeOptions{})
	var conflict *resolver.Conflict
	if err != nil && !errors.As(err, &conflict) {
		return err
	}
	for _, at := range from {
		name := ""
		for _, s := range req.Subscriptions {
			if s.InstalledCSV == at.bundle {
				name = s.Name
			}
		}
		reached := at.bundle
		for _, s := range path.Final.Subscriptions {
			if s.Name == name {
				reached = s.InstalledCSV
			}
		}
		head := m.head(at)
		if head != "" && reached == head && m.wanted(at)[head] {
			continue
		}
		why := conflict
		if path.Last != nil {
			for _, u := range path.Last.Unresolved {
				if u.Subscription == name || u.Installed == reached {
					why = u.Conflict
				}
			}
		}
		if err := m.addPath(ctx, at, &req, reached, head, why); err != nil {
			return err
		}
	}
	return nil
}

// wanted returns the required bundles of the channel of a location.
func (m *maker) wanted(at location) map[string]bool {
	return m.needs[at.catalog].wanted[channelKey{at.pkg, at.channel}]
}

// head returns the head of a channel in the mirror, or else in the whole catalog.
func (m *maker) head(at location) string {
	for _, content := range []*cache.Catalog{m.views[at.catalog].Content, m.whole[at.catalog].Content} {
		if p := content.Package(at.pkg); p != nil {
			if ch := p.Channel(at.channel); ch != nil && ch.Head() != nil {
				return ch.Head().Name
			}
		}
	}
	return ""
}

// addPath adds the bundles that a path needs. If there is no path even in the whole catalog, or if
// something else blocks it, the bundle is stuck.
func (m *maker) addPath(ctx context.Context, at location, req *resolver.Request, reached, head string, conflict *resolver.Conflict) error {
	stuck := Stuck{Catalog: m.ref(at.catalog), Package: at.pkg, Bundle: at.bundle, Channel: at.channel, Head: head}
	if reached != at.bundle {
		stuck.Reaches = reached
	}
	say := func(format string, args ...any) error {
		stuck.Conflict = &resolver.Conflict{Minimal: true, Words: fmt.Sprintf(format, args...)}
		m.plan.Stuck = append(m.plan.Stuck, stuck)
		return nil
	}
	p := m.whole[at.catalog].Content.Package(at.pkg)
	if head == "" {
		return say("package %s as it is mirrored has no channel with a head for %s", text.Name(at.pkg), text.Name(at.bundle))
	}
	opts := graph.UpdateOptions{Channels: []string{at.channel}}
	for _, in := range req.Installed {
		if in.Name == at.bundle && in.Version != nil {
			opts.Installed = []graph.Installed{{Name: in.Name, Version: *in.Version}}
		}
	}
	updates, err := graph.NewUpdates(ctx, p, opts)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return say("%v", err)
	}
	path := cheapest(updates, at.bundle, head, func(name string) bool { return m.wanted(at)[name] })
	if path == nil {
		return say("there is no upgrade path from %s to %s in channel %s of the whole catalog either", text.Name(at.bundle), text.Name(head), text.Name(at.channel))
	}
	if !slices.Contains(path, head) { // it is present, but the channel is not mirrored
		path = append(path, head)
	}
	path = slices.DeleteFunc(path, func(name string) bool { return m.wanted(at)[name] })
	refused := m.refused(ctx, at, path)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case refused != nil:
		return say("the upgrade path to %s cannot be mirrored: %v", text.Name(head), refused)
	}
	why := Reason{Bundle: at.bundle, Constraint: fmt.Sprintf("the upgrade path from it to %s in channel %s", text.Name(head), text.Name(at.channel))}
	for _, name := range path {
		m.needs[at.catalog].add(at.pkg, at.channel, name, why)
	}
	switch {
	case len(path) > 0:
		return m.grow(ctx)
	case conflict != nil:
		stuck.Conflict = scenario.NewAnswer(nil, conflict).Conflict
		m.plan.Stuck = append(m.plan.Stuck, stuck)
		return nil
	}
	return say("%s reaches only %s, although the upgrade path to %s is selected: a dependency on the path is unavailable", text.Name(at.bundle), text.Name(reached), text.Name(head))
}

// refused returns the reason for which oc-mirror would refuse a configuration with some bundles
// added to a channel.
func (m *maker) refused(ctx context.Context, at location, added []string) error {
	n := m.needs[at.catalog].clone()
	for _, name := range added {
		n.add(at.pkg, at.channel, name)
	}
	_, err := Select(ctx, m.whole[at.catalog].Content, n.operator(ctx))
	return err
}

// cheapest returns the path between two bundles that needs the fewest additional bundles, of these
// the shortest, and of these the one whose names sort first. It returns the bundles after the first
// one, nil if there is no path.
func cheapest(u *graph.Updates, from, to string, have func(string) bool) []string {
	type node struct {
		cost, steps int
		before      string
	}
	best := map[string]node{from: {}}
	for todo := []string{from}; len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		for next := range u.Targets(at) {
			n := node{best[at].cost, best[at].steps + 1, at}
			if !have(next) {
				n.cost++
			}
			if was, known := best[next]; !known || cmp.Or(n.cost-was.cost, n.steps-was.steps, strings.Compare(at, was.before)) < 0 {
				best[next] = n
				todo = append(todo, next)
			}
		}
	}
	if _, there := best[to]; !there {
		return nil
	}
	path := []string{}
	for at := to; at != from; at = best[at].before {
		path = append(path, at)
	}
	slices.Reverse(path)
	return path
}
