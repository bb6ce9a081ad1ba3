package lock

import (
	"cmp"
	"reflect"
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
	var out []Change
	taken := make(map[*Bundle]bool)
	index := func(key func(*Bundle) string) func(*Bundle) *Bundle {
		list := make(map[string]*Bundle)
		for i := range before {
			list[key(&before[i])] = &before[i]
		}
		return func(b *Bundle) *Bundle {
			if from := list[key(b)]; from != nil && key(b) != "" && !taken[from] {
				return from
			}
			return nil
		}
	}
	byName, byPackage := index(func(b *Bundle) string { return b.Name }), index(func(b *Bundle) string { return b.Package })
	for i := range after {
		to := &after[i]
		from := byName(to)
		if from == nil {
			from = byPackage(to)
		}
		if from == nil {
			out = append(out, Change{Action: Add, Package: to.Package, To: to})
			continue
		}
		taken[from] = true
		if action := between(from, to); action != "" {
			out = append(out, Change{Action: action, Package: to.Package, From: from, To: to})
		}
	}
	for i := range before {
		if from := &before[i]; !taken[from] {
			out = append(out, Change{Action: Remove, Package: from.Package, From: from})
		}
	}
	slices.SortStableFunc(out, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(cmp.Or(a.From, a.To).Name, cmp.Or(b.From, b.To).Name))
	})
	return out
}

// between returns the action that leads from one bundle of a package to another; empty for none.
func between(from, to *Bundle) ChangeAction {
	if from.Name == to.Name {
		a, b := *from, *to
		a.Subscriptions, b.Subscriptions, a.RequiredBy, b.RequiredBy = nil, nil, nil, nil // no change of the bundle
		if reflect.DeepEqual(a, b) {
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
