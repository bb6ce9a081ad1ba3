// Package v1alpha1 is the custom resource of the example: an OperatorSet asks
// for operators, and its status says what to install in which order, or why
// there is no way.
//
// config/crd.yaml is the same in the words of the API server; a test holds the
// two together.
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

// AddToScheme makes the types of this package known to a scheme.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion(), &OperatorSet{}, &OperatorSetList{})
	metav1.AddToGroupVersion(s, GroupVersion())
	return nil
}
