package properties

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// property is a property as it stands in a catalog.
type property struct {
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"`
}

// realProperties returns the properties of all bundles of a real catalog.
func realProperties(t testing.TB, catalog string) (all []property) {
	t.Helper()
	f := testkit.Must(testkit.Data(t, catalog+".jsonl.gz").Open(catalog + ".jsonl.gz"))(t)
	defer f.Close()
	for dec := json.NewDecoder(testkit.Must(gzip.NewReader(f))(t)); ; {
		var blob struct {
			Schema     string
			Properties []property
		}
		err := dec.Decode(&blob)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		if blob.Schema == "olm.bundle" {
			all = append(all, blob.Properties...)
		}
	}
}

// Real catalogs hold no property that would have to be refused.
func TestRealCatalogs(t *testing.T) {
	for catalog, count := range map[string]int{"community-all": 44388, "community-v4.14": 39334, "community-v4.19": 35579} {
		t.Run(catalog, func(t *testing.T) {
			if catalog != "community-all" {
				testkit.OnlyLong(t, "another catalog, like the first")
			}
			all := realProperties(t, catalog)
			require.Len(t, all, count)
			for _, p := range all {
				parsed := testkit.Must(New(p.Type, p.Value))(t)
				require.NotNil(t, parsed.Value(), "%s", parsed)
				require.JSONEq(t, string(p.Value), parsed.Raw())
			}
		})
	}
}

// BenchmarkNew parses one property of the most frequent type.
func BenchmarkNew(b *testing.B) {
	value := []byte(`{"group": "monitoring.coreos.com", "kind": "ServiceMonitor", "version": "v1"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(TypeGVK, value); err != nil {
			b.Fatal(err)
		}
	}
}
