package main

import (
	"encoding/json"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// listedCatalog has a display name in each of the two places where catalogs have them.
const listedCatalog = `
schema: olm.package
name: shop
defaultChannel: stable
---
schema: olm.channel
package: shop
name: stable
entries: [{name: shop.v1.0.0}, {name: shop.v1.10.0, replaces: shop.v1.0.0}]
---
schema: olm.bundle
package: shop
name: shop.v1.0.0
image: registry.example/shop:1
properties:
- {type: olm.package, value: {packageName: shop, version: 1.0.0}}
- {type: olm.gvk, value: {group: example.com, version: v1alpha1, kind: Till}}
- {type: olm.csv.metadata, value: {displayName: The Old Shop}}
---
schema: olm.bundle
package: shop
name: shop.v1.10.0
image: registry.example/shop:2
properties:
- {type: olm.package, value: {packageName: shop, version: 1.10.0}}
- {type: olm.gvk, value: {group: example.com, version: v1, kind: Till}}
- {type: olm.csv.metadata, value: {displayName: Corner Shop}}
---
schema: olm.package
name: web
defaultChannel: stable
---
schema: olm.channel
package: web
name: stable
entries: [{name: web.v2.0.0}]
---
schema: olm.bundle
package: web
name: web.v2.0.0
image: registry.example/web:2
properties:
- {type: olm.package, value: {packageName: web, version: 2.0.0}}
- {type: olm.bundle.object, value: {data: eyJraW5kIjoiQ2x1c3RlclNlcnZpY2VWZXJzaW9uIiwic3BlYyI6eyJkaXNwbGF5TmFtZSI6IkZyb250IERvb3IifX0=}}
`

// TestList: packages are found by name, display name and provided API, whatever the case.
func TestList(t *testing.T) {
	catalog := write(t, "c.yaml", listedCatalog)
	names := func(args ...string) []string {
		got := run1(t, append([]string{"list", "-o", "json", catalog}, args...)...)
		var answer listAnswer
		require.NoError(t, json.Unmarshal([]byte(got.out), &answer))
		found := []string{}
		for _, p := range answer.Packages {
			found = append(found, p.Name)
		}
		require.Equal(t, len(found) == 0, got.status == exitNo, args)
		return found
	}
	for wanted, want := range map[string][]string{
		"": {"shop", "web"}, "WEB": {"web"}, "corner": {"shop"}, "front door": {"web"}, "till": {"shop"}, "example.com/v1alpha1/till": {"shop"},
		"Old Shop": {}, "shop web": {}, "none": {},
	} {
		require.Equal(t, want, names(wanted), wanted)
	}
	require.Equal(t, []string{"shop", "web"}, names())
	require.JSONEq(t, `{"packages": [{"name": "shop", "displayName": "Corner Shop", "defaultChannel": "stable", "channels": ["stable"],
		"bundle": "shop.v1.10.0", "version": "1.10.0", "provides": ["example.com/v1/Till", "example.com/v1alpha1/Till"]}]}`, run1(t, "list", catalog, "shop", "-o", "json").out)
	require.Equal(t, "PACKAGE  VERSION  CHANNEL  DISPLAY NAME  PROVIDES\nshop     1.10.0   stable   Corner Shop   Till\nweb      2.0.0    stable   Front Door    -\n2 packages\n", run1(t, "list", catalog).out)

	got := run1(t, "list", catalog, "Corner Shpo")
	require.Equal(t, exitNo, got.status)
	require.Empty(t, got.out)
	require.Contains(t, got.errOut, catalog+` matches "Corner Shpo"; did you mean shop?`)
	require.Contains(t, run1(t, "list", "../../examples/catalogs/community", "grafna-operator").errOut, "; did you mean grafana-operator?")
	require.Equal(t, `{"packages":[],"near":["web"]}`+"\n", run1(t, "list", "-o", "json", catalog, "wbe").out)
	require.Equal(t, exitUnusable, run1(t, "list", "nowhere").status)
	require.Equal(t, exitUnusable, run1(t, "list", install).status, "a scenario")
	require.Equal(t, exitUnusable, run1(t, "list", t.TempDir()).status, "no packages")
}

// TestVersionCommand: what the build recorded, as text and as JSON.
func TestVersionCommand(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}}}
	v := built(info, true)
	require.NotEmpty(t, v.Platform)
	v.Platform = "plan9/mips"
	out, err := json.Marshal(v)
	require.NoError(t, err)
	require.JSONEq(t, `{"version": "v1.2.3", "commit": "abc", "modified": true, "go": "go1.26.0", "platform": "plan9/mips"}`, string(out))
	require.Equal(t, "(devel)", built(nil, false).Version)
	require.Regexp(t, "(?m)^resolute .+\ncommit:   .+\ngo:       go1\\..+\nplatform: [a-z0-9]+/[a-z0-9]+$", strings.TrimSpace(run1(t, "version").out))
	var printed versionAnswer
	require.NoError(t, json.Unmarshal([]byte(run1(t, "version", "-o", "json").out), &printed))
	require.NotEmpty(t, printed.Version+printed.Go)
	require.Equal(t, exitUnusable, run1(t, "version", "extra").status)
}
