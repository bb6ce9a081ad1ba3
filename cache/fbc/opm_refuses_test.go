package fbc_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestWhatOpmRefuses: what opm refuses is an error with its line, and is used all the
// same where a resolution can.
func TestWhatOpmRefuses(t *testing.T) {
	sum := strings.Repeat("0", 64)
	const head = "schema: olm.package\nname: a\ndefaultChannel: x\n---\nschema: olm.channel\npackage: a\nname: x\nentries:\n- {name: a.v1}\n"
	bundle := func(more string) string {
		return head + "---\nschema: olm.bundle\npackage: a\nname: a.v1\nproperties: [{type: olm.package, value: {packageName: a, version: 1.0.0}}]\n" + more
	}
	for _, tt := range []struct{ text, want string }{
		{bundle("image: i\n"), ""},
		{bundle(""), "11 error imageMissing"},
		{bundle("image: ''\n"), "11 error imageMissing"},
		{strings.Replace(bundle(""), "properties: [", "properties: [{type: olm.bundle.object, value: {data: e30=}}, ", 1), ""},
		{bundle("image: i@sha256:" + sum + "\n"), ""},
		{strings.NewReplacer("package: a\n", "package: a_b\n", "packageName: a,", "packageName: a_b,", "name: a\n", "name: a_b\n").Replace(bundle("image: i\n")), "1 error packageNameInvalid"},
		{bundle("image: i@sha256:" + sum[1:] + "\n"), "15 error imageInvalid"},
		{bundle("image: i@md5:" + sum + "\n"), "15 error imageInvalid"},
		{bundle("image: i\nrelatedImages: [{name: x, image: \"j@sha256:00\"}]\n"), "16 error imageInvalid"},
		{bundle("image: i\nrelatedImages: [{name: x@y, image: \"j@sha512:" + sum + sum + "\"}]\n"), ""},
		{bundle("image: i\nrelatedImages: {image: j}\n"), "16 error relatedImagesInvalid"},
		{strings.Replace(bundle("image: i\n"), "properties: [", "properties: [{type: x.y, value: null}, ", 1), "14 error propertyNull"},
		{bundle("image: i\n---\nschema: olm.deprecations\npackage: b\nentries: []\n"), "17 error deprecationDangling"},
		{bundle("image: i\n---\nschema: olm.deprecations\npackage: a\nentries: []\n---\nschema: olm.deprecations\npackage: a\nentries: []\n"), "21 error deprecationsSeveral"},
		{strings.Replace(bundle("image: i\n"), "- {name: a.v1}", "- {name: a.v1, skips: ['']}", 1), "9 error skipsEmpty"},
		{strings.ReplaceAll(strings.ReplaceAll(bundle("image: i\n"), "package: a\n", "package: a.b\n"), "packageName: a,", "packageName: a.b,"), "packageNameInvalid"},
		{bundle("image: i\n---\nschema: olm.bundle\npackage: a\nname: a.v2\nimage: i\nproperties: [{type: olm.package, value: {packageName: a, version: 1.0.0}}]\n"), "17 error versionDuplicate"},
		{strings.Replace(bundle("image: i\n"), "1.0.0}", "1.0.0, release: 2}", 1), "error releaseNotNormalized"},
		{strings.Replace(bundle("image: i\n"), "1.0.0}", "1.0.0+1, release: '2'}", 1), "error releaseBesideBuild"},
		{strings.Replace(bundle("image: i\n"), "- {name: a.v1}", "- {name: a.v4, replaces: a.v3}\n- {name: a.v3, replaces: a.v2}\n- {name: a.v2, replaces: a.v1}\n- {name: a.v1}\n- {name: a.v5, replaces: a.v4, skips: [a.v3]}", 1), "12 error strandedBehindSkipped"},
		{strings.Replace(bundle("image: i\n"), "- {name: a.v1}", "- {name: a.v1}\n- {name: operator.v200, replaces: operator.v10}\n- {name: operator.v100}", 1), "10 error replacesUnknown"},
	} {
		text := strings.Replace(tt.text, "release: 2}", "release: \"2\"}", 1)
		text = strings.Replace(text, "name: a\ndefaultChannel", map[bool]string{true: "name: a.b\ndefaultChannel", false: "name: a\ndefaultChannel"}[strings.Contains(text, "package: a.b")], 1)
		c := testkit.Must(fbc.Read(t.Context(), strings.NewReader(text), "f.yaml", fbc.Options{}))(t)
		got := found(c)
		if tt.want == "" {
			require.Empty(t, got, text)
			continue
		}
		require.Contains(t, strings.Join(got, "\n"), tt.want, text)
		for _, p := range c.Problems() {
			if strings.HasSuffix(tt.want, string(p.Code)) {
				require.Empty(t, p.Quarantined)
			}
		}
	}
}

