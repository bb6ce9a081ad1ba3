// Package dockerconfig reads credentials in the form that docker, podman and
// Kubernetes share: config.json, auth.json, and what a pull secret holds under
// .dockerconfigjson or, of old, .dockercfg.
package dockerconfig

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"
)

// MaxBytes bounds a file of credentials.
const MaxBytes = 1 << 20

// Auth is a credential.
type Auth struct {
	// Source is for whoever says where it comes from.
	Source   string `json:"-"`
	Username string `json:"username"`
	Password string `json:"password"`
	// IdentityToken is a refresh token, and RegistryToken a bearer token; each
	// stands alone.
	IdentityToken string `json:"identitytoken"`
	RegistryToken string `json:"registrytoken"`
}

// Config is what a file of credentials says.
type Config struct {
	entries     []entry // the longest key first
	credHelpers map[string]string
	credsStore  string
}

// entry is a credential, and what it is for.
type entry struct {
	key  string // host[:port][/path], normalized
	auth Auth
}

// document is the form of a file.
type document struct {
	Auths       map[string]record `json:"auths"`
	CredHelpers map[string]string `json:"credHelpers"`
	CredsStore  string            `json:"credsStore"`
}

// record is the form of a credential.
type record struct {
	Auth
	Encoded string `json:"auth"` // user:password
}

// Errors of [Parse]. None says what the text holds.
var (
	ErrSize = errors.New("it has more than 1 MiB")
	ErrJSON = errors.New("it is not the JSON of a docker config: an object with \"auths\"")
	ErrAuth = errors.New("an \"auth\" in it is not the base64 of user:password")
)

// Parse parses a file of credentials. Records that hold nothing, as they stand
// where a helper keeps the credential, are left out.
func Parse(data []byte) (*Config, error) {
	if len(data) > MaxBytes {
		return nil, ErrSize
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil || keys == nil {
		return nil, ErrJSON // the error of json could tell a part of it
	}
	var doc document
	if isOld(keys) {
		if json.Unmarshal(data, &doc.Auths) != nil {
			return nil, ErrJSON
		}
	} else if json.Unmarshal(data, &doc) != nil {
		return nil, ErrJSON
	}
	c := &Config{credHelpers: map[string]string{}, credsStore: doc.CredsStore}
	for server, helper := range doc.CredHelpers {
		host, _, _ := strings.Cut(normalize(server), "/")
		c.credHelpers[host] = helper
	}
	for server, r := range doc.Auths {
		auth, err := r.decode()
		if err != nil {
			return nil, err
		}
		if auth != (Auth{}) {
			c.entries = append(c.entries, entry{normalize(server), auth})
		}
	}
	// Two keys that mean the same, such as docker.io and index.docker.io, are
	// distinguished by their credential, so that the same file always gives the
	// same.
	slices.SortFunc(c.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(len(b.key), len(a.key)), cmp.Compare(a.key, b.key),
			cmp.Compare(a.auth.Username, b.auth.Username), cmp.Compare(a.auth.Password, b.auth.Password),
			cmp.Compare(a.auth.IdentityToken, b.auth.IdentityToken), cmp.Compare(a.auth.RegistryToken, b.auth.RegistryToken))
	})
	return c, nil
}

// isOld reports whether a document is a .dockercfg: servers without a word
// around them.
func isOld(keys map[string]json.RawMessage) bool {
	for _, k := range []string{"auths", "credHelpers", "credsStore"} {
		if _, ok := keys[k]; ok {
			return false
		}
	}
	for server := range keys {
		if !strings.ContainsAny(server, ".:") {
			return false // other settings of docker, and no credentials
		}
	}
	return len(keys) > 0
}

// identityUser is the name of the user whose password is an identity token.
const identityUser = "<token>"

func (r record) decode() (Auth, error) {
	a := r.Auth
	if r.Encoded != "" {
		text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.TrimSpace(r.Encoded), "="))
		if err != nil {
			return a, ErrAuth
		}
		user, password, ok := strings.Cut(string(text), ":")
		if !ok {
			return a, ErrAuth
		}
		a.Username, a.Password = user, strings.Trim(password, "\x00")
	}
	return a.withIdentity(), nil
}

// withIdentity makes the password of the user <token> an identity token.
func (a Auth) withIdentity() Auth {
	if a.Username == identityUser {
		a.Username, a.Password, a.IdentityToken = "", "", cmp.Or(a.IdentityToken, a.Password)
	}
	if a.IdentityToken != "" || a.RegistryToken != "" {
		a.Username, a.Password = "", ""
	}
	return a
}

// Lookup returns the credentials for a repository, host[:port]/path: that of
// the longest key that the repository begins with, path element by path
// element, and behind it those of shorter keys. A key with one of *, ? and [
// matches as a pattern, label by label of the host, as in Kubernetes.
func (c *Config) Lookup(repository string) []Auth {
	repository = Canonical(repository)
	var found []Auth
	for _, e := range c.entries {
		if e.matches(repository) && !slices.Contains(found, e.auth) {
			found = append(found, e.auth)
		}
	}
	return found
}

// matches reports whether a key is for a repository.
func (e entry) matches(repository string) bool {
	if Within(repository, e.key) {
		return true
	}
	host, rest, _ := strings.Cut(repository, "/")
	pattern, prefix, _ := strings.Cut(e.key, "/")
	if !strings.ContainsAny(pattern, "*?[") || prefix != "" && !Within(rest, prefix) {
		return false
	}
	labels, patterns := strings.Split(host, "."), strings.Split(pattern, ".")
	if len(labels) != len(patterns) {
		return false
	}
	for i := range labels {
		if ok, err := path.Match(patterns[i], labels[i]); !ok || err != nil {
			return false
		}
	}
	return true
}

// Within reports whether a path begins with a prefix, element by element.
func Within(p, prefix string) bool {
	rest, ok := strings.CutPrefix(p, prefix)
	return ok && (rest == "" || rest[0] == '/')
}

// Hub is how Docker Hub is called here, and hubNames are its other names.
const Hub = "docker.io"

var hubNames = [...]string{"index.docker.io", "registry-1.docker.io", "registry.hub.docker.com"}

// Canonical returns a repository with the one name of Docker Hub.
func Canonical(repository string) string {
	host, _, _ := strings.Cut(repository, "/")
	if slices.Contains(hubNames[:], host) {
		return Hub + repository[len(host):]
	}
	return repository
}

// normalize returns a key as repositories are compared with it. Of old, keys
// are URLs: https://index.docker.io/v1/.
func normalize(server string) string {
	key, isURL := server, false
	for _, scheme := range []string{"https://", "http://"} {
		if rest, ok := strings.CutPrefix(key, scheme); ok {
			key, isURL = rest, true
		}
	}
	key = strings.TrimRight(key, "/")
	if host, rest, _ := strings.Cut(key, "/"); rest == "v1" || rest == "v2" {
		if isURL || strings.HasSuffix(server, "/") {
			key = host
		}
	}
	return Canonical(key)
}

// Helper returns the name of the helper that keeps the credential of a host,
// and the name by which it knows the host, or empty.
func (c *Config) Helper(host string) (helper, server string) {
	host = Canonical(host)
	helper, ok := c.credHelpers[host]
	if !ok {
		helper = c.credsStore
	}
	if host == Hub {
		host = "https://index.docker.io/v1/"
	}
	return helper, host
}
