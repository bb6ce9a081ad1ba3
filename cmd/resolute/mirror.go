package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/mirror"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) mirrorCommand() *cli.Command {
	return &cli.Command{
		Usage: "what to mirror so that it can be installed and upgraded", ArgsUsage: "CONFIGURATION",
		Description: `CONFIGURATION is an ImageSetConfiguration of oc-mirror v2. The answer says what oc-mirror
selects, which of that cannot be installed or does not get to its head, and the least that
has to be added. --installed names clusters that the mirror is for.

A package, a channel or a version that the configuration names and its catalog lacks is an
error; with --ignore-missing it is a warning, and the rest is mirrored.

-o isc prints the completed configuration, with exact versions and a comment on why each
addition is there. -o catalog prints the file-based catalog that it mirrors, and -o images
the images.

The exit status is 1 if something has to be added, or cannot be, or if nothing is selected.`,
		Flags: append([]cli.Flag{
			outputFlag("text", "json", "html", "isc", "catalog", "images"), timeoutFlag(), strictFlag(),
			listFlag("catalog", "take what the configuration calls REF from `REF=CATALOG`; give it once for each catalog"),
			listFlag("installed", "mirror for the cluster of `SCENARIO` too; a directory stands for all in it"),
			yesFlag("ignore-missing", "warn of packages, channels and versions that a catalog lacks, and mirror the rest"),
			wordFlag("of", "with -o catalog: print the catalog `REF`, if there are several"),
		}, limitFlags()...),
		Action: a.mirror,
	}
}

// mirror plans a mirror.
func (a *app) mirror(ctx context.Context, cmd *cli.Command) error {
	if cmd.String("output") != "catalog" {
		if err := countOnly(cmd, "-o catalog", "of"); err != nil {
			return err
		}
	}
	config, err := a.configuration(ctx, cmd.Args().First())
	if err != nil {
		return err
	}
	opts, paths, err := a.mirrorOptions(ctx, cmd)
	if err != nil {
		return err
	}
	plan, err := mirror.Make(ctx, a.resolver(cmd), config, opts)
	var missing *mirror.CatalogError
	var unknown *mirror.UnknownError
	switch {
	case errors.As(err, &unknown):
		return a.unknownNames(cmd, unknown)
	case errors.As(err, &missing) && missing.Line == 0:
		return fmt.Errorf("--catalog: %w", err)
	case err != nil:
		return fmt.Errorf("%s: %w", label(cmd.Args().First()), err)
	}
	if err := a.writePlan(ctx, cmd, plan, paths); err != nil {
		return err
	}
	if !plan.Clean() {
		return exit(exitNo)
	}
	return nil
}

// mirrorFailure is the failure of a configuration that names what its catalogs lack.
type mirrorFailure struct {
	failure
	// Problems are the names, in the order of the configuration.
	Problems []mirror.Problem `json:"problems"`
}

// unknownNames reports what a configuration names and its catalogs lack.
func (a *app) unknownNames(cmd *cli.Command, unknown *mirror.UnknownError) error {
	file := cmd.Args().First()
	message := fmt.Sprintf("%s: %v\ncorrect the configuration, or mirror the rest with --ignore-missing", label(file), unknown)
	a.say(message)
	if cmd.String("output") == "json" {
		if err := view.JSON(a.out, mirrorFailure{failure{a.fileOf(file, false), scenario.Invalid, message}, unknown.Problems}); err != nil {
			return err
		}
	}
	return exit(exitUnusable)
}

// configuration reads the configuration; "-" is standard input.
func (a *app) configuration(ctx context.Context, file string) (*mirror.Configuration, error) {
	data, err := readAll(ctx, a.in, file, mirror.MaxBytes)
	if err != nil {
		return nil, err
	}
	return mirror.Parse(ctx, label(file), data)
}

// mirrorOptions reads the catalogs and the clusters. It also returns where each catalog
// is, by its reference.
func (a *app) mirrorOptions(ctx context.Context, cmd *cli.Command) (mirror.Options, map[string]string, error) {
	opts := mirror.Options{IgnoreMissing: cmd.Bool("ignore-missing")}
	paths := make(map[string]string)
	for _, arg := range cmd.StringSlice("catalog") {
		ref, path, ok := strings.Cut(arg, "=")
		if !ok || ref == "" || path == "" {
			return opts, nil, fmt.Errorf("--catalog %s: say which catalog of the configuration it is, as in REF=CATALOG", arg)
		}
		if _, twice := paths[ref]; twice {
			return opts, nil, fmt.Errorf("--catalog %s: the catalog %s is given twice", arg, ref)
		}
		loader, images := a.loader(), new(mirror.Images)
		loader.Options.Strict = cmd.Bool("strict")
		content, err := a.catalog(ctx, loader, cache.Key{Namespace: "mirror", Name: ref}, path)
		if err != nil {
			return opts, nil, ofFlag("catalog", err)
		}
		if err := a.blobs(ctx, path, func(b fbc.Blob) error { images.Add(b); return nil }); err != nil {
			return opts, nil, err
		}
		paths[ref] = path
		opts.Catalogs = append(opts.Catalogs, mirror.Catalog{Ref: ref, Content: content, Images: images})
	}
	files, err := a.scenarios(ctx, cmd.StringSlice("installed"))
	if err != nil {
		return opts, nil, ofFlag("installed", err)
	}
	loader := a.loader()
	for _, file := range files {
		s, err := a.read(ctx, file)
		if err != nil {
			return opts, nil, ofFlag("installed", err)
		}
		loaded, err := loader.Load(ctx, s)
		if err != nil {
			return opts, nil, err
		}
		opts.Installed = append(opts.Installed, loaded.Request)
	}
	a.progress.Done()
	return opts, paths, nil
}