// TestMisspelledReplacesComesFirst: of a name that no entry has, the entry that was meant
// is said before the heads that follow from it.
func TestMisspelledReplacesComesFirst(t *testing.T) {
	c, err := fbc.Read(t.Context(), strings.NewReader("schema: olm.package\nname: a\ndefaultChannel: x\n---\nschema: olm.channel\npackage: a\nname: x\nentries:\n"+
		"- {name: operator.v200, replaces: operator.v10}\n- {name: operator.v100}\n"), "f.yaml", fbc.Options{})
	require.NoError(t, err)
	var errors []string
	for _, p := range c.Problems() {
		if p.Severity == "error" {
			errors = append(errors, string(p.Code))
		}
	}
	require.Equal(t, []string{"replacesUnknown", "severalHeads"}, errors)
	require.Contains(t, c.Problems()[0].Message+c.Problems()[1].Message, "no such entry; did you mean operator.v100?")
}

// TestEmptyDocuments: the lines at which documents are empty are those at which the decoder
// that opm reads with, of k8s.io/apimachinery v0.36.3, stops; behind the first it was
// asked again without what it refused.
func TestEmptyDocuments(t *testing.T) {
	const a, b = "schema: x\n", "schema: y\n"
	const ja, jb = "{\"schema\": \"x\"}\n", "{\"schema\": \"y\"}\n"
	for _, tt := range []struct {
		text string
		want []int
	}{
		{"", nil},
		{"\n", []int{1}},
		{"# c\n", []int{1}},
		{"---\n", []int{1}},
		{"---", []int{1}},
		{"---\n" + a, nil},
		{"---\n---\n" + a, []int{1}},
		{"# c\n" + a, nil},
		{"\n\n" + a, nil},
		{"# c\n---\n" + a, []int{1}},
		{"\n---\n" + a, []int{1}},
		{"# c\r\n---\r\n" + a, []int{1}},
		{"--- # c\n" + a, nil},
		{"--- # c\n---\n" + a, []int{1}},
		{a + "---\n", nil},
		{a + "---", nil},
		{a + "---\n\n", []int{3}},
		{a + "---\n# c\n", []int{3}},
		{a + "---\n---\n", []int{3}},
		{a + "---\n---\n" + b, nil},
		{a + "--- # c\n---\n" + b, nil},
		{a + "---\n---\n---\n" + b, []int{3}},
		{a + "---\n# c\n---\n" + b, []int{3}},
		{a + "---\n\n---\n" + b, []int{3}},
		{a + "---\n# c\n" + b, nil},
		{a + "---\n# c\n---\n" + b + "---\n \n---\n" + a, []int{3, 7}},
		{a + "---\nnull\n", []int{3}},
		{a + "---\n~\n---\n" + b, []int{3}},
		{a + "...\n", nil},
		{a + "...\n# c\n", nil},
		{a + "...\n# c\n---\n" + b, nil},
		{a + "...\n---\n", nil},
		{ja + "---\n", []int{2}},
		{ja + "---\n" + jb, nil},
		{ja + "---\n---\n" + jb, []int{2}},
		{"\n" + ja, nil},
		{ja + "---\n" + jb + "---\n---\n" + ja, nil},
		{ja + "---\n" + jb + "---\n", nil},
		{"---\n\n" + ja, nil},
		{"---\n" + ja + "---\n---\n" + jb, nil},
	} {
		c, err := fbc.Load(t.Context(), fstest.MapFS{"f.yaml": {Data: []byte(tt.text)}, "g.yaml": {Data: []byte(a)}}, fbc.Options{})
		require.NoError(t, err)
		var got []int
		for _, p := range c.Problems() {
			require.EqualValues(t, "emptyDocument", p.Code, "%q: %v", tt.text, p)
			require.Equal(t, "f.yaml", p.File)
			require.Empty(t, p.Quarantined)
			got = append(got, p.Line)
		}
		require.Equal(t, tt.want, got, "%q", tt.text)
	}
}
