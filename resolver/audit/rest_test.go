package audit_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// archive draws a catalog as a distribution has it: mostly one version of each package,
// alternatives and conflicts. The packages of some cannot be installed, and a few have
// something to upgrade to, or are off the default channel.
func archive(t *rapid.T) string {
	var u strings.Builder
	n := rapid.IntRange(3, 12).Draw(t, "packages")
	some := func(what string, percent int) bool { return rapid.IntRange(0, 99).Draw(t, what) < percent }
	other := func() string {
		name := fmt.Sprintf("p%d", rapid.IntRange(0, n).Draw(t, "other")) // the last one is not there
		if some("kind", 10) {
			return "K" + name
		}
		return name + rapid.SampledFrom([]string{"@>=0.0.0", "@>=0.0.0", "@>=0.0.0", "@<2.0.0", "@>=2.0.0"}).Draw(t, "range")
	}
	for i := range n {
		name := fmt.Sprintf("p%d", i)
		fmt.Fprintf(&u, "%s/stable %s.v1", name, name)
		if some("provides", 30) {
			fmt.Fprintf(&u, " provides=Kp%d", rapid.IntRange(0, n).Draw(t, "api"))
		}
		u.WriteString("\n")
		if some("upgrade", 8) {
			fmt.Fprintf(&u, "%s/stable %s.v2 replaces=%s.v1\n", name, name, name)
		}
		if some("default", 8) {
			fmt.Fprintf(&u, "package %s -\n", name)
		}
		for range rapid.IntRange(0, 3).Draw(t, "constraints") {
			form := rapid.SampledFrom([]string{"any(%s, %s)", "any(%s, %s)", "not(%s, %s)", "not(%s, %s)", "all(%s, any(%s))", "any(all(%s), not(%s))"}).Draw(t, "form")
			if some("plain", 30) {
				fmt.Fprintf(&u, "require %s.v1 %s\n", name, other())
			} else {
				fmt.Fprintf(&u, "require %s.v1 "+form+"\n", name, other(), other())
			}
		}
	}
	return u.String()
}

// TestPropertyAtRest holds the findings about catalogs of packages that mostly stay as
// they are against those that are found bundle by bundle, by requests of their own, and
// against the bytes of an audit whose resolver is watched, so that it resolves everything.
func TestPropertyAtRest(t *testing.T) {
	r := resolver.New()
	watched := r.With(resolver.WithHooks(trace.Hooks{Solver: func(context.Context, trace.Event) {}}))
	rapid.Check(t, func(t *rapid.T) {
		catalogs := universe.Catalogs(t, archive(t))
		opts := audit.Options{Workers: 1, Policy: resolver.Policy{
			Compounds: rapid.SampledFrom([]string{"", "", "", "PerBundle"}).Draw(t, "compounds")}}
		var got []*audit.Bundle
		lines := linesOf(t, r, catalogs, opts, &got)
		want := naiveAudit{r, catalogs, opts}.all(t)
		if d := gocmp.Diff(want, likeNaive(t, got, want)); d != "" {
			t.Fatalf("findings (- naive, + audit):\n%s", d)
		}
		require.Equal(t, timeless(linesOf(t, watched, catalogs, opts, nil)), timeless(lines))
	})
}

// TestOrphanAtRest: z takes b for want of anything better known at that time, and finds then
// that it does without. So there is an orphan, though nothing changes after the installation.
func TestOrphanAtRest(t *testing.T) {
	catalogs := universe.Catalogs(t, `
		b/stable b.v1
		q/stable q.v1
		z/stable z.v1 provides=Z
		require z.v1 any(b@>=0.0.0, all(Z, not(q@>=0.0.0)))`)
	var got []*audit.Bundle
	linesOf(t, resolver.New(), catalogs, audit.Options{}, &got)
	require.Len(t, got, 3)
	require.Equal(t, []string{"b.v1"}, got[2].Orphans)
	require.Equal(t, &audit.Reach{Channel: "stable", Reaches: true}, got[2].ReachesHead)
}
