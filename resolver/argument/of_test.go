package argument_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
)

// asks is a subscription that asks for the package of its name.
func asks(name string, candidates ...argument.Rejected) argument.Fact {
	return argument.Fact{Kind: argument.FactSubscription, Subject: name, Subscription: name, Package: name,
		Text: "subscription " + name + " asks for package " + name, Candidates: candidates}
}

// needs is a constraint of a bundle; without its parsed form, the subject replaces it.
func needs(bundle, what string, candidates ...argument.Rejected) argument.Fact {
	return argument.Fact{Kind: argument.FactConstraint, Bundle: bundle, Subject: what,
		Text: bundle + " requires " + what, Candidates: candidates}
}

func requiring(bundle string, by int) argument.Rejected {
	return argument.Rejected{Bundle: bundle, Reason: argument.RejectedByConstraint, Text: "requires", By: []int{by}}
}

// Each argument goes from what was asked for down to what closes the case, says once what
// several things have in common, and names the other side of a clash.
func TestOf(t *testing.T) {
	beside := func(bundle, text string, reason argument.Rejection, rival int, other string, rules ...int) argument.Rejected {
		return argument.Rejected{Bundle: bundle, Reason: reason, Text: text, By: append(rules, rival), Beside: map[int][]string{rival: {other}}}
	}
	oneVersion := argument.Fact{Kind: argument.FactPackage, Subject: "db", Text: "only one version of package db can be installed at a time"}
	for name, tc := range map[string]struct {
		facts []argument.Fact
		want  string
	}{
		"nothing is there, with what is nearly that": {
			[]argument.Fact{
				asks("app"),
				{Kind: argument.FactNoCandidate, Subject: "app", Subscription: "app", Text: "no entry of channel x can be chosen", Candidates: []argument.Rejected{
					{Bundle: "app.v1", Reason: argument.NearMissSkipped, Text: "is skipped by app.v2"},
					{Bundle: "app.v3", Reason: argument.NearMissVersion, Text: "has version 3"},
					{Bundle: "app.v4", Reason: argument.NearMissVersion, Text: "has version 4"}}},
			}, `Subscription app cannot be met:
Subscription app asks for package app.
- No entry of channel x can be chosen.
  - app.v1 is skipped by app.v2.
  - There are only app.v3 and app.v4.
`},
		"an answer about the one version that was asked for needs no near misses": {
			[]argument.Fact{
				asks("app"),
				{Kind: argument.FactNoCandidate, Subject: "app", Subscription: "app", Text: "the pinned app.v1 is skipped by app.v2", Specific: true,
					Candidates: []argument.Rejected{{Bundle: "app.v1", Reason: argument.NearMissSkipped, Text: "is skipped by app.v2"}}},
			}, `Subscription app cannot be met:
Subscription app asks for package app.
- The pinned app.v1 is skipped by app.v2.
`},
		"the same requirement is explained once": {
			[]argument.Fact{
				asks("a", requiring("a.v1", 2)), asks("b", requiring("b.v1", 3)),
				needs("a.v1", "a database"), needs("b.v1", "a database"),
			}, `Subscriptions a and b cannot both be met:
Subscription a asks for package a.
- [1] a.v1 requires a database.
Subscription b asks for package b.
- b.v1 requires a database, see [1].
`},
		"both sides of a clash": {
			[]argument.Fact{
				asks("a", requiring("a.v1", 2)), asks("b", requiring("b.v1", 3)),
				needs("a.v1", "db below 2", beside("db.v1", "clashes", argument.RejectedByPackage, 3, "db.v2", 4)),
				needs("b.v1", "db from 2", beside("db.v2", "clashes", argument.RejectedByPackage, 2, "db.v1", 4)),
				oneVersion,
			}, `Subscriptions a and b cannot both be met:
Subscription a asks for package a.
- a.v1 requires db below 2.
  - The only candidate is db.v1.
Subscription b asks for package b.
- b.v1 requires db from 2.
  - db.v2 cannot be installed beside db.v1, which a.v1 needs: only one version of package db can be installed at a time.
`},
		"what is installed stays beside nothing else": {
			[]argument.Fact{
				{Kind: argument.FactInstalled, Subject: "db.v1", Bundle: "db.v1", Text: "db.v1 is installed",
					Candidates: []argument.Rejected{beside("db.v1", "clashes", argument.RejectedByPackage, 1, "db.v2", 2)}},
				{Kind: argument.FactForced, Subject: "db.v2", Bundle: "db.v2", Text: "the request wants db.v2 in the result",
					Candidates: []argument.Rejected{beside("db.v2", "clashes", argument.RejectedByPackage, 0, "db.v1", 2)}},
				oneVersion,
			}, `db.v2 cannot be in the result while the installed db.v1 stays:
db.v1 is installed.
The request wants db.v2 in the result.
- db.v2 cannot be installed beside db.v1, which is installed: only one version of package db can be installed at a time.
`},
		"a prohibition names its victim, whichever comes first": {
			[]argument.Fact{
				asks("a", argument.Rejected{Bundle: "a.v1", Reason: argument.RejectedByProhibition, Text: "is ruled out", By: []int{2}}),
				asks("b", requiring("b.v1", 2)),
				needs("b.v1", "no a"),
			}, `Subscriptions a and b cannot both be met:
Subscription a asks for package a.
- The only candidate is a.v1.
Subscription b asks for package b.
- b.v1 requires no a, which rules out a.v1.
`},
		"what the request says is quoted": {
			[]argument.Fact{
				asks("a", argument.Rejected{Bundle: "a.v1", Reason: argument.RejectedForbidden, Text: "is forbidden by the request", By: []int{1}}),
				{Kind: argument.FactForbidden, Subject: "a.v1", Text: "the request forbids a.v1", Message: "it loses data"},
			}, `Subscription a cannot be met:
Subscription a asks for package a.
- a.v1 is forbidden by the request ("it loses data").
`},
		"forced bundles alone, which begin with a name": {
			[]argument.Fact{{Kind: argument.FactForced, Subject: "a.v1", Bundle: "a.v1", Text: "the request wants a.v1 in the result",
				Candidates: []argument.Rejected{{Bundle: "a.v1", Reason: argument.NearMissUnlisted, Text: "is in no channel"}}}},
			`a.v1 cannot be in the result:
The request wants a.v1 in the result.
- a.v1 is in no channel.
`},
		"a dependency says what it is for": {
			[]argument.Fact{
				{Kind: argument.FactSubscription, Subject: "db-x", Text: "subscription db-x asks for package db", Generated: true, DependencyOf: []string{"app.v1"}, Omitted: 3,
					Candidates: []argument.Rejected{requiring("db.v1", 1)}},
				needs("db.v1", "a disk"),
			}, `Subscription db-x (a dependency of app.v1) cannot be met:
Subscription db-x asks for package db.
- db.v1 requires a disk.
- Candidates beyond these: 3 more.
`},
		"nothing was asked for": {
			[]argument.Fact{needs("db.v1", "a disk")}, `The request has no solution:
db.v1 requires a disk.
`},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, argument.Of(tc.facts).Text())
		})
	}
}

