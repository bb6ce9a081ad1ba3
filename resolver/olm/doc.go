// Package olm stands between a cluster and a resolution: it reads OLM's objects,
// mostly out of dumps of clusters, into one scenario for each namespace with what
// stands out there, and makes the objects by which OLM would carry out a solution.
//
//   - [Cluster] is what the objects say. [Cluster.ReadFile] adds a dump: what
//     `kubectl get olm -A -o yaml` prints, a must-gather, a folder, an archive;
//     [Cluster.Add] adds an object.
//   - [Cluster.Capture] gives a [Namespace] each: its scenario, its findings, and
//     what OLM itself says of it.
//   - [InstallPlan] makes the objects by which OLM would carry out a solution.
//   - [Commands] makes the kubectl commands of corrections.
//
// Objects are read with small structs of this package. Nothing but names, versions,
// properties and conditions of them is kept, so that a scenario can be attached to a
// ticket.
package olm
