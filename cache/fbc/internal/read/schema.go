package read

import (
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
)

// knownSchemas are the schemas of catalogs.
var knownSchemas = [...]string{graph.SchemaPackage, graph.SchemaChannel, graph.SchemaBundle, SchemaDeprecations}

// maxSchema limits the schemas that are compared with the known ones.
const maxSchema = 64

// nearSchema returns the known schema of which another one is a misspelling, or "". A blob may have
// any schema, so one that only shares words with a known one, such as "olm.bundle.metadata" or
// "helm.bundle", is not a misspelling.
func nearSchema(schema string) string {
	const prefix, maxLonger = "olm", 2
	if len(schema) > maxSchema || slices.Contains(knownSchemas[:], schema) {
		return ""
	}
	plain := strings.ToLower(strings.TrimSpace(schema))
	vendor, rest := plain, ""
	if i := strings.IndexAny(plain, ".:/-_ "); i >= 0 {
		vendor, rest = plain[:i], plain[i+1:]
	}
	if rest == "" { // "bundle" or "olmbundle"
		vendor, rest = prefix, strings.TrimPrefix(plain, prefix)
	}
	for _, known := range knownSchemas {
		_, word, _ := strings.Cut(known, ".")
		if rest == word && (vendor == prefix || oneEdit(vendor, prefix)) {
			return known
		}
	}
	if vendor != prefix {
		return ""
	}
	for _, near := range text.Near(prefix+"."+rest, slices.Values(knownSchemas[:]), 1) {
		if longer := len(rest) + len(prefix) + 1 - len(near); longer >= -maxLonger && longer <= maxLonger {
			return near
		}
	}
	return ""
}

// oneEdit reports whether one inserted, deleted or replaced letter, or two swapped ones, turn one
// text into the other.
func oneEdit(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	at := 0
	for at < len(b) && a[at] == b[at] {
		at++
	}
	switch {
	case len(a) == len(b)+1:
		return a[at+1:] == b[at:]
	case len(a) != len(b) || at == len(b):
		return false
	case a[at+1:] == b[at+1:]:
		return true
	}
	return at+1 < len(a) && a[at] == b[at+1] && a[at+1] == b[at] && a[at+2:] == b[at+2:]
}
