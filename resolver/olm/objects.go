package olm

import (
	"encoding/json"
	"strings"

	"github.com/seed109e2655/resolute/resolver"
)

// The objects of OLM, as far as they are looked at. What is not named here, above
// all manifests, environments and credentials, is never read into memory.

type meta struct {
	Name            string            `json:"name"`
	Namespace       string            `json:"namespace"`
	UID             string            `json:"uid"`
	ResourceVersion string            `json:"resourceVersion"`
	Labels          map[string]string `json:"labels"`
	Annotations     map[string]string `json:"annotations"`
}

// header is what all objects have in common.
type header struct {
	Metadata meta `json:"metadata"`
}

func (h *header) meta() *meta { return &h.Metadata }

// resource is an object of one of the kinds below.
type resource interface{ meta() *meta }

type condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
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
		Package             string `json:"name"`
		Channel             string `json:"channel"`
		Source              string `json:"source"`
		SourceNamespace     string `json:"sourceNamespace"`
		StartingCSV         string `json:"startingCSV"`
		InstallPlanApproval string `json:"installPlanApproval"`
	} `json:"spec"`
	Status struct {
		InstalledCSV   string      `json:"installedCSV"`
		CurrentCSV     string      `json:"currentCSV"`
		InstallPlanRef *CatalogRef `json:"installPlanRef"`
		Conditions     []condition `json:"conditions"`
		CatalogHealth  []struct {
			CatalogSourceRef CatalogRef `json:"catalogSourceRef"`
			Healthy          *bool      `json:"healthy"`
		} `json:"catalogHealth"`
	} `json:"status"`
}

type clusterServiceVersion struct {
	header
	Spec struct {
		Version                   string        `json:"version"`
		Replaces                  string        `json:"replaces"`
		CustomResourceDefinitions apiList       `json:"customresourcedefinitions"`
		APIServiceDefinitions     apiList       `json:"apiservicedefinitions"`
		InstallModes              []installMode `json:"installModes"`
	} `json:"spec"`
	Status struct {
		Phase   string `json:"phase"`
		Reason  string `json:"reason"`
		Message string `json:"message"`
	} `json:"status"`
}

type installMode struct {
	Type      string `json:"type"`
	Supported bool   `json:"supported"`
}

type apiList struct {
	Owned    []api `json:"owned"`
	Required []api `json:"required"`
}

// api is a resource definition by its name, or an API service by its group.
type api struct {
	Name    string `json:"name"`
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
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
		Image    string `json:"image"`
		Priority int    `json:"priority"`
	} `json:"spec"`
	Status struct {
		Reason          string `json:"reason"`
		Message         string `json:"message"`
		ConnectionState *struct {
			LastObservedState string `json:"lastObservedState"`
		} `json:"connectionState"`
	} `json:"status"`
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
		TargetNamespaces []string        `json:"targetNamespaces"`
		Selector         json.RawMessage `json:"selector"`
		UpgradeStrategy  string          `json:"upgradeStrategy"`
	} `json:"spec"`
	Status struct {
		Namespaces []string `json:"namespaces"`
	} `json:"status"`
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
		Approved   bool     `json:"approved"`
		Generation int      `json:"generation"`
	} `json:"spec"`
	Status struct {
		Phase         string      `json:"phase"`
		Message       string      `json:"message"`
		Conditions    []condition `json:"conditions"`
		BundleLookups []struct {
			Identifier string     `json:"identifier"`
			Path       string     `json:"path"`
			Replaces   string     `json:"replaces"`
			Catalog    CatalogRef `json:"catalogSourceRef"`
		} `json:"bundleLookups"`
		Plan []struct {
			Resource struct {
				Kind string `json:"kind"`
				Name string `json:"name"`
			} `json:"resource"`
		} `json:"plan"`
	} `json:"status"`
}

func (p *installPlan) waits() bool {
	return p.Status.Phase == "RequiresApproval" && !p.Spec.Approved
}

type operatorCondition struct {
	header
	Spec struct {
		Overrides  []condition `json:"overrides"`
		Conditions []condition `json:"conditions"`
	} `json:"spec"`
	Status struct {
		Conditions []condition `json:"conditions"`
	} `json:"status"`
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

type clusterVersion struct {
	header
	Spec struct {
		ClusterID string `json:"clusterID"`
	} `json:"spec"`
	Status struct {
		Desired struct {
			Version string `json:"version"`
		} `json:"desired"`
		History []struct {
			State   string `json:"state"`
			Version string `json:"version"`
		} `json:"history"`
	} `json:"status"`
}

type node struct {
	header
	Status struct {
		NodeInfo struct {
			KubeletVersion string `json:"kubeletVersion"`
		} `json:"nodeInfo"`
	} `json:"status"`
}

type namespaceObject struct{ header }

type resourceDefinition struct {
	header
	Spec struct {
		Group string `json:"group"`
		Names struct {
			Kind string `json:"kind"`
		} `json:"names"`
		Versions []struct {
			Name   string `json:"name"`
			Served bool   `json:"served"`
		} `json:"versions"`
	} `json:"spec"`
}

type clusterExtension struct {
	header
	Spec struct {
		Source struct {
			Catalog struct {
				PackageName             string                   `json:"packageName"`
				Version                 string                   `json:"version"`
				Channels                []string                 `json:"channels"`
				Selector                resolver.CatalogSelector `json:"selector"`
				UpgradeConstraintPolicy string                   `json:"upgradeConstraintPolicy"`
			} `json:"catalog"`
		} `json:"source"`
	} `json:"spec"`
	Status struct {
		Install struct {
			Bundle struct {
				Name    string `json:"name"`
				Version string `json:"version"`
			} `json:"bundle"`
		} `json:"install"`
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

type clusterCatalog struct {
	header
	Spec struct {
		Priority         int    `json:"priority"`
		AvailabilityMode string `json:"availabilityMode"`
		Source           struct {
			Image struct {
				Ref string `json:"ref"`
			} `json:"image"`
		} `json:"source"`
	} `json:"spec"`
	Status struct {
		Conditions     []condition `json:"conditions"`
		ResolvedSource struct {
			Image struct {
				Ref string `json:"ref"`
			} `json:"image"`
		} `json:"resolvedSource"`
	} `json:"status"`
}
