package lock

import (
	"cmp"
	"slices"

	"github.com/blang/semver/v4"
)

// Change is a difference between the bundles of two locks.
type Change struct {
	// Action says what changes.
	Action ChangeAction `json:"action"`
	// Package is empty for a bundle of an unknown package.
	Package string `json:"package,omitempty"`
	// From and To are the bundle before and after; nil if there is none.
	From *Bundle `json:"from,omitempty"`
	To   *Bundle `json:"to,omitempty"`
}

// ChangeAction says how a bundle of a lock changes.
type ChangeAction string

// The actions of a [Change].
const (
	// Add: the bundle is new.
	Add ChangeAction = "add"
	// Remove: the bundle is gone.
	Remove ChangeAction = "remove"
	// Upgrade and Downgrade: another version of the package, or another release of the version.
	Upgrade   ChangeAction = "upgrade"
	Downgrade ChangeAction = "downgrade"
	// Other: the same bundle from another catalog or channel, with another image, or now
	// installed.
	Other ChangeAction = "change"
)

// Compare lists the differences between the bundles of two locks, by package and name.
func Compare(before, after []Bundle) []Change {
	type key struct{ pkg, name string } // the name counts for an unknown package
	of := func(b *Bundle) key {
		if b.Package == "" {
			return key{"", b.Name}
		}
		return key{b.Package, ""}
	}
	found := make(map[key]*Change)
	for i := range before {
		found[of(&before[i])] = &Change{Action: Remove, Package: before[i].Package, From: &before[i]}
	}
	for i := range after {
		b := &after[i]
		c := found[of(b)]
		if c == nil {
			found[of(b)] = &Change{Action: Add, Package: b.Package, To: b}
			continue
		}
		c.To, c.Action = b, between(c.From, b)
	}
	var out []Change
	for _, c := range found {
		if c.Action != "" {
			out = append(out, *c)
		}
	}
	slices.SortFunc(out, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(cmp.Or(a.From, a.To).Name, cmp.Or(b.From, b.To).Name))
	})
	return out
}

// between returns the action that leads from one bundle of a package to another; empty for none.
func between(from, to *Bundle) ChangeAction {
	if from.Name == to.Name {
		if *from == *to {
			return ""
		}
		return Other
	}
	a, failed := semver.Parse(from.Version)
	b, alsoFailed := semver.Parse(to.Version)
	if failed == nil && alsoFailed == nil && b.LT(a) {
		return Downgrade
	}
	return Upgrade
}
