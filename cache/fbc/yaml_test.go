package fbc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

// asDocuments renders JSON blobs as YAML documents.
func asDocuments(t require.TestingT, blobs ...string) string {
	var s strings.Builder
	for _, blob := range blobs {
		var v any
		require.NoError(t, json.Unmarshal([]byte(blob), &v))
		text := testkit.Must(yaml.Marshal(v))(t)
		s.WriteString("---\n")
		s.Write(text)
	}
	return s.String()
}

const goodYAML = `# a catalog
schema: olm.package
name: etcd
defaultChannel: stable
---
schema: olm.channel
package: etcd
name: stable
entries:
- name: etcd.v1
- name: etcd.v2
  replaces: etcd.v1
  skips:
---
schema: olm.bundle
package: etcd
name: etcd.v1
properties:
- type: olm.package
  value: {packageName: etcd, version: 1.0.0}
- {type: olm.maxOpenShiftVersion, value: "4.10"}
image: registry.example/etcd:0122
---
schema: olm.bundle
package: etcd
name: etcd.v2
image: registry.example/etcd:0123
properties:
- type: olm.package
  value:
    packageName: etcd
    version: 2.0.0
`

func TestYAML(t *testing.T) {
	v1, v2 := []string{"etcd.v1"}, []string{"etcd.v2", "etcd.v1"}
	change := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(goodYAML) }
	tests := map[string]struct {
		text     string
		bundles  []string
		problems []string
	}{
		"good":                  {goodYAML, v2, nil},
		"CRLF":                  {strings.ReplaceAll(goodYAML, "\n", "\r\n"), v2, nil},
		"byte order mark":       {"\uFEFF" + goodYAML, v2, nil},
		"no newline at the end": {strings.TrimSpace(goodYAML), v2, nil},
		"marker at the start":   {"---\n" + goodYAML + "---\n", v2, nil},
		"markers at the ends":   {strings.ReplaceAll(goodYAML, "---\n", "...\n---\n") + "...\n", v2, nil},
		"empty documents": {"---\n---\n# nothing\n---\n" + strings.ReplaceAll(goodYAML, "---\n", "---\n~\n---\n"), v2,
			[]string{"f.yaml:1 error emptyDocument", "f.yaml:3 error emptyDocument", "f.yaml:10 error emptyDocument", "f.yaml:21 error emptyDocument", "f.yaml:32 error emptyDocument"}},
		"directive":          {"%YAML 1.2\n---\n" + goodYAML, v2, nil},
		"directive of a tag": {"%TAG !x! tag:example.com,2000:\n---\n" + goodYAML, v2, nil},
		"content on the marker": {change("---\nschema: olm.channel\npackage: etcd\nname: stable\nentries:\n- name: etcd.v1\n- name: etcd.v2\n  replaces: etcd.v1\n  skips:\n",
			"--- {schema: olm.channel, package: etcd, name: stable, entries: [{name: etcd.v1}, {name: etcd.v2, replaces: etcd.v1}]}\n"), v2, nil},
		"JSON lines":              {goodLines, v2, nil},
		"flow that is not JSON":   {"{\"schema\": olm.package, name: etcd, defaultChannel: stable}\n---\n" + asDocuments(t, channelBlob, bundleV1, bundleV2), v2, nil},
		"document that is none":   {goodYAML + "---\nhello\n---\n- 1\n", v2, []string{"f.yaml:34 error notObject", "f.yaml:36 error notObject"}},
		"document without schema": {goodYAML + "---\nname: x\n", v2, []string{"f.yaml:34 error schemaMissing"}},
		"broken document": {
			change("name: etcd.v1\nproperties:", "name: etcd.v1\n properties:"), []string{"etcd.v2"},
			[]string{"f.yaml:10 warning entryWithoutBundle", "f.yaml:18 error syntax"},
		},
		"key given twice": {
			change("name: etcd.v2\nimage", "name: etcd.v2\nname: etcd.v3\nimage"), v1,
			[]string{"f.yaml:11 warning entryWithoutBundle", "f.yaml:27 error syntax"},
		},
		"unknown anchor": {
			change("name: etcd.v2\nimage", "name: *v2\nimage"), v1, []string{"f.yaml:11 warning entryWithoutBundle", "f.yaml:23 error syntax"},
		},
		"anchors and merge keys": {
			change("- type: olm.package\n  value:\n    packageName: etcd\n    version: 2.0.0", "- &p {type: olm.package, value: &v {<<: {version: 9.9.9, packageName: etcd}, version: 2.0.0}}\n- type: olm.label\n  value: {<<: [*v, {label: blue}]}"),
			v2, nil,
		},
		"anchor that contains itself": {
			change("name: etcd.v2\nimage", "name: etcd.v2\nx: &x [*x]\nimage"), v1,
			[]string{"f.yaml:11 warning entryWithoutBundle", "f.yaml:27 error syntax"},
		},
		"merge key that contains itself": {
			change("name: etcd.v2\nimage", "name: etcd.v2\nx: &x {<<: *x}\nimage"), v1,
			[]string{"f.yaml:11 warning entryWithoutBundle", "f.yaml:27 error syntax"},
		},
		"merge of something else": {
			change("name: etcd.v2\nimage", "name: etcd.v2\nx: {<<: 3}\nimage"), v1, []string{"f.yaml:11 warning entryWithoutBundle", "f.yaml:27 error syntax"},
		},
		"list as a key": {
			change("name: etcd.v2\nimage", "name: etcd.v2\n? [a]\n: b\nimage"), v1, []string{"f.yaml:11 warning entryWithoutBundle", "f.yaml:27 error syntax"},
		},
		"number that JSON has not": {
			change("name: etcd.v2\nimage", "name: etcd.v2\nx: .inf\nimage"), v1, []string{"f.yaml:11 warning entryWithoutBundle", "f.yaml:27 error syntax"},
		},
		"property that does not parse": {
			change("    version: 2.0.0", "    version: two"), v2[:0:0],
			[]string{"f.yaml:29 error propertyInvalid quarantines bundle"},
		},
		"version that is a number": {
			change("    version: 2.0.0", "    version: 2.0"), nil, []string{"f.yaml:29 error propertyInvalid quarantines bundle"},
		},
		"entry of a wrong type": {
			change("- name: etcd.v1\n- ", "- etcd.v1\n- "), nil,
			[]string{"f.yaml:10 error fieldType quarantines channel", "f.yaml:15 warning bundleUnlisted"},
		},
		"constraint that does not compile": {
			goodYAML + "- type: olm.constraint\n  value:\n    cel:\n      rule: 'properties.'\n", nil,
			[]string{"f.yaml:33 error constraintInvalid quarantines bundle"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := read(t, "f.yaml", test.text, fbc.Options{})
			if test.problems == nil {
				test.problems = []string{}
			}
			require.Equal(t, test.problems, found(c), "%v", c.Problems())
			if len(test.bundles) > 0 {
				require.Equal(t, test.bundles, bundleNames(c))
			}
			for b := range c.Bundles() {
				if strings.Contains(test.text, `"4.10"`) && b.Name == "etcd.v1" {
					require.Equal(t, properties.MaxOpenShiftVersion("4.10"), b.Properties.At(1).Value())
				}
			}
		})
	}
}

