package whatif

import (
	"cmp"
	"slices"
	"strconv"

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
	slices.SortStableFunc(out, func(a, b resolver.Change) int { return cmp.Compare(kindRank(a.Kind()), kindRank(b.Kind())) })
	return out
}

func changesOf(req *resolver.Request, adoptions []resolver.AdoptInstalled, f *argument.Fact) []resolver.Change {
	switch f.Kind {
	case argument.FactSubscription:
		return subscriptionChanges(req, adoptions, f.Subject)
	case argument.FactHold:
		return []resolver.Change{resolver.ReleaseHold{Subscription: f.Subject}}
	case argument.FactInstalled:
		return append(adoptionsOf(adoptions, f.Subject), resolver.RemoveInstalled{Bundle: f.Subject})
	case argument.FactForbidden:
		if f.Rule != "" {
			return []resolver.Change{resolver.RelaxPolicy{Rule: f.Rule}}
		}
		return []resolver.Change{resolver.AllowForbidden{Bundle: f.Subject}}
	case argument.FactConstraint:
		return []resolver.Change{resolver.RelaxConstraint{Bundle: f.Ref, Constraint: f.Constraint}}
	case argument.FactIncompatible:
		var out []resolver.Change
		for _, name := range f.Names {
			out = append(out, resolver.MigrateStorage{CRD: name})
		}
		return out
	default:
		return nil
	}
}

// demandByName returns a subscription, or an extension as a subscription; nil if there is none.
// release removes its pin, startingCSV and version range.
func demandByName(req *resolver.Request, name string) (s *resolver.Subscription, release resolver.ReleasePin) {
	c := resolver.ReleasePin{Subscription: name}
	for i := range req.Subscriptions {
		if s = &req.Subscriptions[i]; s.Name == name {
			if c.Pin, c.VersionRange = s.Pin, s.VersionRange.String(); req.Owned()[name] == "" {
				c.StartingCSV = s.StartingCSV
			}
			return s, c
		}
	}
	for i := range req.Extensions {
		if e := &req.Extensions[i]; e.Name == name {
			c.Extension, c.Pin, c.VersionRange = true, e.Pin, e.VersionRange
			return &resolver.Subscription{Name: e.Name, Package: e.Package, Channels: e.Channels, InstalledCSV: e.InstalledCSV}, c
		}
	}
	return nil, c
}

func subscriptionChanges(req *resolver.Request, adoptions []resolver.AdoptInstalled, name string) []resolver.Change {
	s, release := demandByName(req, name)
	if s == nil {
		return nil
	}
	var out []resolver.Change
	renames := renames(req, s, release.Extension)
	for _, c := range renames {
		out = append(out, c)
	}
	given := func(ch string) bool {
		return len(s.Channels) == 1 && slices.ContainsFunc(renames, func(c resolver.UseName) bool { return c.Of == resolver.NameChannel && c.To == ch })
	}
	if release.Pin+release.VersionRange+release.StartingCSV != "" {
		out = append(out, release)
	}
	if len(s.Channels) > 0 {
		for _, ch := range otherChannels(req, s) {
			if !given(ch) {
				out = append(out, resolver.FollowChannel{Subscription: name, Extension: release.Extension, Channel: ch})
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
		out = append(out, resolver.DropSubscription{Subscription: name, Extension: release.Extension})
	}
	if owned != "" {
		out = append(out, resolver.RemoveInstalled{Bundle: owned})
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
func kindRank(k resolver.ChangeKind) int {
	return slices.Index([]resolver.ChangeKind{resolver.ChangeUseName, resolver.ChangeAdoptInstalled, resolver.ChangeReleasePin, resolver.ChangeFollowChannel,
		resolver.ChangeAllowForbidden, resolver.ChangeRelaxPolicy, resolver.ChangeMigrateStorage, resolver.ChangeDropSubscription, resolver.ChangeRemoveInstalled, resolver.ChangeRelaxConstraint}, k)
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
		worst = max(worst, kindRank(ch.Change.Kind()))
		switch ch.Change.Kind() {
		case resolver.ChangeRelaxConstraint:
			authors = 1
		case resolver.ChangeRemoveInstalled:
			removes = 1
		}
	}
	if worst > kindRank(resolver.ChangeUseName) {
		renames = 1
	}
	return []int{downgrade, renames, authors, len(c.Changes), removes, worst}
}

// key identifies a change among those of a correction.
func key(c resolver.Change) string {
	parts := append(make([]string, 0, 4), string(c.Kind()), c.Subject())
	switch c := c.(type) {
	case resolver.UseName:
		parts = append(parts, string(c.Of), c.To)
	case resolver.AdoptInstalled:
		parts = append(parts, c.Subscription)
	case resolver.ReleaseHold:
		parts = append(parts, "hold")
	case resolver.FollowChannel:
		parts = append(parts, c.Channel, strconv.Itoa(c.Round))
	case resolver.RelaxConstraint:
		if parts = append(parts, c.Bundle.Catalog.String()); c.Constraint != nil {
			parts = append(parts, c.Constraint.Key())
		}
	}
	var quoted []byte
	for _, p := range parts {
		quoted = strconv.AppendQuote(quoted, p)
	}
	return string(quoted)
}

// keysOf returns the sorted keys of changes.
func keysOf(changes []resolver.Change) []string {
	keys := make([]string, len(changes))
	for i, c := range changes {
		keys[i] = key(c)
	}
	slices.Sort(keys)
	return keys
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
