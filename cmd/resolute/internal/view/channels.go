package view

import (
	"context"
	_ "embed" // the template
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/htmldoc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// Channels is the JSON of a comparison of channels.
type Channels struct {
	// File is the scenario, as named on the command line.
	File string `json:"file,omitempty"`
	// Subscription is the subscription or extension, if the comparison is about one.
	Subscription string `json:"subscription,omitempty"`
	Package      string `json:"package"`
	// Installed is the bundle from which the channels are followed; empty if nothing is installed.
	Installed string `json:"installed,omitempty"`
	// Reports has an object for each channel and catalog.
	Reports []upgrade.ChannelReport `json:"channels"`
}

// subject names what the comparison is about.
func (c *Channels) subject() string {
	if c.Subscription != "" {
		return c.Subscription + ", package " + c.Package
	}
	return "package " + c.Package
}

// Verdict counts the channels that lead somewhere.
func (c *Channels) Verdict() string {
	reached, all := c.reached()
	from := "can be installed"
	if c.Installed != "" {
		from = "can be reached from " + c.Installed
	}
	return fmt.Sprintf("the head of %d of %s %s", reached, text.Count(all, "channel", "channels"), from)
}

// AllReached reports whether the head of every channel is reached.
func (c *Channels) AllReached() bool {
	reached, all := c.reached()
	return reached == all
}

// reached counts the channels whose head is reached, and all that a catalog has.
func (c *Channels) reached() (reached, all int) {
	for i := range c.Reports {
		if !c.Reports[i].Absent {
			all++
			if c.Reports[i].Reaches {
				reached++
			}
		}
	}
	return reached, all
}

// State says what following a channel means, without what moves along.
func (c *Channels) State(r *upgrade.ChannelReport) string {
	switch {
	case r.Absent:
		return "not in this catalog"
	case !r.Reaches:
		return "no: " + r.Reason
	case len(r.Path) == 0 && c.Installed != "":
		return "installed"
	case c.Installed == "":
		return "yes"
	}
	return "yes, " + text.Count(len(r.Path), "upgrade", "upgrades")
}

// Along lists what has to move along.
func (c *Channels) Along(r *upgrade.ChannelReport) []string {
	return text.Each(r.Along, func(a upgrade.Along) string {
		said := string(a.Action) + " " + a.Bundle
		if a.Action != resolver.Install && len(a.Replaces) > 0 {
			said = string(a.Action) + " " + text.And(a.Replaces) + " to " + a.Bundle
		}
		if len(r.Path) > 1 {
			said += fmt.Sprintf(" (round %d)", a.Round)
		}
		return said
	})
}

// Marks are remarks about a channel.
func (c *Channels) Marks(r *upgrade.ChannelReport) []string {
	var marks []string
	if r.Default {
		marks = append(marks, "default")
	}
	if r.Followed {
		marks = append(marks, "followed")
	}
	if r.Deprecated {
		marks = append(marks, "deprecated")
	}
	return marks
}

// Channels writes a comparison of channels.
func (t *Text) Channels(c *Channels) {
	t.Line("%s: %s", c.subject(), c.Verdict())
	last := ""
	for i := range c.Reports {
		r := &c.Reports[i]
		if i == 0 || r.Channel != last {
			line := r.Channel
			if marks := c.Marks(r); len(marks) > 0 {
				line += " (" + strings.Join(marks, ", ") + ")"
			}
			t.Line("%s", line)
			last = r.Channel
		}
		head := ""
		if r.Head != "" {
			head = " head " + r.Head + ","
		}
		state := any(text.Inert(c.State(r)))
		switch {
		case r.Reaches:
			state = t.Paint(terminal.Green, text.Inert(c.State(r)))
		case !r.Absent:
			state = t.Paint(terminal.Red, text.Inert(c.State(r)))
		}
		t.Line("  %s:%s %s", r.Catalog, head, state)
		if len(r.Path) > 1 {
			t.Line("    %s", strings.Join(text.Each(r.Path, text.Inert), " -> "))
		}
		for _, along := range c.Along(r) {
			t.Line("    along: %s", along)
		}
		if r.Message != "" {
			t.Line("    deprecated: %s", text.Inert(r.Message))
		}
	}
}

// channelsSource is the template of the page.
//
//go:embed channels.html
var channelsSource string

// WriteChannels writes a comparison of channels as an HTML page, with a picture of the paths.
func WriteChannels(ctx context.Context, w io.Writer, c *Channels) error {
	var rows []draw.Row
	end, longest := "", 0
	for i := range c.Reports {
		r := &c.Reports[i]
		if !r.Reaches {
			continue
		}
		if len(rows) == maxChannels {
			end = "more channels are not drawn"
			break
		}
		row := draw.Row{Name: r.Channel + ", " + r.Catalog}
		if c.Installed != "" {
			row.Cells = append(row.Cells, c.Installed)
		}
		row.Cells = append(row.Cells, r.Path...)
		longest = max(longest, len(row.Cells))
		rows = append(rows, row)
	}
	var columns []string
	for i := range longest {
		switch {
		case c.Installed == "":
			columns = append(columns, fmt.Sprintf("round %d", i+1))
		case i == 0:
			columns = append(columns, "installed")
		default:
			columns = append(columns, fmt.Sprintf("round %d", i))
		}
	}
	for i := range rows {
		rows[i].Cells = append(rows[i].Cells, make([]string, longest-len(rows[i].Cells))...)
	}
	chart := chartFigure(htmldoc.NewFigures(ctx), "Paths to the heads", columns, rows, end)
	return htmldoc.Write(ctx, w, channelsSource, template.FuncMap{"sentence": sentence, "subject": c.subject}, map[string]any{"Channels": c, "Chart": chart})
}
