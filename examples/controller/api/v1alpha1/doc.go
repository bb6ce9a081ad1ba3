// Package v1alpha1 defines the custom resource of the example: an OperatorSet
// requests operators, and its status lists what to install in which order, or
// explains why there is no solution.
//
// config/crd.yaml declares the same schema to the API server; a test compares the two.
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kind is the kind of the resource.
const Kind = "OperatorSet"

// GroupVersion returns the group and version of the resource.
func GroupVersion() schema.GroupVersion {
	return schema.GroupVersion{Group: "resolute.example.com", Version: "v1alpha1"}
}

// AddToScheme registers the types of this package with a scheme.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion(), &OperatorSet{}, &OperatorSetList{})
	metav1.AddToGroupVersion(s, GroupVersion())
	return nil
}
