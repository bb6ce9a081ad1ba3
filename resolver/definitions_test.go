package resolver_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// databases is a catalog with one operator: its version 2 stores databases as v1 and still
// has v1beta1, which version 3 does not have any more.
func databases() string {
	text := `
{schema: olm.package, name: db, defaultChannel: stable}
---
{schema: olm.channel, package: db, name: stable, entries: [{name: db.v1}, {name: db.v2, replaces: db.v1}, {name: db.v3, replaces: db.v2, skipRange: "<3.0.0"}]}
`
	for i, versions := range []string{
		`{"name": "v1beta1", "served": true, "storage": true}`,
		`{"name": "v1beta1", "served": true, "storage": false}, {"name": "v1", "served": true, "storage": true}`,
		`{"name": "v1", "served": true, "storage": true}`,
	} {
		crd := `{"kind": "CustomResourceDefinition", "metadata": {"name": "dbs.example.com"}, "spec": {"group": "example.com", "names": {"kind": "DB"}, "versions": [` + versions + `]}}`
		text += fmt.Sprintf("---\n{schema: olm.bundle, package: db, name: db.v%d, image: i, properties: [{type: olm.package, value: {packageName: db, version: %d.0.0}}, {type: olm.bundle.object, value: {data: %s}}]}\n",
			i+1, i+1, base64.StdEncoding.EncodeToString([]byte(crd)))
	}
	return text
}

