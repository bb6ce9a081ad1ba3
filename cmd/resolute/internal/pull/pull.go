// Package pull parses catalog arguments of the command line and reads catalogs from container
// images, with a cache.
package pull

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/image"
)

// Settings are the values of the image flags.
type Settings struct {
	// Allow permits fetching images that scenarios name.
	Allow bool
	// NoCache disables the image cache. Dir is its directory; empty means the user's cache
	// directory.
	NoCache bool
	Dir     string
	// Offline restricts reads to cached images and files.
	Offline bool
	// Mirrors are FROM=TO. MirrorsOnly never contacts a registry that has a mirror.
	Mirrors     []string
	MirrorsOnly bool
	// AuthFile replaces the default credential locations of podman and docker. Authority is a
	// file of additional trusted certificates.
	AuthFile, Authority string
	// PlainHTTP lists hosts that are contacted without TLS.
	PlainHTTP []string
}

// Images reads images. It implements scenario.Images and is safe for concurrent use while its
// fields are not modified.
type Images struct {
	Settings
	// Progress is called with the progress of downloads. It may be nil.
	Progress func(image.Progress)
	// Logger logs errors that do not fail the read.
	Logger *slog.Logger

	once  sync.Once
	store *image.Store
}

// IsReference implements scenario.Images. See [image.IsReference].
func (i *Images) IsReference(text string) bool { return image.IsReference(text, exists) }

// exists reports whether a file or directory exists.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Allow implements scenario.Images.
func (i *Images) Allow(reference string) error {
	if i.Settings.Allow {
		return nil
	}
	return fmt.Errorf("the catalog is the container image %s; set --allow-images to fetch images that a scenario names", reference)
}

// Catalog implements scenario.Images.
func (i *Images) Catalog(ctx context.Context, reference, dir string, opts fbc.Options) (*cache.Catalog, error) {
	files, err := i.Open(ctx, reference, dir)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	catalog, err := fbc.Load(ctx, files, opts)
	if err != nil {
		return nil, fmt.Errorf("image %s: directory %s: %w", reference, files.Folder(), err)
	}
	return catalog, nil
}

// Open returns the files of the catalog in an image. Paths in the reference are relative to
// dir. The caller must close the files.
func (i *Images) Open(ctx context.Context, reference, dir string) (*image.Files, error) {
	ref, err := image.Parse(reference)
	if err != nil {
		return nil, err
	}
	if ref.Transport != image.Registry && dir != "" && !filepath.IsAbs(ref.Path) {
		ref.Path = filepath.Join(dir, ref.Path)
	}
	opts, err := i.options()
	if err != nil {
		return nil, err
	}
	return image.Open(ctx, ref, opts)
}

// flags are the flags of image options.
var flags = map[string]string{"Insecure": "--registry-plain-http", "CertificateAuthorities": "--registry-ca", "Offline": "--offline"}

// options returns the options for all images.
func (i *Images) options() (image.Options, error) {
	opts := image.Options{
		OptionName: func(field string) string { return flags[field] },
		Keychain:   image.DefaultKeychain(os.Getenv), MirrorsOnly: i.MirrorsOnly, Insecure: i.PlainHTTP,
		Proxy: http.ProxyFromEnvironment, Offline: i.Offline, Progress: i.Progress, Logger: i.Logger,
	}
	for _, text := range i.Mirrors {
		m, err := image.ParseMirror(text)
		if err != nil {
			return opts, fmt.Errorf("--registry-mirror: %w", err)
		}
		opts.Mirrors = append(opts.Mirrors, m)
	}
	if i.AuthFile != "" {
		if _, err := os.Stat(i.AuthFile); err != nil {
			return opts, fmt.Errorf("--authfile: %w", err)
		}
		opts.Keychain = image.AuthFile(i.AuthFile, os.Getenv("PATH"))
	}
	if i.Authority != "" {
		var err error
		if opts.CertificateAuthorities, err = os.ReadFile(i.Authority); err != nil {
			return opts, fmt.Errorf("--registry-ca: %w", err)
		}
	}
	if !i.NoCache {
		i.once.Do(i.openStore)
		opts.Store = i.store
	}
	return opts, nil
}

// openStore opens the image cache. If that fails, images are fetched each time.
func (i *Images) openStore() {
	store, err := i.Store()
	if err != nil {
		i.Logger.Warn("images are not cached", "error", err)
		return
	}
	i.store = store
}

// Store returns the image cache.
func (i *Images) Store() (*image.Store, error) {
	dir := i.Dir
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return nil, errors.New("no cache directory for images: set XDG_CACHE_HOME or --image-cache")
		}
		dir = filepath.Join(base, "resolute", "images")
	}
	return image.OpenStore(dir, image.StoreOptions{})
}

// Name returns the default name of a catalog for its reference: the last element of the
// repository, or the file or directory name.
func Name(reference string) string {
	ref, err := image.Parse(reference)
	if err != nil {
		return reference
	}
	if ref.Transport == image.Registry {
		return ref.Repository[strings.LastIndex(ref.Repository, "/")+1:]
	}
	path := ref.Path
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return strings.TrimSuffix(filepath.Base(path), ".tar")
}
