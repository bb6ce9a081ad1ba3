package olm

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// parseVersion parses a version such as v1.31.6+rke2 or 4.18; ok is false without a minor.
func parseVersion(text string) (v semver.Version, ok bool) {
	text, _, _ = strings.Cut(text, "+")
	text, _, _ = strings.Cut(text, "-")
	v, err := semver.ParseTolerant(text)
	return v, err == nil && strings.Contains(text, ".")
}

// minorOf returns a version as major.minor; empty without a minor.
func minorOf(version string) string {
	v, ok := parseVersion(version)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d.%d", v.Major, v.Minor)
}

// patchOf returns a version as major.minor.patch; empty without a minor.
func patchOf(version string) string {
	v, ok := parseVersion(version)
	if !ok {
		return ""
	}
	return v.String()
}

// Versions are the versions of a cluster. Unknown ones are empty.
type Versions struct {
	// ID identifies the cluster; see [scenario.Cluster].
	ID string `json:"id,omitempty"`
	// Name is the infrastructure name of OpenShift.
	Name string `json:"name,omitempty"`
	// OpenShiftVersion is major.minor, KubernetesVersion major.minor.patch.
	OpenShiftVersion  string `json:"openshiftVersion,omitempty"`
	KubernetesVersion string `json:"kubernetesVersion,omitempty"`
}

// clusterID identifies the cluster by the ID of OpenShift, else by a digest of the names of its
// nodes and namespaces. Namespaces alone do not distinguish clusters, so without nodes the digest
// includes the uids of catalogs and operator groups.
func (ix *index) clusterID() string {
	var names, identities []string
	nodes := false
	for key, o := range ix.objects { // in any order
		if id := clusterID(o.resource); id != "" {
			return id
		}
		switch key.kind {
		case "Node", "Namespace":
			nodes = nodes || key.kind == "Node"
			names = append(names, key.kind+" "+key.name)
		case "CatalogSource", "OperatorGroup":
			identities = append(identities, "UID "+o.meta().UID)
		}
	}
	if !nodes {
		for _, name := range ix.namespaces() {
			names = append(names, "Namespace "+name)
		}
		names = append(names, identities...)
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	sum := sha256.Sum256([]byte(strings.Join(slices.Compact(names), "\n")))
	return hex.EncodeToString(sum[:16])
}

// maxClusterName limits the name of a cluster, in bytes, like that of an object.
const maxClusterName = 253

func (ix *index) versions() Versions {
	v := Versions{ID: ix.clusterID(), OpenShiftVersion: minorOf(ix.opts.OpenShiftVersion), KubernetesVersion: patchOf(ix.opts.KubernetesVersion)}
	if o, known := ix.resource("Infrastructure", cache.Key{Name: "cluster"}).(*infrastructure); known {
		v.Name = text.Clip(text.Inert(o.Status.InfrastructureName), maxClusterName)
	}
	for _, o := range all[*clusterVersion](ix.Cluster) {
		running := o.Status.Desired.Version
		for _, h := range o.Status.History {
			if h.State == "Completed" {
				running = h.Version
				break
			}
		}
		v.OpenShiftVersion = cmp.Or(minorOf(running), v.OpenShiftVersion)
	}
	if v.KubernetesVersion != "" {
		return v
	}
	var newest semver.Version
	for _, n := range all[*node](ix.Cluster) { // a node is never newer than the API server
		if version, ok := parseVersion(n.Status.NodeInfo.KubeletVersion); ok && version.GT(newest) {
			newest, v.KubernetesVersion = version, version.String()
		}
	}
	return v
}

// scenario returns the versions as the cluster of a scenario.
func (v Versions) scenario() scenario.Cluster {
	return scenario.Cluster{ID: v.ID, Name: v.Name, KubernetesVersion: v.KubernetesVersion, OpenShiftVersion: v.OpenShiftVersion}
}
