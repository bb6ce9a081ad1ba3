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

// TestYAMLScalars: what YAML values become in JSON.
func TestYAMLScalars(t *testing.T) {
	tests := map[string]string{
		"1": "1", "-1": "-1", "4.10": "4.10", "1e3": "1e3", "0x1F": "31", "0o17": "15", "1_000": "1000", "18446744073709551615": "18446744073709551615",
		".5": "0.5", "+1.5": "1.5", "1.": "1", "true": "true", "False": "false", "yes": `"yes"`, "~": "null", "": "null", "null": "null",
		"2001-01-01": `"2001-01-01"`, "!!str 1": `"1"`, "!!int \"7\"": "7", "'x'": `"x"`, "!custom x": `"x"`, "!!binary aGk=": `"aGk="`, "|\n  a\n  b": `"a\nb\n"`,
		"1.0.0": `"1.0.0"`, "[1, [2]]": "[1,[2]]", "{a: {b: 1}, 2: x}": `{"a":{"b":1},"2":"x"}`, "<<": `"<<"`,
	}
	for in, want := range tests {
		c := read(t, "f.yaml", goodYAML+"- type: custom\n  value: {x: "+in+"}\n", fbc.Options{})
		if strings.Contains(in, "\n") {
			c = read(t, "f.yaml", goodYAML+"- type: custom\n  value:\n    x: "+strings.ReplaceAll(in, "\n", "\n    ")+"\n", fbc.Options{})
		}
		require.Empty(t, c.Problems(), "%s", in)
		b := c.Package("etcd").Bundle("etcd.v2")
		require.Equal(t, `{"x":`+want+`}`, string(b.Properties.At(1).Raw()), "%s", in)
	}
}
