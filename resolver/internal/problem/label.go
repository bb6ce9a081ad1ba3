package problem

import (
	"fmt"
	"strings"
)

// Labels of Kubernetes: the rules of k8s.io/apimachinery/pkg/util/validation.
const (
	maxLabelName   = 63  // bytes of a name and of a value
	maxLabelPrefix = 253 // bytes of what stands before the slash of a key
)

// InvalidLabelKey says what is wrong with the key of a label, empty if nothing is: a
// name, and before it the name of a domain with a slash if there is one.
func InvalidLabelKey(key string) string {
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
	return InvalidLabelValue(name)
}

// InvalidLabelValue says what is wrong with the value of a label, empty if nothing is.
func InvalidLabelValue(value string) string {
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
