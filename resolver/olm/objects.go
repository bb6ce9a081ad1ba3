package olm

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// The fields of OLM's objects that are used. Other content, above all manifests, environments and
// credentials, is never read into memory. A field without a JSON tag has the key of its name, in
// any case.

type meta struct {
	Name, Namespace, UID, ResourceVersion string
	Labels, Annotations                   map[string]string
}

// header is common to all objects.
type header struct {
	Metadata meta
}

func (h *header) meta() *meta { return &h.Metadata }

// resource is an object of a supported kind.
type resource interface{ meta() *meta }

type condition struct {
	Type, Status, Reason, Message string
}

// find returns the true condition of a type, or nil.
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
		// Config configures the deployment of the operator. No scenario contains it.
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

// permission is a rule of permissions of an operator.
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

// api is a resource definition by name, or an API service by group.
type api struct {
	Name, Group, Version, Kind string
}

// group returns the group of the API. The group of a resource definition follows the first dot of
// its name.
func (a *api) group(definition bool) string {
	if !definition {
		return a.Group
	}
	_, group, _ := strings.Cut(a.Name, ".")
	return group
}

// isCopy reports whether a ClusterServiceVersion is a copy of one in another namespace. OLM
// copies operators into the namespaces that they watch.
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

// unhealthy describes why a catalog is unhealthy; empty if it is healthy or nothing is reported.
func (c *catalogSource) unhealthy() string {
	switch state := c.Status.ConnectionState; {
	case state != nil && state.LastObservedState == "READY":
		return ""
	case state != nil && state.LastObservedState != "":
		return "its connection state is " + state.LastObservedState
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
		// StaticProvidedAPIs means that the administrator writes the annotation with the APIs.
		StaticProvidedAPIs bool
	}
	Status struct {
		Namespaces        []string
		ServiceAccountRef *CatalogRef
		Conditions        []condition
	}
}

// targets returns the namespaces that a group watches; [""] means all. Known is false for a
// selector whose namespaces are not in the status.
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

// bundleLookup is a bundle that an install plan unpacks, with a job in the namespace of its
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

// notUpgradeable returns the condition that marks an operator as not upgradeable, or nil.
// Overrides of the administrator take precedence.
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

// event is an event about a pod, in the format of v1 or events.k8s.io/v1.
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

// infrastructure is the singleton named cluster with the infrastructure name of OpenShift.
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
		Version  string // apiextensions.k8s.io/v1beta1, possibly the only one
	}
	Status struct{ StoredVersions []string }
}

// versions returns the versions with a name.
func (d *resourceDefinition) versions() []properties.CRDVersion {
	if len(d.Spec.Versions) == 0 {
		d.Spec.Versions = []properties.CRDVersion{{Name: d.Spec.Version, Served: true, Storage: true}}
	}
	return slices.DeleteFunc(slices.Clone(d.Spec.Versions), func(v properties.CRDVersion) bool { return v.Name == "" })
}

// ofOLM reports whether an annotation of OLM marks the definition as installed with a bundle.
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
