package main

import (
	"bufio"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/fbc/bundledir"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
)

func (a *app) renderCommand() *cli.Command {
	return &cli.Command{
		Usage: "write catalogs and bundle directories as one file-based catalog, in a fixed order", ArgsUsage: "CATALOG|BUNDLE-DIRECTORY...",
		Description: `A catalog is a directory, a file or a container image, see resolute --help. A bundle
directory has the subdirectories manifests and metadata. It becomes the olm.bundle blob
that opm renders from its image; --bundle-image sets the name of that image. Without it,
the blob contains the manifests.

Packages are sorted by name. Each has its package blob, channels, bundles, deprecations and
blobs of other schemas, each sorted by name. Unknown fields are kept. If a part of a catalog
cannot be read, nothing is written and the exit status is 2.`,
		Flags: []cli.Flag{
			outputFlag("json", "yaml"), timeoutFlag(),
			stringFlag("bundle-image", "the image of each bundle directory: `TEMPLATE` with {{.Package}}, {{.Name}} and {{.Version}}, for example quay.io/ns/{{.Package}}-bundle:v{{.Version}}"),
		},
		Action: a.render,
	}
}

// render writes catalogs as one.
func (a *app) render(ctx context.Context, cmd *cli.Command) error {
	image, err := template.New("--bundle-image").Option("missingkey=error").Parse(cmd.String("bundle-image"))
	if err != nil {
		return fmt.Errorf("--bundle-image: %w", err)
	}
	r := fbc.NewRenderer(fbc.RenderOptions{})
	defer r.Close()
	for _, arg := range cmd.Args().Slice() {
		if err := a.addTo(ctx, r, arg, image); err != nil {
			a.progress.Done()
			switch {
			case ctx.Err() != nil:
				return stopped(ctx, arg)
			case isScenario(ctx, arg):
				return a.notCatalog(arg)
			}
			return fmt.Errorf("%s: %w", arg, err)
		}
	}
	a.progress.Done()
	warnings, more := r.Warnings()
	for _, p := range warnings {
		a.say("warning: " + p.Error())
	}
	if more > 0 {
		a.say(fmt.Sprintf("and %s more", text.Count(more, "warning", "warnings")))
	}
	out := bufio.NewWriterSize(a.out, 256<<10)
	write := r.Write
	if cmd.String("output") == "yaml" {
		write = r.WriteYAML
	}
	if err = write(ctx, out); err == nil {
		err = out.Flush()
	}
	if err != nil && ctx.Err() != nil {
		return stopped(ctx, "the rendered catalog")
	}
	return err
}

// addTo adds the catalog or bundle directory that an argument names.
func (a *app) addTo(ctx context.Context, r *fbc.Renderer, arg string, image *template.Template) error {
	files, name, done, err := a.images.Files(ctx, arg)
	if err != nil {
		return err
	}
	defer done()
	if name == "" && !pull.IsImage(arg) && bundledir.Is(files) {
		return a.addBundle(ctx, r, arg, image)
	}
	return r.AddFS(ctx, files, name)
}

// addBundle adds a bundle directory.
func (a *app) addBundle(ctx context.Context, r *fbc.Renderer, dir string, image *template.Template) error {
	b, err := bundledir.ReadDir(ctx, dir, bundledir.Options{})
	if err != nil {
		return err
	}
	for _, p := range b.Problems {
		a.say("warning: " + (&graph.Problem{File: filepath.Join(dir, filepath.FromSlash(p.File)), Line: p.Line, Message: p.Message}).Error())
	}
	var name strings.Builder
	if err := image.Execute(&name, struct{ Package, Name, Version string }{b.Package, b.Name, b.Version}); err != nil {
		return fmt.Errorf("--bundle-image: %w", err)
	}
	blob, err := b.Blob(name.String())
	if err != nil {
		return err
	}
	return r.Add(blob)
}
