// Package scenario reads and writes resolution problems as files, and answers
// them.
//
// A scenario is one problem in one file: the catalogs (by path, as images, or
// their blobs in place), what is installed, the subscriptions, the cluster, the policy, and
// optionally changed problems (what-ifs) and the answer that is expected. It is
// what a user attaches to a bug report, what a failing property test writes out,
// and what the command line works on.
//
//	s, err := scenario.ReadFile(ctx, "problem.yaml") // or Read (fs.FS), Parse (bytes)
//	answer := new(scenario.Runner).Run(ctx, s)       // status, set, steps, conflict …
//
// [Loader.Load] stops half way, at the [resolver.Request], for programs that
// want to go on by themselves. [Runner.Test] holds the answer against what the
// file expects. Reading a scenario never fetches an image that it names; a
// [Loader] does, if its Images allow that.
//
// # The file
//
// The format is YAML or JSON and strict: an unknown key, a wrong type or a
// missing name is an [*Error] with file and line. A null stands for an absent
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
//	  blobs:                        # or the blobs of the file-based catalog in place
//	  - {schema: olm.package, name: etcd, defaultChannel: stable}
//	cluster:
//	  properties: [{type: olm.kubeversion, value: {version: 1.33.0}}]   # default: made of kubernetesVersion
//	  kubernetesVersion: 1.33.0
//	  openshiftVersion: "4.20"      # major.minor, or a whole version
//	  apis: [{group: monitoring.coreos.com, version: v1, kind: ServiceMonitor}]
//	  crds:                         # resource definitions, with the operators of all namespaces that own them
//	  - {name: etcdclusters.etcd.database.coreos.com, group: etcd.database.coreos.com, kind: EtcdCluster,
//	     versions: [{name: v1beta2, served: true, storage: true}], storedVersions: [v1beta2], owners: [{namespace: operators, bundle: etcd.v0.9.2}]}
//	installed:
//	- name: etcd.v0.9.2             # required
//	  package: etcd                 # optional where properties say it, or where a catalog knows the bundle by name
//	  version: 0.9.2
//	  catalog: olm/community        # where it came from, if known
//	  channel: stable
//	  automatic: true               # came in only as a dependency
//	  replacedBy: etcd.v0.9.4       # an installed bundle that is taking over
//	  properties: []                # default: those of the catalog's bundle of the same name
//	operatorGroup: {targetNamespaces: [shop]}   # [] stands for all namespaces; without it install modes are not looked at
//	subscriptions:
//	- name: etcd                    # required
//	  package: etcd                 # required
//	  channel: stable
//	  channels: [stable, beta]      # instead: several, in the order of preference
//	  hold: "not approved"          # stays where it is, for this reason
//	  catalog: olm/community
//	  startingCSV: etcd.v0.9.2
//	  versionRange: ">=0.9.0"
//	  installedCSV: etcd.v0.9.2     # makes this subscription the owner of that installed bundle
//	policy:
//	  upgrades: Catalog             # Catalog | SelfCertified
//	  compounds: Set                # Set | PerBundle
//	  goal: Newest                  # Newest | MinimalChange | Oldest
//	  deprecations: Warn            # Warn | Avoid
//	  failures: All                 # All | Partial
//	  unavailable: Fail             # Fail | Ignore | LastGood, for a catalog whose path cannot be read
//	  compatibility: Warn           # Warn | Require | Ignore, of what does not fit the cluster
//	forbid: [{bundle: etcd.v0.9.3, catalog: olm/community, message: known data loss}]
//	relax:                          # constraints that do not count; without a constraint, all of the bundle's
//	- {bundle: etcd.v0.9.4, catalog: olm/community, constraint: {type: olm.package.required, value: {packageName: vault, versionRange: ">=1.0.0"}}}
//	whatif:                         # changed problems; the keys of one apply together, in this order
//	- name: without prometheus      # required
//	  drop: {subscriptions: [prometheus], installed: [old.v1]}
//	  add: {subscriptions: [{name: kafka, package: kafka}], installed: []}
//	  pin: {etcd: etcd.v0.9.2}      # subscription: bundle
//	  forbid: [{bundle: etcd.v0.9.4}]
//	  force: [kafka.v1.0.0]         # must be in the set
//	  priority: {olm/community: 5}
//	expect:                         # any keys of the answer
//	  status: resolved
//	  set: [etcd.v0.9.4]
//
// # The answer
//
// An [Answer] marshals to the JSON that the command line prints, its keys always
// in the same order and absent when empty. "status" is resolved, unsatisfiable,
// invalid or incomplete; it and "stats" are always there. A subscription that
// policy Partial leaves out does not change the status: see "unresolved". A
// subscription whose name is the one that OLM generates for its package, channel and
// catalog ([resolver.GeneratedName]), and that owns an automatic bundle, counts as
// generated. The
// kinds of facts, changes and warnings are those of package resolver.
//
// What a scenario expects is compared as [Compare] says: only the keys given,
// objects key by key, lists as wholes in order; of facts, corrections, warnings,
// unresolved, further, because and whatif, each item given must match one of the answer's.
package scenario
