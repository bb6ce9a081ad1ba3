package resolver

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// CatalogSelector selects catalogs by their labels, like a Kubernetes label selector. Every
// catalog has the label olm.operatorframework.io/metadata.name with its name. The zero value
// selects all.
type CatalogSelector struct {
	// MatchLabels are labels that a catalog must have, with these values.
	MatchLabels map[string]string `json:"matchLabels,omitempty"`
	// MatchExpressions must all hold.
	MatchExpressions []LabelRequirement `json:"matchExpressions,omitempty"`
}

// LabelRequirement is one expression of a [CatalogSelector].
type LabelRequirement struct {
	Key      string           `json:"key"`
	Operator SelectorOperator `json:"operator"`
	Values   []string         `json:"values,omitempty"`
}

// SelectorOperator is the operator of a [LabelRequirement].
type SelectorOperator string

// The operators of selectors.
const (
	// OperatorIn: the label has one of the values.
	OperatorIn SelectorOperator = "In"
	// OperatorNotIn: the label is absent or has none of the values.
	OperatorNotIn SelectorOperator = "NotIn"
	// OperatorExists: the label is present. There are no values.
	OperatorExists SelectorOperator = "Exists"
	// OperatorDoesNotExist: the label is absent. There are no values.
	OperatorDoesNotExist SelectorOperator = "DoesNotExist"
)

// labelCatalogName is the label that every catalog has: its name.
const labelCatalogName = "olm.operatorframework.io/metadata.name"

// Matches reports whether the selector chooses a catalog.
func (s CatalogSelector) Matches(c *Catalog) bool {
	value := func(key string) (string, bool) {
		if v, ok := c.Labels[key]; ok || key != labelCatalogName {
			return v, ok
		}
		return c.Key.Name, true
	}
	for key, want := range s.MatchLabels {
		if got, ok := value(key); !ok || got != want {
			return false
		}
	}
	for _, r := range s.MatchExpressions {
		got, ok := value(r.Key)
		holds := false
		switch r.Operator {
		case OperatorIn:
			holds = ok && slices.Contains(r.Values, got)
		case OperatorNotIn:
			holds = !ok || !slices.Contains(r.Values, got)
		case OperatorExists:
			holds = ok
		case OperatorDoesNotExist:
			holds = !ok
		}
		if !holds {
			return false
		}
	}
	return true
}

// Labels of Kubernetes: the rules of k8s.io/apimachinery/pkg/util/validation.
const (
	maxLabelName   = 63  // bytes of a name and of a value
	maxLabelPrefix = 253 // bytes of the prefix of a key
)

var (
	labelName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`)
	})
	labelPrefix = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	})
)

// problems lists the violations of the Kubernetes rules for labels.
func (s *CatalogSelector) problems() (all []RequestProblem) {
	bad := func(value, message string) { all = append(all, RequestProblem{Value: value, Message: message}) }
	check := func(value, what, why string) { all = append(all, labelProblem(value, what, why)...) }
	all = labelProblems(s.MatchLabels)
	for _, r := range s.MatchExpressions {
		check(r.Key, "key", invalidLabelKey(r.Key))
		switch r.Operator {
		case OperatorIn, OperatorNotIn:
			if len(r.Values) == 0 {
				bad(r.Key, "operator "+string(r.Operator)+" needs values; give at least one")
			}
			for _, one := range r.Values {
				check(one, "value", invalidLabelValue(one))
			}
		case OperatorExists, OperatorDoesNotExist:
			if len(r.Values) > 0 {
				bad(r.Key, "operator "+string(r.Operator)+" takes no values; remove them, or use In or NotIn")
			}
		default:
			bad(string(r.Operator), "not an operator of selectors; use In, NotIn, Exists or DoesNotExist")
		}
	}
	return all
}

// labelProblems lists the problems of labels, by key.
func labelProblems(labels map[string]string) (all []RequestProblem) {
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		all = append(all, labelProblem(k, "key", invalidLabelKey(k))...)
		all = append(all, labelProblem(labels[k], "value", invalidLabelValue(labels[k]))...)
	}
	return all
}

// labelProblem is the problem of a key or a value of labels; empty if there is none.
func labelProblem(value, what, why string) []RequestProblem {
	if why == "" {
		return nil
	}
	return []RequestProblem{{Value: value, Message: "not a " + what + " of labels: " + why}}
}

// invalidLabelKey returns the problem of the key of a label, or "". A key is a name, optionally
// preceded by a domain and a slash.
func invalidLabelKey(key string) string {
	prefix, name, prefixed := strings.Cut(key, "/")
	switch {
	case !prefixed:
		name = key
	case len(prefix) > maxLabelPrefix || !labelPrefix().MatchString(prefix):
		return fmt.Sprintf("the prefix before the slash must be a domain name of at most %d characters", maxLabelPrefix)
	}
	if name == "" {
		return "it has no name"
	}
	return invalidLabelValue(name)
}

// invalidLabelValue returns the problem of the value of a label, or "".
func invalidLabelValue(value string) string {
	switch {
	case len(value) > maxLabelName:
		return fmt.Sprintf("it has more than %d characters", maxLabelName)
	case value != "" && !labelName().MatchString(value):
		return "it must consist of letters and digits, and between them '-', '_' and '.'"
	}
	return ""
}
