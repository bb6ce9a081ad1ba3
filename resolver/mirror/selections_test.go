package mirror_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/universe"
	"github.com/seed109e2655/resolute/resolver/mirror"
)

// selectCase is a case of testdata/selections.txt.
type selectCase struct {
	name, refuses              string
	catalog, packages, selects []string
	bundles, warns, defaults   []string
	full                       bool
}

// readSelections reads testdata/selections.txt, whose head says what stands in it.
func readSelections(t *testing.T) []*selectCase {
	t.Helper()
	data, err := os.ReadFile("testdata/selections.txt")
	require.NoError(t, err)
	var cases []*selectCase
	var c *selectCase
	var lines *[]string
	for _, line := range strings.Split(string(data), "\n") {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		if strings.HasPrefix(line, "  ") {
			*lines = append(*lines, trimmed)
			continue
		}
		verb, rest, _ := strings.Cut(trimmed, " ")
		switch verb {
		case "case":
			name, _, _ := strings.Cut(rest, ":")
			c = &selectCase{name: name}
			cases = append(cases, c)
		case "catalog":
			lines = &c.catalog
		case "mirror":
			c.full = rest == "full"
			lines = &c.packages
		case "selects":
			lines = &c.selects
		case "bundles":
			lines = &c.bundles
		case "default":
			c.defaults = append(c.defaults, rest)
		case "warns":
			c.warns = append(c.warns, rest)
		case "refuses":
			c.refuses = rest
		default:
			t.Fatalf("%q: no such line", line)
		}
	}
	return cases
}

// blobs makes the blobs of a catalog of lines of a universe.
func blobs(t *testing.T, lines []string) []json.RawMessage {
	t.Helper()
	return universe.Blobs(t, strings.Join(lines, "\n"))
}

// catalogOf makes such a catalog.
func catalogOf(t *testing.T, lines []string) *cache.Catalog {
	t.Helper()
	return universe.Content(t, strings.Join(lines, "\n"))
}

// configuration makes a configuration of packages, each YAML on a line.
func configuration(t *testing.T, full bool, packages []string) *mirror.Configuration {
	t.Helper()
	text := "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  operators:\n  - catalog: example.com/index:v1\n"
	if full {
		text += "    full: true\n"
	}
	if len(packages) > 0 {
		text += "    packages:\n"
	}
	for _, p := range packages {
		text += "    - " + p + "\n"
	}
	c, err := mirror.Parse(context.Background(), "isc.yaml", []byte(text))
	require.NoError(t, err)
	return c
}

func TestSelections(t *testing.T) {
	cases := readSelections(t)
	require.Greater(t, len(cases), 20)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			config := configuration(t, c.full, c.packages)
			got, err := mirror.Select(catalogOf(t, c.catalog), config.Operators[0])
			if c.refuses != "" {
				require.ErrorContains(t, err, c.refuses)
				var refused *mirror.SelectionError
				require.ErrorAs(t, err, &refused)
				return
			}
			require.NoError(t, err)
			var selects, bundles, defaults []string
			for _, p := range got.Packages {
				for _, ch := range p.Channels {
					selects = append(selects, p.Name+"/"+ch.Name+": "+strings.Join(ch.Entries, " "))
				}
				bundles = append(bundles, strings.Join(p.Bundles, " "))
				defaults = append(defaults, p.Name+" "+p.DefaultChannel)
			}
			require.Empty(t, cmp.Diff(c.selects, selects))
			if c.bundles != nil {
				require.Equal(t, c.bundles, bundles)
			}
			for _, d := range c.defaults {
				require.Contains(t, defaults, d)
			}
			for _, w := range c.warns {
				require.True(t, slices.ContainsFunc(got.Warnings, func(s string) bool { return strings.Contains(s, w) }), "%q is not in %q", w, got.Warnings)
			}
			if c.warns == nil {
				require.Empty(t, got.Warnings)
			}
		})
	}
}
