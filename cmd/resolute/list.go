package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
)

func (a *app) listCommand() *cli.Command {
	return &cli.Command{
		Usage: "list or search the packages of a catalog", ArgsUsage: "CATALOG [TEXT]",
		Description: `A catalog is a directory, a file or a container image, see resolute --help. TEXT is
matched against the name, the display name and the provided APIs (group/version/Kind) of
each package, ignoring case. Every word must match.

The version shown is that of the head of the default channel.

The exit status is 1 if TEXT matches nothing.`,
		Flags:  []cli.Flag{outputFlag("text", "json"), timeoutFlag(), strictFlag()},
		Action: a.list,
	}
}

// listAnswer is the JSON of the answer.
type listAnswer struct {
	Packages []listedPackage `json:"packages"`
	// Near lists packages with similar names if TEXT matches none.
	Near []string `json:"near,omitempty"`
}

// listedPackage is an entry of the list.
type listedPackage struct {
	Name           string   `json:"name"`
	DisplayName    string   `json:"displayName,omitempty"`
	DefaultChannel string   `json:"defaultChannel,omitempty"`
	Channels       []string `json:"channels"`
	// Bundle is the head of the default channel; Version is its version.
	Bundle  string `json:"bundle,omitempty"`
	Version string `json:"version,omitempty"`
	// Provides lists the APIs of all bundles, as group/version/Kind, sorted.
	Provides []string `json:"provides"`
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
	all, err := a.listed(ctx, catalogs[0].Content, path)
	a.progress.Done()
	switch {
	case err != nil:
		return err
	case len(all) == 0:
		return fmt.Errorf("no packages in %s", path)
	}
	answer := listAnswer{Packages: []listedPackage{}}
	for _, p := range all {
		if p.matches(wanted) {
			answer.Packages = append(answer.Packages, p)
		}
	}
	if len(answer.Packages) == 0 {
		answer.Near = nearPackages(wanted, all)
		a.say(fmt.Sprintf("no package of %s matches %s%s", path, text.Quote(wanted), didYouMean(answer.Near)))
	}
	if err := a.show(cmd, answer, nil, func(t *view.Text) { listText(t, answer.Packages) }); err != nil {
		return err
	}
	if len(answer.Packages) == 0 {
		return exit(exitNo)
	}
	return nil
}

// listed returns all packages of a catalog, sorted by name.
func (a *app) listed(ctx context.Context, content *cache.Catalog, path string) ([]listedPackage, error) {
	var all []listedPackage
	heads := make(map[string]int)
	for p := range content.Packages() {
		l := listedPackage{Name: p.Name, DefaultChannel: p.DefaultChannel, Channels: []string{}, Provides: []string{}}
		for _, ch := range p.Channels {
			l.Channels = append(l.Channels, ch.Name)
		}
		if b := headOf(p); b != nil {
			l.Bundle, l.Version = b.Name, b.VersionText()
		}
		for _, b := range p.Bundles {
			for api := range b.Properties.GVKs() {
				l.Provides = append(l.Provides, api.String())
			}
		}
		slices.Sort(l.Provides)
		l.Provides = slices.Compact(l.Provides)
		heads[p.Name] = len(all)
		all = append(all, l)
	}
	err := a.blobs(ctx, path, func(b fbc.Blob) error {
		if i, ok := heads[b.Package]; ok && b.Schema == "olm.bundle" && b.Name == all[i].Bundle {
			all[i].DisplayName = displayName(b.Raw)
		}
		return nil
	})
	slices.SortFunc(all, func(x, y listedPackage) int { return cmp.Compare(x.Name, y.Name) })
	return all, err
}

// headOf returns the best bundle of the default channel, or the newest bundle of the package if
// the channel has none. It may be nil.
func headOf(p *graph.Package) *graph.Bundle {
	if ch := p.Channel(p.DefaultChannel); ch != nil {
		for _, b := range ch.Candidates() {
			return b
		}
	}
	return newest(p)
}

// newest returns the newest bundle of a package, preferring candidates. It may be nil.
func newest(p *graph.Package) *graph.Bundle {
	var best *graph.Bundle
	rank := func(b *graph.Bundle) int {
		if b.Quarantine == nil && len(b.Places) > 0 && !b.Barred {
			return 1
		}
		return 0
	}
	for _, b := range p.Bundles {
		if best == nil || cmp.Or(cmp.Compare(rank(b), rank(best)), b.CompareVersion(best)) > 0 {
			best = b
		}
	}
	return best
}

// displayName returns the display name in the blob of a bundle, from olm.csv.metadata or the
// ClusterServiceVersion among its objects.
func displayName(blob json.RawMessage) string {
	var bundle struct {
		Properties []struct {
			Type  string          `json:"type"`
			Value json.RawMessage `json:"value"`
		} `json:"properties"`
	}
	if json.Unmarshal(blob, &bundle) != nil {
		return ""
	}
	for _, p := range bundle.Properties {
		switch p.Type {
		case "olm.csv.metadata":
			var csv struct{ DisplayName string }
			if json.Unmarshal(p.Value, &csv) == nil && csv.DisplayName != "" {
				return csv.DisplayName
			}
		case "olm.bundle.object":
			var object struct{ Data []byte }
			var csv struct {
				Kind string
				Spec struct{ DisplayName string }
			}
			if json.Unmarshal(p.Value, &object) == nil && json.Unmarshal(object.Data, &csv) == nil && csv.Kind == "ClusterServiceVersion" {
				return csv.Spec.DisplayName
			}
		}
	}
	return ""
}

// matches reports whether each word occurs in the name, the display name or a provided API of
// the package.
func (p *listedPackage) matches(wanted string) bool {
	all := strings.ToLower(strings.Join(append([]string{p.Name, p.DisplayName}, p.Provides...), "\n"))
	for _, word := range strings.Fields(strings.ToLower(wanted)) {
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}

// nearPackages returns packages with a name, display name or kind similar to a text.
func nearPackages(wanted string, all []listedPackage) []string {
	of := make(map[string]string) // package by possible spelling
	names := func(yield func(string) bool) {
		for _, p := range all {
			said := []string{p.Name, p.DisplayName}
			for _, api := range p.Provides {
				said = append(said, api[strings.LastIndexByte(api, '/')+1:])
			}
			for _, s := range said {
				s = strings.ToLower(s)
				if _, known := of[s]; s == "" || known {
					continue
				}
				if of[s] = p.Name; !yield(s) {
					return
				}
			}
		}
	}
	return text.Distinct(text.Each(text.Near(strings.ToLower(wanted), iter.Seq[string](names), 3), func(s string) string { return of[s] }))
}

// didYouMean returns a suggestion of similar names, or an empty string.
func didYouMean(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + text.Or(text.Names(near)) + "?"
}

// listText writes the table of packages.
func listText(t *view.Text, list []listedPackage) {
	if len(list) == 0 {
		return
	}
	table := &terminal.Table{Columns: []terminal.Column{{Head: "PACKAGE"}, {Head: "VERSION"}, {Head: "CHANNEL", Optional: true}, {Head: "DISPLAY NAME"}, {Head: "PROVIDES"}}}
	for _, p := range list {
		kinds := text.Distinct(text.Each(p.Provides, func(api string) string { return api[strings.LastIndexByte(api, '/')+1:] }))
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
