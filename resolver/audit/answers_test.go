package audit_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// TestAnswers checks the audits of small catalogs.
func TestAnswers(t *testing.T) {
	for _, c := range testkit.Cases(t, "testdata/answers.txt", "has", "rounds", "goal", "upgrades", "packages", "says", "stuck", "clashes") {
		t.Run(c.Name, func(t *testing.T) {
			opts := audit.Options{Packages: c.Rests("packages"), Policy: resolver.Policy{
				Goal: resolver.Goal(c.Part("goal").Rest), Upgrades: resolver.Upgrades(c.Part("upgrades").Rest)}}
			opts.MaxRounds, _ = strconv.Atoi(c.Part("rounds").Rest)
			found, sum := runAll(t, universe.Catalogs(t, c.Part("has").Text()), opts)
			for _, says := range c.All("says") {
				var got []string
				for _, b := range found {
					got = append(got, findingText(b))
				}
				require.Empty(t, cmp.Diff(says.Lines, got), "findings (- want, + got)")
			}
			for _, clashes := range c.All("clashes") {
				require.Empty(t, cmp.Diff(clashes.Lines, clashText(sum)), "clashes (- want, + got)")
			}
			for _, stuck := range c.All("stuck") {
				checkStuck(t, found, stuck.Rest, stuck.Lines[0], stuck.Lines[len(stuck.Lines)-1])
			}
		})
	}
}

// checkStuck checks the full and the short text about a stuck bundle.
func checkStuck(t *testing.T, found []*audit.Bundle, stuck, full, brief string) {
	report := &audit.Report{}
	for _, b := range found {
		if b.Bundle == stuck {
			require.NoError(t, report.Bundle(b))
			c := b.ReachesHead.Conflict
			require.Equal(t, full, audit.Reason(c))
			require.Equal(t, "subscription a asks for package a from channel stable of catalog test/one, where "+stuck+" is installed", c.Facts[0].Text)
		}
	}
	notes := report.Packages[0].Notes
	last := notes[len(notes)-1]
	require.Equal(t, "stuck", last.Kind)
	require.Equal(t, brief, last.Reason)
	require.NotNil(t, last.Conflict)
}

// clashText formats clashes, then groups of packages that are apart, one per line.
func clashText(s *audit.Summary) []string {
	var out []string
	for _, c := range s.Clashes {
		out = append(out, c.GVK+": "+strings.Join(c.Packages, " "))
	}
	for _, group := range s.Apart {
		out = append(out, "apart: "+strings.Join(group, " "))
	}
	return out
}
