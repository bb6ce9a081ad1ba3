// Package catalogs makes a [cache.Cache] of the controller's configuration file.
package catalogs

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/cache"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// Config is the configuration file.
type Config struct {
	// Keep is a directory in which the catalogs are kept on disk, so that a
	// controller that starts has them at once, and while their sources are gone.
	// Empty: they are not kept.
	Keep string `json:"keep,omitempty"`
	// RegistryMirrors are registries to ask first, FROM=TO, for example
	// quay.io/operatorhubio=mirror.example.com/hub.
	RegistryMirrors []string `json:"registryMirrors,omitempty"`
	// Catalogs are the catalogs, each with a distinct name.
	Catalogs []Catalog `json:"catalogs,omitempty"`
}

// Catalog is one catalog: exactly one of Directory, File, URL and Image says where
// it comes from.
type Catalog struct {
	// Name is the catalog's key, "namespace/name".
	Name string `json:"name"`
	// Priority orders catalogs; higher is better.
	Priority int32 `json:"priority,omitempty"`

	// Directory and File are a file-based catalog on disk.
	Directory string `json:"directory,omitempty"`
	File      string `json:"file,omitempty"`
	// URL is a catalog that catalogd serves: the address above /api/v1/all.
	URL string `json:"url,omitempty"`
	// Image is a container image with a file-based catalog, such as
	// quay.io/operatorhubio/catalog:latest. The registry is asked only for the
	// digest while that stays the same.
	Image string `json:"image,omitempty"`
	// PullSecrets are the Secrets with the credentials for the registry of Image,
	// "namespace/name", as in spec.secrets of a CatalogSource. The controller
	// must be allowed to get them.
	PullSecrets []string `json:"pullSecrets,omitempty"`
	// CAFile has the certificates that URL is trusted by, in the place of those
	// of the system, or Image beside those, and TokenFile a bearer token
	// for URL, read anew for each request.
	CAFile    string `json:"caFile,omitempty"`
	TokenFile string `json:"tokenFile,omitempty"`

	// Refresh is the time between two looks at the source, Timeout how long one
	// may take, and RetryMax how long failures make it wait at most. What is not
	// set is the default of package cache.
	Refresh  metav1.Duration `json:"refresh,omitzero"`
	Timeout  metav1.Duration `json:"timeout,omitzero"`
	RetryMax metav1.Duration `json:"retryMax,omitzero"`
	// MaxStale is how long a source that fails is forgiven before the catalog
	// counts as unavailable.
	MaxStale metav1.Duration `json:"maxStale,omitzero"`
}

// ParseConfig reads the configuration file strictly. Relative paths are relative
// to dir, that of the file. The error lists everything that is wrong.
func ParseConfig(data []byte, dir string) (*Config, error) {
	c := new(Config)
	if err := yaml.UnmarshalStrict(data, c); err != nil {
		return nil, fmt.Errorf("the configuration cannot be read: %w", err)
	}
	var problems []error
	seen := make(map[string]bool)
	for i := range c.Catalogs {
		catalog := &c.Catalogs[i]
		for _, p := range catalog.problems() {
			problems = append(problems, fmt.Errorf("catalogs[%d]%s", i, p))
		}
		if seen[catalog.Name] {
			problems = append(problems, fmt.Errorf("catalogs[%d].name: two catalogs are named %q; names must differ", i, catalog.Name))
		}
		seen[catalog.Name] = true
		for _, path := range []*string{&catalog.Directory, &catalog.File, &catalog.CAFile, &catalog.TokenFile} {
			*path = beside(dir, *path)
		}
	}
	c.Keep = beside(dir, c.Keep)
	return c, errors.Join(problems...)
}

// problems says what is wrong with a catalog, each beginning with the field.
func (c *Catalog) problems() []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if _, err := cache.ParseKey(c.Name); err != nil {
		add(".name: %v", err)
	}
	origins := 0
	for _, origin := range []string{c.Directory, c.File, c.URL, c.Image} {
		if origin != "" {
			origins++
		}
	}
	if origins != 1 {
		add(": give exactly one of directory, file, url and image, to say where the catalog comes from")
	}
	if c.URL == "" && c.TokenFile != "" {
		add(": tokenFile is for a catalog with a url")
	}
	if c.URL == "" && c.Image == "" && c.CAFile != "" {
		add(": caFile is for a catalog with a url or an image")
	}
	if c.Image == "" && len(c.PullSecrets) > 0 {
		add(": pullSecrets are for a catalog with an image")
	}
	for i, s := range c.PullSecrets {
		if namespace, name, ok := strings.Cut(s, "/"); !ok || namespace == "" || name == "" || strings.Contains(name, "/") {
			add(".pullSecrets[%d]: %q is not namespace/name of a Secret", i, s)
		}
	}
	for _, d := range []struct {
		field string
		metav1.Duration
	}{{"refresh", c.Refresh}, {"timeout", c.Timeout}, {"retryMax", c.RetryMax}, {"maxStale", c.MaxStale}} {
		if d.Duration.Duration < 0 {
			add(".%s: %s is negative", d.field, d.Duration.Duration)
		}
	}
	return out
}

// key is the key of a catalog whose name is known to be one.
func (c *Catalog) key() cache.Key {
	key, _ := cache.ParseKey(c.Name)
	return key
}

// sourceConfig is how the cache treats the catalog.
func (c *Catalog) sourceConfig(source cache.Source) cache.SourceConfig {
	backoff := cache.Backoff{Max: c.RetryMax.Duration}
	if backoff.Max > 0 {
		backoff.Min = min(backoff.Max, time.Second)
	}
	return cache.SourceConfig{
		Key: c.key(), Priority: int(c.Priority), Source: source,
		Refresh: c.Refresh.Duration, Timeout: c.Timeout.Duration, Backoff: backoff, MaxStale: c.MaxStale.Duration,
	}
}

func beside(dir, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
