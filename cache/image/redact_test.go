package image

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRedact: an error hides a secret that a server echoes in any encoding, and shows the rest.
func TestRedact(t *testing.T) {
	unicode := func(s string) string {
		var b strings.Builder
		for _, r := range s {
			if r < 0x10000 {
				fmt.Fprintf(&b, `\u%04X`, r)
			} else {
				b.WriteString(strings.Trim(fmt.Sprintf("%+q", string(r)), `"`))
			}
		}
		return b.String()
	}
	percent := func(s string) string {
		var b strings.Builder
		for i := range len(s) {
			fmt.Fprintf(&b, "%%%02x", s[i])
		}
		return b.String()
	}
	encoded := func(s string) string { return strings.Trim(string(mustJSON(t, s)), `"`) }
	pair := func(s string) []byte { return []byte("robot:" + s) }
	for name, encode := range map[string]func(string) string{
		"raw":                 func(s string) string { return s },
		"form":                url.QueryEscape,
		"form, small letters": func(s string) string { return lowerEscapes(url.QueryEscape(s)) },
		"path":                url.PathEscape,
		"every byte":          percent,
		"twice":               func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
		"base64":              func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"base64 raw":          func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) },
		"base64 URL":          func(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) },
		"base64 raw URL":      func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
		"pair":                func(s string) string { return base64.StdEncoding.EncodeToString(pair(s)) },
		"pair raw":            func(s string) string { return base64.RawStdEncoding.EncodeToString(pair(s)) },
		"pair URL":            func(s string) string { return base64.URLEncoding.EncodeToString(pair(s)) },
		"pair raw URL":        func(s string) string { return base64.RawURLEncoding.EncodeToString(pair(s)) },
		"pair, form":          func(s string) string { return url.QueryEscape(base64.StdEncoding.EncodeToString(pair(s))) },
		"JSON":                encoded,
		"JSON, slashes":       func(s string) string { return strings.ReplaceAll(encoded(s), "/", `\/`) },
		"JSON, all":           unicode,
		"JSON, small":         func(s string) string { return lowerEscapes(unicode(s)) },
		"JSON of a form":      func(s string) string { return encoded(url.QueryEscape(s)) },
		"form of JSON":        func(s string) string { return url.QueryEscape(encoded(s)) },
		"Go":                  func(s string) string { return strings.Trim(fmt.Sprintf("%+q", s), `"`) },
		"HTML":                html.EscapeString,
		"hexadecimal":         func(s string) string { return hex.EncodeToString([]byte(s)) },
	} {
		for _, secret := range []string{"eyJ0/a+b=c&d", "p4ss w0rd", `back\nslash"quote`, "100%2Fsure", "schlüssel😀/<x>", "?>?>??~~~", "trailing=="} {
			s := &client{credential: Credential{Username: "robot", Password: secret}, secrets: []string{secret}}
			got := s.redact("you sent " + encode(secret) + ", which is 50% wrong + old")
			require.Equal(t, "you sent …, which is 50% wrong + old", got, "%s of %s", name, secret)
		}
	}
	inside := base64.StdEncoding.EncodeToString([]byte(`{"auth":"` + "p4ssw0rd-of-the-test" + `"}`))
	s := &client{secrets: []string{"p4ssw0rd-of-the-test"}}
	require.Regexp(t, `^[A-Za-z0-9]{12,13}…[A-Za-z0-9=]{3,5}$`, s.redact(inside), "in longer base64")
	require.Equal(t, "nothing % \\ & &amp; %zz \\u12 here", (&client{}).redact("nothing % \\ & &amp; %zz \\u12 here"))
	require.Equal(t, "% \\ & &amp; %zz \\u12 \\", s.redact("% \\ & &amp; %zz \\u12 \\"))
}

func mustJSON(t *testing.T, v any) []byte {
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return data
}

// lowerEscapes converts hexadecimal digits of escapes to lowercase.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := range b {
		if n := map[byte]int{'%': 2, 'u': 4}[b[i]]; n > 0 && (b[i] == '%' || i > 0 && b[i-1] == '\\') && i+n < len(b) {
			copy(b[i+1:], strings.ToLower(string(b[i+1:i+1+n])))
		}
	}
	return string(b)
}
