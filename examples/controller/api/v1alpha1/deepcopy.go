package v1alpha1

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// DeepCopyObject implements runtime.Object.
func (in *OperatorSet) DeepCopyObject() runtime.Object { return in.DeepCopy() }

// DeepCopyObject implements runtime.Object.
func (in *OperatorSetList) DeepCopyObject() runtime.Object {
	if in == nil {
		return nil
	}
	out := *in
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	out.Items = each(in.Items, func(o OperatorSet) OperatorSet { return *o.DeepCopy() })
	return &out
}

// DeepCopy returns a deep copy of the object.
func (in *OperatorSet) DeepCopy() *OperatorSet {
	if in == nil {
		return nil
	}
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec = in.Spec.DeepCopy()
	out.Status = in.Status.DeepCopy()
	return &out
}

// DeepCopy returns a deep copy of the spec.
func (in OperatorSetSpec) DeepCopy() OperatorSetSpec {
	out := in
	out.Catalogs = each(in.Catalogs, func(c CatalogRef) CatalogRef {
		if c.Priority != nil {
			priority := *c.Priority
			c.Priority = &priority
		}
		return c
	})
	out.Cluster.Properties = copyProperties(in.Cluster.Properties)
	out.Cluster.APIs = slices.Clone(in.Cluster.APIs)
	out.Installed = each(in.Installed, func(i Installed) Installed {
		i.Properties = copyProperties(i.Properties)
		return i
	})
	out.Subscriptions = slices.Clone(in.Subscriptions)
	out.Forbid = slices.Clone(in.Forbid)
	return out
}

// DeepCopy returns a deep copy of the status.
func (in OperatorSetStatus) DeepCopy() OperatorSetStatus {
	out := in
	out.Conditions = each(in.Conditions, func(c metav1.Condition) metav1.Condition { return *c.DeepCopy() })
	out.Catalogs = slices.Clone(in.Catalogs)
	out.Set = slices.Clone(in.Set)
	out.Steps = each(in.Steps, func(s resolver.Step) resolver.Step {
		if s.Version != nil {
			v := *s.Version
			v.Pre, v.Build = slices.Clone(v.Pre), slices.Clone(v.Build)
			s.Version = &v
		}
		s.Replaces = slices.Clone(s.Replaces)
		s.Because = slices.Clone(s.Because)
		s.PassedOver = slices.Clone(s.PassedOver)
		return s
	})
	out.Unresolved = each(in.Unresolved, func(u Unresolved) Unresolved {
		u.Conflict = u.Conflict.DeepCopy()
		return u
	})
	out.Warnings = slices.Clone(in.Warnings)
	out.Conflict = in.Conflict.DeepCopy()
	out.Omitted = slices.Clone(in.Omitted)
	return out
}

// DeepCopy returns a deep copy of the conflict.
func (in *Conflict) DeepCopy() *Conflict {
	if in == nil {
		return nil
	}
	out := *in
	out.Facts = slices.Clone(in.Facts)
	out.Corrections = each(in.Corrections, func(c Correction) Correction {
		c.Changes = slices.Clone(c.Changes)
		c.Result = slices.Clone(c.Result)
		return c
	})
	return &out
}

func copyProperties(list []Property) []Property {
	return each(list, func(p Property) Property {
		p.Value = *p.Value.DeepCopy()
		return p
	})
}

// each copies a list item by item; nil stays nil.
func each[T any](list []T, copyItem func(T) T) []T {
	if list == nil {
		return nil
	}
	out := make([]T, len(list))
	for i, item := range list {
		out[i] = copyItem(item)
	}
	return out
}
