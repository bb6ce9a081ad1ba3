// Package olm connects clusters with the resolver: it reads OLM's objects, mostly from dumps of
// clusters, into one scenario and a list of findings for each namespace, and builds the objects
// with which OLM would carry out a solution.
//
//   - [Cluster] holds the objects. [Cluster.ReadFile] adds a dump: the output of
//     `kubectl get olm -A -o yaml`, a must-gather, a folder, an archive;
//     [Cluster.Add] adds an object.
//   - [Cluster.Capture] returns a [Namespace] each: its scenario, its findings, and
//     the status that OLM reports.
//   - [InstallPlan] builds the objects with which OLM would carry out a solution.
//   - [Commands] builds the kubectl commands of corrections.
//
// Objects are read with small structs of this package. They keep only names, versions, properties
// and conditions, so that a scenario can be attached to a ticket.
package olm
