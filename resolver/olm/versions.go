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

// parseVersion reads the numbers of a version such as v1.31.6+rke2 or 4.18; ok is false if
// it has not as much as a minor.
func parseVersion(text string) (v semver.Version, ok bool) {
	text, _, _ = strings.Cut(text, "+")
	text, _, _ = strings.Cut(text, "-")
	v, err := semver.ParseTolerant(text)
	return v, err == nil && strings.Contains(text, ".")
}

// minorOf is a version as major.minor, empty if it has not both.
func minorOf(version string) string {
	v, ok := parseVersion(version)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d.%d", v.Major, v.Minor)
}

// patchOf is a version as major.minor.patch, empty if it has not as much as a minor.
func patchOf(version string) string {
	v, ok := parseVersion(version)
	if !ok {
		return ""
	}
	return v.String()
}

// Versions are those of a cluster; what is not known is empty.
type Versions struct {
	// ID identifies the cluster; see [scenario.Cluster].
	ID string `json:"id,omitempty"`
	// Name is the infrastructure name that OpenShift gives the cluster.
	Name string `json:"name,omitempty"`
	// OpenShiftVersion is major.minor, KubernetesVersion major.minor.patch.
	OpenShiftVersion  string `json:"openshiftVersion,omitempty"`
	KubernetesVersion string `json:"kubernetesVersion,omitempty"`
}

// clusterID identifies the cluster: by the ID that OpenShift gives it, else by a digest of
// the names of its nodes and namespaces. Clusters that are made alike have the same
// namespaces: without any node, the identities of catalogs and operator groups, which live
// long, tell them apart.
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

// maxClusterName bounds the name of a cluster, in bytes: that of an object.
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
	for _, n := range all[*node](ix.Cluster) { // none is newer than its API server
		if version, ok := parseVersion(n.Status.NodeInfo.KubeletVersion); ok && version.GT(newest) {
			newest, v.KubernetesVersion = version, version.String()
		}
	}
	return v
}

// scenario is the cluster in a scenario, as far as versions identify it.
func (v Versions) scenario() scenario.Cluster {
	return scenario.Cluster{ID: v.ID, Name: v.Name, KubernetesVersion: v.KubernetesVersion, OpenShiftVersion: v.OpenShiftVersion}
}
