package properties_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/properties"
)

// someVersions are versions around all that tests compare with, in order.
func someVersions() []semver.Version {
	var out []semver.Version
	for major := range uint64(5) {
		for minor := range uint64(5) {
			for patch := range uint64(5) {
				for _, pre := range []string{"-0", "-a", "-a.1", "-rc.x", "", "+x"} {
					out = append(out, semver.MustParse(fmt.Sprintf("%d.%d.%d%s", major, minor, patch, pre)))
				}
			}
		}
	}
	slices.SortStableFunc(out, semver.Version.Compare)
	return out
}

// checkBounds checks that whether a version is inside changes at the bounds alone.
func checkBounds(t require.TestingT, r properties.Range, versions []semver.Version) {
	bounds, known := r.Bounds()
	require.True(t, known)
	require.LessOrEqual(t, len(bounds), 2*1024)
	region := func(v semver.Version) int { // even between two bounds, odd at one
		i, at := slices.BinarySearchFunc(bounds, v, semver.Version.Compare)
		if at {
			return 2*i + 1
		}
		return 2 * i
	}
	inside := map[int]bool{}
	for _, v := range versions {
		in, known := inside[region(v)]
		if known {
			require.Equal(t, in, r.Contains(v), "%q changes at %s, which is not among %v", r, v, bounds)
		}
		inside[region(v)] = r.Contains(v)
	}
}

func TestBounds(t *testing.T) {
	versions := someVersions()
	rapid.Check(t, func(t *rapid.T) {
		var alternatives []string
		for range rapid.IntRange(1, 3).Draw(t, "alternatives") {
			var words []string
			for range rapid.IntRange(1, 3).Draw(t, "comparisons") {
				op := rapid.SampledFrom([]string{"", "=", "==", "<", "<=", ">", ">=", "!", "!=", "< ", ">=  "}).Draw(t, "op")
				v := rapid.SampledFrom([]string{"1.x", "1.x.x", "2.3.x", "0.x", "1.2.3", "3.0.0", "2.1.0-a", "2.2.2-rc.x", "1.0.0+x", "x"}).Draw(t, "version")
				words = append(words, op+v)
			}
			alternatives = append(alternatives, strings.Join(words, " "))
		}
		r, err := properties.ParseRange(strings.Join(alternatives, " || "))
		if err != nil {
			t.Skip(err)
		}
		checkBounds(t, r, versions)
	})
	none, known := properties.Range{}.Bounds()
	require.Empty(t, none)
	require.True(t, known)
	_, known = properties.NewRange(">=1.0.0", func(v semver.Version) bool { return v.Major%2 == 0 }).Bounds()
	require.False(t, known, "the text does not say what a function compares with")
	some, _ := properties.MustParseRange(">=1.0.0 <2.0.0 || 1.0.0").Bounds()
	require.Subset(t, some, []semver.Version{semver.MustParse("1.0.0"), semver.MustParse("2.0.0")})
}

func FuzzBounds(f *testing.F) {
	for _, text := range []string{">=1.0.0 <2.0.0", "1.x", "!=1.2.x || > 3.0.0", "<1.0.0-rc.1 ||2.0.0", "1.0.0-x.x", "> 1.x 0", "1.0.0 a 2.0.0"} {
		f.Add(text)
	}
	versions := someVersions()
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := properties.ParseRange(text); err == nil {
			checkBounds(t, r, versions)
		}
	})
}

func TestMustParseRange(t *testing.T) {
	require.True(t, properties.MustParseRange("<2.0.0").Contains(semver.MustParse("1.0.0")))
	require.Panics(t, func() { properties.MustParseRange("nonsense") })
}
