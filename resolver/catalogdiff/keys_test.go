package catalogdiff_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

// TestOrderOfKeys: the order of keys inside a property means nothing, at any depth; that of
// a list does, and so does each digit of a number.
func TestOrderOfKeys(t *testing.T) {
	read := func(value string) *cache.Catalog {
		blobs := `{"schema":"olm.package","name":"a","defaultChannel":"x"}
{"schema":"olm.channel","package":"a","name":"x","entries":[{"name":"a.v1"}]}
{"schema":"olm.bundle","package":"a","name":"a.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}},{"type":"t","value":` + value + `}]}`
		return testkit.Must(fbc.Read(t.Context(), strings.NewReader(blobs), "c.jsonl", fbc.Options{}))(t)
	}
	for name, tc := range map[string]struct {
		old, now string
		changes  int
	}{
		"keys":    {`{"a":1,"b":[{"c":2,"d":{"e":3,"f":4}}]}`, `{"b":[{"d":{"f":4,"e":3},"c":2}],"a":1}`, 0},
		"values":  {`{"a":1,"b":2}`, `{"b":1,"a":2}`, 2},
		"lists":   {`{"a":[1,2]}`, `{"a":[2,1]}`, 2},
		"numbers": {`{"a":9007199254740993}`, `{"a":9007199254740992}`, 2},
	} {
		found := testkit.Must(catalogdiff.Compare(t.Context(), read(tc.old), read(tc.now), catalogdiff.Options{}))(t)
		require.Len(t, found.Changes, tc.changes, name)
	}
}
