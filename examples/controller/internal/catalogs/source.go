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

// Open makes a cache of a configuration and begins to read the catalogs. The
// caller closes it. The error lists every catalog that cannot be set up; that
// one cannot be read is no error here. Pull secrets are read with secrets, which
// may be nil where there are none.
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
	// One parser compiles each rule once for all catalogs.
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

// AwaitFirstLook waits until every source was read or has failed, ctx ends, or
// the time is over. What was kept on disk is there before, but whether it is
// still current is not known then: an answer made of it might have to be written
// again a moment later.
func AwaitFirstLook(ctx context.Context, kept *cache.Cache, limit time.Duration) {
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

// options say how a catalog is read.
func (c *Catalog) options(parser *constraints.Parser) fbc.Options {
	return fbc.Options{Catalog: c.key(), Parser: parser, DropProperties: []string{"olm.bundle.object"}}
}

// source makes the source of a catalog that is no image.
func (c *Catalog) source(opts fbc.Options) (cache.Source, error) {
	switch {
	case c.Directory != "":
		return fbc.Directory(os.DirFS(c.Directory), opts), nil
	case c.File != "":
		return fbc.File(os.DirFS(filepath.Dir(c.File)), filepath.Base(c.File), opts), nil
	}
	client, err := c.client()
	if err != nil {
		return nil, err
	}
	return catalogd.New(c.URL, catalogd.Options{Client: client, FBC: opts})
}

// origin says where the catalog comes from.
func (c *Catalog) origin() string { return c.Directory + c.File + c.URL + c.Image }

// fileName is the name of the file that the catalog is kept in. Names of
// catalogs may differ where a file system sees no difference.
func (c *Catalog) fileName() string {
	return fmt.Sprintf("%x.snapshot", sha256.Sum256([]byte(c.Name)))
}

// client makes the client that a catalog's server is asked with.
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
		// The token is for that server alone.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// bearer sends a token with each request. The kubelet renews the file of a
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
