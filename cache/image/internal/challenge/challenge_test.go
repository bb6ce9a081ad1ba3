package challenge_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/image/internal/challenge"
)

func TestParse(t *testing.T) {
	type c = challenge.Challenge
	p := func(kv ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i]] = kv[i+1]
		}
		return m
	}
	for header, want := range map[string][]c{
		`Basic realm="x"`: {{Scheme: "basic", Params: p("realm", "x")}},
		`Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:a/b:pull,push"`: {{Scheme: "bearer", Params: p("realm", "https://auth.docker.io/token", "service", "registry.docker.io", "scope", "repository:a/b:pull,push")}},
		`BEARER Realm = "a\"b\\c" , error=invalid_token`:                                                            {{Scheme: "bearer", Params: p("realm", `a"b\c`, "error", "invalid_token")}},
		`Negotiate, Basic realm="x", Bearer realm=y`:                                                                {{Scheme: "negotiate", Params: p()}, {Scheme: "basic", Params: p("realm", "x")}, {Scheme: "bearer", Params: p("realm", "y")}},
		`Negotiate`:            {{Scheme: "negotiate", Params: p()}},
		`Bearer realm="no end`: {{Scheme: "bearer", Params: p("realm", "no end")}},
		``:                     nil,
		`"`:                    nil,
		`, ,`:                  nil,
	} {
		require.Equal(t, want, challenge.Parse([]string{header}), header)
	}
	require.Len(t, challenge.Parse([]string{"Basic realm=x", "Bearer realm=y"}), 2)
	require.Empty(t, challenge.Parse([]string{strings.Repeat("x ", 10_000)}))
	require.Len(t, challenge.Parse([]string{strings.Repeat("x ", 1000)}), 20)
}

func FuzzParse(f *testing.F) {
	f.Add(`Bearer realm="https://a/b",service="c",scope="d:e:f,g"`)
	f.Add(`Negotiate, Basic realm="x\"", y=z`)
	f.Fuzz(func(t *testing.T, header string) {
		for _, c := range challenge.Parse([]string{header}) {
			if c.Scheme == "" || c.Scheme != strings.ToLower(c.Scheme) || strings.ContainsAny(c.Scheme, " \r\n\",=") {
				t.Fatalf("%q has the scheme %q", header, c.Scheme)
			}
		}
	})
}
