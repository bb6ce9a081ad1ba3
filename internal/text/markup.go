package text

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// Mermaid makes a text of foreign origin part of a quoted label of Mermaid: inert, and
// with everything that Mermaid or HTML could take for markup as an entity.
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

// DOT makes a text of foreign origin part of a quoted string of DOT: inert, and with
// what means something there escaped: quotes, escapes such as \N, and entities.
func DOT(s string) string { return dotEscapes.Replace(Inert(s)) }

var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;")

// YAML returns a text as a string of YAML, in the quotes of JSON, which YAML reads as
// well. Reading it gives the same text, if that is valid UTF-8.
func YAML(s string) string {
	var quoted strings.Builder
	enc := json.NewEncoder(&quoted)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a text always has a form in JSON
	return JSONInYAML(strings.TrimSuffix(quoted.String(), "\n"))
}

// JSONInYAML escapes in a text of JSON what may stand there, and not in YAML, and what does
// not show: YAML is read in terminals.
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

// Hidden reports whether a character does not show, or turns the direction of what is beside
// it, and is no line break.
func Hidden(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
