// Package pull reads the arguments of the command line that name catalogs, and the
// catalogs of container images among them. It keeps what was fetched.
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

// Settings are what the flags say.
type Settings struct {
	// Allow lets the images be read that scenarios name.
	Allow bool
	// NoCache keeps nothing and uses nothing that was kept; Dir is where images
	// are kept, the user's cache folder if it is empty.
	NoCache bool
	Dir     string
	// Offline reads only stored copies and files, never the network.
	Offline bool
	// Mirrors are FROM=TO; MirrorsOnly leaves the registry itself alone.
	Mirrors     []string
	MirrorsOnly bool
	// AuthFile has the credentials, instead of where podman and docker keep
	// them; Authority is a file of certificates that are trusted as well.
	AuthFile, Authority string
	// PlainHTTP names hosts that are accessed without TLS.
	PlainHTTP []string
}

// Images reads images. It implements scenario.Images, and is safe for concurrent
// use as long as its fields are not changed.
type Images struct {
	Settings
	// Progress is called with how much was fetched; it may be nil.
	Progress func(image.Progress)
	// Logger logs what went wrong without failing.
	Logger *slog.Logger

	once  sync.Once
	store *image.Store
}

// IsReference implements scenario.Images: see [image.IsReference].
func (i *Images) IsReference(text string) bool { return image.IsReference(text, exists) }

// exists reports whether there is a file or directory at a path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Allow implements scenario.Images.
func (i *Images) Allow(reference string) error {
	if i.Settings.Allow {
		return nil
	}
	return fmt.Errorf("the catalog is the container image %s, and what a scenario names is fetched only with --allow-images", reference)
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
		return nil, fmt.Errorf("the image %s: in its folder %s: %w", reference, files.Folder(), inWords(err))
	}
	return catalog, nil
}

// Open returns the files of the catalog in an image. A path in the reference is
// relative to dir. The caller closes them.
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
	files, err := image.Open(ctx, ref, opts)
	return files, inWords(err)
}

// options are the options for all images.
func (i *Images) options() (image.Options, error) {
	opts := image.Options{
		Keychain: image.DefaultKeychain(os.Getenv), MirrorsOnly: i.MirrorsOnly, Insecure: i.PlainHTTP,
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

// openStore opens the store. Without one, images are fetched each time.
func (i *Images) openStore() {
	store, err := i.Store()
	if err != nil {
		i.Logger.Warn("what is fetched is not kept", "error", inWords(err))
		return
	}
	i.store = store
}

// Store returns the store of kept images.
func (i *Images) Store() (*image.Store, error) {
	dir := i.Dir
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return nil, errors.New("there is no folder to keep images in: set XDG_CACHE_HOME, or give --image-cache")
		}
		dir = filepath.Join(base, "resolute", "images")
	}
	return image.OpenStore(dir, image.StoreOptions{})
}

// Name returns what a catalog is called of which only the reference is known:
// the last element of the repository, or the file or directory.
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
