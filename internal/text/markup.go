package text

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// Mermaid formats untrusted text for a quoted Mermaid label: inert, with
// Mermaid and HTML markup as entities.
func Mermaid(s string) string {
	var b strings.Builder
	for _, r := range Inert(s) {
		if strings.ContainsRune("\"#&<>;`{}[]|\\%*_~", r) {
			fmt.Fprintf(&b, "#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// DOT formats untrusted text for a quoted DOT string: inert, with quotes,
// escapes such as \N and entities escaped.
func DOT(s string) string { return dotEscapes.Replace(Inert(s)) }

var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;")

// YAML encodes a text as a YAML string in JSON quotes. Valid UTF-8 survives a
// round trip.
func YAML(s string) string {
	var quoted strings.Builder
	enc := json.NewEncoder(&quoted)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // strings always encode
	return JSONInYAML(strings.TrimSuffix(quoted.String(), "\n"))
}

// JSONInYAML escapes characters in JSON that YAML does not allow, and
// invisible ones, since YAML is read in terminals.
func JSONInYAML(s string) string {
	if !strings.ContainsFunc(s, Hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !Hidden(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// Hidden reports whether a character, other than a line break, is invisible or
// changes the direction of text.
func Hidden(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
