package problem

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Labels of Kubernetes: the rules of k8s.io/apimachinery/pkg/util/validation.
const (
	maxLabelName   = 63  // bytes of a name and of a value
	maxLabelPrefix = 253 // bytes of what stands before the slash of a key
)

// invalidLabelKey says what is wrong with the key of a label, empty if nothing is: a
// name, and before it the name of a domain with a slash if there is one.
func invalidLabelKey(key string) string {
	prefix, name, prefixed := strings.Cut(key, "/")
	if !prefixed {
		prefix, name = "", key
	}
	switch {
	case prefixed && !isDomain(prefix):
		return fmt.Sprintf("what stands before the slash has to be the name of a domain of at most %d characters", maxLabelPrefix)
	case name == "":
		return "it has no name"
	}
	return invalidLabelValue(name)
}

// invalidLabelValue says what is wrong with the value of a label, empty if nothing is.
func invalidLabelValue(value string) string {
	switch {
	case len(value) > maxLabelName:
		return fmt.Sprintf("it has more than %d characters", maxLabelName)
	case value != "" && !isWord(value, isLetterOrDigit, "-_."):
		return "it may have letters, digits, and between them '-', '_' and '.'"
	}
	return ""
}

// isDomain reports whether a text is a name of a domain in lower case.
func isDomain(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if !isWord(part, isLowerOrDigit, "-") {
			return false
		}
	}
	return len(s) <= maxLabelPrefix
}

// isWord reports whether a text begins and ends with a character of a kind and has only
// such characters, and inner ones, in between.
func isWord(s string, kind func(byte) bool, inner string) bool {
	for i := range len(s) {
		if !kind(s[i]) && (i == 0 || i == len(s)-1 || strings.IndexByte(inner, s[i]) < 0) {
			return false
		}
	}
	return s != ""
}

func isLowerOrDigit(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

func isLetterOrDigit(c byte) bool { return isLowerOrDigit(c) || 'A' <= c && c <= 'Z' }

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
