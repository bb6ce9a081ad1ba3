package fbc_test

import (
	"fmt"
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
