package upgrade_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

// TestStuck: a target without a version that cannot move says what is in its way; one that gets
// on after others have gone ahead goes there.
func TestStuck(t *testing.T) {
	up := leastOf(t, universe.Request(t, `
		catalog olm/c
		etcd/s etcd.v1
		etcd/s etcd.v2 replaces=etcd.v1 needs=db@>=2.0.0
		db/s db.v1
		installed etcd.v1
		installed db.v1
		subscribe etcd at=etcd.v1
		subscribe db at=db.v1`), upgrade.Target{Subscription: "etcd"})
	require.Len(t, up.Blocked, 1)
	require.Equal(t, "etcd.v2", up.Blocked[0].Bundle)
	require.NotNil(t, up.Blocked[0].Conflict)

	up = leastOf(t, universe.Request(t, `
		catalog olm/c
		p/s p.v1
		p/s p.v2 replaces=p.v1 needs=q@>=3.0.0
		q/s q.v1 q.v2 q.v3
		installed p.v1
		installed q.v1
		subscribe p at=p.v1
		subscribe q at=q.v1`), upgrade.Target{Subscription: "p"})
	require.Len(t, up.Rounds, 2, "q goes ahead")
	require.Contains(t, up.Rounds[1].Solution.Set(), "p.v2")
	require.Empty(t, up.Blocked)
}

// TestStuckOutsideItsRange: a target says so where what its channel leads to is no candidate.
func TestStuckOutsideItsRange(t *testing.T) {
	up := leastOf(t, universe.Request(t, `
		catalog olm/c
		etcd/s etcd.v1 etcd.v2
		installed etcd.v1
		subscribe etcd at=etcd.v1 range=<2.0.0`), upgrade.Target{Subscription: "etcd"})
	require.Len(t, up.Blocked, 1)
	require.Equal(t, "etcd.v2 has version 2.0.0, outside <2.0.0", up.Blocked[0].Text)
	require.Contains(t, up.Blocked[0].Conflict.Text(), "- The only candidate is etcd.v1.\n- etcd.v2 has version 2.0.0, outside <2.0.0.\n")
}

// TestMovesToWorse: a target that moves, but not to its best candidate, says what is in the way of
// that; one with a version does not.
func TestMovesToWorse(t *testing.T) {
	req := universe.Request(t, `
		catalog olm/c
		etcd/s etcd.v1 etcd.v2
		etcd/s etcd.v3 replaces=etcd.v2 skips=etcd.v1 needs=db@>=2.0.0
		db/s db.v1
		installed etcd.v1
		installed db.v1
		subscribe etcd at=etcd.v1
		subscribe db at=db.v1`)
	up := leastOf(t, req, upgrade.Target{Subscription: "etcd"})
	require.Equal(t, []string{"1 etcd.v2"}, moves(up))
	require.Len(t, up.Blocked, 1)
	require.Equal(t, "etcd.v3", up.Blocked[0].Bundle)
	require.NotNil(t, up.Blocked[0].Conflict)
	require.Empty(t, leastOf(t, req, upgrade.Target{Subscription: "etcd", Version: "2.0.0"}).Blocked)
}

// TestUpgradeOfADependency: the subscription that comes with an automatic bundle can be named.
func TestUpgradeOfADependency(t *testing.T) {
	req := universe.Request(t, `
		catalog olm/c
		db/s db.v1 db.v2
		web/s web.v1 needs=db@>=1.0.0
		installed db.v1
		installed web.v1
		subscribe web at=web.v1`)
	req.Installed[0].Automatic = true
	name := resolver.GeneratedName("db", "s", cache.Key{Namespace: "olm", Name: "c"})
	up := leastOf(t, req, upgrade.Target{Subscription: name, Version: "2.0.0"})
	require.Contains(t, up.Rounds[0].Solution.Set(), "db.v2")
}
