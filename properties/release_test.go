package properties_test

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
)

// TestReleaseOrder goes up through releases in their order: no release first,
// then that of pre-releases.
func TestReleaseOrder(t *testing.T) {
	ascending := []properties.Release{"", "0", "2", "2.0", "2.1", "2.a", "10", "99999999999999999999", "alpha", "alpha.1", "alpha.beta", "beta", "rc-1", "rc-1.9"}
	for i, a := range ascending {
		for j, b := range ascending {
			require.Equal(t, cmp.Compare(i, j), a.Compare(b), "%q and %q", a, b)
		}
	}
}

// TestPackageOrder: the version decides before the release does.
func TestPackageOrder(t *testing.T) {
	at := func(version string, release properties.Release) properties.Package {
		return properties.Package{Name: "p", Version: semver.MustParse(version), Release: release}
	}
	ascending := []properties.Package{at("1.0.0-rc.1", "9"), at("1.0.0", ""), at("1.0.0", "1"), at("1.0.0", "2"), at("1.0.1", ""), at("1.0.1", "0")}
	for i, a := range ascending {
		for j, b := range ascending {
			require.Equal(t, cmp.Compare(i, j), a.CompareVersion(b), "%v and %v", a, b)
		}
	}
}

// TestReleaseAsText: a release goes through JSON as its text, and is checked.
func TestReleaseAsText(t *testing.T) {
	var p properties.Package
	require.NoError(t, json.Unmarshal([]byte(`{"packageName":"p","version":"1.0.0","release":"2"}`), &p))
	require.Equal(t, properties.Release("2"), p.Release)
	out := testkit.Must(json.Marshal(p))(t)
	require.JSONEq(t, `{"packageName":"p","version":"1.0.0","release":"2"}`, string(out))
	require.ErrorContains(t, json.Unmarshal([]byte(`{"release":"02"}`), &p), `"02" is not a release`)
	out = testkit.Must(json.Marshal(properties.Package{Name: "p"}))(t)
	require.NotContains(t, string(out), "release")
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