// An argument is as long as anybody reads; what is beyond is counted, however deep it is.
func TestOfIsBounded(t *testing.T) {
	const links = 50_000
	facts := []argument.Fact{asks("a", requiring("b0", 1))}
	for i := range links {
		facts = append(facts, needs(fmt.Sprintf("b%d", i), fmt.Sprintf("thing %d", i), requiring(fmt.Sprintf("b%d", i+1), i+2)))
	}
	facts = append(facts, needs(fmt.Sprintf("b%d", links), "the end"))
	a := argument.Of(facts)
	lines := 0
	a.Walk(func(int, *argument.Statement) { lines++ })
	require.Equal(t, 2000, lines)
	require.Equal(t, len(facts), lines+a.Omitted, "each fact is one statement")
}

// Headlines name what cannot be had together.
func TestHeadline(t *testing.T) {
	installed := func(name string) argument.Fact { return argument.Fact{Kind: argument.FactInstalled, Subject: name} }
	forced := func(name string) argument.Fact { return argument.Fact{Kind: argument.FactForced, Subject: name} }
	extension := asks("e")
	extension.Extension = true
	for want, facts := range map[string][]argument.Fact{
		"subscription a cannot be met":                                                  {asks("a")},
		"subscriptions a, b and c cannot all be met":                                    {asks("a"), asks("b"), asks("c")},
		"extension e cannot be met":                                                     {extension},
		"the installed a cannot stay as it is":                                          {installed("a")},
		"the installed a and b cannot stay together":                                    {installed("a"), installed("b")},
		"a and b cannot be in the result together":                                      {forced("a"), forced("b")},
		"subscription a cannot be met with f in the result while the installed i stays": {asks("a"), installed("i"), forced("f")},
	} {
		require.Equal(t, want, argument.Headline(facts))
	}
	long := argument.Headline([]argument.Fact{asks(strings.Repeat("a", 9000)), asks("b")})
	require.Less(t, len(long), lexicon.MaxText+100)
}

// A program that finds out by itself what cannot be says so as the resolver does.
func ExampleOf() {
	facts := []argument.Fact{
		{Kind: argument.FactSubscription, Subject: "shop", Text: "subscription shop asks for package shop", Candidates: []argument.Rejected{
			{Bundle: "shop.v2", Reason: argument.RejectedForbidden, Text: "is forbidden by the request", By: []int{1}}}},
		{Kind: argument.FactForbidden, Subject: "shop.v2", Text: "the request forbids shop.v2", Message: "it loses orders"},
	}
	fmt.Print(argument.Of(facts).Text())
	// Output:
	// Subscription shop cannot be met:
	// Subscription shop asks for package shop.
	// - shop.v2 is forbidden by the request ("it loses orders").
}
