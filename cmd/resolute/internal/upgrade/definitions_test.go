package upgrade_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// db is a bundle of package db with a definition of these versions, the last of which is
// stored. Version 1 works up to OpenShift 4.18.
func db(n int, versions ...string) string {
	var list []string
	for i, v := range versions {
		list = append(list, fmt.Sprintf(`{"name": %q, "served": true, "storage": %t}`, v, i == len(versions)-1))
	}
	crd := fmt.Sprintf(`{"kind": "CustomResourceDefinition", "metadata": {"name": "dbs.example.com"}, "spec": {"group": "example.com", "names": {"kind": "DB", "plural": "dbs"}, "versions": [%s]}}`, strings.Join(list, ", "))
	return fmt.Sprintf("\nproperty db.v%d olm.bundle.object {\"data\": %q}", n, base64.StdEncoding.EncodeToString([]byte(crd)))
}

// TestDefinitionsOnThePath: the reasons say what the bundles of a path, or those that are no
// candidates, take from the definitions of the cluster.
func TestDefinitionsOnThePath(t *testing.T) {
	ends := "\nbundle db.v1 max=4.18" + db(1, "v1beta1") + db(3, "v1")
	two := "catalog olm/c\ndb/x db.v1 db.v3" + ends
	three := "catalog olm/c\ndb/x db.v1 db.v2\ndb/x db.v3 replaces=db.v2 range=\">=1.0.0 <3.0.0\"" + ends + db(2, "v1beta1", "v1")
	for name, tt := range map[string]struct {
		catalog       string
		compatibility resolver.Compatibility
		crds          bool
		verdict       upgrade.Verdict
		path          string
		code          string
	}{
		"nothing known of the cluster": {two, "", false, upgrade.UpdateBefore, "db.v3", ""},
		"a warning":                    {two, "", true, upgrade.UpdateBefore, "db.v3", "crdStoredVersionRemoved"},
		"no candidate":                 {two, resolver.CompatibilityRequire, true, upgrade.NoWay, "", "crdStoredVersionRemoved"},
		"not looked at":                {two, resolver.CompatibilityIgnore, true, upgrade.Fine, "", ""},
		"through the version between":  {three, resolver.CompatibilityRequire, true, upgrade.UpdateBefore, "db.v2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			req := universe.Request(t, tt.catalog+"\ninstalled db.v1\nsubscribe db at=db.v1")
			req.Cluster.OpenShiftVersion, req.Policy.Compatibility = "4.18", tt.compatibility
			if tt.crds {
				req.Cluster.CRDs = []properties.CRD{{Name: "dbs.example.com", Group: "example.com", Kind: "DB",
					Versions: []properties.CRDVersion{{Name: "v1beta1", Served: true, Storage: true}}, StoredVersions: []string{"v1beta1"}}}
			}
			next := []upgrade.NextCatalog{{For: "c", Content: req.Catalogs[0].Content}}
			opts := upgrade.Options{Versions: []upgrade.Version{{OpenShift: "4.19", Catalogs: next}}}
			o := testkit.Must(upgrade.Check(t.Context(), resolver.New(), req, opts))(t).Operators[0]
			require.Equal(t, tt.verdict, o.Verdict, "%v", o.Reasons)
			path := testkit.Map(o.Path, func(s upgrade.Step) string { return s.Bundle })
			require.Equal(t, tt.path, strings.Join(path, " "))
			i := slices.IndexFunc(o.Reasons, func(r upgrade.Reason) bool { return strings.HasPrefix(r.Code, "crd") })
			require.Equal(t, tt.code != "", i >= 0, "%v", o.Reasons)
			if i >= 0 {
				require.Equal(t, tt.code, o.Reasons[i].Code)
				require.Contains(t, o.Reasons[i].Text, "db.v3 does not have version v1beta1 of dbs.example.com")
			}
		})
	}
}
