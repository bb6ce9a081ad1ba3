package upgrade_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver/upgrade"
)

// FuzzMerge: no input panics, and what can be merged alone is written as it was.
func FuzzMerge(f *testing.F) {
	f.Add([]byte("{\"status\":\"ready\",\"operators\":[],\"order\":[]}\n{\"summary\":{\"clusters\":1,\"ready\":1,\"shard\":\"0/1\"}}\n"))
	f.Add([]byte("{\"summary\":{}}"))
	f.Add([]byte("{\"status\":\"x\",\"operators\":[{\"verdict\":\"noWay\",\"package\":\"a\"}]}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var out bytes.Buffer
		sum, err := upgrade.Merge(func(r *upgrade.Report) error { return r.WriteLine(&out) }, bytes.NewReader(data))
		if err != nil {
			return
		}
		require.NoError(t, sum.WriteText(io.Discard))
		require.NoError(t, sum.WriteLine(&out))
		if sum.Clusters > 1 || sum.Shard != "" {
			_, err = upgrade.Merge(nothing, bytes.NewReader(out.Bytes()))
			require.NoError(t, err)
		}
	})
}
