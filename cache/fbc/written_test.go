package fbc_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/benchmarks/synthetic"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// A catalog says the same, and the same is wrong with it, whether it is written
// plainly, with space, or with every letter escaped.
func TestHowACatalogIsWritten(t *testing.T) {
	const odd = `{"schema":"olm.package","name":"odd","defaultChannel":"x"}
{"schema":"olm.channel","package":"odd","name":"x","entries":[{"name":"odd.v1"},{"name":"odd.v2","replaces":"odd.v1","skips":["a"]},{"name":"odd.v3","replaces":"odd.v2","replaces":"odd.v1"},{"name":"odd.v4","replaces":"odd.v1"},{"name":"odd.v5","replaces":"odd.v"},{"name":"odd.v6","replaces":7},{"name":"odd.v7","replaces":null}]}
{"schema":"olm.bundle","package":"odd","name":"odd.v2","properties":[{"type":"olm.package","value":{"packageName":"odd","version":"2.0.0"}}]}
{"schema":"olm.bundle","package":"odd","name":"odd.v1","properties":[{"type":"olm.package","value":{"packageName":"odd","version":"1.0.0"}},{"type":"olm.package","value":{"packageName":"odd","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"odd","name":"odd.v3","name":"odd.v3","properties":[{"type":"x","value":1,"value":2}]}
{"schema":"olm.bundle","package":"even","name":"odd.v1","image":"i","properties":[{"type":"olm.gvk","value":{"group":"g.example.com","version":"v1","kind":"K"}},{"type":"olm.gvk","value":{"kind":"K","version":"v1","group":"g.example.com"}}]}
{"schema":"olm.bundle","name":"odd.v9","properties":[{"type":"olm.package","value":{"packageName":"odd","version":"9.0.0"}}]}
{"schema":"olm.bundle","package":7,"name":"odd.v8","properties":{}}
`
	texts := []string{odd}
	for _, preset := range []string{"fleet", "real-like", "wide-any"} {
		config, _ := synthetic.Preset(preset)
		config.Packages, config.Catalogs, config.Subscriptions, config.Installed = 20, 1, 1, 0
		g := testkit.Must(synthetic.New(config))(t)
		var b bytes.Buffer
		require.NoError(t, g.WriteCatalog(&b, 0))
		texts = append(texts, b.String())
	}
	for _, text := range texts {
		want := listing(t, text)
		require.Equal(t, want, listing(t, spaced(text)))
		require.Equal(t, want, listing(t, escaped(text)))
	}
}

// spaced writes JSON with space between all tokens.
func spaced(text string) string {
	var b strings.Builder
	inString, skip := false, false
	for _, c := range text {
		b.WriteRune(c)
		switch {
		case skip:
			skip = false
		case inString && c == '\\':
			skip = true
		case c == '"':
			inString = !inString
		case !inString && c != '\n' && strings.ContainsRune("{}[]:,", c):
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// escaped writes each letter of each string of JSON as an escape.
func escaped(text string) string {
	var b strings.Builder
	inString, skip := false, false
	for _, c := range text {
		switch {
		case skip:
			skip = false
		case inString && c == '\\':
			skip = true
		case c == '"':
			inString = !inString
		case inString && 'a' <= c && c <= 'z':
			fmt.Fprintf(&b, `\u%04x`, c)
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}

// listing is the content of a catalog with its problems and positions.
func listing(t *testing.T, text string) string {
	c := read(t, "c.jsonl", text, fbc.Options{})
	return dump(c) + strings.Join(found(c), "\n")
}

// A name that holds a backslash is not one that is written with an escape.
func TestEscapesAreNotNames(t *testing.T) {
	c := read(t, "c.jsonl", `{"schema":"olm.package","name":"a\\b","defaultChannel":"x"}
{"schema":"olm.channel","package":"a\\b","name":"x","entries":[{"name":"a\\b"},{"name":"c","replaces":"a\b"}]}
{"schema":"olm.bundle","package":"a\b","name":"a\b","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}}]}
`, fbc.Options{})
	listed := c.Package(`a\b`).Channels[0]
	require.Equal(t, `a\b`, listed.Entries[0].Name)
	require.Equal(t, "a\b", listed.Entries[1].Replaces)
	require.Equal(t, "a\b", c.Package("a\b").Bundles[0].Name)

	c = read(t, "c.jsonl", `{"schema":"olm.package","name":"a","defaultChannel":"x"}
{"schema":"olm.channel","package":"a","name":"x","entries":[{"name":"a\\b"}]}
{"schema":"olm.bundle","package":"a","name":"a\b","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}}]}
`, fbc.Options{})
	require.Equal(t, "a\b", c.Package("a").Bundles[0].Name)
}
