package image

import (
	"reflect"
	"strings"
	"testing"
)

// FuzzConfig: whatever the text, the same text gives the same credentials, for
// the hosts that it names only, and no error tells what is in it. What people
// expect of files of credentials is tested by TestPrefixes and TestSecretForms
// of package image.
func FuzzConfig(f *testing.F) {
	f.Add([]byte(`{"auths":{"quay.io/ns":{"auth":"dTpw"},"https://index.docker.io/v1/":{"username":"a","password":"b"}},"credsStore":"x"}`), "quay.io/ns/repo")
	f.Add([]byte(`{"a.b":{"identitytoken":"t"}}`), "a.b")
	f.Add([]byte(`{"auths":{"*.b":{"auth":"dTpw"},"[":{"auth":"dTpw"}},"credHelpers":{"c.d":"y"}}`), "a.b/x")
	f.Fuzz(func(t *testing.T, data []byte, repository string) {
		c, err := parseConfig("", data)
		if err != nil {
			if err != errConfigSize && err != errConfigJSON && err != errConfigAuth {
				t.Fatal(err)
			}
			return
		}
		found := c.lookup(repository)
		again, err := parseConfig("", data)
		if err != nil || !reflect.DeepEqual(found, again.lookup(repository)) {
			t.Fatalf("twice is not the same: %v", err)
		}
		host, _, _ := strings.Cut(canonical(repository), "/")
		if len(found) > 0 && host != "docker.io" && !strings.ContainsAny(string(data), "*?[\\") && !strings.Contains(string(data), host) {
			t.Fatalf("credentials for %q, which is not in %q", repository, data)
		}
		c.helper(host)
	})
}
