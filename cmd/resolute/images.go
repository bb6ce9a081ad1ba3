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

// newImages reads images as the flags of imageFlags say.
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

// imageFlags say how images are read. They belong to the program, so that every
// command that reads catalogs has them.
func (a *app) imageFlags() []cli.Flag {
	const category = "CONTAINER IMAGES"
	s := &a.images.Settings
	return []cli.Flag{
		&cli.BoolFlag{Name: "allow-images", Category: category, Destination: &s.Allow, Usage: "fetch the images that scenarios name; what is named on the command line needs no permission"},
		&cli.StringFlag{Name: "authfile", Category: category, Destination: &s.AuthFile, Usage: "take credentials from `FILE`, as podman login writes it, and not from where podman and docker keep them"},
		&cli.StringFlag{Name: "registry-ca", Category: category, Destination: &s.Authority, Usage: "trust the certificates in `FILE` (PEM) as well"},
		&cli.StringSliceFlag{Name: "registry-mirror", Category: category, Destination: &s.Mirrors, Usage: "ask TO first for the images of FROM: `FROM=TO`, for example quay.io/ns=mirror.example.com/ns; may be given several times"},
		&cli.BoolFlag{Name: "mirrors-only", Category: category, Destination: &s.MirrorsOnly, Usage: "do not ask the registry itself where there is a mirror"},
		&cli.StringSliceFlag{Name: "registry-plain-http", Category: category, Destination: &s.PlainHTTP, Usage: "ask `HOST[:PORT]` without TLS; may be given several times"},
		&cli.StringFlag{Name: "image-cache", Category: category, Destination: &s.Dir, Usage: "keep images in `DIRECTORY`, and not in resolute/images of the user's cache folder"},
		&cli.BoolFlag{Name: "no-cache", Category: category, Destination: &s.NoCache, Usage: "neither keep images nor use kept ones"},
		&cli.BoolFlag{Name: "offline", Category: category, Destination: &s.Offline, Usage: "ask no registry: read only what is kept, or in files"},
	}
}

func (a *app) imagesCommand() *cli.Command {
	return &cli.Command{
		Usage: "the container images that are kept, and how to remove them",
		Description: `Catalogs that were read from images are kept by digest, up to 2 GiB. Those used longest ago
go first. A digest that is kept is read without asking a registry. For a tag, the registry
is asked only whether it still stands for the same digest.`,
		Flags: []cli.Flag{
			outputFlag("text", "json"),
			listFlag("remove", "remove what is kept of `IMAGE`, a digest or a reference; may be given several times"),
			yesFlag("clear", "remove all that is kept"),
		},
		Action: a.listImages,
	}
}

// keptImage is an image that is kept, as it is listed.
type keptImage struct {
	// Digest is that of its manifest.
	Digest string `json:"digest"`
	// References stood for it when they were read last.
	References []string `json:"references,omitempty"`
	// Bytes is its size on disk.
	Bytes int64 `json:"bytes"`
	// Used is when it was read last.
	Used time.Time `json:"used"`
}

// keptImages are the images that are kept.
type keptImages struct {
	Images []keptImage `json:"images"`
}

// listImages lists the images that are kept, or removes some.
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
	if err != nil || removes && cmd.String("output") != "json" { // JSON lists what is still kept
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
			names := cmp.Or(strings.Join(k.References, " "), "(no reference stands for it any more)")
			t.Line("%s  %8.1f MB  %s  %s", k.Digest, float64(k.Bytes)/1e6, k.Used.Format(time.DateTime), names)
		}
		t.Line("%s, %.1f MB", text.Count(len(list), "image", "images"), float64(total)/1e6)
	})
}

// removeImages removes what is kept of images.
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
			missing = append(missing, fmt.Errorf("nothing is kept of %s; resolute images lists what is", name))
		}
	}
	return errors.Join(missing...)
}
