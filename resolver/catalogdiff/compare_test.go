package catalogdiff_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/growth"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

// read reads a small catalog.
func read(t testing.TB, dir, name string) *cache.Catalog {
	return testkit.Must(fbc.Load(t.Context(), os.DirFS(dir), fbc.Options{File: name}))(t)
}

// line formats a finding like the expectations, up to its text; "-" means an empty name.
func line(f catalogdiff.Finding) string {
	return fmt.Sprintf("%s %s %s %s %s @%d: ", f.Severity, f.Code, cmp.Or(f.Package, "-"), cmp.Or(f.Channel, "-"), cmp.Or(f.Bundle, "-"), f.Line)
}

// TestPairs compares the pairs of catalogs in testdata. The file worse.txt has a line for each
// finding, in order: severity, code, package, channel, bundle, the line in new.yaml, and a part
// of the sentence. There must be no other findings. Compared in reverse, every correctable
// finding is an improvement.
func TestPairs(t *testing.T) {
	dirs := testkit.Must(filepath.Glob("testdata/*/worse.txt"))(t)
	require.NotEmpty(t, dirs)
	seen := make(map[string]bool)
	for _, name := range dirs {
		dir := filepath.Dir(name)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			want := testkit.Must(os.ReadFile(name))(t)
			old, now := read(t, dir, "old.yaml"), read(t, dir, "new.yaml")
			r := testkit.Must(catalogdiff.Compare(t.Context(), old, now, catalogdiff.Options{}))(t)
			lines := strings.Split(strings.TrimSpace(string(want)), "\n")
			for _, f := range r.Worse {
				seen[f.Code] = true
				t.Log(line(f) + f.Text)
				require.NotEmpty(t, lines, "%s%s", line(f), f.Text)
				head, phrase, _ := strings.Cut(lines[0], ": ")
				require.Equal(t, head+": ", line(f))
				require.Contains(t, f.Text, phrase)
				if f.Line > 0 {
					require.Equal(t, "new.yaml", f.File)
				}
				lines = lines[1:]
			}
			require.Empty(t, strings.Join(lines, "\n"), "not found")
			require.NotEmpty(t, r.Changes)
			again := testkit.Must(catalogdiff.Compare(t.Context(), old, now, catalogdiff.Options{Workers: 1}))(t)
			require.Equal(t, []any{r.Worse, r.Better, r.Changes}, []any{again.Worse, again.Better, again.Changes})
		})
	}
	said := make(map[string]string)
	require.Len(t, catalogdiff.Codes(), 13)
	for code, words := range catalogdiff.Codes() {
		require.True(t, seen[code], "no pair of catalogs shows %s", code)
		require.Contains(t, words, " ", "%s has a description", code)
		require.NotContains(t, said, words, "%s has the description of %s", code, said[words])
		said[words] = code
	}
}

// TestBetter compares pairs in reverse: regressions become improvements.
func TestBetter(t *testing.T) {
	for dir, want := range map[string][]string{
		"notInstallable":  {"notInstallable a.v2 can be installed again", "headUnreachable clusters on a.v1 (channel stable) now reach the head"},
		"loop":            {"headUnreachable clusters on a.v1 (channel stable) now reach the head", "headUnreachable clusters on a.v2 (channel stable) now reach the head"},
		"clash":           {"clash b and c no longer both provide example.com/v1/Thing, so they no longer conflict over it"},
		"dependentBroken": {"dependentBroken b.v1 can be installed again"},
		"heldBack":        {"dependentBroken clusters on b.v1 and package a can now upgrade beyond a.v1 (channel stable)"},
		"newProblem":      {`newProblem corrected: channel "stable" of package "a" has 2 heads, "a.v2" and "a.v1": let one entry replace or skip the others`},
		"deprecated":      {"deprecated b.v1 can be installed again: it no longer has the property olm.deprecated", "deprecated a.v1 is no longer deprecated", "deprecated channel stable is no longer deprecated"},
		"skipped":         nil,
	} {
		t.Run(dir, func(t *testing.T) {
			old, now := read(t, "testdata/"+dir, "new.yaml"), read(t, "testdata/"+dir, "old.yaml")
			r := testkit.Must(catalogdiff.Compare(t.Context(), old, now, catalogdiff.Options{}))(t)
			got := testkit.Map(r.Better, func(f catalogdiff.Finding) string { return string(f.Code) + " " + f.Text })
			require.ElementsMatch(t, want, got)
		})
	}
}

