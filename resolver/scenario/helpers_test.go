package scenario_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// parse parses a valid scenario.
func parse(t testing.TB, text string) *scenario.Scenario {
	return testkit.Must(scenario.Parse(context.Background(), "problem.yaml", []byte(text)))(t)
}

// asJSON returns the JSON of a scenario, which does not contain its origin.
func asJSON(t testing.TB, v any) string {
	data := testkit.Must(json.MarshalIndent(v, "", " "))(t)
	return string(data)
}

// small is a catalog of two packages, as the blobs of a scenario: etcd (0.9.2, then 0.9.4) and
// backup, which requires the EtcdCluster API.
const small = `
  - {schema: olm.package, name: etcd, defaultChannel: stable}
  - {schema: olm.channel, package: etcd, name: stable, entries: [{name: etcd.v0.9.2}, {name: etcd.v0.9.4, replaces: etcd.v0.9.2}]}
  - schema: olm.bundle
    package: etcd
    name: etcd.v0.9.2
    image: i
    properties: [{type: olm.package, value: {packageName: etcd, version: 0.9.2}}, {type: olm.gvk, value: {group: etcd.example.com, version: v1, kind: EtcdCluster}}]
  - schema: olm.bundle
    package: etcd
    name: etcd.v0.9.4
    image: i
    properties: [{type: olm.package, value: {packageName: etcd, version: 0.9.4}}, {type: olm.gvk, value: {group: etcd.example.com, version: v1, kind: EtcdCluster}}]
  - {schema: olm.package, name: backup, defaultChannel: stable}
  - {schema: olm.channel, package: backup, name: stable, entries: [{name: backup.v1.0.0}]}
  - schema: olm.bundle
    package: backup
    name: backup.v1.0.0
    image: i
    properties: [{type: olm.package, value: {packageName: backup, version: 1.0.0}}, {type: olm.gvk.required, value: {group: etcd.example.com, version: v1, kind: EtcdCluster}}]
`

// problem returns a scenario over the small catalog with additional keys.
func problem(keys string) string {
	return "catalogs:\n- name: c\n  blobs:" + small + strings.TrimLeft(keys, "\n")
}

// named returns the pointer to a package name.
func named(pkg string) *string { return &pkg }
