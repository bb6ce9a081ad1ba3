package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/listing"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/internal/text"
)

func (a *app) listCommand() *cli.Command {
	return &cli.Command{
		Usage: "list or search the packages of a catalog", ArgsUsage: "CATALOG [TEXT]",
		Description: `A catalog is a directory, a file or a container image, see resolute --help. TEXT is
matched against the name, display name, keywords, provider, description and provided APIs
(group/version/Kind) of each package, ignoring case. Every word must match. The best
matches come first.

The version shown is that of the head of the default channel.

The exit status is 1 if TEXT matches nothing.`,
		Flags:  []cli.Flag{outputFlag("text", "json"), timeoutFlag(), strictFlag()},
		Action: a.list,
	}
}

// listAnswer is the JSON of the answer.
type listAnswer struct {
	Packages []*listing.Package `json:"packages"`
	// Near lists packages with similar names if TEXT matches none.
	Near []string `json:"near,omitempty"`
}

// list lists the packages of a catalog.
func (a *app) list(ctx context.Context, cmd *cli.Command) error {
	arg, wanted := cmd.Args().First(), cmd.Args().Get(1)
	catalogs, err := a.catalogs(ctx, []string{arg}, cmd.Bool("strict"))
	if err != nil {
		return err
	}
	_, path, err := pull.Argument(arg)
	if err != nil {
		return err
	}
	index, err := a.listed(ctx, catalogs[0].Content, path)
	a.progress.Done()
	switch {
	case err != nil:
		return err
	case len(index.Packages()) == 0:
		return fmt.Errorf("no packages in %s", path)
	}
	answer := listAnswer{}
	if answer.Packages, err = index.Search(ctx, listing.Words(wanted)); err != nil {
		return err
	}
	if len(answer.Packages) == 0 {
		answer.Near = index.Near(ctx, wanted, 3)
		a.say(fmt.Sprintf("no package of %s matches %s%s", path, text.Quote(wanted), text.Suggestion(answer.Near)))
	}
	if err := a.show(cmd, answer, nil, func(t *view.Text) { listText(t, answer.Packages) }); err != nil {
		return err
	}
	if len(answer.Packages) == 0 {
		return exit(exitNo)
	}
	return nil
}

// listed returns the packages of a catalog with their descriptions.
func (a *app) listed(ctx context.Context, content *cache.Catalog, path string) (*listing.Index, error) {
	index := listing.New(content)
	return index, a.blobs(ctx, path, func(b fbc.Blob) error {
		index.Blob(b)
		return nil
	})
}

// listText writes the table of packages.
func listText(t *view.Text, list []*listing.Package) {
	if len(list) == 0 {
		return
	}
	table := &terminal.Table{Columns: []terminal.Column{{Head: "PACKAGE"}, {Head: "VERSION"}, {Head: "CHANNEL", Optional: true}, {Head: "DISPLAY NAME"}, {Head: "PROVIDES"}}}
	for _, p := range list {
		kinds := p.Kinds()
		short := kinds
		if len(short) > 3 {
			short = append(slices.Clone(short[:3]), fmt.Sprintf("and %d more", len(kinds)-3))
		}
		table.Rows = append(table.Rows, []terminal.Cell{{Text: p.Name}, {Text: cmp.Or(p.Version, "-")}, {Text: cmp.Or(p.DefaultChannel, "-")},
			{Text: cmp.Or(p.DisplayName, "-")}, {Text: cmp.Or(strings.Join(kinds, ", "), "-"), Short: strings.Join(short, ", ")}})
	}
	if !t.Table(table) {
		for _, row := range table.Rows {
			t.Line("%s %s", row[0].Text, row[1].Text)
			for _, cell := range row[3:] {
				if cell.Text != "-" {
					t.Line("  %s", cmp.Or(cell.Short, cell.Text))
				}
			}
		}
	}
	t.Line("%s", text.Count(len(list), "package", "packages"))
}