// TestEmptyStates: either state may be empty.
func TestEmptyStates(t *testing.T) {
	now := read(t, "testdata/notInstallable", "old.yaml")
	r := testkit.Must(catalogdiff.Compare(t.Context(), nil, now, catalogdiff.Options{}))(t)
	require.Empty(t, r.Worse)
	require.Equal(t, []catalogdiff.Change{{Kind: "packageAdded", Package: "a", Is: "1 channel, 2 bundles"}}, r.Changes)
	r = testkit.Must(catalogdiff.Compare(t.Context(), now, nil, catalogdiff.Options{}))(t)
	require.Len(t, r.Worse, 1)
	require.Equal(t, "packageRemoved", r.Worse[0].Code)
	r = testkit.Must(catalogdiff.Compare(t.Context(), nil, nil, catalogdiff.Options{}))(t)
	require.Empty(t, r.Worse)
	require.Empty(t, r.Changes)
}

// TestChanges checks the changes, good and bad.
func TestChanges(t *testing.T) {
	for dir, want := range map[string][]catalogdiff.Change{
		"deprecated": {
			{Kind: "deprecation", Package: "a", Channel: "stable", Is: "use fast"},
			{Kind: "deprecation", Package: "a", Bundle: "a.v1", Is: "too old"},
			{Kind: "property", Package: "b", Bundle: "b.v1", Is: "olm.deprecated {}"},
		},
		"headLowered": {
			{Kind: "head", Package: "a", Channel: "stable", Was: "a.v2", Is: "a.v1"},
			{Kind: "entryRemoved", Package: "a", Channel: "stable", Bundle: "a.v2", Was: "replaces a.v1"},
			{Kind: "bundleRemoved", Package: "a", Bundle: "a.v2", Was: "2.0.0"},
		},
		"defaultChannelChanged": {{Kind: "defaultChannel", Package: "a", Was: "stable", Is: "fast"}},
		"channelRemoved":        {{Kind: "channelRemoved", Package: "a", Channel: "fast", Was: "1 entry"}},
		"packageRemoved":        {{Kind: "packageRemoved", Package: "b", Was: "1 channel, 1 bundle"}},
		"loop":                  {{Kind: "entryChanged", Package: "a", Channel: "stable", Bundle: "a.v1", Is: "skipRange >=2.0.0"}},
	} {
		r, err := catalogdiff.Compare(t.Context(), read(t, "testdata/"+dir, "old.yaml"), read(t, "testdata/"+dir, "new.yaml"), catalogdiff.Options{})
		require.NoError(t, err)
		require.Equal(t, want, r.Changes, dir)
	}
}

// TestStopsAnywhere: the end of the context at any time is the error, without a partial report
// and without leaked goroutines.
func TestStopsAnywhere(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, dir := range []string{"heldBack", "clash", "edgeLost", "continues"} {
		old, now := read(t, "testdata/"+dir, "old.yaml"), read(t, "testdata/"+dir, "new.yaml")
		calls := 0
		opts := catalogdiff.Options{Progress: func(done, total int) {
			calls++
			require.LessOrEqual(t, done, total)
		}}
		whole := testkit.Must(catalogdiff.Compare(t.Context(), old, now, opts))(t)
		require.Positive(t, calls)
		growth.StopsAnywhere(t, func(ctx context.Context) error {
			r, err := catalogdiff.Compare(ctx, old, now, catalogdiff.Options{})
			if err != nil {
				testkit.As[*resolver.IncompleteError](t, err)
				return err
			}
			require.Equal(t, whole.Worse, r.Worse)
			return nil
		})
	}
}

// TestBeside: bundles of another catalog satisfy constraints, and dependents of the changed
// catalog there are audited.
func TestBeside(t *testing.T) {
	old, now := read(t, "testdata/dependentBroken", "old.yaml"), read(t, "testdata/dependentBroken", "new.yaml")
	other := resolver.Catalog{Key: cache.Key{Namespace: "olm", Name: "other"}, Content: old}
	r, err := catalogdiff.Compare(t.Context(), old, now, catalogdiff.Options{Beside: []resolver.Catalog{other}})
	require.NoError(t, err)
	require.Empty(t, r.Worse, "the API can be had of the other catalog")

	other.Content = now // b needs what c dropped there
	r, err = catalogdiff.Compare(t.Context(), old, now, catalogdiff.Options{Beside: []resolver.Catalog{other}})
	require.NoError(t, err)
	hit := testkit.Map(r.Worse, func(f catalogdiff.Finding) string { return f.Catalog + " " + f.Bundle })
	require.ElementsMatch(t, []string{" b.v1", "olm/other b.v1"}, hit)

	_, err = catalogdiff.Compare(t.Context(), old, now, catalogdiff.Options{Key: other.Key, Beside: []resolver.Catalog{other}})
	testkit.As[*resolver.RequestError](t, err) // two catalogs of one key
}

// TestOrderOfKeys: the order of keys inside a property is irrelevant at any depth; the order of
// lists and every digit of a number are not.
func TestOrderOfKeys(t *testing.T) {
	read := func(value string) *cache.Catalog { return universe.Content(t, "a/x a.v1\nproperty a.v1 t "+value) }
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
