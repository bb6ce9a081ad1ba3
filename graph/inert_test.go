package graph_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// hostileNames are names that try to break out of some format.
func hostileNames() []string {
	return []string{
		"\x1b[31mred\x1b[0m", "a\nb", "a\r\nb", "\x00", "\x7f\x9b1m", "tab\there", `quote"quote`, `back\slash`, `\N\G\L`, `"]; evil [label="`,
		`"]`, "`markdown`", "<script>alert(1)</script>", "&lt;&#x41;&amp;", "--> n0_0", "%%{init: {'securityLevel':'loose'}}%%", "%% comment",
		"#35;", "#quot;", "style:x#35;", "click n0_0 href \"javascript:alert(1)\"", "end", "subgraph", "<br/>", "]]>", "<!--", "</svg>", "<![CDATA[",
		"\u202egnp.exe", "\u200b\u200d\ufeff", "\u2028\u2029", "\u05d0\u05d1", "e\u0301\u0301\u0301", "日本語", "Ünïcödé", "\U0001F600", "\xff\xfe", "\xed\xa0\x80",
		" leading", "trailing ", "● op.v9  9.9.9  head", "→ x", strings.Repeat("long", 300), "v1 (head)", "{}", "|", "a|b", "'", "~~~", "__bold__", "*", "1. list", "- list",
	}
}

// hostilePackage is a package with everything that a picture shows, in which
// every name and message has s in it.
func hostilePackage(t require.TestingT, s string) *graph.Package {
	name := func(i int) string { return fmt.Sprintf("%s%d", s, i) }
	bundle := func(i int, more ...*properties.Property) graph.BundleDecl {
		version := universe.Property(t, properties.TypePackage, fmt.Sprintf(`{"packageName":"p","version":"1.%d.0"}`, i))
		return graph.BundleDecl{Name: name(i), Properties: properties.NewSet(append(more, version)...)}
	}
	d := graph.PackageDecl{
		Name:        "p",
		Definitions: []graph.DefinitionDecl{{DefaultChannel: s + "a"}},
		Bundles: []graph.BundleDecl{
			bundle(1), bundle(2), bundle(3, universe.Property(t, properties.TypeDeprecated, `{}`)), bundle(4), bundle(5), {Name: name(6)}, bundle(7), bundle(9),
		},
		Channels: []graph.ChannelDecl{
			{Name: s + "a", Entries: []graph.EntryDecl{
				{Name: name(7), Replaces: name(6), Skips: []string{name(5), name(4)}, SkipRange: "<1.3.0"},
				{Name: name(6), Replaces: name(4)}, {Name: name(5)}, {Name: name(4), Replaces: name(3)},
				{Name: name(3), Replaces: name(2)}, {Name: name(2), Replaces: name(1)}, {Name: name(1), Replaces: name(8)},
			}},
			{Name: s + "b", Entries: []graph.EntryDecl{{Name: name(1)}, {Name: name(2)}}},
			{Name: s + "c", Entries: []graph.EntryDecl{{Name: name(5), Skips: []string{name(1)}}, {Name: name(1)}, {Name: name(10)}, {Name: name(9), Skips: []string{name(5), name(10)}}}},
		},
		Deprecations: []graph.DeprecationDecl{
			{Schema: graph.SchemaPackage, Message: s}, {Schema: graph.SchemaChannel, Name: s + "a", Message: s}, {Schema: graph.SchemaBundle, Name: name(2), Message: s},
		},
	}
	p := graph.Build(d, graph.Options{})
	p.Name = s + "p" // no property of a bundle could say that
	return p
}

// sentences returns all that can be said of a package.
func sentences(t require.TestingT, p *graph.Package) []string {
	var out []string
	say := func(s fmt.Stringer) { out = append(out, s.String()) }
	u := updates(t, p)
	for _, c := range p.Channels {
		for i := range c.Entries {
			say(c.Standing(&c.Entries[i]))
		}
	}
	for _, e := range edges(u) {
		say(e)
	}
	for from := range u.Bundles() {
		for to := range u.Bundles() {
			if path, err := u.ShortestPath(from, to); err != nil {
				out = append(out, err.Error())
			} else {
				say(path)
			}
		}
	}
	_, err := u.ShortestPath("", "\x1b")
	_, unknown := graph.NewUpdates(context.Background(), p, graph.UpdateOptions{Channels: []string{"\x1b[0m"}})
	out = append(out, err.Error(), unknown.Error())
	return out
}

// TestHostileNames: what is said of a package prints, whatever its names are. That its pictures
// hold none of them as anything else is in the tests of the command line, for every form.
func TestHostileNames(t *testing.T) {
	for _, s := range hostileNames() {
		for _, sentence := range sentences(t, hostilePackage(t, s)) {
			require.False(t, strings.ContainsFunc(sentence, func(r rune) bool { return !unicode.IsPrint(r) }), "%q", sentence)
		}
	}
}

// TestTameNamesStayReadable: ordinary names are neither quoted nor escaped.
func TestTameNamesStayReadable(t *testing.T) {
	const tame = "日本語-Ünï.v1+2_~:/@"
	var b bytes.Buffer
	require.NoError(t, draw.Text(context.Background(), &b, hostilePackage(t, tame), draw.Options{Channels: []string{tame + "a"}}))
	require.NotContains(t, b.String(), `"`)
	require.Contains(t, b.String(), "● "+tame+"7")
}

// TestNamesInSentences: names and messages are shown as package text has it.
func TestNamesInSentences(t *testing.T) {
	e := graph.Edge{From: "a b", To: "\u05d0", Offers: []graph.Offer{{Channel: "c\n", Reasons: []graph.EdgeReason{"skips"}}}}
	require.Equal(t, `"a b" → "\u05d0" (skips in "c\n")`, e.String())
}
