package fbc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/properties"
)

// TestPropertiesShared: bundles that say the same share it, whatever stands in between and
// however it is written, and it stays as it was written, but for space.
func TestPropertiesShared(t *testing.T) {
	bundle := func(n int, more string) string {
		const text = `{"schema":"olm.bundle","package":"etcd","name":"etcd.v%d","image":"i","properties":[{"type":"olm.package","value":{"packageName":"etcd","version":"%d.0.0"}},%s]}`
		return fmt.Sprintf(text, n, n, more)
	}
	for written, raw := range map[string]string{
		`{"type":"olm.package.required","value":{"packageName":"a","versionRange":">=1.0.0"}}`:              `{"packageName":"a","versionRange":">=1.0.0"}`,
		`{"type": "olm.package.required", "value": {"packageName": "a", "versionRange": ">=1.0.0 <2.0.0"}}`: `{"packageName":"a","versionRange":">=1.0.0 <2.0.0"}`,
		`{"value":{"versionRange":">=1.0.0","packageName":"a"},"type":"olm.package.required"}`:              `{"versionRange":">=1.0.0","packageName":"a"}`,
		`{"type":"olm.package.required","value":{"packageName":"\u0061","versionRange":"1.x"}}`:             `{"packageName":"\u0061","versionRange":"1.x"}`,
		`{"type":"olm.package.required","value":{"packageName":"a","versionRange":"1.x","why":[]}}`:         `{"packageName":"a","versionRange":"1.x","why":[]}`,
		`{"type":"olm.gvk.required","value":{"group":"g.io","version":"v1","kind":"K"}}`:                    `{"group":"g.io","version":"v1","kind":"K"}`,
		`{"type" : "olm.gvk.required", "value" : {"group" : "g.io" , "version":"v1", "kind":"K"} }`:         `{"group":"g.io","version":"v1","kind":"K"}`,
		`{"type":"any of \"these\"","value":[ 1, "a  b", {"c":null} ]}`:                                     `[1,"a  b",{"c":null}]`,
	} {
		const bundles = 1000
		blobs := []string{packageBlob, channelBlob}
		for n := 1; n < bundles; n += 2 {
			blobs = append(blobs, bundle(n, written))
			blobs = append(blobs, bundle(n+1, fmt.Sprintf(`{"type":"olm.package.required","value":{"packageName":"p%d","versionRange":">=1.0.0"}},{"type":"other","value":%d}`, n+1, n+1)))
		}
		p := read(t, "f.json", lines(blobs...), fbc.Options{Parallel: 1}).Package("etcd")
		distinct := map[*properties.Property]bool{}
		for n := 1; n < bundles; n += 2 {
			distinct[p.Bundle(fmt.Sprintf("etcd.v%d", n)).Properties.At(1)] = true
		}
		require.Less(t, len(distinct), bundles/10, "two may have the same place by chance")
		first := p.Bundle("etcd.v1").Properties.At(1)
		require.Equal(t, raw, first.Raw())
		require.Equal(t, `{"packageName":"p8","versionRange":">=1.0.0"}`, p.Bundle("etcd.v8").Properties.At(1).Raw())
		require.Equal(t, "8", p.Bundle("etcd.v8").Properties.At(2).Raw())
	}
}

// TestPlainProperties: a property that is read is the one that properties.New makes, however
// its value is written.
func TestPlainProperties(t *testing.T) {
	for _, value := range []string{
		`{"packageName":"etcd","%s":"1.0.0"}`, `{ "packageName" : "etcd" , "%s" : "1.0.0" }`, "{\t\"packageName\":\n\"etcd\",\r\n\"%s\":\"1.0.0\"}",
		`{"%s":"1.0.0","packageName":"etcd"}`, `{"packageName":"etcd","%s":"1.0.0","more":1}`, `{"packageName":"etcd","%s":"1.0.0","%[1]s":"1.0.0"}`,
		`{"packageName":["etcd","%s","1.0.0"]}`, `{"packageName":{"etcd":"%s"}}`, `["packageName","etcd","%s","1.0.0"]`, `"{packageName:etcd,%s:1.0.0}"`,
		`{"packageName":"et\u0063d","%s":"1.0.0"}`, `{"packageName":"etcd","%s":"1.0.0\u0020"}`, `{"packageName":"et\"cd","%s":"1.0.0"}`, `{"packageName":"etcd\\","%s":"1.0.0"}`,
		`{"packageName":"etcd","%s":""}`, `{"packageName":"","%s":"1.0.0"}`, `{"packageName":"etcd","%s":1}`, `{"packageName":null,"%s":"1.0.0"}`, `{"packageName":"etcd","%s":"one"}`,
		`{"packagename":"etcd","%s":"1.0.0"}`, `{"packageName":"größe","%s":"1.0.0"}`, `{"packageName":"et\u0000cd","%s":"1.0.0"}`, `{}`, `[]`, `7`,
	} {
		for typ, second := range map[string]string{properties.TypePackage: "version", properties.TypePackageRequired: "versionRange"} {
			value := value
			if strings.Contains(value, "%") {
				value = fmt.Sprintf(value, second)
			}
			want, invalid := properties.New(typ, []byte(value))
			bundle := strings.Replace(bundleV1, `"properties":[`, `"properties":[{"type":"`+typ+`","value":`+value+`},`, 1)
			c := read(t, "f", lines(packageBlob, channelBlob, bundle), fbc.Options{Parallel: 1})
			got := c.Package("etcd").Bundle("etcd.v1").Properties
			if invalid != nil {
				require.Contains(t, strings.Join(found(c), "\n"), "propertyInvalid", "%s %s", typ, value)
				require.Equal(t, 1, got.Len(), "%s %s", typ, value)
				continue
			}
			require.True(t, want.Equal(got.At(0)), "%s %s is %s", typ, value, got.At(0))
			require.Equal(t, want.Raw(), got.At(0).Raw())
			require.Equal(t, fmt.Sprint(want.Value()), fmt.Sprint(got.At(0).Value()))
		}
	}
}
