package image_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/image"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// auths returns a credentials file in which the password equals the key.
func auths(keys ...string) string {
	m := map[string]any{}
	for _, k := range keys {
		m[k] = map[string]string{"auth": base64.StdEncoding.EncodeToString([]byte("user:" + k))}
	}
	data, _ := json.Marshal(map[string]any{"auths": m})
	return string(data)
}

// passwords returns the passwords that a keychain finds for a repository.
func passwords(t testing.TB, k image.Keychain, repository string) []string {
	found := testkit.Must(k.Credentials(context.Background(), repository))(t)
	all := testkit.Map(found, func(c image.Credential) string { return c.Password })
	return all
}

// TestPrefixes: the longest matching key comes first (containers-auth.json(5); Kubernetes:
// "Using a private registry").
func TestPrefixes(t *testing.T) {
	k, err := image.PullSecret("s", []byte(auths("quay.io", "quay.io/ns", "quay.io/ns/repo", "quay.io/n", "https://index.docker.io/v1/", "registry.example.com:5000", "http://old.example.com/v2/", "*.wild.example.com", "quay.io/v1")))
	require.NoError(t, err)
	for repository, want := range map[string][]string{
		"quay.io/ns/repo":               {"quay.io/ns/repo", "quay.io/ns", "quay.io"},
		"quay.io/ns/repository":         {"quay.io/ns", "quay.io"},
		"quay.io/nsx/repo":              {"quay.io"},
		"quay.io/v1/x":                  {"quay.io/v1", "quay.io"},
		"quay.io.example.com/ns":        nil,
		"docker.io/library/busybox":     {"https://index.docker.io/v1/"},
		"index.docker.io/a/b":           {"https://index.docker.io/v1/"},
		"registry.example.com:5000/a":   {"registry.example.com:5000"},
		"registry.example.com/a":        nil,
		"registry.example.com:50001/a":  nil,
		"old.example.com/a":             {"http://old.example.com/v2/"},
		"a.wild.example.com/x":          {"*.wild.example.com"},
		"a.b.wild.example.com/x":        nil,
		"wild.example.com/x":            nil,
		"evil.com/a.wild.example.com/x": nil,
	} {
		require.Equal(t, want, passwords(t, k, repository), repository)
	}
}

// TestSecretForms: the formats of credentials.
func TestSecretForms(t *testing.T) {
	b64 := base64.StdEncoding.EncodeToString
	for name, tt := range map[string]struct {
		text string
		want image.Credential
	}{
		"auth":            {`{"auths":{"a.b":{"auth":"` + b64([]byte("u:p:q")) + `"}}}`, image.Credential{Username: "u", Password: "p:q"}},
		"without padding": {`{"auths":{"a.b":{"auth":"` + strings.TrimRight(b64([]byte("us:p")), "=") + `"}}}`, image.Credential{Username: "us", Password: "p"}},
		"apart":           {`{"auths":{"a.b":{"username":"u","password":"p"}}}`, image.Credential{Username: "u", Password: "p"}},
		"old":             {`{"a.b":{"username":"u","password":"p","email":"x"}}`, image.Credential{Username: "u", Password: "p"}},
		"identity":        {`{"auths":{"a.b":{"auth":"` + b64([]byte("00000000-0000-0000-0000-000000000000:")) + `","identitytoken":"i"}}}`, image.Credential{IdentityToken: "i"}},
		"identity user":   {`{"auths":{"a.b":{"username":"<token>","password":"i"}}}`, image.Credential{IdentityToken: "i"}},
		"registry token":  {`{"auths":{"a.b":{"registrytoken":"r"}}}`, image.Credential{RegistryToken: "r"}},
	} {
		k, err := image.PullSecret("s", []byte(tt.text))
		require.NoError(t, err, name)
		found := testkit.Must(k.Credentials(context.Background(), "a.b/x"))(t)
		tt.want.Source = "s"
		require.Len(t, found, 1, name)
		require.True(t, tt.want == found[0], name)
	}
	for _, text := range []string{"", "null", "5", "[]", "{", `{"auths":5}`, `{"auths":{"a.b":{"auth":"%%` + secretText + `"}}}`, `{"auths":{"a.b":{"auth":"` + b64([]byte(secretText)) + `"}}}`, `{"auths":{"a.b":"` + secretText + `"}}`, strings.Repeat(" ", 2<<20)} {
		_, err := image.PullSecret("ns/pull", []byte(text))
		var wrong *image.CredentialsError
		require.ErrorAs(t, err, &wrong, text)
		require.ErrorContains(t, err, "ns/pull")
		require.NotContains(t, err.Error(), secretText)
		require.NotContains(t, err.Error(), b64([]byte(secretText)))
	}
	for _, text := range []string{"{}", `{"auths":{}}`, `{"auths":{"a.b":{}}}`, `{"credsStore":"x"}`, `{"currentContext":"x","HttpHeaders":{}}`} {
		k, err := image.PullSecret("s", []byte(text))
		require.NoError(t, err, text)
		require.Empty(t, passwords(t, k, "a.b/x"))
	}
	c := image.Credential{Source: "the file", Username: "u", Password: secretText, IdentityToken: secretText, RegistryToken: secretText}
	data := testkit.Must(json.Marshal(c))(t)
	for _, text := range []string{fmt.Sprint(c), fmt.Sprintf("%v %+v %#v %s %q %d %x", c, c, c, c, c, c, c), fmt.Sprint(&c), string(data), slog.AnyValue(c).Resolve().String()} {
		require.NotContains(t, text, secretText)
		require.NotContains(t, text, fmt.Sprintf("%x", secretText))
		require.Contains(t, text, "the file")
	}
}

