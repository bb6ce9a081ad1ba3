package view

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/htmldoc"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// GraphFormats returns the formats of [WriteGraph].
func GraphFormats() []string { return []string{"text", "dot", "mermaid", "svg", "html", "json"} }

// WriteGraph writes a package in one format, or nothing on error. In JSON, place first maps the
// file of each problem to the path shown to users.
func WriteGraph(ctx context.Context, w io.Writer, form string, pkg *graph.Package, show draw.Options, place func(*graph.Problem)) error {
	var b bytes.Buffer
	var err error
	switch form {
	case "dot":
		err = draw.DOT(ctx, &b, pkg, show)
	case "mermaid":
		err = draw.Mermaid(ctx, &b, pkg, show)
	case "svg":
		err = draw.SVG(ctx, &b, pkg, show)
	case "html":
		err = graphPage(ctx, &b, pkg, show)
	case "json":
		err = graphJSON(ctx, &b, pkg, show, place)
	default:
		err = graphText(ctx, &b, pkg, show)
	}
	if err != nil {
		return err
	}
	_, err = b.WriteTo(w)
	return err
}

// ParseInstalled parses "BUNDLE" or "BUNDLE@VERSION". Errors start with the flag.
func ParseInstalled(arg string) (graph.Installed, error) {
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
		return in, fmt.Errorf("--installed %q: %q is not a version such as 1.2.3: %w%s", arg, version, err, text.NearVersion(version))
	}
	in.Version = v
	return in, nil
}

// standing describes an installed bundle in a channel: its upgrade edges and its path to the
// head.
type standing struct {
	Bundle     string      `json:"bundle"`
	Successors []string    `json:"successors"`
	ToHead     *graph.Path `json:"toHead,omitempty"`

	edges   []graph.Edge
	words   string // its path to the head, or why there is none
	unknown bool   // its version is unknown
}

// standings returns the standing of each installed bundle in a channel.
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
			s.words = "the channel has no head, so it offers no upgrade"
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

// shown returns the channels to draw.
func shown(pkg *graph.Package, show draw.Options) []*graph.Channel {
	return slices.DeleteFunc(slices.Clone(pkg.Channels), func(c *graph.Channel) bool {
		return len(show.Channels) > 0 && !slices.Contains(show.Channels, c.Name)
	})
}

// graphText writes a package as text, with the installed bundles of each channel.
func graphText(ctx context.Context, w io.Writer, pkg *graph.Package, show draw.Options) error {
	if err := draw.Text(ctx, w, pkg, show); err != nil {
		return err
	}
	for _, c := range shown(pkg, show) {
		list, err := standings(ctx, c, show)
		if err != nil {
			return err
		}
		for _, s := range list {
			fmt.Fprintf(w, "\ninstalled %s, in channel %s:\n", text.Inert(s.Bundle), text.Inert(c.Name))
			for _, e := range s.edges {
				fmt.Fprintf(w, "  %s\n", e)
			}
			fmt.Fprintf(w, "  %s\n", s.words)
			if s.unknown {
				fmt.Fprintf(w, "  its version is unknown, so skip ranges are ignored; set --installed %s@VERSION\n", text.Inert(s.Bundle))
			}
		}
	}
	return nil
}

// Drawn returns the output of a function of package draw.
func Drawn(ctx context.Context, form func(context.Context, io.Writer, *graph.Package, draw.Options) error, pkg *graph.Package, show draw.Options) (string, error) {
	var b strings.Builder
	err := form(ctx, &b, pkg, show)
	return b.String(), err
}

// graphPage writes a page with the picture, its sources and the text.
func graphPage(ctx context.Context, w io.Writer, pkg *graph.Package, show draw.Options) error {
	var forms [4]string
	for i, form := range []func(context.Context, io.Writer, *graph.Package, draw.Options) error{draw.SVG, draw.Mermaid, draw.DOT, graphText} {
		var err error
		if forms[i], err = Drawn(ctx, form, pkg, show); err != nil {
			return err
		}
	}
	return NewPage(ctx).AddGraph(pkg.Name, htmldoc.Drawn{Picture: forms[0], InMermaid: forms[1], InDOT: forms[2]}, forms[3]).Write(w)
}

// Channel is the JSON of a channel with its installed bundles.
type Channel struct {
	draw.Channel
	Installed []standing `json:"installed,omitempty"`
}

// graphJSON writes one object per line for each channel.
func graphJSON(ctx context.Context, w io.Writer, pkg *graph.Package, show draw.Options, place func(*graph.Problem)) error {
	channels, err := draw.Data(ctx, pkg, show)
	if err != nil {
		return err
	}
	for _, c := range channels {
		v := Channel{Channel: c}
		for i := range v.Problems {
			place(&v.Problems[i])
		}
		if v.Installed, err = standings(ctx, pkg.Channel(c.Channel), show); err != nil {
			return err
		}
		if err := JSON(w, v); err != nil {
			return err
		}
	}
	return nil
}
