package whatif

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/settings"
)

// changesFor lists the changes that could take away one of the facts of the conflict
// that an attempt leaves, best first.
func (s *search) changesFor(a attempt) []resolver.Change {
	req, err := s.base.Apply(a.changes...)
	if err != nil {
		return nil
	}
	var out []resolver.Change
	relaxed, adoptions := 0, adoptions(&req)
	for i := range a.left.Facts {
		f := &a.left.Facts[i]
		if f.Kind == argument.FactConstraint {
			if relaxed++; relaxed > relaxationsEach {
				continue
			}
		}
		out = append(out, changesOf(&req, adoptions, f)...)
	}
	if s.opts.Allow != nil {
		out = slices.DeleteFunc(out, func(c resolver.Change) bool { return !s.opts.Allow(c) })
	}
	slices.SortStableFunc(out, func(a, b resolver.Change) int { return cmp.Compare(kindRank(a.Kind), kindRank(b.Kind)) })
	return out
}

func changesOf(req *resolver.Request, adoptions []resolver.Change, f *argument.Fact) []resolver.Change {
	switch f.Kind {
	case argument.FactSubscription:
		return subscriptionChanges(req, adoptions, f.Subject)
	case argument.FactHold:
		return []resolver.Change{ReleaseHold(f.Subject)}
	case argument.FactInstalled:
		return append(adoptionsOf(adoptions, f.Subject), RemoveInstalled(f.Subject))
	case argument.FactForbidden:
		if f.Rule != "" {
			return []resolver.Change{RelaxPolicy(f.Rule)}
		}
		return []resolver.Change{AllowForbidden(f.Subject)}
	case argument.FactConstraint:
		return []resolver.Change{RelaxConstraint(f.Ref, f.Constraint)}
	case argument.FactIncompatible:
		var out []resolver.Change
		for _, name := range f.Names {
			out = append(out, MigrateStorage(name))
		}
		return out
	default:
		return nil
	}
}

// demandByName returns a subscription, or an extension as a subscription; nil if there is none.
// release removes its pin, startingCSV and version range; nil if it has none.
func demandByName(req *resolver.Request, name string) (s *resolver.Subscription, release *resolver.Change) {
	c := ReleasePin(name)
	for i := range req.Subscriptions {
		if s = &req.Subscriptions[i]; s.Name == name {
			if c.Pin, c.VersionRange = s.Pin, s.VersionRange.String(); req.Owned()[name] == "" {
				c.StartingCSV = s.StartingCSV
			}
			return s, narrowing(c)
		}
	}
	for i := range req.Extensions {
		if e := &req.Extensions[i]; e.Name == name {
			c.Pin, c.VersionRange = e.Pin, e.VersionRange
			return &resolver.Subscription{Name: e.Name, Package: e.Package, Channels: e.Channels, InstalledCSV: e.InstalledCSV}, narrowing(c)
		}
	}
	return nil, nil
}

// narrowing is a change if it releases something.
func narrowing(c resolver.Change) *resolver.Change {
	if c.Pin+c.VersionRange+c.StartingCSV == "" {
		return nil
	}
	return &c
}

func subscriptionChanges(req *resolver.Request, adoptions []resolver.Change, name string) []resolver.Change {
	s, release := demandByName(req, name)
	if s == nil {
		return nil
	}
	out := renames(req, s)
	given := func(ch string) bool {
		return len(s.Channels) == 1 && slices.ContainsFunc(out, func(c resolver.Change) bool { return c.Of == "channel" && c.To == ch })
	}
	if release != nil {
		out = append(out, *release)
	}
	if len(s.Channels) > 0 {
		for _, ch := range otherChannels(req, s) {
			if !given(ch) {
				out = append(out, FollowChannel(name, ch))
			}
		}
	}
	owned := req.Owned()[name]
	for _, c := range adoptions {
		if c.Subscription == name {
			out = append(out, c)
		}
	}
	if s.Generated && owned != "" {
		out = append(out, adoptionsOf(adoptions, owned)...)
	} else {
		out = append(out, DropSubscription(name))
	}
	if owned != "" {
		out = append(out, RemoveInstalled(owned))
	}
	return out
}

// otherChannels lists the channels that a subscription could follow instead of
// its own, the default channel first.
func otherChannels(req *resolver.Request, s *resolver.Subscription) []string {
	names := slices.Clone(s.Channels)
	for _, pkg := range req.Packages(s.Catalog, s.Package) {
		for _, ch := range pkg.Channels {
			if ch.Quarantined() == nil {
				names = append(names, ch.Name)
			}
		}
	}
	return text.Distinct(names)[len(text.Distinct(s.Channels)):]
}

// kindRank orders changes by how much they ask for.
func kindRank(k string) int {
	return slices.Index([]string{"useName", "adoptInstalled", "releasePin", "changeChannel", "allowForbidden", "relaxPolicy", "migrateStorage",
		"dropSubscription", "removeInstalled", "relaxConstraint"}, k)
}

// compare orders corrections, best first: without downgrades and removals; renames; changes by
// an administrator before changes by an author; fewer changes; changes of the request before
// removals.
func compare(a, b resolver.Correction) int { return slices.Compare(burden(a), burden(b)) }

// burden is what a correction asks for, what counts most first.
func burden(c resolver.Correction) []int {
	downgrade := 0
	if c.Downgrade {
		downgrade = 1
	}
	renames, authors, removes, worst := 0, 0, 0, 0
	for _, ch := range c.Changes {
		worst = max(worst, kindRank(ch.Kind))
		switch ch.Kind {
		case "relaxConstraint":
			authors = 1
		case "removeInstalled":
			removes = 1
		}
	}
	if worst > kindRank("useName") {
		renames = 1
	}
	return []int{downgrade, renames, authors, len(c.Changes), removes, worst}
}

// key identifies a change among those of a correction.
func key(c resolver.Change) string {
	k := fmt.Sprintf("%q %q %q %q %q %q %q %t %d", c.Kind, c.Subject, c.Catalog, c.Channel, c.Of, c.To, c.Subscription, c.Hold, c.Round)
	if c.Formula != nil {
		k += c.Formula.Key()
	}
	return k
}

func setKey(changes []resolver.Change) string {
	keys := make([]string, len(changes))
	for i, c := range changes {
		keys[i] = key(c)
	}
	slices.Sort(keys)
	return strings.Join(keys, "\x01")
}

// rootsOf returns the demands in the facts of some conflicts.
func rootsOf(conflicts ...*resolver.Conflict) settings.Aside {
	a := make(settings.Aside)
	for _, c := range conflicts {
		for i := range c.Facts {
			if f := &c.Facts[i]; f.Kind.IsRoot() {
				a[settings.Root{Kind: f.Kind, Name: f.Subject}] = true
			}
		}
	}
	return a
}

// otherRoots returns the demands of the request that are not in a conflict.
func (s *search) otherRoots(c *resolver.Conflict) settings.Aside {
	of, a := rootsOf(c), make(settings.Aside)
	add := func(kind argument.FactKind, name string) {
		root := settings.Root{Kind: kind, Name: name}
		a[root] = !of[root]
	}
	for _, sub := range s.base.Subscriptions {
		add(argument.FactSubscription, sub.Name)
	}
	for _, in := range s.base.Installed {
		add(argument.FactInstalled, in.Name)
	}
	for _, f := range s.base.Force {
		add(argument.FactForced, f.Name)
	}
	return a
}
