package upgrade_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/upgrade"
)

// db is a bundle of package db with a definition of these versions, the last of which is
// stored. Version 1 works up to OpenShift 4.18.
func db(n int, versions ...string) json.RawMessage {
	var list []string
	for i, v := range versions {
		list = append(list, fmt.Sprintf(`{"name": %q, "served": true, "storage": %t}`, v, i == len(versions)-1))
	}
	crd := fmt.Sprintf(`{"kind": "CustomResourceDefinition", "metadata": {"name": "dbs.example.com"}, "spec": {"group": "example.com", "names": {"kind": "DB", "plural": "dbs"}, "versions": [%s]}}`, strings.Join(list, ", "))
	limit := ""
	if n == 1 {
		limit = `, {"type": "olm.maxOpenShiftVersion", "value": "4.18"}`
	}
	return fmt.Appendf(nil, `{"schema": "olm.bundle", "package": "db", "name": "db.v%d", "properties": [{"type": "olm.package", "value": {"packageName": "db", "version": "%d.0.0"}}, {"type": "olm.bundle.object", "value": {"data": %q}}%s]}`,
		n, n, base64.StdEncoding.EncodeToString([]byte(crd)), limit)
}

// TestDefinitionsOnThePath: the reasons say what the bundles of a path, or those that are no
// candidates, take from the definitions of the cluster.
func TestDefinitionsOnThePath(t *testing.T) {
	const channel = `{"schema": "olm.channel", "package": "db", "name": "x", "entries": [`
	pkg := json.RawMessage(`{"schema": "olm.package", "name": "db", "defaultChannel": "x"}`)
	two := []json.RawMessage{pkg, json.RawMessage(channel + `{"name": "db.v1"}, {"name": "db.v3", "replaces": "db.v1"}]}`), db(1, "v1beta1"), db(3, "v1")}
	three := []json.RawMessage{pkg, json.RawMessage(channel + `{"name": "db.v1"}, {"name": "db.v2", "replaces": "db.v1"}, {"name": "db.v3", "replaces": "db.v2", "skipRange": ">=1.0.0 <3.0.0"}]}`),
		db(1, "v1beta1"), db(2, "v1beta1", "v1"), db(3, "v1")}
	for name, tt := range map[string]struct {
		blobs         []json.RawMessage
		compatibility string
		crds          bool
		verdict       upgrade.Verdict
		path          string
		code          string
	}{
		"nothing known of the cluster": {two, "", false, upgrade.UpdateBefore, "db.v3", ""},
		"a warning":                    {two, "", true, upgrade.UpdateBefore, "db.v3", "crdStoredVersionRemoved"},
		"no candidate":                 {two, "Require", true, upgrade.NoWay, "", "crdStoredVersionRemoved"},
		"not looked at":                {two, "Ignore", true, upgrade.Fine, "", ""},
		"through the version between":  {three, "Require", true, upgrade.UpdateBefore, "db.v2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			content := testkit.Must(fbc.FromBlobs(t.Context(), tt.blobs, fbc.Options{}))(t)
			req := resolver.Request{
				Catalogs:      []resolver.Catalog{{Key: cache.Key{Namespace: "olm", Name: "c"}, Content: content}},
				Cluster:       resolver.Cluster{OpenShiftVersion: "4.18"},
				Installed:     []resolver.Installed{{Name: "db.v1"}},
				Subscriptions: []resolver.Subscription{{Name: "db", Package: "db", InstalledCSV: "db.v1"}},
				Policy:        resolver.Policy{Compatibility: tt.compatibility},
			}
			if tt.crds {
				req.Cluster.CRDs = []properties.CRD{{Name: "dbs.example.com", Group: "example.com", Kind: "DB",
					Versions: []properties.CRDVersion{{Name: "v1beta1", Served: true, Storage: true}}, StoredVersions: []string{"v1beta1"}}}
			}
			report, err := upgrade.Check(t.Context(), resolver.New(), req, upgrade.Options{
				Versions: []upgrade.Version{{OpenShift: "4.19", Catalogs: []upgrade.NextCatalog{{For: "c", Content: content}}}}})
			require.NoError(t, err)
			o := report.Operators[0]
			require.Equal(t, tt.verdict, o.Verdict, "%v", o.Reasons)
			var path []string
			for _, s := range o.Path {
				path = append(path, s.Bundle)
			}
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
