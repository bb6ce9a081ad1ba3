package image

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"
)

// maxConfig bounds a file of credentials.
const maxConfig = 1 << 20

// dockerConfig is what a file of credentials says, in the form that docker, podman and
// Kubernetes share: config.json, auth.json, and what a pull secret holds under
// .dockerconfigjson or, of old, .dockercfg. The libraries for that, of docker and of oras-go
// v2.6.2, know neither the prefixes of podman nor the patterns of Kubernetes, and what they
// say of a file that is damaged quotes it.
type dockerConfig struct {
	entries     []configEntry // the longest key first
	credHelpers map[string]string
	credsStore  string
}

// configEntry is a credential, and what it is for.
type configEntry struct {
	key string // host[:port][/path], normalized
	Credential
}

// configRecord is the form of a credential.
type configRecord struct {
	Username, Password, IdentityToken, RegistryToken string

	Auth string // user:password
}

// Errors of parseConfig. None says what the text holds.
var (
	errConfigSize = errors.New("it has more than 1 MiB")
	errConfigJSON = errors.New("it is not the JSON of a docker config: an object with \"auths\"")
	errConfigAuth = errors.New("an \"auth\" in it is not the base64 of user:password")
)

// parseConfig parses a file of credentials, which come from a source. Records that hold
// nothing, as they stand where a helper keeps the credential, are left out.
func parseConfig(source string, data []byte) (*dockerConfig, error) {
	if len(data) > maxConfig {
		return nil, errConfigSize
	}
	var doc struct {
		Auths       map[string]configRecord
		CredHelpers map[string]string
		CredsStore  string
	}
	var keys map[string]json.RawMessage
	err := json.Unmarshal(data, &keys)
	if err == nil && isOldConfig(keys) {
		err = json.Unmarshal(data, &doc.Auths)
	} else if err == nil {
		err = json.Unmarshal(data, &doc)
	}
	if err != nil || keys == nil {
		return nil, errConfigJSON // the error of json could tell a part of it
	}
	c := &dockerConfig{credHelpers: map[string]string{}, credsStore: doc.CredsStore}
	for server, helper := range doc.CredHelpers {
		host, _, _ := strings.Cut(normalize(server), "/")
		c.credHelpers[host] = helper
	}
	for server, r := range doc.Auths {
		found, err := r.credential(source)
		if err != nil {
			return nil, err
		}
		if found != (Credential{Source: source}) {
			c.entries = append(c.entries, configEntry{normalize(server), found})
		}
	}
	// Two keys that mean the same, such as docker.io and index.docker.io, are
	// distinguished by their credential, so that the same file always gives the
	// same.
	slices.SortFunc(c.entries, func(a, b configEntry) int {
		return cmp.Or(cmp.Compare(len(b.key), len(a.key)), slices.Compare(a.texts(), b.texts()))
	})
	return c, nil
}

// texts returns what entries with keys of one length are ordered by.
func (e *configEntry) texts() []string {
	return []string{e.key, e.Username, e.Password, e.IdentityToken, e.RegistryToken}
}

// isOldConfig reports whether a document is a .dockercfg: servers without a word
// around them.
func isOldConfig(keys map[string]json.RawMessage) bool {
	for key := range keys {
		// Without a dot or a port it is another setting of docker.
		if slices.Contains([]string{"auths", "credHelpers", "credsStore"}, key) || !strings.ContainsAny(key, ".:") {
			return false
		}
	}
	return len(keys) > 0
}

// identityUser is the name of the user whose password is an identity token.
const identityUser = "<token>"

func (r configRecord) credential(source string) (c Credential, err error) {
	c = Credential{source, r.Username, r.Password, r.IdentityToken, r.RegistryToken}
	if r.Auth != "" {
		text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.TrimSpace(r.Auth), "="))
		user, password, ok := strings.Cut(string(text), ":")
		if err != nil || !ok {
			return c, errConfigAuth
		}
		c.Username, c.Password = user, strings.Trim(password, "\x00")
	}
	return c.withIdentity(), nil
}

// withIdentity makes the password of the user <token> an identity token.
func (c Credential) withIdentity() Credential {
	if c.Username == identityUser {
		c.IdentityToken = cmp.Or(c.IdentityToken, c.Password)
		c.Username, c.Password = "", ""
	}
	if c.IdentityToken != "" || c.RegistryToken != "" {
		c.Username, c.Password = "", ""
	}
	return c
}

// lookup returns the credentials for a repository, host[:port]/path: that of
// the longest key that the repository begins with, path element by path
// element, and behind it those of shorter keys. A key with one of *, ? and [
// matches as a pattern, label by label of the host, as in Kubernetes.
func (c *dockerConfig) lookup(repository string) []Credential {
	repository = canonical(repository)
	var found []Credential
	for _, e := range c.entries {
		if e.matches(repository) && !slices.Contains(found, e.Credential) {
			found = append(found, e.Credential)
		}
	}
	return found
}

// matches reports whether a key is for a repository.
func (e configEntry) matches(repository string) bool {
	if within(repository, e.key) {
		return true
	}
	host, rest, _ := strings.Cut(repository, "/")
	pattern, prefix, _ := strings.Cut(e.key, "/")
	if !strings.ContainsAny(pattern, "*?[") || prefix != "" && !within(rest, prefix) {
		return false
	}
	return slices.EqualFunc(strings.Split(pattern, "."), strings.Split(host, "."), func(pattern, label string) bool {
		ok, err := path.Match(pattern, label)
		return ok && err == nil
	})
}

// within reports whether a path begins with a prefix, element by element.
func within(p, prefix string) bool {
	rest, ok := strings.CutPrefix(p, prefix)
	return ok && (rest == "" || rest[0] == '/')
}

// hub is how Docker Hub is called here, hubHost where its registry is, and hubNames are its
// other names.
const (
	hub     = "docker.io"
	hubHost = "index.docker.io"
)

var hubNames = [...]string{hubHost, "registry-1.docker.io", "registry.hub.docker.com"}

// canonical returns a repository with the one name of Docker Hub.
func canonical(repository string) string {
	host, _, _ := strings.Cut(repository, "/")
	if slices.Contains(hubNames[:], host) {
		return hub + repository[len(host):]
	}
	return repository
}

// normalize returns a key as repositories are compared with it. Of old, keys
// are URLs: https://index.docker.io/v1/.
func normalize(server string) string {
	key := strings.TrimPrefix(strings.TrimPrefix(server, "https://"), "http://")
	old := key != server || strings.HasSuffix(server, "/")
	key = strings.TrimRight(key, "/")
	if host, rest, _ := strings.Cut(key, "/"); old && (rest == "v1" || rest == "v2") {
		key = host
	}
	return canonical(key)
}

// helper returns the name of the helper that keeps the credential of a repository, and the
// name by which it knows the host, or empty.
func (c *dockerConfig) helper(repository string) (helper, server string) {
	server, _, _ = strings.Cut(canonical(repository), "/")
	helper, ok := c.credHelpers[server]
	if !ok {
		helper = c.credsStore
	}
	if server == hub {
		server = "https://index.docker.io/v1/"
	}
	return helper, server
}
