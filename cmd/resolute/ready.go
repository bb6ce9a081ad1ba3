package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/internal/shards"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) readyCommand() *cli.Command {
	return &cli.Command{
		Usage: "check operators against the next version of the cluster", ArgsUsage: "SCENARIO...",
		Description: `A scenario describes a cluster or one of its namespaces. For a directory, all *.yaml and
*.json files below it are read.

--next KEY=CATALOG replaces a catalog of the scenario with that of the next version. KEY is
NAMESPACE/NAME, or NAME in any namespace. Repeat a KEY for each further version, and
--openshift and --kubernetes once for each version. A catalog with an image template
(imageTemplate, which capture reads from the annotation olm.catalogImageTemplate) needs
--allow-images instead of --next.

-o json prints one object per line for each scenario, then the summary of several. --shard
i/n checks one of n parts, counted from 0; --merge combines the JSON of all parts.

Extensions of OLM v1 are checked like subscriptions. With the policy dependencies: Refuse,
no extension moves to a bundle with requirements.

The exit status is 0 if all clusters are ready, 1 if one needs action, 2 if a scenario is
invalid, 3 if a check is incomplete.`,
		Flags: slices.Concat([]cli.Flag{reportFlag("text", "json", "html"), timeoutFlag(), mergeFlag()},
			readyFlags(), limitFlags()),
		Action: a.ready,
	}
}

// readyFlags configure the check.
func readyFlags() []cli.Flag {
	return append([]cli.Flag{
		strictFlag(),
		listFlag("next", "read the catalog KEY of the next version from `KEY=CATALOG`; repeatable"),
		listFlag("openshift", "the next `VERSION` of OpenShift, for example 4.20"),
		listFlag("kubernetes", "the next `VERSION` of Kubernetes, for example 1.33.0; implied by --openshift 4.y"),
		workersFlag("scenarios"),
	}, pathFlags("scenarios")...)
}

// ready checks clusters or merges the results of shards.
func (a *app) ready(ctx context.Context, cmd *cli.Command) error {
	out := a.readyOutput(ctx, cmd.String("output"))
	var summary *upgrade.Summary
	var err error
	if cmd.Bool("merge") {
		err = a.merge(ctx, cmd, readyFlags(), func(parts ...io.Reader) error {
			summary, err = upgrade.Merge(out.report, parts...)
			return err
		})
	} else {
		summary, err = a.checkFleet(ctx, cmd, out)
	}
	if stopped := ctx.Err(); stopped != nil {
		a.progress.Done()
		return fmt.Errorf("ready: stopped: %w; the output is not complete", stopped)
	}
	if err != nil {
		return err
	}
	if err := out.end(summary); err != nil {
		return err
	}
	return exitError(readyStatus(summary))
}

// readyStatus returns the exit status for a summary.
func readyStatus(s *upgrade.Summary) int {
	switch {
	case s.Incomplete > 0:
		return exitIncomplete
	case s.Invalid > 0:
		return exitUnusable
	case s.Ready < s.Clusters:
		return exitNo
	}
	return exitOK
}

// readyOutput receives each report and finally the summary.
type readyOutput struct {
	report func(*upgrade.Report) error
	end    func(*upgrade.Summary) error
}

// readyOutput returns the writer for an output format. JSON and text are streamed.
func (a *app) readyOutput(ctx context.Context, form string) readyOutput {
	switch form {
	case "text":
		return readyOutput{func(r *upgrade.Report) error { return r.WriteText(a.out.Wrapped(), a.paint) }, func(s *upgrade.Summary) error { return s.WriteText(a.out.Wrapped()) }}
	case "json":
		return readyOutput{func(r *upgrade.Report) error { return r.WriteLine(a.out) }, func(s *upgrade.Summary) error { return s.WriteLine(a.out) }}
	case "html":
		p := view.NewReadyPage()
		return readyOutput{p.Add, func(s *upgrade.Summary) error { return p.Write(ctx, a.out, s) }}
	}
	v := view.NewReadyReport(buildVersion())
	return readyOutput{v.Add, func(s *upgrade.Summary) error { return a.writeReport(v.Report(s), form) }}
}

