package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) tryCommand() *cli.Command {
	forms := append(resolveFormats(), "scenario")
	return &cli.Command{
		Usage: "check whether packages can be installed, without a scenario file", ArgsUsage: "CATALOG... PACKAGE[=VERSION|=RANGE]...",
		Description: `The first argument is a catalog, the last one a package. An argument between them is a
catalog if it is a file or directory, contains a slash or is an image; otherwise it is a
package. The cluster is empty except for bundles given with --installed.

The output formats are those of resolve. -o scenario writes the request as a scenario file
for the other commands.

For example: resolute try community.yaml etcd 'cert-manager=>=1.15.0 <2.0.0'`,
		DisableSliceFlagSeparator: true,
		Flags: slices.Concat([]cli.Flag{
			listFlag("channel", "install from `CHANNEL`, or one package as PACKAGE=CHANNEL; repeatable"),
			listFlag("installed", "assume that `BUNDLE` is installed, and upgrade it if its package is given; repeatable"),
			stringFlag("explain", "explain why `BUNDLE` is selected, or why not"),
		}, answerFlags(forms...), traceFlags()),
		Action: a.try,
	}
}

// try checks whether packages can be installed, with the output of resolve or explain.
func (a *app) try(ctx context.Context, cmd *cli.Command) error {
	s, err := newScenario(cmd.Args().Slice())
	if err != nil {
		return err
	}
	b := *a
	b.images.Settings.Allow = true // named on the command line
	b.adHoc, b.adHocLoader = s, a.loader()
	b.adHocLoader.Options.Strict = cmd.Bool("strict")
	loaded, err := await(ctx, func() (*scenario.Loaded, error) { return b.adHocLoader.Load(ctx, s) })
	a.progress.Done()
	if err != nil {
		return err
	}
	for i, c := range loaded.Request.Catalogs {
		if err := a.usableError(ctx, s.Catalogs[i].Path+s.Catalogs[i].Image, c.Content, c.Unavailable); err != nil {
			return err
		}
	}
	if err := withChannels(s, cmd.StringSlice("channel")); err != nil {
		return err
	}
	if err := withInstalled(s, loaded.Request.Catalogs, cmd.StringSlice("installed")); err != nil {
		return err
	}
	name := strings.Join(text.Each(s.Subscriptions, func(sub scenario.Subscription) string { return sub.Name }), ", ")
	switch bundle := cmd.String("explain"); {
	case cmd.String("output") == "scenario":
		return s.Write(a.out)
	case bundle != "" && !slices.Contains(explainFormats(), cmd.String("output")):
		return fmt.Errorf("--explain supports the formats %s, not %s", text.Or(explainFormats()), cmd.String("output"))
	case bundle != "":
		return b.explain(ctx, cmd, name, bundle)
	}
	return b.answerAll(ctx, cmd, []string{name})
}

// withoutCluster removes the kubectl commands from an answer, as there is no cluster to run
// them on.
func (a *app) withoutCluster(answer *scenario.Answer) {
	if a.adHoc == nil || answer.Conflict == nil {
		return
	}
	for _, c := range answer.Conflict.All() {
		for i := range c.Corrections {
			for k := range c.Corrections[i].Changes {
				c.Corrections[i].Changes[k].Commands = nil
			}
		}
	}
}

// newScenario returns a scenario for catalogs and packages.
func newScenario(args []string) (*scenario.Scenario, error) {
	s := &scenario.Scenario{}
	for i, arg := range args {
		name, behind, found := strings.Cut(arg, "=")
		isCatalog := func(s string) bool {
			_, err := os.Stat(s)
			return err == nil || strings.Contains(s, "/") || pull.IsImage(s)
		}
		if i == 0 || i < len(args)-1 && (isCatalog(arg) || isCatalog(behind)) {
			key, path, err := pull.Argument(arg)
			if err != nil {
				return nil, err
			}
			c := scenario.Catalog{Namespace: key.Namespace, Name: key.Name, Path: path}
			if pull.IsImage(path) {
				c.Path, c.Image = "", path
			}
			s.Catalogs = append(s.Catalogs, c)
			continue
		}
		if _, err := properties.ParseRange(behind); found && err != nil {
			return nil, fmt.Errorf("%s: %q is not a version such as 1.2.3 or a range such as '>=1.2.0 <2.0.0'%s", arg, behind, text.NearRange(behind))
		}
		s.Subscriptions = append(s.Subscriptions, scenario.Subscription{Name: name, Package: name, VersionRange: behind})
	}
	return s, nil
}

// withChannels applies --channel.
func withChannels(s *scenario.Scenario, channels []string) error {
	for _, arg := range channels {
		pkg, channel, one := strings.Cut(arg, "=")
		found := false
		for i := range s.Subscriptions {
			sub := &s.Subscriptions[i]
			if !one {
				sub.Channel, found = arg, true
			} else if sub.Package == pkg {
				sub.Channel, found = channel, true
			}
		}
		if !found {
			asked := text.Each(s.Subscriptions, func(sub scenario.Subscription) string { return sub.Package })
			return fmt.Errorf("--channel %s: package %s is not requested%s", arg, pkg, text.DidYouMean(pkg, slices.Values(asked)))
		}
	}
	return nil
}

// withInstalled adds installed bundles, each owned by the subscription to its package.
func withInstalled(s *scenario.Scenario, catalogs []resolver.Catalog, bundles []string) error {
	for _, name := range bundles {
		pkg := ""
		var known []string
		for _, c := range catalogs {
			for b := range c.Content.Bundles() {
				if known = append(known, b.Name); b.Name == name {
					pkg = b.Package
				}
			}
		}
		if pkg == "" {
			return fmt.Errorf("--installed %s: no catalog has that bundle%s", name, text.DidYouMean(name, slices.Values(known)))
		}
		s.Installed = append(s.Installed, scenario.Installed{Name: name})
		for i := range s.Subscriptions {
			if sub := &s.Subscriptions[i]; sub.Package == pkg {
				sub.InstalledCSV = name
			}
		}
	}
	return nil
}
