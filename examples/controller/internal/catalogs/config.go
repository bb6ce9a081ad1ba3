// Package catalogs creates a [cache.Cache] from the controller's configuration
// file.
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
	// Keep is a directory for copies of the catalogs, so that they are
	// available immediately after a start and while their sources are down.
	// Empty disables it.
	Keep string `json:"keep,omitempty"`
	// RegistryMirrors are registries to try first, FROM=TO, for example
	// quay.io/operatorhubio=mirror.example.com/hub.
	RegistryMirrors []string `json:"registryMirrors,omitempty"`
	// Catalogs are the catalogs, each with a distinct name.
	Catalogs []Catalog `json:"catalogs,omitempty"`
}

// Catalog is one catalog. Exactly one of Directory, File, URL and Image is its
// source.
type Catalog struct {
	// Name is the catalog's key, "namespace/name".
	Name string `json:"name"`
	// Priority orders catalogs; higher wins.
	Priority int32 `json:"priority,omitempty"`

	// Directory and File are paths of a file-based catalog.
	Directory string `json:"directory,omitempty"`
	File      string `json:"file,omitempty"`
	// URL is a catalog served by catalogd: the address above /api/v1/all.
	URL string `json:"url,omitempty"`
	// Image is a container image with a file-based catalog, such as
	// quay.io/operatorhubio/catalog:latest. While its digest is unchanged,
	// only the digest is requested.
	Image string `json:"image,omitempty"`
	// PullSecrets are Secrets with the credentials for the registry of Image,
	// "namespace/name", as in spec.secrets of a CatalogSource. The controller
	// needs permission to get them.
	PullSecrets []string `json:"pullSecrets,omitempty"`
	// CAFile has the trusted certificates for URL, replacing those of the
	// system, or additional ones for Image. TokenFile has a bearer token for
	// URL, read for each request.
	CAFile    string `json:"caFile,omitempty"`
	TokenFile string `json:"tokenFile,omitempty"`

	// Refresh is the time between two reads of the source, Timeout the limit
	// of one read, and RetryMax the maximum backoff after failures. Zero means
	// the default of package cache.
	Refresh  metav1.Duration `json:"refresh,omitzero"`
	Timeout  metav1.Duration `json:"timeout,omitzero"`
	RetryMax metav1.Duration `json:"retryMax,omitzero"`
	// MaxStale is how long the last good content is used after failures before
	// the catalog becomes unavailable.
	MaxStale metav1.Duration `json:"maxStale,omitzero"`
}

// ParseConfig parses the configuration file strictly. Relative paths are
// relative to dir, the directory of the file. The error lists all problems.
func ParseConfig(data []byte, dir string) (*Config, error) {
	c := new(Config)
	if err := yaml.UnmarshalStrict(data, c); err != nil {
		return nil, fmt.Errorf("cannot parse the configuration: %w", err)
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

// problems returns the problems of a catalog, each beginning with the field.
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
		add(": set exactly one of directory, file, url and image as the source of the catalog")
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

// key returns the key of a catalog with a valid name.
func (c *Catalog) key() cache.Key {
	key, _ := cache.ParseKey(c.Name)
	return key
}

// sourceConfig returns the cache's configuration of the catalog.
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
