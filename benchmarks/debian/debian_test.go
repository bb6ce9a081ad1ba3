package debian_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/benchmarks/debian"
	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// archiveOf reads a list and writes it to a file as well.
func archiveOf(t require.TestingT, dir, text string) (*debian.Archive, string) {
	list := filepath.Join(dir, "list_Packages")
	require.NoError(t, os.WriteFile(list, []byte(text), 0o666))
	a := testkit.Must(debian.Load(context.Background(), []string{list}))(t)
	return a, list
}

// catalogOf reads the catalog of an archive, which must be valid.
func catalogOf(t require.TestingT, a *debian.Archive) *cache.Catalog {
	var b bytes.Buffer
	require.NoError(t, a.WriteCatalog(&b))
	c, err := fbc.Read(context.Background(), &b, "catalog.jsonl", fbc.Options{Strict: true})
	require.NoError(t, err, b.String())
	return c
}

// broken returns the bundles that are not installable, with their conflicts.
func broken(t require.TestingT, c *cache.Catalog) map[string]string {
	out := make(map[string]string)
	_, err := audit.Run(context.Background(), resolver.New(), []resolver.Catalog{{Key: cache.Key{Namespace: "a", Name: "a"}, Content: c}}, audit.Options{
		Each: func(b *audit.Bundle) error {
			if !b.Installable {
				out[b.Bundle] = b.Conflict.Error()
			}
			return nil
		}})
	require.NoError(t, err)
	return out
}

const small = `Package: web
Version: 2:1.0-1
Architecture: amd64
Depends: httpd, libc6 (>= 2.36),
 python3:any | missing
Conflicts: libold (<< 3)

Package: nginx+x
Version: 1.0
Architecture: all
Provides: httpd (= 2), api
Conflicts: httpd, web (<< 1), libold:i386

Package: libc6
Version: 2.36-9+deb12u14
Architecture: amd64

Package: libc6
Version: 2.36-9
Architecture: amd64

Package: python3
Version: 3.11
Architecture: amd64
Multi-Arch: allowed

Package: libold
Version: 2.9~rc1
Architecture: amd64
Pre-Depends: libc6 (<< 2.36-9+deb12u14)

Package: needs-old
Version: 1
Architecture: amd64
Depends: web, libold (>= 3) | libold (= 2.9~rc1)

Package: needs-any
Version: 1
Architecture: all
Depends: libc6:any, api:any

Package: versioned
Version: 1
Architecture: all
Depends: httpd (>= 3) | api (>= 1)
`

// The small list, with its expected answers.
func TestSmallList(t *testing.T) {
	a, list := archiveOf(t, t.TempDir(), small)
	require.Equal(t, 9, a.Len())
	c := catalogOf(t, a)
	web := c.Package("web").Bundles[0]
	require.Equal(t, "web_2:1.0-1", web.Name)
	var needs []string
	for _, r := range web.Constraints {
		needs = append(needs, r.Constraint.String())
	}
	require.Equal(t, []string{"package nginx-plusx in range >=0.0.0", "package libc6 in range >=0.0.0",
		"package python3 in range >=0.0.0", "none of (package libold in range >=0.0.0)"}, needs)
	require.Empty(t, c.Package("nginx-plusx").Bundles[0].Constraints, "a package never conflicts with itself")
	libc := c.Package("libc6")
	require.Equal(t, "libc6_2.36-9+deb12u14", libc.Channels[0].Head().Name)
	require.Equal(t, "2.0.0", libc.Bundle("libc6_2.36-9+deb12u14").Version.String())
	want := []string{"needs-any_1", "needs-old_1", "versioned_1"}
	require.Equal(t, want, slices.Sorted(maps.Keys(broken(t, c))))
	if found, err := a.Broken(t.Context(), list); err == nil {
		require.Equal(t, want, found)
	}
}

// A part is closed under dependencies and round-trips as a list.
func TestPart(t *testing.T) {
	a, _ := archiveOf(t, t.TempDir(), small)
	part := a.Part(9)
	require.Equal(t, 2, part.Len(), "libc6 comes first by name")
	var b bytes.Buffer
	require.NoError(t, a.WriteList(&b))
	again, _ := archiveOf(t, t.TempDir(), b.String())
	require.Equal(t, a, again)
	require.Equal(t, a.Len(), a.Part(1).Len())
}

