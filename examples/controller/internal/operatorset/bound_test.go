package operatorset

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"

	"github.com/seed109e2655/resolute/examples/controller/api/v1alpha1"
)

func TestClip(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"short", "short"},
		{"exactly-twenty-bytes", "exactly-twenty-bytes"},
		{"twenty-one-bytes-long", "twenty-one-byt […]"},
		{"one line\nanother line\nmore", "one line […]"},
		{"a\nlonger-than-it-may-be", "a\nlonger-than- […]"},
		{"ééééééééééé", "ééééééé […]"},
	} {
		got := clip(c.text, 20)
		require.Equal(t, c.want, got)
		require.LessOrEqual(t, len(got), 20)
	}
}

// answers draws answers that a hostile catalog could cause.
func answers(t *rapid.T) *answer {
	text := func(label string) string {
		return strings.Repeat(rapid.SampledFrom([]string{"", "x", "word\n", "é", "\xff"}).Draw(t, label),
			rapid.SampledFrom([]int{1, 10, 1000, testkit.Times(3_000, 20_000)}).Draw(t, label+" times"))
	}
	count := func(label string) int { return rapid.SampledFrom([]int{0, 1, 3, 20, 130}).Draw(t, label) }
	conflict := func(label string, facts ...int) *v1alpha1.Conflict {
		if !rapid.Bool().Draw(t, label) {
			return nil
		}
		c := &v1alpha1.Conflict{Text: text(label + " text")}
		fact := v1alpha1.Fact{Kind: "gvk", Subject: text("subject"), Text: text("fact"), Message: text("message")}
		for range rapid.SampledFrom(facts).Draw(t, label+" facts") {
			c.Facts = append(c.Facts, fact)
		}
		correction := v1alpha1.Correction{Text: text("correction"), Result: []string{text("result")}}
		for range rapid.IntRange(0, 5).Draw(t, label+" corrections") {
			c.Corrections = append(c.Corrections, correction)
		}
		return c
	}
	a := new(answer)
	a.resolved.Message = text("condition")
	a.catalogs.Message = text("catalogs")
	a.status.Catalogs = []v1alpha1.CatalogStatus{{Name: "a/b", Unavailable: text("unavailable")}}
	a.status.Conflict = conflict("conflict", 0, 1, 70)
	unresolved := v1alpha1.Unresolved{Subscription: "s", Conflict: conflict("left out", 0, 1, 10)}
	for range count("unresolved") {
		a.status.Unresolved = append(a.status.Unresolved, v1alpha1.Unresolved{Subscription: "s", Conflict: unresolved.Conflict.DeepCopy()})
	}
	warning := resolver.Warning{Kind: resolver.WarningDeprecated, Message: text("warning")}
	for range count("warnings") {
		a.status.Warnings = append(a.status.Warnings, warning)
	}
	bundle, channel := text("bundle"), text("channel")
	because, passed := count("because"), count("passed over")
	for range count("steps") {
		s := resolver.Step{Action: resolver.Install, Bundle: bundle, Channel: channel}
		for range because {
			s.Because = append(s.Because, resolver.Reason{Bundle: "b", Constraint: "c"})
		}
		for range passed {
			s.PassedOver = append(s.PassedOver, resolver.BundleRef{Name: "p"})
		}
		a.status.Steps = append(a.status.Steps, s)
		a.status.Set = append(a.status.Set, bundle)
	}
	return a
}

// TestBound: every answer fits, the plan is complete or absent, and missing
// parts are listed.
func TestBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := answers(t)
		whole := a.status.DeepCopy()
		bound(a)
		requireFits(t, object(), a)
		switch {
		case a.resolved.Reason == v1alpha1.ReasonTooLarge:
			require.Empty(t, a.status.Steps)
			require.Empty(t, a.status.Set)
			require.Nil(t, a.status.Conflict)
		default:
			require.Equal(t, whole.Set, a.status.Set)
			require.Len(t, a.status.Steps, len(whole.Steps))
			for i, s := range a.status.Steps {
				require.Equal(t, whole.Steps[i].Bundle, s.Bundle)
			}
		}
		if len(a.status.Warnings) < len(whole.Warnings) || len(a.status.Unresolved) < len(whole.Unresolved) {
			require.NotEmpty(t, a.status.Omitted)
		}
		// Truncation is idempotent.
		again := &answer{status: a.status.DeepCopy(), resolved: a.resolved, catalogs: a.catalogs}
		again.status.Omitted = nil
		bound(again)
		if a.resolved.Reason != v1alpha1.ReasonTooLarge {
			again.status.Omitted = a.status.Omitted
			require.True(t, reflect.DeepEqual(a.status, again.status))
		}
	})
}

func TestClipKeepsRunes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, most := rapid.String().Draw(t, "text"), rapid.IntRange(10, 50).Draw(t, "most")
		got := clip(text, most)
		require.LessOrEqual(t, len(got), most)
		require.True(t, utf8.ValidString(got))
		if len(text) <= most {
			require.Equal(t, text, got)
		}
	})
}
