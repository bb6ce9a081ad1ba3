package ready_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver/ready"
)

// FuzzMerge: no input panics, and what can be merged alone is written as it was.
func FuzzMerge(f *testing.F) {
	f.Add([]byte("{\"status\":\"ready\",\"operators\":[],\"order\":[]}\n{\"summary\":{\"clusters\":1,\"ready\":1,\"shard\":\"0/1\"}}\n"))
	f.Add([]byte("{\"summary\":{}}"))
	f.Add([]byte("{\"status\":\"x\",\"operators\":[{\"verdict\":\"noWay\",\"package\":\"a\"}]}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var out bytes.Buffer
		sum, err := ready.Merge(&out, nil, bytes.NewReader(data))
		if err != nil {
			return
		}
		require.NoError(t, sum.WriteText(io.Discard))
		if sum.Clusters > 1 {
			_, err = ready.Merge(io.Discard, nil, bytes.NewReader(out.Bytes()))
			require.NoError(t, err)
		}
	})
}

// FuzzLifecycle: no blob panics.
func FuzzLifecycle(f *testing.F) {
	f.Add([]byte(`{"package":"foo","versions":[{"name":"1.0","phases":[{"name":"a","startDate":"x"}],"platformCompatibility":[{"name":"openshift","versions":["4.12"]}]}]}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		to := make(map[string]ready.PackageLifecycle)
		ready.AddLifecycle(to, ready.SchemaLifecycles, data)
		for _, l := range to {
			for i := range l.Versions {
				_ = l.Versions[i].String()
			}
		}
	})
}
