package dockerconfig_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/seed109e2655/resolute/cache/image/internal/dockerconfig"
)

// FuzzParse: whatever the text, the same text gives the same credentials, for
// the hosts that it names only, and no error tells what is in it. What people
// expect of files of credentials is tested by TestPrefixes and TestSecretForms
// of package image.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"auths":{"quay.io/ns":{"auth":"dTpw"},"https://index.docker.io/v1/":{"username":"a","password":"b"}},"credsStore":"x"}`), "quay.io/ns/repo")
	f.Add([]byte(`{"a.b":{"identitytoken":"t"}}`), "a.b")
	f.Add([]byte(`{"auths":{"*.b":{"auth":"dTpw"},"[":{"auth":"dTpw"}},"credHelpers":{"c.d":"y"}}`), "a.b/x")
	f.Fuzz(func(t *testing.T, data []byte, repository string) {
		c, err := dockerconfig.Parse(data)
		if err != nil {
			if err != dockerconfig.ErrSize && err != dockerconfig.ErrJSON && err != dockerconfig.ErrAuth {
				t.Fatal(err)
			}
			return
		}
		found := c.Lookup(repository)
		again, err := dockerconfig.Parse(data)
		if err != nil || !reflect.DeepEqual(found, again.Lookup(repository)) {
			t.Fatalf("twice is not the same: %v", err)
		}
		host, _, _ := strings.Cut(dockerconfig.Canonical(repository), "/")
		if len(found) > 0 && host != "docker.io" && !strings.ContainsAny(string(data), "*?[\\") && !strings.Contains(string(data), host) {
			t.Fatalf("credentials for %q, which is not in %q", repository, data)
		}
		c.Helper(host)
	})
}
