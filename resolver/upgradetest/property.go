package upgradetest

import (
	"cmp"
	"context"
	"slices"
)

// Property is the stable name of something that should be true of a catalog.
type Property string

const (
	// Sound: nothing in the catalog is wrong, so nothing is quarantined and every
	// default channel exists. Warnings are no findings. (Section 10 of the
	// semantics.)
	Sound Property = "sound"
	// Installable: every candidate of every channel can be installed on an empty
	// cluster by a subscription to that channel, and so can every head, even one
	// that olm.deprecated bars. (Sections 2 to 5.)
	Installable Property = "installable"
	// ReachesHead: every version, once installed, gets to the head of its channel by
	// the updates that the catalog offers. Its channel is the best that it has a place
	// in, else the first that lists it, else the default channel. Dependencies come
	// along as the resolver brings them. Upgrades that repeat forever are for
	// Converges to find. (Sections 2, 6 and 9.)
	ReachesHead Property = "reachesHead"
	// Dependents: no update breaks a dependent. A bundle is installed together with
	// what it requires, and each bundle has a subscription of its own, as Operator
	// Lifecycle Manager gives them. Then each that gets to the head of its channel
	// when alone gets there in company too: nothing is held back because its update
	// would leave the other without what it requires. (Sections 3, 5 and 9.)
	Dependents Property = "dependents"
	// Addition: adding a bundle to a catalog never makes a solvable request
	// unsolvable unless it says so. What is added is, in turn, each bundle that is
	// the head wherever it is listed; the catalog without it and without its entries
	// is what was there before.
	//
	// The bundle says so by its skips: a request that cannot be solved with it
	// may do without if, before, it could not be solved either with the bundles
	// forbidden that one of the added entries names in skips. Whatever else it does,
	// it does not say: leaving versions off the chain by a replaces that jumps over
	// them, making two heads of one, taking a name that is taken. Barred and
	// deprecated versions are as good as others here, and an API that it shares with
	// another package matters only where there was no other choice. (Sections 2, 3,
	// 5 and 10.)
	Addition Property = "addition"
	// Converges: upgrade paths end. (Section 9.)
	Converges Property = "converges"
)

type rule struct {
	property Property
	title    string
	// cases lists the situations to look at, in any order. Where there is a
	// quicker way to know that a situation is fine, it may leave it out; of how
	// many then says how many there were.
	cases func(ctx context.Context, c *check) (list []*situation, of int, err error)
	// ask looks at one situation. It returns nil if the property holds, or if
	// the catalogs do not have what the situation is about.
	ask func(ctx context.Context, q *question) *failure
}

// rules are all properties in the order in which they are checked.
func rules() []rule {
	return []rule{
		{Sound, "nothing in the catalog is wrong", soundCases, askSound},
		{Installable, "every candidate can be installed on an empty cluster", installableCases, askInstallable},
		{ReachesHead, "every installed version reaches the head of its channel", headCases, askHead},
		{Dependents, "no update breaks a dependent", dependentCases, askDependents},
		{Addition, "adding a bundle never makes a solvable request unsolvable unless it says so", additionCases, askAddition},
		{Converges, "upgrade paths end", headCases, askConverges},
	}
}

// ruleOf returns how a property is checked; of one that there is not, an empty rule.
func ruleOf(p Property) rule {
	for _, r := range rules() {
		if r.property == p {
			return r
		}
	}
	return rule{}
}

// Properties returns all properties, in the order in which they are checked.
func Properties() []Property {
	var out []Property
	for _, r := range rules() {
		out = append(out, r.property)
	}
	return out
}

// Title says in a sentence what should be true, for messages.
func (p Property) Title() string { return cmp.Or(ruleOf(p).title, "unknown property "+string(p)) }

func (p Property) known() bool { return slices.Contains(Properties(), p) }