// A cluster still has databases that are stored as v1beta1. The newest version of their
// operator does not have that any more, and its install plan would stop halfway. Where bundles
// are required to fit, the version in between comes first; after it the databases have to be
// migrated.
func ExampleCluster() {
	ctx := context.Background()
	content, err := fbc.Read(ctx, strings.NewReader(databases()), "catalog.yaml", fbc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	req := resolver.Request{
		Namespace: "shop",
		Catalogs:  []resolver.Catalog{{Key: cache.Key{Namespace: "olm", Name: "community"}, Content: content}},
		Cluster: resolver.Cluster{CRDs: []properties.CRD{{Name: "dbs.example.com", Group: "example.com", Kind: "DB",
			Versions:       []properties.CRDVersion{{Name: "v1beta1", Served: true, Storage: true}},
			StoredVersions: []string{"v1beta1"}, Owners: []properties.CRDOwner{{Namespace: "shop", Bundle: "db.v1"}}}}},
		Installed:     []resolver.Installed{{Name: "db.v1"}},
		Subscriptions: []resolver.Subscription{{Name: "db", Package: "db", Channels: []string{"stable"}, InstalledCSV: "db.v1"}},
	}
	for _, compatibility := range []resolver.Compatibility{resolver.CompatibilityWarn, resolver.CompatibilityRequire} {
		req.Policy.Compatibility = compatibility
		solution, err := resolver.New().Resolve(ctx, req)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(compatibility, solution.Set())
		for _, w := range solution.Warnings {
			fmt.Println(w.Kind, w.Code, w.Bundle)
		}
		fmt.Println("stored from then on:", req.Advance(solution).Cluster.CRDs[0].StoredVersions)
	}
	// Output:
	// Warn [db.v3]
	// incompatible crdStoredVersionRemoved db.v3
	// stored from then on: [v1]
	// Require [db.v2]
	// stored from then on: [v1beta1 v1]
}

// leftOver is a request for the newest database where those of an operator that is gone are
// stored in two versions.
func leftOver(t testing.TB) resolver.Request {
	content := testkit.Must(fbc.Read(t.Context(), strings.NewReader(databases()), "catalog.yaml", fbc.Options{}))(t)
	return resolver.Request{
		Namespace: "shop",
		Catalogs:  []resolver.Catalog{{Key: cache.Key{Namespace: "olm", Name: "c"}, Content: content}},
		Cluster: resolver.Cluster{CRDs: []properties.CRD{{Name: "dbs.example.com", Group: "example.com", Kind: "DB",
			Versions:       []properties.CRDVersion{{Name: "v1beta1", Served: true}, {Name: "v1", Served: true, Storage: true}},
			StoredVersions: []string{"v1beta1", "v1"}, Owners: []properties.CRDOwner{{Namespace: "far", Bundle: "db.v1"}}}}},
		Subscriptions: []resolver.Subscription{{Name: "db", Package: "db", StartingCSV: "db.v3"}},
		Policy:        resolver.Policy{Compatibility: resolver.CompatibilityRequire},
	}
}

// TestStoredVersionIsInTheWay: the conflict names the definition, the version, who owns it, and
// what helps: a migration, which can be asked of a session as well.
func TestStoredVersionIsInTheWay(t *testing.T) {
	req := leftOver(t)
	_, err := resolver.New().Resolve(t.Context(), req)
	var conflict *resolver.Conflict
	require.True(t, errors.As(err, &conflict))
	text := ""
	for _, f := range conflict.Facts {
		text += f.Text + "\n"
	}
	for _, word := range []string{"dbs.example.com", "version v1beta1", "db.v1 in namespace far", "migrated to v1", "kubectl get crd dbs.example.com -o jsonpath='{.status.storedVersions}'"} {
		require.Contains(t, text, word)
	}
	require.NoError(t, whatif.FindCorrections(t.Context(), resolver.New(), req, conflict, whatif.FindOptions{Commands: olm.Commands}))
	found := map[string][]string{}
	for _, c := range conflict.Corrections {
		require.Len(t, c.Changes, 1)
		found[string(c.Changes[0].Change.Kind())+" "+c.Changes[0].Change.Subject()] = c.Result
		if c.Changes[0].Change.Kind() == resolver.ChangeMigrateStorage {
			require.Equal(t, resolver.RoleAdministrator, c.Changes[0].Who)
			require.Equal(t, "kubectl get crd dbs.example.com -o jsonpath='{.status.storedVersions}'", c.Changes[0].Commands[0])
		}
	}
	require.Equal(t, []string{"db.v3"}, found["migrateStorage dbs.example.com"])
	require.Equal(t, []string{"db.v2"}, found["releasePin db"])

	session := testkit.Must(resolver.New().Session(t.Context(), req))(t)
	solution := testkit.Must(session.Resolve(t.Context(), resolver.MigrateStorage{CRD: "dbs.example.com"}))(t)
	require.Equal(t, []string{"db.v3"}, solution.Set())
	require.Equal(t, []string{"v1beta1", "v1"}, req.Cluster.CRDs[0].StoredVersions, "the request is as it was")
	_, err = session.Resolve(t.Context(), resolver.MigrateStorage{CRD: "db.example.com"})
	require.ErrorContains(t, err, "the cluster has no resource definition of this name")
}

// TestSharedDefinition: who else has another version is said of what is kept, too, and of a
// name that no catalog knows by how it begins.
func TestSharedDefinition(t *testing.T) {
	for name, tt := range map[string]struct {
		owner properties.CRDOwner
		says  string
	}{
		"another version":           {properties.CRDOwner{Namespace: "far", Bundle: "db.v1"}, "db.v3 (version 3.0.0) shares dbs.example.com with db.v1 (version 1.0.0) in namespace far"},
		"one that no catalog has":   {properties.CRDOwner{Namespace: "far", Bundle: "db.v0.9"}, "with db.v0.9 in namespace far"},
		"the same version":          {properties.CRDOwner{Namespace: "far", Bundle: "db.v3"}, ""},
		"another operator":          {properties.CRDOwner{Namespace: "far", Bundle: "database.v1"}, ""},
		"one of the same namespace": {properties.CRDOwner{Namespace: "shop", Bundle: "db.v1"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			req := leftOver(t)
			req.Policy.Compatibility, req.Cluster.CRDs[0].Owners = "", []properties.CRDOwner{tt.owner}
			req.Installed = []resolver.Installed{{Name: "db.v3", Subscription: "db"}}
			solution := universe.Solution(t, req)
			if tt.says == "" {
				require.Empty(t, solution.Warnings)
				return
			}
			require.Len(t, solution.Warnings, 1)
			require.Equal(t, resolver.WarningShared, solution.Warnings[0].Kind)
			require.Contains(t, solution.Warnings[0].Message, tt.says)
		})
	}
}

// TestManyDefinitions: each of many definitions of a bundle is found, however many the cluster has.
func TestManyDefinitions(t *testing.T) {
	const n = 40
	req := universe.Request(t, "db/stable db.v1\nsubscribe db\n"+each(n, "bundle db.v1 provides=g%[1]d.example.com/v1/Kind%[1]d\n"))
	for i := range n {
		group := fmt.Sprintf("g%d.example.com", i)
		req.Cluster.CRDs = append(req.Cluster.CRDs, properties.CRD{
			Name: fmt.Sprintf("kind%ds.%s", i, group), Group: group, Kind: fmt.Sprint("Kind", i), StoredVersions: []string{"v0"}})
	}
	said := map[string]bool{}
	for _, w := range universe.Solution(t, req).Warnings {
		require.Equal(t, resolver.CRDStoredVersionRemoved, w.Code)
		said[w.Message] = true
	}
	require.Len(t, said, n)
}
