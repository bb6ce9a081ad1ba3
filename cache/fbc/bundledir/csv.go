package bundledir

import (
	"encoding/json"
	"slices"
)

// Kinds of objects and annotations of OLM.
const (
	kindCSV              = "ClusterServiceVersion"
	kindCRD              = "CustomResourceDefinition"
	skipRangeAnnotation  = "olm.skipRange"
	propertiesAnnotation = "olm.properties"
)

// clusterServiceVersion has the decoded fields of a ClusterServiceVersion: see
// clusterserviceversion_types.go in github.com/operator-framework/api.
type clusterServiceVersion struct {
	Metadata struct {
		Name        string            `json:"name"`
		Annotations map[string]string `json:"annotations"`
		Labels      map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		Version       string           `json:"version"`
		Replaces      string           `json:"replaces"`
		Skips         []string         `json:"skips"`
		Resources     definitions[crd] `json:"customresourcedefinitions"`
		Services      definitions[api] `json:"apiservicedefinitions"`
		Install       install          `json:"install"`
		RelatedImages []relatedImage   `json:"relatedImages"`
		about
	} `json:"spec"`
}

// install is the install strategy of the operator; only deployments are supported.
type install struct {
	Strategy string `json:"strategy"`
	Spec     struct {
		Deployments []struct {
			Spec struct {
				Template struct {
					Spec struct {
						Containers     []container `json:"containers"`
						InitContainers []container `json:"initContainers"`
					} `json:"spec"`
				} `json:"template"`
			} `json:"spec"`
		} `json:"deployments"`
	} `json:"spec"`
}

type container struct {
	Image string `json:"image"`
}

type relatedImage struct {
	Name  string `json:"name"`
	Image string `json:"image"`
}

// The parts of olm.csv.metadata, in the order and with the keys that opm writes.
type (
	definitions[T any] struct {
		Owned    []T `json:"owned,omitempty"`
		Required []T `json:"required,omitempty"`
	}
	crd struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		Kind    string `json:"kind"`
		described
	}
	api struct {
		Name           string `json:"name"`
		Group          string `json:"group"`
		Version        string `json:"version"`
		Kind           string `json:"kind"`
		DeploymentName string `json:"deploymentName,omitempty"`
		ContainerPort  int32  `json:"containerPort,omitempty"`
		described
	}
	described struct {
		DisplayName string       `json:"displayName,omitempty"`
		Description string       `json:"description,omitempty"`
		Resources   []resource   `json:"resources,omitempty"`
		Status      []descriptor `json:"statusDescriptors,omitempty"`
		Spec        []descriptor `json:"specDescriptors,omitempty"`
		Action      []descriptor `json:"actionDescriptors,omitempty"`
	}
	resource struct {
		Name    string `json:"name"`
		Kind    string `json:"kind"`
		Version string `json:"version"`
	}
	descriptor struct {
		Path         string          `json:"path"`
		DisplayName  string          `json:"displayName,omitempty"`
		Description  string          `json:"description,omitempty"`
		XDescriptors []string        `json:"x-descriptors,omitempty"`
		Value        json.RawMessage `json:"value,omitempty"`
	}
	installMode struct {
		Type      string `json:"type"`
		Supported bool   `json:"supported"`
	}
	link struct {
		Name string `json:"name,omitempty"`
		URL  string `json:"url,omitempty"`
	}
	maintainer struct {
		Name  string `json:"name,omitempty"`
		Email string `json:"email,omitempty"`
	}
	nativeAPI struct {
		Group   string `json:"group"`
		Version string `json:"version"`
		Kind    string `json:"kind"`
	}
)

// description is the value of olm.csv.metadata: see CSVMetadata in
// alpha/property/property.go of github.com/operator-framework/operator-registry.
type description struct {
	Annotations map[string]string `json:"annotations,omitempty"`
	Services    definitions[api]  `json:"apiServiceDefinitions"`
	Resources   definitions[crd]  `json:"crdDescriptions"`
	about
}

// about has the fields that olm.csv.metadata shares with the ClusterServiceVersion, without the
// labels, which are those of its metadata.
type about struct {
	Description    string            `json:"description,omitempty"`
	DisplayName    string            `json:"displayName,omitempty"`
	InstallModes   []installMode     `json:"installModes,omitempty"`
	Keywords       []string          `json:"keywords,omitempty"`
	Labels         map[string]string `json:"labels,omitempty"`
	Links          []link            `json:"links,omitempty"`
	Maintainers    []maintainer      `json:"maintainers,omitempty"`
	Maturity       string            `json:"maturity,omitempty"`
	MinKubeVersion string            `json:"minKubeVersion,omitempty"`
	NativeAPIs     []nativeAPI       `json:"nativeAPIs,omitempty"`
	Provider       link              `json:"provider"`
}

// embedded are the structs that encoding/json names in the path of a field although they are
// not part of the input.
var embedded = [...]string{"about", "described"}

// describe returns the value of olm.csv.metadata.
func (c *clusterServiceVersion) describe() description {
	d := description{c.Metadata.Annotations, c.Spec.Services, c.Spec.Resources, c.Spec.about}
	d.Labels = c.Metadata.Labels
	return d
}

// relatedImages returns the images that the ClusterServiceVersion lists, and then the other ones
// of its deployments.
func (c *clusterServiceVersion) relatedImages() []relatedImage {
	list := slices.Clone(c.Spec.RelatedImages)
	add := func(containers []container) {
		for _, i := range containers {
			list = withImage(list, i.Image)
		}
	}
	if c.Spec.Install.Strategy == "deployment" {
		for i := range c.Spec.Install.Spec.Deployments {
			pod := &c.Spec.Install.Spec.Deployments[i].Spec.Template.Spec
			add(pod.Containers)
			add(pod.InitContainers)
		}
	}
	return list
}

// withImage adds an unnamed image, unless it exists.
func withImage(list []relatedImage, image string) []relatedImage {
	if slices.ContainsFunc(list, func(r relatedImage) bool { return r.Image == image }) {
		return list
	}
	return append(list, relatedImage{Image: image})
}