// TestJSONDocuments: documents of a YAML file may be JSON, one value or several, among
// others of YAML; what is broken in one costs no other.
func TestJSONDocuments(t *testing.T) {
	etcd := strings.Split(strings.TrimSpace(goodLines), "\n")
	kafka := strings.ReplaceAll(goodYAML, "etcd", "kafka")
	indented := strings.ReplaceAll(etcd[2], ",", ",\n  ")
	for name, test := range map[string]struct {
		text     string
		problems []string
		packages int
	}{
		"a document each":      {strings.Join(etcd, "\n---\n"), []string{}, 1},
		"a marker first":       {"---\n" + strings.Join(etcd, "\n---\n") + "\n...\n", []string{}, 1},
		"on the marker's line": {"--- " + strings.Join(etcd, "\n--- "), []string{}, 1},
		"lines":                {goodLines, []string{}, 1},
		"indented":             {etcd[0] + "\n---\n" + etcd[1] + "\n" + indented + "\n---\n" + etcd[3], []string{}, 1},
		"before YAML":          {goodLines + "---\n" + kafka, []string{}, 2},
		"behind YAML":          {kafka + "\n---\n" + goodLines, []string{}, 2},
		"a broken line":        {etcd[0] + "\n---\n" + etcd[1][:30] + "\n---\n" + strings.Join(etcd[1:], "\n"), []string{"c.yaml:3 error syntax"}, 1},
		"YAML in braces":       {"{schema: olm.package, name: etcd, defaultChannel: stable}\n---\n" + strings.Join(etcd[1:], "\n"), []string{}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			c := read(t, "c.yaml", test.text, fbc.Options{})
			require.Equal(t, test.packages, len(bundleNames(c))/2)
			require.NotNil(t, c.Package("etcd").Bundle("etcd.v2"))
			require.ElementsMatch(t, test.problems, found(c), "%v", c.Problems())
		})
	}
}
