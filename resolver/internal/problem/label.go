package problem

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Labels of Kubernetes: the rules of k8s.io/apimachinery/pkg/util/validation.
const (
	maxLabelName   = 63  // bytes of a name and of a value
	maxLabelPrefix = 253 // bytes of what stands before the slash of a key
)

var (
	labelName   = regexp.MustCompile(`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`)
	labelPrefix = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
)

// invalidLabelKey says what is wrong with the key of a label, empty if nothing is: a
// name, and before it the name of a domain with a slash if there is one.
func invalidLabelKey(key string) string {
	prefix, name, prefixed := strings.Cut(key, "/")
	switch {
	case !prefixed:
		name = key
	case len(prefix) > maxLabelPrefix || !labelPrefix.MatchString(prefix):
		return fmt.Sprintf("what stands before the slash has to be the name of a domain of at most %d characters", maxLabelPrefix)
	}
	if name == "" {
		return "it has no name"
	}
	return invalidLabelValue(name)
}

// invalidLabelValue says what is wrong with the value of a label, empty if nothing is.
func invalidLabelValue(value string) string {
	switch {
	case len(value) > maxLabelName:
		return fmt.Sprintf("it has more than %d characters", maxLabelName)
	case value != "" && !labelName.MatchString(value):
		return "it may have letters, digits, and between them '-', '_' and '.'"
	}
	return ""
}

// CheckLabels reports each label of a selector that is not valid in Kubernetes, by its key
// or value.
func CheckLabels(labels map[string]string, bad func(value, message string)) {
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		checkKey(k, bad)
		checkValue(labels[k], bad)
	}
}

func checkKey(key string, bad func(value, message string)) {
	if why := invalidLabelKey(key); why != "" {
		bad(key, "not a key of labels: "+why)
	}
}

func checkValue(value string, bad func(value, message string)) {
	if why := invalidLabelValue(value); why != "" {
		bad(value, "not a value of labels: "+why)
	}
}

// CheckRequirement reports what is not valid in Kubernetes of an expression of a selector.
func CheckRequirement(key, operator string, values []string, bad func(value, message string)) {
	checkKey(key, bad)
	switch operator {
	case "In", "NotIn":
		if len(values) == 0 {
			bad(key, "operator "+operator+" needs values; give at least one")
		}
		for _, one := range values {
			checkValue(one, bad)
		}
	case "Exists", "DoesNotExist":
		if len(values) > 0 {
			bad(key, "operator "+operator+" takes no values; remove them, or use In or NotIn")
		}
	default:
		bad(operator, "not an operator of selectors; use In, NotIn, Exists or DoesNotExist")
	}
}
