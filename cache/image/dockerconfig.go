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

// maxConfig is the maximum size of a credentials file in bytes.
const maxConfig = 1 << 20

// dockerConfig is a decoded credentials file in the format shared by docker, podman and
// Kubernetes: config.json, auth.json, and a pull secret's .dockerconfigjson or legacy
// .dockercfg. The libraries of docker and of oras-go v2.6.2 support neither podman's prefixes
// nor Kubernetes' patterns, and their errors quote a damaged file.
type dockerConfig struct {
	entries     []configEntry // longest key first
	credHelpers map[string]string
	credsStore  string
}

// configEntry is a credential and the key it applies to.
type configEntry struct {
	key string // host[:port][/path], normalized
	Credential
}

// configRecord is the JSON form of a credential.
type configRecord struct {
	Username, Password, IdentityToken, RegistryToken string

	Auth string // user:password
}

// Errors of parseConfig. None quotes the input.
var (
	errConfigSize = errors.New("it is larger than 1 MiB")
	errConfigJSON = errors.New("it is not a docker config: expected a JSON object with \"auths\"")
	errConfigAuth = errors.New("an \"auth\" field is not base64 of user:password")
)

// parseConfig parses a credentials file. The source names it in errors. Empty records, which
// mark credentials kept by a helper, are skipped.
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
		return nil, errConfigJSON // json's error may quote the input
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
	// Equivalent keys, such as docker.io and index.docker.io, are ordered by their credential,
	// so that the same file always gives the same result.
	slices.SortFunc(c.entries, func(a, b configEntry) int {
		return cmp.Or(cmp.Compare(len(b.key), len(a.key)), slices.Compare(a.texts(), b.texts()))
	})
	return c, nil
}

// texts returns the sort key of entries with keys of equal length.
func (e *configEntry) texts() []string {
	return []string{e.key, e.Username, e.Password, e.IdentityToken, e.RegistryToken}
}

// isOldConfig reports whether a document is a .dockercfg: a map of servers at top level.
func isOldConfig(keys map[string]json.RawMessage) bool {
	for key := range keys {
		// A key without a dot or port is another docker setting.
		if slices.Contains([]string{"auths", "credHelpers", "credsStore"}, key) || !strings.ContainsAny(key, ".:") {
			return false
		}
	}
	return len(keys) > 0
}

// identityUser is the user name that marks a password as an identity token.
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

// withIdentity turns the password of user <token> into an identity token.
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

// lookup returns the credentials for a repository, host[:port]/path, ordered by key length,
// longest first. A key matches as a prefix, path element by path element. A key containing *, ?
// or [ matches as a pattern, label by label of the host, as in Kubernetes.
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

// matches reports whether a key applies to a repository.
func (e configEntry) matches(repository string) bool {
	if hasPathPrefix(repository, e.key) {
		return true
	}
	host, rest, _ := strings.Cut(repository, "/")
	pattern, prefix, _ := strings.Cut(e.key, "/")
	if !strings.ContainsAny(pattern, "*?[") || prefix != "" && !hasPathPrefix(rest, prefix) {
		return false
	}
	return slices.EqualFunc(strings.Split(pattern, "."), strings.Split(host, "."), func(pattern, label string) bool {
		ok, err := path.Match(pattern, label)
		return ok && err == nil
	})
}

// hasPathPrefix reports whether a path begins with a prefix, element by element.
func hasPathPrefix(p, prefix string) bool {
	rest, ok := strings.CutPrefix(p, prefix)
	return ok && (rest == "" || rest[0] == '/')
}

// hub is the canonical name of Docker Hub, hubHost the host of its registry, and hubNames are
// its other names.
const (
	hub     = "docker.io"
	hubHost = "index.docker.io"
)

var hubNames = [...]string{hubHost, "registry-1.docker.io", "registry.hub.docker.com"}

// canonical returns a repository with Docker Hub's canonical name.
func canonical(repository string) string {
	host, _, _ := strings.Cut(repository, "/")
	if slices.Contains(hubNames[:], host) {
		return hub + repository[len(host):]
	}
	return repository
}

// normalize returns a key in the form in which repositories are compared. Legacy keys are URLs:
// https://index.docker.io/v1/.
func normalize(server string) string {
	key := strings.TrimPrefix(strings.TrimPrefix(server, "https://"), "http://")
	old := key != server || strings.HasSuffix(server, "/")
	key = strings.TrimRight(key, "/")
	if host, rest, _ := strings.Cut(key, "/"); old && (rest == "v1" || rest == "v2") {
		key = host
	}
	return canonical(key)
}

// helper returns the name of the credential helper for a repository, or "", and the server name
// to pass to it.
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
