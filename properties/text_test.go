package properties_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

// A version is what the library makes of it, however plainly it is written.
func TestParseVersionAsTheLibraryDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringMatching(`[0-9]{0,3}\.[0-9]{0,11}\.(0|[1-9][0-9]{0,21})`),
			rapid.StringMatching(`[0-9.]{0,7}`),
			rapid.StringMatching(`[0-9]\.[0-9]\.[0-9][-+.a0 ]{0,4}`),
		).Draw(t, "text")
		want, wrong := semver.Parse(text)
		got, err := properties.ParseVersion(text)
		require.Equal(t, wrong == nil, err == nil, text)
		if wrong == nil {
			require.Equal(t, want, got)
		}
	})
}

// The value of a property does not depend on how its object is written: with its
// members in their usual order and without space, or otherwise.
func TestHowAnObjectIsWritten(t *testing.T) {
	text := rapid.OneOf(
		rapid.SampledFrom([]string{"", "etcd", "1.0.0", "1.2.3-rc.1", "a\"b", `a\b`, "é", "\u202e", "a\nb", "01.0.0", "{}", strings.Repeat("x", 300)}),
		rapid.StringMatching(`[a-c0-2.\\"{}:, -]{0,6}`),
	)
	rapid.Check(t, func(t *rapid.T) {
		name, version := text.Draw(t, "name"), text.Draw(t, "version")
		n, _ := json.Marshal(name)
		v, _ := json.Marshal(version)
		plain, err := properties.New(properties.TypePackage, json.RawMessage(`{"packageName":`+string(n)+`,"version":`+string(v)+`}`))
		for _, other := range []string{
			`{"version":` + string(v) + `,"packageName":` + string(n) + `}`,
			`{ "packageName" : ` + string(n) + ` , "version" : ` + string(v) + ` , "more" : 1 }`,
		} {
			same, wrong := properties.New(properties.TypePackage, json.RawMessage(other))
			require.Equal(t, err == nil, wrong == nil, "%v %v", err, wrong)
			var a, b *properties.Error
			switch {
			case err == nil:
				require.Equal(t, plain.Value(), same.Value())
			case errors.As(err, &a) && errors.As(wrong, &b) && a.Field == b.Field:
				require.Equal(t, err.Error(), wrong.Error())
			}
		}
	})
}

// TestLengths: what is exactly as long as it may be is fine, one byte more is not.
func TestLengths(t *testing.T) {
	text := func(before string, length int, after string) string {
		return before + strings.Repeat("1", length-len(before)-len(after)) + after
	}
	tests := map[string]struct {
		max  int
		read func(length int) error
	}{
		"version": {256, func(n int) error {
			_, err := properties.ParseVersion(text("1.0.0-a", n, ""))
			return err
		}},
		"range": {1024, func(n int) error {
			_, err := properties.ParseRange(text(">=1.0.0-a", n, ""))
			return err
		}},
		"OpenShift version": {256, func(n int) error {
			value, _ := json.Marshal(text("4.9.0+a", n, ""))
			p := testkit.Must(properties.New(properties.TypeMaxOpenShiftVersion, value))(t)
			_, err := p.Value().(properties.MaxOpenShiftVersion).Parse()
			return err
		}},
		"release": {20, func(n int) error {
			value, _ := json.Marshal(map[string]string{"packageName": "p", "version": "1.0.0", "release": text("a", n, "")})
			_, err := properties.New(properties.TypePackage, value)
			return err
		}},
		"package": {253, func(n int) error {
			value, _ := json.Marshal(map[string]string{"packageName": text("p", n, ""), "version": "1.0.0"})
			_, err := properties.New(properties.TypePackage, value)
			return err
		}},
		"label": {1024, func(n int) error {
			value, _ := json.Marshal(map[string]string{"label": text("l", n, "")})
			_, err := properties.New(properties.TypeLabel, value)
			return err
		}},
	}
	table := testkit.Must(os.ReadFile("../.github/SECURITY.md"))(t)
	for name, row := range map[string]string{"version": "version in a property", "range": "version range in a property", "release": "release in a property", "package": "name of a package in a property", "label": "label in a property"} {
		require.Contains(t, string(table), fmt.Sprintf("| %s | %d | `*properties.Error` |", row, tests[name].max))
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, test.read(test.max))
			require.ErrorContains(t, test.read(test.max+1), "long")
		})
	}
}

// TestOrder goes up through releases (no release first, then in the order of pre-releases), and
// through packages, of which the version decides before the release does.
func TestOrder(t *testing.T) {
	ascending := []properties.Release{"", "0", "2", "2.0", "2.1", "2.a", "10", "99999999999999999999", "alpha", "alpha.1", "alpha.beta", "beta", "rc-1", "rc-1.9"}
	at := func(version string, release properties.Release) properties.Package {
		return properties.Package{Name: "p", Version: semver.MustParse(version), Release: release}
	}
	packages := []properties.Package{at("1.0.0-rc.1", "9"), at("1.0.0", ""), at("1.0.0", "1"), at("1.0.0", "2"), at("1.0.1", ""), at("1.0.1", "0")}
	inOrder(t, ascending, properties.Release.Compare)
	inOrder(t, packages, properties.Package.CompareVersion)
}

func inOrder[T any](t *testing.T, ascending []T, compare func(a, b T) int) {
	for i, a := range ascending {
		for j, b := range ascending {
			require.Equal(t, cmp.Compare(i, j), compare(a, b), "%v and %v", a, b)
		}
	}
}

// TestReleaseAsText: the JSON of a release is its text, which is checked.
func TestReleaseAsText(t *testing.T) {
	const text = `{"packageName":"p","version":"1.0.0","release":"2"}`
	var p properties.Package
	require.NoError(t, json.Unmarshal([]byte(text), &p))
	require.Equal(t, properties.Release("2"), p.Release)
	require.JSONEq(t, text, string(testkit.Must(json.Marshal(p))(t)))
	require.ErrorContains(t, json.Unmarshal([]byte(`{"release":"02"}`), &p), `"02" is not a release`)
	require.NotContains(t, string(testkit.Must(json.Marshal(properties.Package{Name: "p"}))(t)), "release")
}

// FuzzRelease: a release is what blang/semver takes for a pre-release, and is
// ordered as it orders them.
func FuzzRelease(f *testing.F) {
	for _, s := range []string{"", "1", "01", "a.b", "a..b", ".", "-", "-1", "1.rc", "18446744073709551616", "é", "1+2"} {
		f.Add(s, "1")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, wantX := pre(a)
		y, wantY := pre(b)
		r, err := properties.ParseRelease(a)
		if a == "" {
			require.NoError(t, err)
			return
		}
		if len(a) > 20 {
			require.Error(t, err)
			return
		}
		require.Equal(t, wantX, err == nil, "%q: %v", a, err)
		s, err := properties.ParseRelease(b)
		if !wantX || !wantY || err != nil || b == "" {
			return
		}
		require.Equal(t, x.Compare(y), r.Compare(s), "%q and %q", a, b)
		require.Equal(t, -r.Compare(s), s.Compare(r))
	})
}

// pre returns a version with that pre-release.
func pre(text string) (semver.Version, bool) {
	if strings.ContainsAny(text, "+") {
		return semver.Version{}, false
	}
	v, err := semver.Parse("0.0.0-" + text)
	return v, err == nil
}

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