// paint colors a verdict.
func (a *app) paint(v upgrade.Verdict, words string) string {
	return a.out.Paint(map[upgrade.Verdict]terminal.Colour{upgrade.Fine: terminal.Green, upgrade.UpdateAfter: terminal.Yellow,
		upgrade.UpdateBefore: terminal.Yellow, upgrade.NoWay: terminal.Red, upgrade.Gone: terminal.Red}[v], words)
}

// checkFleet checks the scenarios named by the arguments.
func (a *app) checkFleet(ctx context.Context, cmd *cli.Command, out readyOutput) (*upgrade.Summary, error) {
	shard, all, err := shards.Parse(cmd.String("shard"))
	if err != nil {
		return nil, ofFlag("shard", err)
	}
	files, err := a.scenarioFiles(ctx, cmd.Args().Slice())
	if err != nil {
		return nil, err
	}
	loader := a.loader()
	loader.Options.Strict = cmd.Bool("strict")
	versions, err := a.nextVersions(ctx, cmd, files)
	if err != nil {
		return nil, err
	}
	fleet := &upgrade.Fleet{
		Options:  upgrade.Options{Versions: versions, MaxRounds: cmd.Int("max-rounds")},
		Resolver: a.resolver(cmd), Loader: loader, Read: a.read, Shard: shard, Shards: all, Workers: cmd.Int("workers"),
		Progress: func(done, total int) { a.progress.Bar("checking clusters", done, total) },
	}
	defer a.progress.Done()
	summary, err := fleet.Run(ctx, files, func(r *upgrade.Report) error {
		if r.Error != "" {
			a.complain(label(r.Name()), r.Error)
		}
		a.progress.Done()
		return out.report(r)
	})
	var unused *upgrade.UnusedCatalogError
	var invalid *resolver.RequestError
	switch {
	case errors.As(err, &unused):
		return nil, fmt.Errorf("--next: %w", err)
	case errors.As(err, &invalid):
		p := invalid.Problems[0] // its path names an internal field
		return nil, fmt.Errorf("%s: %s with --openshift or --kubernetes", p.Value, p.Message)
	}
	return summary, err
}

// nextVersions reads --next, --openshift and --kubernetes as one version or a sequence of
// versions. Catalogs without --next come from image templates in the scenarios of files.
func (a *app) nextVersions(ctx context.Context, cmd *cli.Command, files []string) ([]upgrade.Version, error) {
	given, n := make(map[string][]upgrade.NextCatalog), 0
	var names []string
	for _, arg := range cmd.StringSlice("next") {
		name, path, ok := strings.Cut(arg, "=")
		if !ok || name == "" || path == "" {
			return nil, fmt.Errorf("--next %s: must have the form NAMESPACE/NAME=CATALOG", arg)
		}
		given[name] = nil
	}
	templates, err := a.templates(ctx, files, given)
	if err != nil {
		return nil, err
	}
	loader := a.loader()
	loader.Options.Strict = cmd.Bool("strict")
	for _, arg := range cmd.StringSlice("next") {
		name, path, _ := strings.Cut(arg, "=")
		next, err := a.nextCatalog(ctx, loader, name, path)
		if err != nil {
			return nil, fmt.Errorf("--next %s: %w", arg, err)
		}
		if len(given[name]) == 0 {
			names = append(names, name)
		}
		given[name] = append(given[name], next)
		n = max(n, len(given[name]))
	}
	if len(templates) > 0 {
		n = max(1, n, len(cmd.StringSlice("openshift")), len(cmd.StringSlice("kubernetes")))
	}
	if n == 0 {
		return nil, errors.New("--next is required: give the catalogs of the next version, as in --next olm/community=CATALOG")
	}
	versions := make([]upgrade.Version, n)
	for i := range versions {
		for _, name := range names { // the last catalog also serves the remaining versions
			versions[i].Catalogs = append(versions[i].Catalogs, given[name][min(i, len(given[name])-1)])
		}
	}
	if err := assignVersions(cmd, "openshift", len(versions), func(i int, v string) { versions[i].OpenShift = v }); err != nil {
		return nil, err
	}
	if err := assignVersions(cmd, "kubernetes", len(versions), func(i int, v string) { versions[i].Kubernetes = v }); err != nil {
		return nil, err
	}
	return versions, a.addTemplateCatalogs(ctx, loader, versions, templates)
}

