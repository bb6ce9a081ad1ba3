package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/draw"
)

func (a *app) graphCommand() *cli.Command {
	return &cli.Command{
		Usage: "draw the update graph of a package", ArgsUsage: "CATALOG PACKAGE [CHANNEL]",
		Description: `A catalog is a directory, a file or a container image, see resolute --help. Without
CHANNEL, all channels are drawn. -o json prints one object per line for each channel.

--installed marks a bundle and lists its upgrade edges and its upgrade path to the head of
each channel. If the catalog lacks the bundle, add its version to apply skip ranges:
--installed etcdoperator.v0.9.1@0.9.1.

--across compares the channels of the package in several catalogs, such as those of two
versions of a cluster: which channel exists where, its head, whether the bundle of
--installed gets there, and what has to be installed along. The arguments are then
KEY=CATALOG... PACKAGE, for example:
resolute graph --across 4.18=v4.18.jsonl 4.19=v4.19.jsonl etcd`,
		Flags: []cli.Flag{
			outputFlag(view.GraphFormats()...), timeoutFlag(),
			listFlag("installed", "mark `BUNDLE[@VERSION]` and list its successors; repeatable"),
			boolFlag("across", "compare the channels of a package in several catalogs: KEY=CATALOG... PACKAGE"),
			boolFlag("all-edges", "draw every upgrade edge instead of a selection"),
		},
		Action: a.graph,
	}
}

// graph draws the update graph of a package.
func (a *app) graph(ctx context.Context, cmd *cli.Command) error {
	if cmd.Bool("across") {
		return a.across(ctx, cmd)
	}
	args := cmd.Args().Slice()
	show := draw.Options{Channels: args[2:], AllEdges: cmd.Bool("all-edges")}
	for _, arg := range cmd.StringSlice("installed") {
		in, err := view.ParseInstalled(arg)
		if err != nil {
			return err
		}
		show.Installed = append(show.Installed, in)
	}
	content, err := a.catalog(ctx, a.loader(), cache.Key{}, args[0])
	if err != nil {
		return err
	}
	pkg := content.Package(args[1])
	if pkg == nil {
		return unknownPackage(args[0], args[1], content)
	}
	var out io.Writer = a.out
	form := cmd.String("output")
	if form == "text" {
		out = a.out.Wrapped()
	}
	return view.WriteGraph(ctx, out, form, pkg, show, func(p *graph.Problem) {
		p.Catalog, p.File = args[0], pull.Place(args[0], p.File)
	})
}

// unknownPackage returns the error for a package that a catalog lacks, with similar names.
func unknownPackage(catalog, name string, content *cache.Catalog) error {
	names := packageNames(content)
	near := text.DidYouMean(name, slices.Values(names))
	if near == "" {
		near = "; it has " + text.Count(len(names), "package", "packages")
	}
	return fmt.Errorf("%s has no package %q%s", catalog, name, near)
}
