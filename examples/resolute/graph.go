package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/graph/draw"
	"github.com/seed109e2655/resolute/internal/text"
)

func (a *app) graphCommand() *cli.Command {
	return &cli.Command{
		Name: "graph", Usage: "the update graph of a package", ArgsUsage: "CATALOG PACKAGE [CHANNEL]",
		Description: "A catalog is a directory, a file or a container image, see resolute --help. Without\n" +
			"CHANNEL, all channels are drawn. With -o json, one object a channel, one a line.\n\n" +
			"--installed marks a bundle, and tells what it can be upgraded to and how it gets to the\n" +
			"head of each channel. Of one that the catalog does not have, say the version as well,\n" +
			"for ranges of skipped versions: --installed etcdoperator.v0.9.1@0.9.1.",
		Flags: []cli.Flag{
			outputFlag("text", "dot", "mermaid", "svg", "json"), timeoutFlag(),
			&cli.StringSliceFlag{Name: "installed", Usage: "mark `BUNDLE[@VERSION]` and list its successors; may be given several times"},
			&cli.BoolFlag{Name: "all-edges", Usage: "show every edge, and not only those that are taken"},
		},
		Action: a.graph,
	}
}

// graph draws the update graph of a package.
func (a *app) graph(ctx context.Context, cmd *cli.Command) error {
	args := cmd.Args().Slice()
	if len(args) < 2 || len(args) > 3 {
		return needs(cmd)
	}
	show := draw.Options{Channels: args[2:], AllEdges: cmd.Bool("all-edges")}
	for _, arg := range cmd.StringSlice("installed") {
		in, err := parseInstalled(arg)
		if err != nil {
			return err
		}
		show.Installed = append(show.Installed, in)
	}
	ctx, cancel := withTimeout(ctx, cmd)
	defer cancel()
	content, err := a.catalog(ctx, a.loader(), cache.Key{}, args[0])
	if err != nil {
		return err
	}
	pkg := content.Package(args[1])
	if pkg == nil {
		return unknownPackage(args[0], args[1], content)
	}
	var b bytes.Buffer
	if err := drawGraph(ctx, &b, cmd.String("output"), args[0], pkg, show); err != nil {
		return err
	}
	_, err = b.WriteTo(a.out)
	return err
}

// drawGraph draws a package in one of the forms.
func drawGraph(ctx context.Context, w io.Writer, form, catalog string, pkg *graph.Package, show draw.Options) error {
	switch form {
	case "dot":
		return draw.DOT(ctx, w, pkg, show)
	case "mermaid":
		return draw.Mermaid(ctx, w, pkg, show)
	case "svg":
		return draw.SVG(ctx, w, pkg, show)
	case "json":
		return viewGraph(ctx, w, catalog, pkg, show)
	}
	if err := draw.Text(ctx, w, pkg, show); err != nil {
		return err
	}
	return tellInstalled(ctx, w, pkg, show)
}

// parseInstalled reads "BUNDLE" or "BUNDLE@VERSION".
func parseInstalled(arg string) (graph.Installed, error) {
	name, version, given := strings.Cut(arg, "@")
	in := graph.Installed{Name: name}
	if name == "" {
		return in, fmt.Errorf("--installed %q: the bundle's name is missing", arg)
	}
	if !given {
		return in, nil
	}
	v, err := semver.Parse(version)
	if err != nil {
		return in, fmt.Errorf("--installed %q: %q is not a version such as 1.2.3: %w", arg, version, err)
	}
	in.Version = v
	return in, nil
}

// unknownPackage says that a catalog has no such package, and which it has of a
// similar name.
func unknownPackage(catalog, name string, content *cache.Catalog) error {
	var names []string
	for p := range content.Packages() {
		names = append(names, p.Name)
	}
	near := text.DidYouMean(name, slices.Values(names))
	if near == "" {
		near = "; it has " + text.Count(len(names), "package", "packages")
	}
	return fmt.Errorf("%s has no package %q%s", catalog, name, near)
}

// standing is where an installed bundle stands in a channel: what it can be
// upgraded to, and how it gets to the head.
type standing struct {
	Bundle     string      `json:"bundle"`
	Successors []string    `json:"successors"`
	ToHead     *graph.Path `json:"toHead,omitempty"`

	edges   []graph.Edge
	words   string // how it gets to the head, or why it does not
	unknown bool   // nothing says which version it is
}

// standings finds where installed bundles stand in a channel.
func standings(ctx context.Context, c *graph.Channel, show draw.Options) ([]standing, error) {
	if len(show.Installed) == 0 {
		return nil, nil
	}
	u, err := graph.NewUpdates(ctx, c.Package, graph.UpdateOptions{Channels: []string{c.Name}, Installed: show.Installed, ListedOnly: true})
	if err != nil {
		return nil, err
	}
	var list []standing
	for _, in := range show.Installed {
		s := standing{Bundle: in.Name, Successors: []string{}, edges: u.Successors(in.Name)}
		s.unknown = in.Version.EQ(semver.Version{}) && c.Package.Bundle(in.Name) == nil
		for _, e := range s.edges {
			s.Successors = append(s.Successors, e.To)
		}
		switch head := c.Head(); {
		case head == nil:
			s.words = "the channel has no head, so that nothing is offered"
		case head.Name == in.Name:
			s.words = "it is the head"
		default:
			path, err := u.ShortestPath(in.Name, head.Name)
			if err != nil {
				s.words = err.Error()
				break
			}
			s.ToHead, s.words = &path, path.String()
		}
		list = append(list, s)
	}
	return list, nil
}

// shownChannels are the channels to draw.
func shownChannels(pkg *graph.Package, show draw.Options) []*graph.Channel {
	return slices.DeleteFunc(slices.Clone(pkg.Channels), func(c *graph.Channel) bool {
		return len(show.Channels) > 0 && !slices.Contains(show.Channels, c.Name)
	})
}

// tellInstalled writes where installed bundles stand in each channel.
func tellInstalled(ctx context.Context, w io.Writer, pkg *graph.Package, show draw.Options) error {
	var b bytes.Buffer
	for _, c := range shownChannels(pkg, show) {
		list, err := standings(ctx, c, show)
		if err != nil {
			return err
		}
		for _, s := range list {
			fmt.Fprintf(&b, "\ninstalled %s, in channel %s:\n", text.Inert(s.Bundle), text.Inert(c.Name))
			for _, e := range s.edges {
				fmt.Fprintf(&b, "  %s\n", e)
			}
			fmt.Fprintf(&b, "  %s\n", s.words)
			if s.unknown {
				fmt.Fprintf(&b, "  its version is not known, so that no skipRange counts; write --installed %s@VERSION\n", text.Inert(s.Bundle))
			}
		}
	}
	_, err := b.WriteTo(w)
	return err
}

// channelView is the JSON of a channel, with where installed bundles stand.
type channelView struct {
	draw.Channel
	Installed []standing `json:"installed,omitempty"`
}

// viewGraph writes an object for each channel, one a line.
func viewGraph(ctx context.Context, w io.Writer, catalog string, pkg *graph.Package, show draw.Options) error {
	channels, err := draw.Data(ctx, pkg, show)
	if err != nil {
		return err
	}
	for _, c := range channels {
		v := channelView{Channel: c}
		for i, p := range v.Problems {
			v.Problems[i] = named(catalog, p)
		}
		if v.Installed, err = standings(ctx, pkg.Channel(c.Channel), show); err != nil {
			return err
		}
		if err := writeJSON(w, v); err != nil {
			return err
		}
	}
	return nil
}
