package upgradetest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/declared"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver/scenario"
	ut "github.com/seed109e2655/resolute/resolver/upgradetest"
)

// sound is a valid catalog: db with three versions that provide DB, and app with two that require
// it. Each version replaces the one before.
const sound = `
	catalog olm/catalog
	app/stable app.v1.0.0 needs=DB
	app/stable app.v1.1.0 replaces=app.v1.0.0 needs=DB
	db/stable db.v1.0.0 provides=DB
	db/stable db.v1.1.0 replaces=db.v1.0.0 provides=DB
	db/stable db.v1.2.0 replaces=db.v1.1.0 provides=DB
	web/stable web.v1.0.0 provides=Web
`

// headOfDB is the line of the last version of db.
const headOfDB = "db/stable db.v1.2.0 replaces=db.v1.1.0 provides=DB"

// small returns the sound catalog after edits: pairs of a text and its replacement. The
// replacement of an empty text is appended.
func small(edits ...string) *declared.Catalog {
	text := sound
	for i := 0; i < len(edits); i += 2 {
		switch {
		case edits[i] == "":
			text += edits[i+1] + "\n"
		case strings.Contains(text, edits[i]):
			text = strings.ReplaceAll(text, edits[i], edits[i+1])
		default:
			panic("the catalog does not have " + edits[i])
		}
	}
	return catalog(text)
}

// catalog returns the only catalog of a universe.
func catalog(text string) *declared.Catalog {
	u, err := universe.Parse(text)
	if err != nil {
		panic(err)
	}
	return u.Catalogs[0]
}

// TestFindsInTheSmall makes one change at a time to a small sound catalog, and checks the exact
// findings with properties, locations and bundles.
func TestFindsInTheSmall(t *testing.T) {
	cases := testkit.Cases(t, "testdata/small.txt", "more", "instead", "finds")
	require.Greater(t, len(cases), 15)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			edits := []string{"", c.Part("more").Text()}
			for _, edit := range c.Rests("instead") {
				old, now, _ := strings.Cut(edit, "=>")
				edits = append(edits, strings.TrimSpace(old), strings.TrimSpace(now))
			}
			var got []string
			for _, f := range report(t, small(edits...), ut.Options{}).Findings {
				got = append(got, said(&f))
				require.NotNil(t, f.Small, "%s", &f)
				most := 3
				if c.Name == "a clash of what a bundle requires" {
					most = 4 // an old version, the new one, and the two that clash
				}
				require.LessOrEqual(t, f.Small.Bundles, most, "%s", f.Lines())
				requireReplayed(t, &f, testkit.Must(scenario.ReadFile(t.Context(), f.Small.File))(t))
			}
			require.Equal(t, c.Rests("finds"), got)
		})
	}
}

// said formats a finding without its text.
func said(f *ut.Finding) string {
	parts := slices.DeleteFunc([]string{f.Code, string(f.Problem), f.Package, f.Bundle}, func(s string) bool { return s == "" })
	if len(f.Bundles) > 0 {
		return strings.Join(parts, " ") + ": " + strings.Join(f.Bundles, " ")
	}
	return strings.Join(parts, " ")
}

// TestBefore checks only for regressions: errors from before a change are excluded.
func TestBefore(t *testing.T) {
	before := testkit.Must(flawed().Build(t.Context()))(t)
	require.Empty(t, report(t, flawed(), ut.Options{Before: before}).Findings)
	worse := flawed()
	worse.Package("db").Channels[0].Entries[1].Replaces = "elsewhere" // db.v1.0.0 is a head, too, and not a typo
	found := report(t, worse, ut.Options{Before: before, Only: []string{"newProblem"}}).Findings
	require.Len(t, found, 1)
	require.Equal(t, "newProblem severalHeads db", said(&found[0]))
	require.NotNil(t, found[0].Small)
}

// report checks a catalog.
func report(t *testing.T, c *declared.Catalog, opts ut.Options) *ut.Report {
	content := testkit.Must(c.Build(t.Context()))(t)
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	return testkit.Must(ut.Run(t.Context(), content, opts))(t)
}
