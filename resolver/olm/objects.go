package olm

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// The objects of OLM, as far as they are looked at. What is not named here, above
// all manifests, environments and credentials, is never read into memory. A field
// without a key of its own has that of its name, which JSON reads in any case.

type meta struct {
	Name, Namespace, UID, ResourceVersion string
	Labels, Annotations                   map[string]string
}

// header is what all objects have in common.
type header struct {
	Metadata meta
}

func (h *header) meta() *meta { return &h.Metadata }

// resource is an object of one of the kinds below.
type resource interface{ meta() *meta }

type condition struct {
	Type, Status, Reason, Message string
}

// find returns the condition of a type that is true, or nil.
func find(conditions []condition, kind string) *condition {
	for i := range conditions {
		if conditions[i].Type == kind && conditions[i].Status == "True" {
			return &conditions[i]
		}
	}
	return nil
}

type subscription struct {
	header
	Spec struct {
		Package                          string `json:"name"`
		Channel, Source, SourceNamespace string
		StartingCSV, InstallPlanApproval string
		// Config is what the user sets on the operator's deployment. It gets into no scenario.
		Config json.RawMessage
	}
	Status struct {
		State                    string
		InstalledCSV, CurrentCSV string
		InstallPlanRef           *CatalogRef
		Conditions               []condition
		CatalogHealth            []struct {
			CatalogSourceRef CatalogRef
			Healthy          *bool
		}
	}
}

type clusterServiceVersion struct {
	header
	Spec struct {
		Version, Replaces                                string
		CustomResourceDefinitions, APIServiceDefinitions apiList
		InstallModes                                     []installMode
		Install                                          struct {
			Spec struct{ Permissions, ClusterPermissions []permission }
		}
	}
	Status struct{ Phase, Reason, Message string }
}

// permission is what an operator may do with objects of the cluster.
type permission struct {
	Rules []struct{ APIGroups, Resources []string }
}

type installMode struct {
	Type      string `json:"type"`
	Supported bool   `json:"supported"`
}

type apiList struct {
	Owned, Required []api
}

// api is a resource definition by its name, or an API service by its group.
type api struct {
	Name, Group, Version, Kind string
}

// group is the group of the API: that of a resource definition stands behind the
// first dot of its name.
func (a *api) group(definition bool) string {
	if !definition {
		return a.Group
	}
	_, group, _ := strings.Cut(a.Name, ".")
	return group
}

// isCopy reports whether a ClusterServiceVersion is the copy of one in another
// namespace, which OLM makes of the operators that watch this one.
func (v *clusterServiceVersion) isCopy() bool {
	if _, copied := v.Metadata.Labels["olm.copiedFrom"]; copied || v.Status.Reason == "Copied" {
		return true
	}
	home, says := v.Metadata.Annotations["olm.operatorNamespace"]
	return says && home != "" && home != v.Metadata.Namespace
}

type catalogSource struct {
	header
	Spec struct {
		SourceType, Image string
		Priority          int
	}
	Status struct {
		Reason, Message string
		ConnectionState *struct{ LastObservedState, LastConnect string }
	}
}

// isReady reports whether OLM is connected to the catalog.
func (c *catalogSource) isReady() bool {
	return c.Status.ConnectionState != nil && c.Status.ConnectionState.LastObservedState == "READY"
}

// unhealthy says what is wrong with a catalog, empty if nothing is known to be.
func (c *catalogSource) unhealthy() string {
	switch state := c.Status.ConnectionState; {
	case state != nil && state.LastObservedState == "READY":
		return ""
	case state != nil && state.LastObservedState != "":
		return "its connection is in state " + state.LastObservedState
	case c.Status.Reason != "":
		return strings.TrimSuffix(c.Status.Reason+": "+c.Status.Message, ": ")
	}
	return ""
}

type operatorGroup struct {
	header
	Spec struct {
		TargetNamespaces   []string
		Selector           json.RawMessage
		UpgradeStrategy    string
		ServiceAccountName string
		// StaticProvidedAPIs: the annotation with its APIs is what the administrator wrote.
		StaticProvidedAPIs bool
	}
	Status struct {
		Namespaces        []string
		ServiceAccountRef *CatalogRef
		Conditions        []condition
	}
}

// targets are the namespaces that the operators of a group watch; [""] are all.
// Known is false where a selector chooses them and nobody said which they are.
func (g *operatorGroup) targets() (namespaces []string, known bool) {
	switch {
	case len(g.Status.Namespaces) > 0:
		return g.Status.Namespaces, true
	case len(g.Spec.TargetNamespaces) > 0:
		return g.Spec.TargetNamespaces, true
	case len(g.Spec.Selector) > 2 && string(g.Spec.Selector) != "null": // {} is no selector
		return nil, false
	}
	return []string{""}, true
}

