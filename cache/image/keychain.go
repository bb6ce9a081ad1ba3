package image

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/seed109e2655/resolute/cache/internal/file"
)

// Credential is what opens a registry. Printing it shows its source only.
type Credential struct {
	// Source is where it comes from, to be named in errors: a file, a secret.
	Source string
	// Username and Password go to the registry, or to its token server.
	Username, Password string
	// IdentityToken is exchanged for a token at the token server, and
	// RegistryToken is such a token. Each stands in place of a password.
	IdentityToken, RegistryToken string
}

// String names the source.
func (c Credential) String() string { return "credential of " + c.Source }

// Format writes the source, whatever the verb.
func (c Credential) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// MarshalText writes the source, for JSON and log/slog too.
func (c Credential) MarshalText() ([]byte, error) { return []byte(inert(c.String())), nil }

// secrets returns what must not be seen.
func (c Credential) secrets() []string {
	return slices.DeleteFunc([]string{c.Password, c.IdentityToken, c.RegistryToken}, func(s string) bool { return s == "" })
}

// Keychain finds credentials. It is safe for concurrent use.
type Keychain interface {
	// Credentials returns the credentials for a repository, host[:port]/path,
	// with docker.io for Docker Hub. They are tried in this order until one may
	// read the image; without any, the registry is asked anonymously. The error
	// is a [*CredentialsError], or that of the context.
	Credentials(ctx context.Context, repository string) ([]Credential, error)
}

// keychain is a function that finds credentials.
type keychain func(ctx context.Context, repository string) ([]Credential, error)

func (k keychain) Credentials(ctx context.Context, repository string) ([]Credential, error) {
	return k(ctx, repository)
}

// Keychains returns a keychain of several. Their credentials are tried in this
// order; within each, the one for the longest prefix of the repository comes
// first.
func Keychains(chains ...Keychain) Keychain {
	return keychain(func(ctx context.Context, repository string) (all []Credential, err error) {
		for _, chain := range chains {
			found, err := chain.Credentials(ctx, repository)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
		return all, nil
	})
}

// PullSecret returns a keychain of a pull secret of Kubernetes: what it holds
// under .dockerconfigjson, or under .dockercfg. The name is what errors call
// it. Helpers that a secret names are never run. The error is a
// [*CredentialsError].
func PullSecret(name string, data []byte) (Keychain, error) {
	config, err := parseConfig(name, data)
	if err != nil {
		return nil, &CredentialsError{Source: name, Err: err}
	}
	return keychain(func(_ context.Context, repository string) ([]Credential, error) {
		return config.lookup(repository), nil
	}), nil
}

// DefaultKeychain returns the keychain of the user that a program runs for: the
// files of podman, skopeo and docker, wherever getenv, such as os.Getenv, says
// that they are. They are read anew each time. In this order, and only the
// first that has a credential for the repository counts:
//
//   - $REGISTRY_AUTH_FILE, and no other if it is set
//   - $XDG_RUNTIME_DIR/containers/auth.json
//   - $XDG_CONFIG_HOME/containers/auth.json, or ~/.config/containers/auth.json
//   - $DOCKER_CONFIG/config.json, or ~/.docker/config.json
//
// In a file the longest key counts that the repository begins with. A helper
// that the file names for the host (credHelpers, credsStore) comes before the
// credentials in the file: it is the program docker-credential-NAME, found in
// $PATH, run with the environment of this program, and ended with the context.
func DefaultKeychain(getenv func(string) string) Keychain {
	return keychain(func(ctx context.Context, repository string) ([]Credential, error) {
		for _, file := range authFiles(getenv) {
			found, err := inFile(ctx, file, getenv("PATH"), repository, false)
			if len(found) > 0 || err != nil {
				return found, err
			}
		}
		return nil, nil
	})
}

// AuthFile returns a keychain of one file: auth.json or config.json. That it is
// missing is an error. Helpers are looked for in the folders that pathList
// names, as $PATH does; empty runs none.
func AuthFile(file, pathList string) Keychain {
	return keychain(func(ctx context.Context, repository string) ([]Credential, error) {
		return inFile(ctx, file, pathList, repository, true)
	})
}

// authFiles returns where the files of credentials may be.
func authFiles(getenv func(string) string) []string {
	if file := getenv("REGISTRY_AUTH_FILE"); file != "" {
		return []string{file}
	}
	in := func(dir string, below ...string) string {
		if dir == "" {
			return ""
		}
		return filepath.Join(dir, filepath.Join(below...))
	}
	home := cmp.Or(getenv("HOME"), getenv("USERPROFILE"))
	return slices.DeleteFunc([]string{
		in(getenv("XDG_RUNTIME_DIR"), "containers", "auth.json"),
		in(cmp.Or(getenv("XDG_CONFIG_HOME"), in(home, ".config")), "containers", "auth.json"),
		in(cmp.Or(getenv("DOCKER_CONFIG"), in(home, ".docker")), "config.json"),
	}, func(file string) bool { return file == "" })
}

// inFile returns the credentials of a file, which must be there or not: those of the
// helper that it names, then its own.
func inFile(ctx context.Context, name, path, repository string, must bool) ([]Credential, error) {
	config, err := readConfig(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !must:
		return nil, nil
	case err != nil:
		return nil, &CredentialsError{Source: name, Err: err}
	}
	own := config.lookup(repository)
	helper, server := config.helper(repository)
	if helper == "" || path == "" {
		return own, nil
	}
	source := fmt.Sprintf("the helper %s, which %s names", helper, name)
	found, err := askHelper(ctx, path, helper, server)
	switch {
	case errors.Is(err, errNoCredential):
		return own, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, &CredentialsError{Source: source, Err: err}
	}
	found.Source = source
	return append([]Credential{found}, own...), nil
}

// readConfig reads a file of credentials.
func readConfig(ctx context.Context, name string) (*dockerConfig, error) {
	f, err := file.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return nil, err
	}
	return parseConfig(name, data)
}
