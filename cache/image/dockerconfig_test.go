package image

import (
	"reflect"
	"strings"
	"testing"
)

// FuzzConfig: the same text always gives the same credentials, only for hosts that it names,
// and no error quotes it. TestPrefixes and TestSecretForms of package image test the meaning of
// credentials files.
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
			t.Fatalf("the results of two calls differ: %v", err)
		}
		host, _, _ := strings.Cut(canonical(repository), "/")
		if len(found) > 0 && host != "docker.io" && !strings.ContainsAny(string(data), "*?[\\") && !strings.Contains(string(data), host) {
			t.Fatalf("found credentials for %q, which %q does not contain", repository, data)
		}
		c.helper(host)
	})
}
