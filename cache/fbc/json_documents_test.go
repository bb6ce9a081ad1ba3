package fbc_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
)

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
