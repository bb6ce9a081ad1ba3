// Package scenario reads and writes resolution problems as files, and answers
// them.
//
// A scenario is a problem in a file: the catalogs (by path, as images, or
// inline blobs), the installed bundles, the subscriptions, the cluster, the policy, and
// optionally changed problems (what-ifs) and the expected answer. Users attach
// scenarios to bug reports, failing property tests write them, and the command
// line reads them.
//
//	s, err := scenario.ReadFile(ctx, "problem.yaml") // or Read (fs.FS), Parse (bytes)
//	answer := new(scenario.Runner).Run(ctx, s)       // status, set, steps, conflict …
//
// [Loader.Load] returns the [resolver.Request] of a scenario, for programs that
// resolve it themselves. [Runner.Test] compares the answer with the expectation
// in the file. Reading a scenario never fetches an image that it names; a
// [Loader] does, if its Images allow that.
//
// # The file
//
// The format is YAML or JSON and strict: an unknown key, a wrong type or a
// missing name is an [*Error] with file and line. A null is equivalent to an absent
// key.
//
//	namespace: operators            # default "default"
//	catalogs:
//	- name: community               # required
//	  namespace: olm                # default: the scenario's namespace
//	  priority: 100                 # default 0
//	  path: catalogs/community      # a directory (with .indexignore), or a .yaml, .json or .jsonl file, each also .gz; relative to the scenario
//	- name: shipped
//	  image: quay.io/operatorhubio/catalog:latest   # or a container image; also oci:DIRECTORY, oci-archive:FILE, docker-archive:FILE
//	  imageTemplate: "quay.io/NAME:v{kube_major_version}.{kube_minor_version}"   # optional: the image for another version of the cluster
//	- name: inline
//	  blobs:                        # or the blobs of the file-based catalog inline
//	  - {schema: olm.package, name: etcd, defaultChannel: stable}
//	cluster:
//	  properties: [{type: olm.kubeversion, value: {version: 1.33.0}}]   # default: derived from kubernetesVersion
//	  kubernetesVersion: 1.33.0
//	  openshiftVersion: "4.20"      # major.minor, or a complete version
//	  apis: [{group: monitoring.coreos.com, version: v1, kind: ServiceMonitor}]
//	  crds:                         # resource definitions, with the operators of all namespaces that own them
//	  - {name: etcdclusters.etcd.database.coreos.com, group: etcd.database.coreos.com, kind: EtcdCluster,
//	     versions: [{name: v1beta2, served: true, storage: true}], storedVersions: [v1beta2], owners: [{namespace: operators, bundle: etcd.v0.9.2}]}
//	installed:
//	- name: etcd.v0.9.2             # required
//	  package: etcd                 # optional if properties give it, or if a catalog has a bundle of this name
//	  version: 0.9.2
//	  catalog: olm/community        # its origin, if known
//	  channel: stable
//	  automatic: true               # installed only as a dependency
//	  replacedBy: etcd.v0.9.4       # an installed bundle that replaces it
//	  properties: []                # default: the properties of the catalog's bundle of the same name
//	operatorGroup: {targetNamespaces: [shop]}   # [] means all namespaces; without a group, install modes are not checked
//	subscriptions:
//	- name: etcd                    # required
//	  package: etcd                 # required
//	  channel: stable
//	  channels: [stable, beta]      # instead: several, in the order of preference
//	  hold: "not approved"          # pinned to the installed version, for this reason
//	  catalog: olm/community
//	  startingCSV: etcd.v0.9.2
//	  versionRange: ">=0.9.0"
//	  installedCSV: etcd.v0.9.2     # makes this subscription the owner of that installed bundle
//	policy:
//	  upgrades: Catalog             # Catalog | SelfCertified
//	  compounds: Set                # Set | PerBundle
//	  goal: Newest                  # Newest | MinimalChange | Oldest | Nearest
//	  deprecations: Warn            # Warn | Avoid
//	  failures: All                 # All | Partial
//	  unavailable: Fail             # Fail | Ignore | LastGood, for a catalog whose path cannot be read
//	  compatibility: Warn           # Warn | Require | Ignore, for bundles that are incompatible with the cluster
//	  veto:                         # rules that exclude bundles, with the variables bundle, cluster and now
//	  - {rule: 'now - bundle.createdAt < duration("336h")', message: younger than 14 days}
//	now: 2026-08-22                 # the time that these rules see: a date, or 2026-08-22T12:00:00Z
//	forbid: [{bundle: etcd.v0.9.3, catalog: olm/community, message: known data loss}]
//	relax:                          # ignored constraints; without a constraint, all constraints of the bundle
//	- {bundle: etcd.v0.9.4, catalog: olm/community, constraint: {type: olm.package.required, value: {packageName: vault, versionRange: ">=1.0.0"}}}
//	whatif:                         # changed problems; the keys of one apply together, in this order
//	- name: without prometheus      # required
//	  drop: {subscriptions: [prometheus], installed: [old.v1], veto: []}
//	  add: {subscriptions: [{name: kafka, package: kafka}], installed: [], veto: []}
//	  pin: {etcd: etcd.v0.9.2}      # subscription: bundle
//	  forbid: [{bundle: etcd.v0.9.4}]
//	  force: [kafka.v1.0.0]         # required in the solution
//	  priority: {olm/community: 5}
//	expect:                         # any keys of the answer
//	  status: resolved
//	  set: [etcd.v0.9.4]
//
// # The answer
//
// An [Answer] marshals to the JSON that the command line prints, with its keys always
// in the same order and absent when empty. "status" is resolved, unsatisfiable,
// invalid or incomplete; it and "stats" are always present. A subscription that
// policy Partial excludes does not change the status: see "unresolved". A
// subscription whose name is the one that OLM generates for its package, channel and
// catalog ([resolver.GeneratedName]), and that owns an automatic bundle, counts as
// generated. The
// kinds of facts, changes and warnings are those of package resolver.
//
// Expectations are compared as described at [Compare]: only the given keys,
// objects key by key, lists as a whole in order; of facts, corrections, warnings,
// unresolved, further, because and whatif, each expected item must match one item.
package scenario
