package catalogs

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/catalogd"
	"github.com/seed109e2655/resolute/cache/disk"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/constraints"
)

// Open creates a cache from a configuration and begins to read the catalogs.
// The caller must close it. The error lists the catalogs with an invalid
// configuration; a failing read is not an error here. secrets reads pull
// secrets and may be nil if there are none.
func Open(c *Config, logger *slog.Logger, metrics cache.Metrics, secrets Secrets) (*cache.Cache, error) {
	if c.Keep != "" {
		if err := os.MkdirAll(c.Keep, 0o700); err != nil {
			return nil, fmt.Errorf("keep: %w", err)
		}
	}
	store, err := c.store()
	if err != nil {
		return nil, fmt.Errorf("keep: %w", err)
	}
	cfg := cache.Config{Logger: logger, Metrics: metrics}
	// A shared parser compiles each rule once for all catalogs.
	parser := constraints.NewParser()
	var problems []error
	for i := range c.Catalogs {
		catalog := &c.Catalogs[i]
		var source cache.Source
		if opts := catalog.options(parser); catalog.Image != "" {
			source, err = catalog.imageSource(opts, c.RegistryMirrors, store, secrets, logger)
		} else {
			source, err = catalog.source(opts)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("catalogs[%d]: %w", i, err))
			continue
		}
		if c.Keep != "" {
			source = disk.Keep(source, filepath.Join(c.Keep, catalog.fileName()), disk.Options{
				Parser: parser, Origin: catalog.origin(), Logger: logger.With("catalog", catalog.Name),
			})
		}
		cfg.Sources = append(cfg.Sources, catalog.sourceConfig(source))
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return cache.New(cfg)
}

// AwaitFirstLoad waits until every source was read or has failed, ctx ends, or
// the limit has passed. Copies on disk are available before but may be stale:
// an answer based on them might be rewritten a moment later.
func AwaitFirstLoad(ctx context.Context, kept *cache.Cache, limit time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !looked(kept) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func looked(kept *cache.Cache) bool {
	for _, h := range kept.Health() {
		if h.LastSuccess.IsZero() && h.Failures == 0 {
			return false
		}
	}
	return true
}

// options returns the read options of a catalog.
func (c *Catalog) options(parser *constraints.Parser) fbc.Options {
	return fbc.Options{Catalog: c.key(), Parser: parser, DropProperties: []string{"olm.bundle.object"}}
}

// source creates the source of a catalog that is not an image.
func (c *Catalog) source(opts fbc.Options) (cache.Source, error) {
	switch {
	case c.Directory != "":
		return fbc.Directory(os.DirFS(c.Directory), opts), nil
	case c.File != "":
		opts.File = filepath.Base(c.File)
		return fbc.Directory(os.DirFS(filepath.Dir(c.File)), opts), nil
	}
	client, err := c.client()
	if err != nil {
		return nil, err
	}
	return catalogd.New(c.URL, catalogd.Options{Client: client, FBC: opts})
}

// origin returns the location of the catalog.
func (c *Catalog) origin() string { return c.Directory + c.File + c.URL + c.Image }

// fileName returns the name of the catalog's copy. It is safe on file systems
// that do not distinguish all catalog names.
func (c *Catalog) fileName() string {
	return fmt.Sprintf("%x.snapshot", sha256.Sum256([]byte(c.Name)))
}

// client creates the client for a catalog's server.
func (c *Catalog) client() (*http.Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, fmt.Errorf("caFile: %w", err)
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("caFile: %s has no certificate", c.CAFile)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	if c.TokenFile == "" {
		return &http.Client{Transport: transport}, nil
	}
	return &http.Client{
		Transport: &bearer{file: c.TokenFile, next: transport},
		// The token is for that server only.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// bearer adds a token to each request. The kubelet renews the file of a
// projected token long before it expires.
type bearer struct {
	file string
	next http.RoundTripper
}

// RoundTrip sends a request.
func (b *bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	token, err := os.ReadFile(b.file)
	if err != nil {
		return nil, fmt.Errorf("tokenFile: %w", err)
	}
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	return b.next.RoundTrip(req)
}