// Version orders from the examples of Debian's policy, and some from dpkg.
func TestVersions(t *testing.T) {
	ascending := []string{"1.0~~", "1.0~~a", "1.0~", "1.0", "1.0-1~bpo1", "1.0-1", "1.0a", "1.0+b", "1.0.1", "1.02", "1.10", "2", "1:0.1"}
	for i, v := range ascending {
		for k, w := range ascending {
			require.Equal(t, compare(i, k), debian.CompareVersions(v, w), "%s and %s", v, w)
		}
	}
	dpkg, err := exec.LookPath("dpkg")
	if err != nil {
		t.Skip("dpkg is not installed")
	}
	rapid.Check(t, func(t *rapid.T) {
		version := rapid.StringMatching(`([01]:)?[0-9][0-9a-cZ.+~]{0,5}(-[0-9a+~]{1,3})?`)
		v, w := version.Draw(t, "v"), version.Draw(t, "w")
		is := exec.Command(dpkg, "--compare-versions", v, "lt", w).Run() == nil
		require.Equal(t, is, debian.CompareVersions(v, w) < 0, "%s before %s", v, w)
	})
}

func compare(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// drawList draws a list of a few packages with dependencies, conflicts and
// provides.
func drawList(t *rapid.T) string {
	var b strings.Builder
	names := []string{"a", "b", "c", "d", "e", "f", "g"}
	version := rapid.SampledFrom([]string{"1", "1.5-1", "2"})
	some := func(what string, percent int) bool { return rapid.IntRange(0, 99).Draw(t, what) < percent }
	relation := func(from []string) string {
		r := rapid.SampledFrom(from).Draw(t, "name")
		if some("any", 5) {
			return r + ":any" // dose-debcheck then ignores versions
		}
		if some("versioned", 30) {
			r += fmt.Sprintf(" (%s %s)", rapid.SampledFrom([]string{"<<", "<=", "=", ">=", ">>"}).Draw(t, "operator"), version.Draw(t, "of"))
		}
		return r
	}
	list := func(field, separator string, limit int, item func() string) {
		var items []string
		for range rapid.IntRange(0, limit).Draw(t, field) {
			items = append(items, item())
		}
		if len(items) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", field, strings.Join(items, separator))
		}
	}
	virtual := append([]string{"v", "w"}, names...)
	for _, name := range names {
		for _, v := range rapid.SliceOfNDistinct(version, 1, 2, rapid.ID).Draw(t, "versions") {
			fmt.Fprintf(&b, "Package: %s\nVersion: %s\nArchitecture: amd64\n", name, v)
			if some("allowed", 30) {
				b.WriteString("Multi-Arch: allowed\n")
			}
			list("Depends", ", ", 2, func() string {
				clause := relation(virtual)
				for some("or", 30) {
					clause += " | " + relation(virtual)
				}
				return clause
			})
			list("Pre-Depends", ", ", 1, func() string { return relation(virtual) })
			list("Conflicts", ", ", 1, func() string { return relation(virtual) })
			list("Breaks", ", ", 1, func() string { return relation(names) })
			list("Provides", ", ", 1, func() string {
				if some("provided", 40) {
					return rapid.SampledFrom([]string{"v", "w", "a"}).Draw(t, "as") + " (= " + version.Draw(t, "in") + ")"
				}
				return rapid.SampledFrom([]string{"v", "w"}).Draw(t, "as")
			})
			b.WriteString("\n")
		}
	}
	return b.String()
}

// TestPropertyAgreesWithDose compares the audit of drawn lists with
// dose-debcheck.
func TestPropertyAgreesWithDose(t *testing.T) {
	if _, err := exec.LookPath(debian.Dose); err != nil {
		t.Skip(debian.ErrNotInstalled)
	}
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		text := drawList(t)
		a, list := archiveOf(t, dir, text)
		want := testkit.Must(a.Broken(context.Background(), list))(t)
		found := broken(t, catalogOf(t, a))
		if got := slices.Sorted(maps.Keys(found)); !slices.Equal(got, want) {
			t.Fatalf("resolute: %v\ndose-debcheck: %v\n%s\n%v", got, want, text, found)
		}
	})
}
