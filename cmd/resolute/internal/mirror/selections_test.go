package mirror_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/mirror"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
)

// configText is a configuration of packages, each YAML on a line.
func configText(full bool, packages []string) string {
	text := configHead + "  operators:\n  - catalog: " + indexRef + "\n"
	if full {
		text += "    full: true\n"
	}
	if len(packages) > 0 {
		text += "    packages:\n"
	}
	for _, p := range packages {
		text += "    - " + p + "\n"
	}
	return text
}

func configuration(t *testing.T, full bool, packages []string) *mirror.Configuration {
	return testkit.Must(mirror.Parse(context.Background(), "isc.yaml", []byte(configText(full, packages))))(t)
}

// lacks checks what the catalog lacks, each a code, a subject and the near misses, and
// returns what is wrong with the rest.
func lacks(t *testing.T, want []string, err error) error {
	var unknown *mirror.UnknownError
	if !errors.As(err, &unknown) {
		require.Empty(t, want, "%v", err)
		return err
	}
	var got []string
	for _, p := range unknown.Problems {
		require.Equal(t, indexRef, p.Catalog)
		require.NotNil(t, p.Near)
		require.Contains(t, err.Error(), p.String())
		got = append(got, strings.Join(append([]string{string(p.Code), strings.ReplaceAll(p.Subject, " ", "_")}, p.Near...), " "))
	}
	require.Equal(t, want, got)
	return unknown.Rest
}

func TestSelections(t *testing.T) {
	cases := testkit.Cases(t, "testdata/selections.txt", "catalog", "mirror", "selects", "bundles", "default", "warns", "refuses", "lacks")
	require.Greater(t, len(cases), 20)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			config := configuration(t, c.Part("mirror").Rest == "full", c.Part("mirror").Lines)
			got, err := mirror.Select(t.Context(), universe.Content(t, c.Part("catalog").Text()), config.Operators[0])
			err = lacks(t, c.Rests("lacks"), err)
			if refuses := c.Part("refuses").Rest; refuses != "" {
				require.Nil(t, got)
				require.ErrorContains(t, err, refuses)
				testkit.As[*mirror.SelectionError](t, err)
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
			require.Empty(t, cmp.Diff(c.Part("selects").Lines, selects))
			if want := c.Part("bundles").Lines; want != nil {
				require.Equal(t, want, bundles)
			}
			for _, d := range c.Rests("default") {
				require.Contains(t, defaults, d)
			}
			for _, w := range c.Rests("warns") {
				require.True(t, slices.ContainsFunc(got.Warnings, func(s string) bool { return strings.Contains(s, w) }), "%q is not in %q", w, got.Warnings)
			}
			if c.Rests("warns") == nil {
				require.Empty(t, got.Warnings)
			}
		})
	}
}
