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

// Credential authenticates to a registry. Its printed form shows only its source.
type Credential struct {
	// Source is the file or secret it comes from, for use in errors.
	Source string
	// Username and Password are sent to the registry or its token server.
	Username, Password string
	// IdentityToken is exchanged for an access token at the token server. RegistryToken is an
	// access token. Either replaces a password.
	IdentityToken, RegistryToken string
}

// String returns the source.
func (c Credential) String() string { return "credential of " + c.Source }

// Format writes the source, for any verb.
func (c Credential) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// MarshalText returns the source. JSON and log/slog use it.
func (c Credential) MarshalText() ([]byte, error) { return []byte(inert(c.String())), nil }

// secrets returns the values to redact.
func (c Credential) secrets() []string {
	return slices.DeleteFunc([]string{c.Password, c.IdentityToken, c.RegistryToken}, func(s string) bool { return s == "" })
}

// Keychain finds credentials. It is safe for concurrent use.
type Keychain interface {
	// Credentials returns the credentials for a repository, host[:port]/path, with docker.io
	// for Docker Hub. They are tried in order until one can read the image. Without
	// credentials, requests are anonymous. The error is a [*CredentialsError] or the context's
	// error.
	Credentials(ctx context.Context, repository string) ([]Credential, error)
}

// keychain is a function that implements Keychain.
type keychain func(ctx context.Context, repository string) ([]Credential, error)

func (k keychain) Credentials(ctx context.Context, repository string) ([]Credential, error) {
	return k(ctx, repository)
}

// Keychains combines keychains. Credentials are tried in the order of the keychains, within
// each by the length of the matching prefix, longest first.
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

// PullSecret returns a keychain of a Kubernetes pull secret, given its .dockerconfigjson or
// .dockercfg. The name identifies it in errors. Helpers named in a secret are never run. The
// error is a [*CredentialsError].
func PullSecret(name string, data []byte) (Keychain, error) {
	config, err := parseConfig(name, data)
	if err != nil {
		return nil, &CredentialsError{Source: name, Err: err}
	}
	return keychain(func(_ context.Context, repository string) ([]Credential, error) {
		return config.lookup(repository), nil
	}), nil
}

// DefaultKeychain returns the keychain of the current user: the files of podman, skopeo and
// docker, at the locations given by getenv, such as os.Getenv. The files are read at each call.
// Only the first file with a credential for the repository is used, in this order:
//
//   - $REGISTRY_AUTH_FILE; if set, no other file is read
//   - $XDG_RUNTIME_DIR/containers/auth.json
//   - $XDG_CONFIG_HOME/containers/auth.json, or ~/.config/containers/auth.json
//   - $DOCKER_CONFIG/config.json, or ~/.docker/config.json
//
// Within a file, the key with the longest matching prefix is used. A helper that the file names
// for the host (credHelpers, credsStore) takes precedence over the credentials in the file. It
// is the program docker-credential-NAME, found in $PATH, run with the environment of this
// process and killed when the context ends.
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

// AuthFile returns a keychain of one file: auth.json or config.json. A missing file is an
// error. Helpers are searched in the directories of pathList, which has the format of $PATH; if
// it is empty, none is run.
func AuthFile(file, pathList string) Keychain {
	return keychain(func(ctx context.Context, repository string) ([]Credential, error) {
		return inFile(ctx, file, pathList, repository, true)
	})
}

// authFiles returns the possible locations of credentials files.
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

// inFile returns the credentials of a file: those of its helper, then its own. A missing file
// is an error only if required is set.
func inFile(ctx context.Context, name, path, repository string, required bool) ([]Credential, error) {
	config, err := readConfig(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !required:
		return nil, nil
	case err != nil:
		return nil, &CredentialsError{Source: name, Err: err}
	}
	own := config.lookup(repository)
	helper, server := config.helper(repository)
	if helper == "" || path == "" {
		return own, nil
	}
	source := fmt.Sprintf("the helper %s configured in %s", helper, name)
	found, err := runHelper(ctx, path, helper, server)
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

// readConfig reads a credentials file.
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
