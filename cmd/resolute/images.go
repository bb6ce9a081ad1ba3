package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cache/image"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/internal/text"
)

// newImages returns an image reader configured by imageFlags.
func (a *app) newImages() *pull.Images {
	return &pull.Images{
		Progress: func(p image.Progress) {
			of := ""
			if p.Total >= 0 {
				of = fmt.Sprintf(" of %.1f", float64(p.Total)/1e6)
			}
			a.progress.Show(terminal.Work{What: "fetching " + p.Reference, Done: p.Bytes, Total: p.Total,
				Detail: fmt.Sprintf("layer %d of %d, %.1f%s MB", p.Layer, p.Layers, float64(p.Bytes)/1e6, of)})
		},
		Logger: slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: func(_ []string, attr slog.Attr) slog.Attr {
			if attr.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return attr
		}})),
	}
}

// imageFlags configure how images are read. They are global because every command that reads
// catalogs needs them.
func (a *app) imageFlags() []cli.Flag {
	const category = "CONTAINER IMAGES"
	s := &a.images.Settings
	return []cli.Flag{
		&cli.BoolFlag{Name: "allow-images", Category: category, Destination: &s.Allow, Usage: "fetch images that scenarios name; images on the command line are always allowed"},
		&cli.StringFlag{Name: "authfile", Category: category, Destination: &s.AuthFile, Usage: "read credentials from `FILE`, as written by podman login, instead of the default locations of podman and docker"},
		&cli.StringFlag{Name: "registry-ca", Category: category, Destination: &s.Authority, Usage: "also trust the certificates in `FILE` (PEM)"},
		&cli.StringSliceFlag{Name: "registry-mirror", Category: category, Destination: &s.Mirrors, Usage: "try a mirror before the registry: `FROM=TO`, for example quay.io/ns=mirror.example.com/ns; repeatable"},
		&cli.BoolFlag{Name: "mirrors-only", Category: category, Destination: &s.MirrorsOnly, Usage: "never contact a registry that has a mirror"},
		&cli.StringSliceFlag{Name: "registry-plain-http", Category: category, Destination: &s.PlainHTTP, Usage: "contact `HOST[:PORT]` without TLS; repeatable"},
		&cli.StringFlag{Name: "image-cache", Category: category, Destination: &s.Dir, Usage: "cache images in `DIRECTORY` instead of resolute/images in the user's cache directory"},
		&cli.BoolFlag{Name: "no-cache", Category: category, Destination: &s.NoCache, Usage: "neither read nor write the image cache"},
		&cli.BoolFlag{Name: "offline", Category: category, Destination: &s.Offline, Usage: "do not contact registries; read only cached images and files"},
	}
}

func (a *app) imagesCommand() *cli.Command {
	return &cli.Command{
		Usage: "list or remove cached container images",
		Description: `Catalogs read from images are cached by digest, up to 2 GiB; the least recently used are
evicted first. A cached digest is read without contacting a registry. For a tag, the
registry is asked only for its current digest.`,
		Flags: []cli.Flag{
			outputFlag("text", "json"),
			listFlag("remove", "remove `IMAGE`, a digest or a reference, from the cache; repeatable"),
			boolFlag("clear", "empty the cache"),
		},
		Action: a.listImages,
	}
}

// keptImage is the JSON of a cached image.
type keptImage struct {
	// Digest is the digest of its manifest.
	Digest string `json:"digest"`
	// References are the references that resolved to it when last read.
	References []string `json:"references,omitempty"`
	// Bytes is its size on disk.
	Bytes int64 `json:"bytes"`
	// Used is the time of the last read.
	Used time.Time `json:"used"`
}

// keptImages is the list of cached images.
type keptImages struct {
	Images []keptImage `json:"images"`
}

// listImages lists or removes cached images.
func (a *app) listImages(_ context.Context, cmd *cli.Command) error {
	store, err := a.images.Store()
	if err != nil {
		return err
	}
	remove := cmd.StringSlice("remove")
	switch {
	case cmd.Bool("clear"):
		err = store.Clear()
	case len(remove) > 0:
		err = removeImages(store, remove)
	}
	removes := cmd.Bool("clear") || len(remove) > 0
	if err != nil || removes && cmd.String("output") != "json" { // JSON lists the remaining images
		return err
	}
	kept, err := store.List()
	if err != nil {
		return err
	}
	list, total := make([]keptImage, len(kept)), int64(0)
	for i, k := range kept {
		list[i] = keptImage{k.Digest, k.References, k.Bytes, k.Used.UTC()}
		total += k.Bytes
	}
	return a.show(cmd, keptImages{list}, nil, func(t *view.Text) {
		for _, k := range list {
			names := cmp.Or(strings.Join(k.References, " "), "(no reference)")
			t.Line("%s  %8.1f MB  %s  %s", k.Digest, float64(k.Bytes)/1e6, k.Used.Format(time.DateTime), names)
		}
		t.Line("%s, %.1f MB", text.Count(len(list), "image", "images"), float64(total)/1e6)
	})
}

// removeImages removes images from the cache.
func removeImages(store *image.Store, names []string) error {
	kept, err := store.List()
	if err != nil {
		return err
	}
	var missing []error
	for _, name := range names {
		as := name
		if ref, err := image.Parse(name); err == nil {
			as = ref.String()
		}
		found := false
		for _, k := range kept {
			if k.Digest != name && !slices.Contains(k.References, as) {
				continue
			}
			if _, err := store.Remove(k.Digest); err != nil {
				return err
			}
			found = true
		}
		if !found {
			missing = append(missing, fmt.Errorf("image %s is not cached; resolute images lists cached images", name))
		}
	}
	return errors.Join(missing...)
}