// TestDefaultKeychain: files are searched in the order of podman and docker, and only the first
// that has the repository is used.
func TestDefaultKeychain(t *testing.T) {
	dir := t.TempDir()
	file := func(name, key string) {
		text := strings.ReplaceAll(auths("quay.io"), base64.StdEncoding.EncodeToString([]byte("user:quay.io")), base64.StdEncoding.EncodeToString([]byte("user:"+key)))
		testkit.WriteFiles(t, dir, map[string]string{name: text})
	}
	file("own.json", "own")
	file("run/containers/auth.json", "run")
	file("xdg/containers/auth.json", "xdg")
	file("home/.config/containers/auth.json", "home config")
	file("home/.docker/config.json", "home docker")
	file("docker/config.json", "docker")
	env := map[string]string{}
	k := image.DefaultKeychain(func(name string) string {
		if v := env[name]; v != "" {
			return filepath.Join(dir, v)
		}
		return ""
	})
	require.Empty(t, passwords(t, k, "quay.io/x"), "no other source is read")
	for _, step := range []struct{ name, value, want string }{
		{"HOME", "home", "home config"}, {"DOCKER_CONFIG", "docker", "home config"}, {"XDG_CONFIG_HOME", "none", "docker"}, {"DOCKER_CONFIG", "", "home docker"},
		{"XDG_CONFIG_HOME", "xdg", "xdg"}, {"XDG_RUNTIME_DIR", "run", "run"}, {"REGISTRY_AUTH_FILE", "own.json", "own"},
	} {
		env[step.name] = step.value
		require.Equal(t, []string{step.want}, passwords(t, k, "quay.io/x"))
	}
	env["REGISTRY_AUTH_FILE"] = "missing.json"
	require.Empty(t, passwords(t, k, "quay.io/x"), "no other file")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "missing.json"), []byte("{"), 0o600))
	_, err := k.Credentials(context.Background(), "quay.io/x")
	wrong := testkit.As[*image.CredentialsError](t, err)
	require.Equal(t, filepath.Join(dir, "missing.json"), wrong.Source)

	_, err = image.AuthFile(filepath.Join(dir, "none"), "").Credentials(context.Background(), "quay.io/x")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Equal(t, []string{"own"}, passwords(t, image.AuthFile(filepath.Join(dir, "own.json"), ""), "quay.io/x"))

	// Open returns the error of a keychain.
	require.ErrorAs(t, fails(t, serve(t, good(t)).ref(), image.Options{Keychain: k}), &wrong)
}

