package text

import (
	"fmt"
	"strings"
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