// nextCatalog reads a catalog of a next version.
func (a *app) nextCatalog(ctx context.Context, loader *scenario.Loader, name, path string) (upgrade.NextCatalog, error) {
	next := upgrade.NextCatalog{For: name, Lifecycles: make(upgrade.Lifecycles)}
	var err error
	if next.Content, err = a.catalog(ctx, loader, nextKey(name), path); err != nil {
		return next, err
	}
	return next, a.blobs(ctx, path, func(b fbc.Blob) error { next.Lifecycles.Add(b.Schema, b.Raw); return nil })
}

// templates returns the image templates of catalogs in the scenarios, by key, without the given
// ones, which --next sets. It notes whether the catalogs need annotations.
func (a *app) templates(ctx context.Context, files []string, given map[string][]upgrade.NextCatalog) (map[string]string, error) {
	out := make(map[string]string)
	for _, file := range files {
		s, err := a.read(ctx, file)
		if file == "-" || err != nil {
			continue // standard input is read only once; read errors appear in the report
		}
		a.metadata = a.metadata || len(s.Policy.Veto) > 0
		isGiven := func(key string) bool { _, ok := given[key]; return ok }
		for _, c := range s.Catalogs {
			key := cache.Key{Namespace: cmp.Or(c.Namespace, s.Namespace, scenario.DefaultNamespace), Name: c.Name}.String()
			switch other := out[key]; {
			case c.ImageTemplate == "" || isGiven(key) || isGiven(c.Name):
			case other != "" && other != c.ImageTemplate:
				return nil, fmt.Errorf("%s: the image template of catalog %s differs from that of another scenario; set --next %[2]s=CATALOG", file, key)
			default:
				out[key] = c.ImageTemplate
			}
		}
	}
	return out, nil
}

// addTemplateCatalogs adds the catalogs whose images follow from templates to the versions.
func (a *app) addTemplateCatalogs(ctx context.Context, loader *scenario.Loader, versions []upgrade.Version, templates map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(templates)) {
		for i := range versions {
			image, err := versions[i].CatalogImage(templates[key])
			if err != nil {
				return fmt.Errorf("catalog %s: %w; set --kubernetes, or --next %[1]s=CATALOG", key, err)
			}
			if !a.images.Settings.Allow {
				return fmt.Errorf("by its template, the next version of catalog %s is the image %s; set --allow-images to fetch it, or --next %[1]s=CATALOG", key, image)
			}
			next, err := a.nextCatalog(ctx, loader, key, image)
			if err != nil {
				return err
			}
			versions[i].Catalogs = append(versions[i].Catalogs, next)
		}
	}
	return nil
}

// nextKey is the key that problems of a next catalog refer to.
func nextKey(name string) cache.Key {
	if key, err := cache.ParseKey(name); err == nil {
		return key
	}
	return cache.Key{Name: name}
}

// assignVersions assigns the values of a flag, one for each version or one for the last.
func assignVersions(cmd *cli.Command, flag string, versions int, set func(int, string)) error {
	values := cmd.StringSlice(flag)
	if len(values) == 1 {
		values = minorsUpTo(values[0], versions)
	}
	if len(values) > 0 && len(values) != versions {
		return fmt.Errorf("--%s is given %s, but there are catalogs of %s; give it once for each version, in order, or once for the last",
			flag, text.Count(len(values), "time", "times"), text.Count(versions, "version", "versions"))
	}
	for i, v := range values {
		var err error
		if flag == "openshift" {
			_, err = properties.ParseOpenShiftVersion(v)
		} else {
			_, err = properties.ParseKubernetesVersion(v)
		}
		if err != nil {
			return fmt.Errorf("--%s %q %w; for example %s", flag, v, err, map[string]string{"openshift": "4.20", "kubernetes": "1.33.0"}[flag])
		}
		set(i, v)
	}
	return nil
}

// minorsUpTo returns the minor versions up to a version, in ascending order.
func minorsUpTo(last string, versions int) []string {
	out := slices.Repeat([]string{last}, versions)
	v, err := semver.ParseTolerant(last)
	for i := range versions - 1 {
		if back := uint64(versions - 1 - i); err == nil && v.Minor >= back {
			out[i] = fmt.Sprintf("%d.%d", v.Major, v.Minor-back)
		}
	}
	return out
}
