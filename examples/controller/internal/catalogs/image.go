package catalogs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/image"
)

// Secrets reads the data of a Secret.
type Secrets func(ctx context.Context, namespace, name string) (map[string][]byte, error)

// imageSource creates the source of a container image.
func (c *Catalog) imageSource(opts fbc.Options, mirrors []string, store *image.Store, secrets Secrets, logger *slog.Logger) (cache.Source, error) {
	ref, err := image.Parse(c.Image)
	if err != nil {
		return nil, err
	}
	how := image.Options{FBC: opts, Store: store, Proxy: http.ProxyFromEnvironment, Logger: logger.With("catalog", c.Name)}
	if c.CAFile != "" {
		if how.CertificateAuthorities, err = os.ReadFile(c.CAFile); err != nil {
			return nil, fmt.Errorf("caFile: %w", err)
		}
	}
	for _, text := range mirrors {
		m, err := image.ParseMirror(text)
		if err != nil {
			return nil, fmt.Errorf("registryMirrors: %w", err)
		}
		how.Mirrors = append(how.Mirrors, m)
	}
	var chains []image.Keychain
	for _, name := range c.PullSecrets {
		if secrets == nil {
			return nil, errors.New("pullSecrets: no reader of Secrets is configured")
		}
		namespace, name, _ := strings.Cut(name, "/")
		chains = append(chains, &pullSecret{namespace: namespace, name: name, read: secrets})
	}
	how.Keychain = image.Keychains(chains...)
	return image.New(ref, how)
}

// pullSecret is the keychain of a Secret of type
// kubernetes.io/dockerconfigjson or kubernetes.io/dockercfg. It is read for
// each request to the registry, so that changes take effect.
type pullSecret struct {
	namespace, name string
	read            Secrets
}

// Credentials implements image.Keychain.
func (s *pullSecret) Credentials(ctx context.Context, repository string) ([]image.Credential, error) {
	source := fmt.Sprintf("the pull secret %s/%s", s.namespace, s.name)
	data, err := s.read(ctx, s.namespace, s.name)
	if err != nil {
		return nil, &image.CredentialsError{Source: source, Err: err}
	}
	for _, key := range []string{".dockerconfigjson", ".dockercfg"} {
		if text, ok := data[key]; ok {
			keychain, err := image.PullSecret(source, text)
			if err != nil {
				return nil, err
			}
			return keychain.Credentials(ctx, repository)
		}
	}
	return nil, &image.CredentialsError{Source: source, Err: errors.New("neither .dockerconfigjson nor .dockercfg is set: the type must be kubernetes.io/dockerconfigjson")}
}

// store opens the store for images, or returns nil if nothing is kept.
func (c *Config) store() (*image.Store, error) {
	if c.Keep == "" {
		return nil, nil
	}
	return image.OpenStore(filepath.Join(c.Keep, "images"), image.StoreOptions{})
}

// NeedsSecrets reports whether a catalog has pull secrets.
func (c *Config) NeedsSecrets() bool {
	for i := range c.Catalogs {
		if len(c.Catalogs[i].PullSecrets) > 0 {
			return true
		}
	}
	return false
}