// writePlan writes a plan in one of its forms.
func (a *app) writePlan(ctx context.Context, cmd *cli.Command, plan *mirror.Plan, paths map[string]string) error {
	form := cmd.String("output")
	if form == "isc" || form == "catalog" || form == "images" { // which have no room for them
		for _, warning := range plan.Warnings {
			a.say("warning: " + warning)
		}
		if !plan.Selects() {
			a.say(plan.Verdict())
		}
	}
	switch form {
	case "isc":
		return plan.WriteConfiguration(a.out)
	case "images":
		for _, image := range plan.Images {
			if _, err := fmt.Fprintln(a.out, text.Inert(image)); err != nil {
				return err
			}
		}
		return nil
	case "catalog":
		return a.writeMirrored(ctx, cmd, plan, paths)
	}
	return a.show(cmd, plan, func(w io.Writer) error { return view.WriteMirror(w, plan) }, func(t *view.Text) {
		_ = plan.WriteText(t) // a buffer takes everything
		t.Verdicts(map[string]terminal.Colour{"everything that is selected": terminal.Green, "everything else that is selected": terminal.Green, "nothing is selected": terminal.Red, "to be added: ": terminal.Yellow, "whatever is added": terminal.Red})
	})
}

// writeMirrored writes the catalog that a plan mirrors, reading the whole one again.
func (a *app) writeMirrored(ctx context.Context, cmd *cli.Command, plan *mirror.Plan, paths map[string]string) error {
	which := -1
	var refs []string
	for i, o := range plan.Configuration.Operators {
		refs = append(refs, o.Catalog)
		if of := cmd.String("of"); of == "" && len(plan.Configuration.Operators) == 1 || of != "" && mirror.SameReference(of, o.Catalog) {
			which = i
		}
	}
	for _, ref := range plan.OmittedCatalogs {
		if of := cmd.String("of"); of == "" && len(refs) == 0 || of != "" && mirror.SameReference(of, ref) {
			return fmt.Errorf("-o catalog: there is no catalog to print: nothing of catalog %s is mirrored", ref)
		}
	}
	if which < 0 {
		return fmt.Errorf("-o catalog prints one catalog, and the configuration has %s: say which with --of: %s", text.Count(len(refs), "catalog", "catalogs"), strings.Join(refs, ", "))
	}
	path := ""
	for ref, p := range paths { // one of them matches
		if mirror.SameReference(ref, refs[which]) {
			path = p
		}
	}
	out := bufio.NewWriter(a.out)
	if err := a.blobs(ctx, path, mirror.NewCatalogWriter(out, plan.Selections[which]).Add); err != nil {
		return err
	}
	return out.Flush()
}

// blobs calls each with the blobs of a catalog. What is wrong with it was reported when
// it was read.
func (a *app) blobs(ctx context.Context, path string, each func(fbc.Blob) error) error {
	blobs, done, err := a.openBlobs(ctx, path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer done()
	for b, err := range blobs {
		var problem *graph.Problem
		switch {
		case errors.As(err, &problem):
			continue
		case err != nil && ctx.Err() != nil:
			return stopped(ctx, path)
		case err != nil:
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := each(b); err != nil {
			return err
		}
	}
	return nil
}

// openBlobs opens a catalog.
func (a *app) openBlobs(ctx context.Context, path string) (iter.Seq2[fbc.Blob, error], func(), error) {
	files, name, done, err := a.open(ctx, path)
	switch {
	case err != nil:
		return nil, nil, err
	case name == "":
		return fbc.Blobs(ctx, files, fbc.Options{}), done, nil
	}
	return fbc.BlobsOfFile(ctx, files, name, fbc.Options{}), done, nil
}

// open opens the files of a catalog: an image or a directory, or a file, whose name it
// returns.
func (a *app) open(ctx context.Context, path string) (files fs.FS, name string, done func(), err error) {
	done = func() {}
	if pull.IsImage(path) {
		image, err := a.images.Open(ctx, path, "")
		if err != nil {
			return nil, "", done, err
		}
		return image, "", func() { image.Close() }, nil
	}
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return os.DirFS(path), "", done, err
	}
	return os.DirFS(filepath.Dir(path)), filepath.Base(path), done, nil
}
