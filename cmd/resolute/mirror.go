package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/mirror"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) mirrorCommand() *cli.Command {
	return &cli.Command{
		Usage: "complete a mirror configuration with missing dependencies and upgrades", ArgsUsage: "CONFIGURATION",
		Description: `CONFIGURATION is an ImageSetConfiguration of oc-mirror v2. The answer lists the bundles that
oc-mirror selects, those that cannot be installed or do not reach their channel head, and
the smallest set of additions. --installed names the clusters that use the mirror.

An unknown package, channel or version in the configuration is an error. With
--ignore-missing it is a warning, and the rest is mirrored.

-o isc prints the completed configuration with exact versions and a comment on each
addition. -o catalog prints the mirrored file-based catalog, -o images the images.

The exit status is 1 if an addition is needed or impossible, or if nothing is selected.`,
		Flags: append([]cli.Flag{
			outputFlag("text", "json", "html", "isc", "catalog", "images"), timeoutFlag(), strictFlag(),
			listFlag("catalog", "read the catalog with reference REF from `REF=CATALOG`; repeat for each catalog"),
			listFlag("installed", "also mirror for the cluster of `SCENARIO`, or of all scenarios in a directory"),
			boolFlag("ignore-missing", "warn about unknown packages, channels and versions and mirror the rest"),
			stringFlag("of", "with -o catalog, select the catalog `REF` among several"),
		}, limitFlags()...),
		Action: a.mirror,
	}
}

// mirror plans a mirror.
func (a *app) mirror(ctx context.Context, cmd *cli.Command) error {
	if cmd.String("output") != "catalog" {
		if err := requireFlag(cmd, "-o catalog", "of"); err != nil {
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

// mirrorFailure is the failure of a configuration that names unknown packages, channels or
// versions.
type mirrorFailure struct {
	failure
	// Problems lists the unknown names, in the order of the configuration.
	Problems []mirror.Problem `json:"problems"`
}

// unknownNames reports names of the configuration that its catalogs lack.
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

// mirrorOptions reads the catalogs and clusters. It also returns the path of each catalog by
// reference.
func (a *app) mirrorOptions(ctx context.Context, cmd *cli.Command) (mirror.Options, map[string]string, error) {
	opts := mirror.Options{IgnoreMissing: cmd.Bool("ignore-missing")}
	paths := make(map[string]string)
	for _, arg := range cmd.StringSlice("catalog") {
		ref, path, ok := strings.Cut(arg, "=")
		if !ok || ref == "" || path == "" {
			return opts, nil, fmt.Errorf("--catalog %s: must have the form REF=CATALOG, with a catalog reference of the configuration", arg)
		}
		if _, twice := paths[ref]; twice {
			return opts, nil, fmt.Errorf("--catalog %s: catalog %s is given twice", arg, ref)
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

// writePlan writes a plan in the output format.
func (a *app) writePlan(ctx context.Context, cmd *cli.Command, plan *mirror.Plan, paths map[string]string) error {
	form := cmd.String("output")
	if form == "isc" || form == "catalog" || form == "images" { // these formats cannot hold warnings
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
	return a.show(cmd, plan, func(w io.Writer) error { return view.WriteMirror(ctx, w, plan) }, func(t *view.Text) {
		_ = plan.WriteText(t) // a buffer never fails
		t.Verdicts(map[string]terminal.Colour{"all selected bundles": terminal.Green, "all other selected bundles": terminal.Green, "nothing is selected": terminal.Red, "to be added: ": terminal.Yellow, "no addition helps": terminal.Red})
	})
}

// writeMirrored writes the catalog that a plan mirrors, filtering the original catalog.
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
			return fmt.Errorf("-o catalog: nothing to print, because no part of catalog %s is mirrored", ref)
		}
	}
	if which < 0 {
		return fmt.Errorf("-o catalog prints one catalog, but the configuration has %s; select one with --of: %s", text.Count(len(refs), "catalog", "catalogs"), strings.Join(refs, ", "))
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

// blobs calls each with every blob of a catalog. Problems of the catalog were reported when it
// was loaded.
func (a *app) blobs(ctx context.Context, path string, each func(fbc.Blob) error) error {
	blobs, done, err := a.images.Blobs(ctx, path)
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