type installPlan struct {
	header
	Spec struct {
		Names      []string `json:"clusterServiceVersionNames"`
		Approved   bool
		Generation int
	}
	Status struct {
		Phase, Message string
		Conditions     []condition
		BundleLookups  []bundleLookup
		Plan           []struct{ Resource struct{ Kind, Name string } }
	}
}

// bundleLookup is a bundle that an install plan unpacks, by a job in the namespace of its
// catalog.
type bundleLookup struct {
	Identifier, Path, Replaces string
	Catalog                    CatalogRef `json:"catalogSourceRef"`
	Properties                 string
	Conditions                 []condition
}

func (p *installPlan) waits() bool {
	return p.Status.Phase == "RequiresApproval" && !p.Spec.Approved
}

type operatorCondition struct {
	header
	Spec   struct{ Overrides, Conditions []condition }
	Status struct{ Conditions []condition }
}

// notUpgradeable returns the condition by which an operator says that it is not to
// be upgraded, or nil. What an administrator overrides goes first.
func (o *operatorCondition) notUpgradeable() *condition {
	for _, list := range [][]condition{o.Spec.Overrides, o.Spec.Conditions, o.Status.Conditions} {
		for i := range list {
			if list[i].Type != "Upgradeable" {
				continue
			}
			if list[i].Status == "False" {
				return &list[i]
			}
			return nil
		}
	}
	return nil
}

type serviceAccount struct{ header }

// pod is a pod that serves a catalog or unpacks a bundle.
type pod struct {
	Metadata struct {
		meta
		OwnerReferences []struct{ Kind, Name string }
	}
	Spec struct {
		InitContainers, Containers []struct{ Name, Image string }
	}
	Status struct {
		Phase                                    string
		InitContainerStatuses, ContainerStatuses []containerStatus
	}
}

func (p *pod) meta() *meta { return &p.Metadata.meta }

type containerStatus struct {
	Name, Image string
	Ready       bool
	State       struct {
		Waiting *struct{ Reason, Message string }
	}
}

// event is an event about a pod, as v1 or events.k8s.io/v1 has it.
type event struct {
	header
	InvolvedObject, Regarding struct{ Kind, Namespace, Name string }
	Reason, Message, Note     string
	EventTime, LastTimestamp  string
	DeprecatedLastTimestamp   string
	Series                    *struct{ LastObservedTime string }
}

type clusterVersion struct {
	header
	Spec   struct{ ClusterID string }
	Status struct {
		Desired struct{ Version string }
		History []struct{ State, Version string }
	}
}

// infrastructure is the one object, called cluster, that says what OpenShift calls the cluster.
type infrastructure struct {
	header
	Status struct{ InfrastructureName string }
}

type node struct {
	header
	Status struct {
		NodeInfo struct{ KubeletVersion string }
	}
}

type namespaceObject struct{ header }

type resourceDefinition struct {
	header
	Spec struct {
		Group    string
		Names    struct{ Kind string }
		Versions []properties.CRDVersion
		Version  string // apiextensions.k8s.io/v1beta1, where there may be no others
	}
	Status struct{ StoredVersions []string }
}

// versions are all that have a name.
func (d *resourceDefinition) versions() []properties.CRDVersion {
	if len(d.Spec.Versions) == 0 {
		d.Spec.Versions = []properties.CRDVersion{{Name: d.Spec.Version, Served: true, Storage: true}}
	}
	return slices.DeleteFunc(slices.Clone(d.Spec.Versions), func(v properties.CRDVersion) bool { return v.Name == "" })
}

// ofOLM reports whether OLM says that it brought the definition.
func (d *resourceDefinition) ofOLM() bool {
	for name := range d.Metadata.Annotations {
		if strings.HasPrefix(name, annotationAlongside) {
			return true
		}
	}
	return d.Metadata.Labels["olm.managed"] == "true"
}

type clusterExtension struct {
	header
	Spec struct {
		Source struct {
			Catalog struct {
				PackageName, Version    string
				Channels                []string
				Selector                resolver.CatalogSelector
				UpgradeConstraintPolicy string
			}
		}
	}
	Status struct {
		Install struct {
			Bundle struct{ Name, Version string }
		}
		Conditions []condition
	}
}

type clusterCatalog struct {
	header
	Spec struct {
		Priority         int
		AvailabilityMode string
		Source           struct{ Image struct{ Ref string } }
	}
	Status struct {
		Conditions     []condition
		ResolvedSource struct{ Image struct{ Ref string } }
	}
}
