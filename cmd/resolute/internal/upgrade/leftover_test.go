package upgrade_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// TestDefinitionsStay: dropping a subscription leaves the definitions of its operator, with
// stored versions and other owners; those of an operator that stays are none of them.
func TestDefinitionsStay(t *testing.T) {
	req := universe.Request(t, `
		catalog olm/c
		db/x db.v1
		web/x web.v1
		installed db.v1
		installed web.v1
		subscribe db at=db.v1
		subscribe db2 package=db at=db.v1
		subscribe web at=web.v1`)
	me := properties.CRDOwner{Namespace: req.Namespace, Bundle: "db.v1"}
	other := properties.CRDOwner{Namespace: "elsewhere", Bundle: "db.v0"}
	req.Cluster.CRDs = []properties.CRD{
		{Name: "dbs.example.com", Group: "example.com", Kind: "DB", StoredVersions: []string{"v1beta1", "v1"}, Owners: []properties.CRDOwner{other, me}},
		{Name: "old.example.com", Group: "example.com", Kind: "Old", Versions: []properties.CRDVersion{{Name: "v1", Storage: true}, {Name: "v2"}}, Owners: []properties.CRDOwner{me}},
		{Name: "webs.example.com", Group: "example.com", Kind: "Web", Owners: []properties.CRDOwner{{Namespace: req.Namespace, Bundle: "web.v1"}}},
		{Name: "far.example.com", Group: "example.com", Kind: "Far", Owners: []properties.CRDOwner{{Namespace: "elsewhere", Bundle: "db.v1"}}},
	}
	drop := func(sub string) []upgrade.LeftOver {
		g := testkit.Must(upgrade.Needs(t.Context(), resolver.New(), req))(t)
		return testkit.Must(g.Drop(t.Context(), resolver.New(), sub))(t).LeftOver
	}
	require.Empty(t, drop("db"), "another subscription has the operator")
	req.Subscriptions = append(req.Subscriptions[:1:1], req.Subscriptions[2])
	require.Equal(t, []upgrade.LeftOver{
		{Name: "dbs.example.com", Group: "example.com", Kind: "DB", StoredVersions: []string{"v1beta1", "v1"}, Owners: []properties.CRDOwner{other}},
		{Name: "old.example.com", Group: "example.com", Kind: "Old", StoredVersions: []string{"v1"}, Owners: []properties.CRDOwner{}},
	}, drop("db"))
}