// TestHelpers: credential helpers are called as docker calls them.
func TestHelpers(t *testing.T) {
	dir := t.TempDir()
	helper := func(name, script string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "docker-credential-"+name), []byte("#!/bin/sh\n"+script), 0o755))
	}
	helper("fine", `read server; [ "$1" = get ] && echo "{\"ServerURL\":\"$server\",\"Username\":\"u\",\"Secret\":\"for $server\"}"`)
	helper("token", `echo '{"Username":"<token>","Secret":"identity"}'`)
	helper("empty", `echo "credentials not found in native keychain"; exit 1`)
	helper("broken", `echo "`+secretText+`"; echo "`+secretText+`" >&2; exit 3`)
	helper("odd", `echo "`+secretText+`"`)
	helper("endless", `while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done`)
	helper("slow", `sleep 60`)
	config := func(text string) image.Keychain {
		file := filepath.Join(dir, "config.json")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return image.AuthFile(file, dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	inFile := `"auths":{"a.b":{"username":"u","password":"in the file"}}`
	for _, tt := range []struct{ text, repository, want string }{
		{`{"credHelpers":{"a.b":"fine"},` + inFile + `}`, "a.b/x", "for a.b,in the file"},
		{`{"credHelpers":{"a.b":"fine"}}`, "a.c/x", ""},
		{`{"credsStore":"fine"}`, "a.c:5000/x", "for a.c:5000"},
		{`{"credsStore":"fine"}`, "docker.io/x/y", "for https://index.docker.io/v1/"},
		{`{"credHelpers":{"https://index.docker.io/v1/":"fine"}}`, "docker.io/x/y", "for https://index.docker.io/v1/"},
		{`{"credsStore":"broken","credHelpers":{"a.b":"fine"}}`, "a.b/x", "for a.b"},
		{`{"credsStore":"empty",` + inFile + `}`, "a.b/x", "in the file"},
	} {
		require.Equal(t, tt.want, strings.Join(passwords(t, config(tt.text), tt.repository), ","), tt.text)
	}
	found := testkit.Must(config(`{"credsStore":"token"}`).Credentials(context.Background(), "a.b/x"))(t)
	require.Equal(t, "identity", found[0].IdentityToken)
	for _, name := range []string{"broken", "odd", "endless", "missing", "../fine", "a/b"} {
		_, err := config(`{"credsStore":"`+name+`"}`).Credentials(context.Background(), "a.b/x")
		var wrong *image.CredentialsError
		require.ErrorAs(t, err, &wrong, name)
		hides(t, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), short)
	defer cancel()
	began := time.Now()
	_, err := config(`{"credsStore":"slow"}`).Credentials(ctx, "a.b/x")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(began), 5*time.Second)

	// A helper named in a pull secret is never run.
	k := testkit.Must(image.PullSecret("s", []byte(`{"credsStore":"fine","credHelpers":{"a.b":"fine"}}`)))(t)
	require.Empty(t, passwords(t, k, "a.b/x"))
}

// TestChallenge: of the authentication schemes that a registry offers, the usable one is
// selected.
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
		require.Equal(t, want, image.Challenge(user, strings.Split(offers, "\n")...), offers)
	}
	for _, c := range []image.Credential{{}, {Username: "u"}, {IdentityToken: "i"}} {
		require.Empty(t, image.Challenge(c, "Basic"), "there is no credential to send")
	}
	token := image.Credential{RegistryToken: "t"}
	require.Equal(t, `Bearer realm="https://quay.io"`, image.Challenge(token, "Basic"), "sent to the registry only")
}

// FuzzChallenge: any header results in at most one known authentication scheme.
func FuzzChallenge(f *testing.F) {
	f.Add(`Bearer realm="https://a/b",service="c",scope="d:e:f,g"`)
	f.Add(`Negotiate, Basic realm="x\"", y=z`)
	f.Fuzz(func(t *testing.T, header string) {
		left := image.Challenge(image.Credential{Username: "u", Password: "p"}, header)
		if name, _, _ := strings.Cut(left, " "); left != "" && left != "Basic" && !strings.EqualFold(name, "Bearer") {
			t.Fatalf("%q results in %q", header, left)
		}
	})
}
