package properties

import (
	"cmp"
	"fmt"
	"strings"
)

// Limits of Kubernetes on the parts of a group, version and kind, in bytes.
const (
	// maxLabelLength is the limit of a DNS label: a version, a kind.
	maxLabelLength = 63
	// maxSubdomainLength is the limit of a DNS subdomain: a group.
	maxSubdomainLength = 253
)

// GVK names an API of Kubernetes: a group, a version and a kind. As a
// property (type "olm.gvk"), it means that the bundle provides that API.
//
// GVKs are comparable, and two are the same API exactly when they are equal.
type GVK struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

// String returns "group/version/Kind".
func (g GVK) String() string { return g.Group + "/" + g.Version + "/" + g.Kind }

// Compare orders GVKs by group, then version, then kind, each as text, for output. The order is
// not a preference.
func (g GVK) Compare(o GVK) int {
	return cmp.Or(cmp.Compare(g.Group, o.Group), cmp.Compare(g.Version, o.Version), cmp.Compare(g.Kind, o.Kind))
}

// Validate reports whether a custom resource definition could define this API,
// by the rules of Kubernetes: the group is a DNS-1123 subdomain, the version
// a DNS-1035 label, and the kind, in lower case, a DNS-1035 label. None may be
// empty: the core group of Kubernetes cannot be provided by an operator. The
// error is an [*Error] whose Field is "group", "version" or "kind".
func (g GVK) Validate() error {
	if err := g.check(TypeGVK); err != nil {
		return err
	}
	return nil
}

// check is Validate for a property of type typ. It returns a plain *Error so
// that the hot path does not wrap and unwrap interfaces.
func (g GVK) check(typ string) *Error {
	if reason := subdomainProblem(g.Group); reason != "" {
		return newError(typ, "group", g.Group, reason)
	}
	if reason := labelProblem(g.Version, false); reason != "" {
		return newError(typ, "version", g.Version, reason)
	}
	if reason := labelProblem(g.Kind, true); reason != "" {
		return newError(typ, "kind", g.Kind, reason)
	}
	return nil
}

// subdomainProblem returns why s is not a DNS-1123 subdomain, or "". The
// rule is that of Kubernetes: labels of lower-case letters, digits and '-'
// that start and end with a letter or digit, joined by dots. (Kubernetes
// bounds only the whole, not the single label, at this place.)
func subdomainProblem(s string) string {
	const want = "is not a DNS-1123 subdomain: it must be made of lower-case letters, digits, '-' and '.', and each part between dots must start and end with a letter or digit (for example monitoring.example.com)"
	if s == "" {
		return "is missing or empty"
	}
	if len(s) > maxSubdomainLength {
		return fmt.Sprintf("is too long: a group has at most %d characters", maxSubdomainLength)
	}
	for label := range strings.SplitSeq(s, ".") {
		if !isLabel(label, false) {
			return want
		}
	}
	return ""
}

// labelProblem returns why s is not a DNS-1035 label, or "". A kind may have upper-case letters,
// since Kubernetes lower-cases it first.
func labelProblem(s string, kind bool) string {
	want := "is not a DNS-1035 label: it must be made of lower-case letters, digits and '-', start with a letter, and end with a letter or digit (for example v1beta1)"
	if kind {
		want = "is not a kind: it must be made of letters, digits and '-', start with a letter, and end with a letter or digit (for example ServiceMonitor)"
	}
	if s == "" {
		return "is missing or empty"
	}
	if len(s) > maxLabelLength {
		return fmt.Sprintf("is too long: at most %d characters are allowed", maxLabelLength)
	}
	if !isLabel(s, kind) || '0' <= s[0] && s[0] <= '9' {
		return want
	}
	return ""
}

// isLabel reports whether s has the syntax of a DNS label; a kind may have upper-case letters.
func isLabel(s string, kind bool) bool {
	for i := range len(s) {
		c := s[i]
		if kind && 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9') && (c != '-' || i == 0 || i == len(s)-1) {
			return false
		}
	}
	return s != ""
}
