package image_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/image"
)

// TestChallenge: of the ways to authenticate that a registry offers, the one that can be
// used is left, and nothing of what another host asks for.
func TestChallenge(t *testing.T) {
	const bearer = `Bearer realm="https://auth.quay.io/token",service="quay.io",scope="repository:a/b:pull,push"`
	user := image.Credential{Username: "u", Password: "p"}
	for offers, want := range map[string]string{
		bearer:                               bearer,
		"Negotiate, " + bearer:               bearer,
		`Basic realm="x", ` + bearer:         bearer,
		`Basic realm="x"` + "\n" + bearer:    bearer,
		`BEARER Realm = "a"`:                 `BEARER Realm = "a"`,
		`Negotiate, Basic realm="x"`:         "Basic",
		`Digest realm="Basic"`:               "",
		`Negotiate`:                          "",
		"":                                   "",
		", ,":                                "",
		`Digest realm="a, Bearer realm=evil`: "Bearer realm=evil",
	} {
		require.Equal(t, want, image.Challenge("quay.io", user, strings.Split(offers, "\n")...), offers)
		require.Empty(t, image.Challenge("evil.example.com", user, offers))
	}
	for _, c := range []image.Credential{{}, {Username: "u"}, {IdentityToken: "i"}} {
		require.Empty(t, image.Challenge("quay.io", c, "Basic"), "there is nothing to give")
	}
	token := image.Credential{RegistryToken: "t"}
	require.Equal(t, `Bearer realm="https://quay.io/v2/x"`, image.Challenge("quay.io", token, "Basic"), "shown, and no other asked for it")
}

// FuzzChallenge: whatever a registry asks for, one known way to authenticate is left.
func FuzzChallenge(f *testing.F) {
	f.Add(`Bearer realm="https://a/b",service="c",scope="d:e:f,g"`)
	f.Add(`Negotiate, Basic realm="x\"", y=z`)
	f.Fuzz(func(t *testing.T, header string) {
		left := image.Challenge("quay.io", image.Credential{Username: "u", Password: "p"}, header)
		if name, _, _ := strings.Cut(left, " "); left != "" && left != "Basic" && !strings.EqualFold(name, "Bearer") {
			t.Fatalf("%q leaves %q", header, left)
		}
	})
}
