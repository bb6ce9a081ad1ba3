package catalogdiff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/mistake"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

// TestPlantedMistakes plants each mistake in a copy of a complete real catalog.
func TestPlantedMistakes(t *testing.T) {
	original := planted(t)
	clean, _ := built(t, original)
	found := make(map[string][]string)
	for _, c := range testkit.Cases(t, "testdata/planted.txt", "finds") {
		found[c.Name] = c.Rests("finds")
	}
	every := testkit.Times(7, 1) // a whole catalog is built for each
	for i, m := range mistake.All() {
		if i%every != 0 {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			c, old := original.Clone(), clean
			if m.Before != nil {
				m.Before(c)
				old, _ = built(t, c)
			}
			m.Plant(c)
			now, lines := built(t, c)
			r := testkit.Must(catalogdiff.Compare(t.Context(), old, now, catalogdiff.Options{}))(t)
			blobs := make(map[int]string)
			for blob, line := range lines {
				blobs[line] = blob
			}
			var got []string
			for _, f := range r.Worse {
				require.Equal(t, "catalog.jsonl", f.File)
				got = append(got, strings.TrimSuffix(line(f), " @"+fmt.Sprint(f.Line)+": ")+" @ "+blobs[f.Line])
				t.Logf("%s\n    %s", got[len(got)-1], f.Text)
			}
			name, _, _ := strings.Cut(m.Name, ":")
			require.NotEmpty(t, found[name])
			require.Equal(t, found[name], got)
		})
	}
}
