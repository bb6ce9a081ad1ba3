package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/kubectl"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) captureCommand() *cli.Command {
	return &cli.Command{
		Usage: "capture each namespace of a cluster as a scenario and report findings", ArgsUsage: "[DUMP...]",
		Description: "A DUMP is the output of `kubectl get olm -A -o yaml` (`-` reads standard input), a\n" +
			"must-gather, a directory of objects, or an archive of them (tar, tar.gz, zip). Several\n" +
			"dumps are parts of one cluster. With --live, kubectl reads the cluster instead.\n\n" +
			"The command summarizes each namespace: the installed operators, the status that OLM\n" +
			"reports, the answer to the scenario, and each finding with its remedy. The pods, events\n" +
			"and service accounts of a must-gather explain unreachable catalogs and missing accounts.\n" +
			"-o html prints a page over all namespaces. --into writes the scenarios for other\n" +
			"commands, with the status of OLM under expect.\n" +
			"Scenarios contain only names, versions, properties and conditions.\n\n" +
			"The exit status is 1 if a finding blocks OLM, or if a part of a dump is\n" +
			"missing.",
		Flags: slices.Concat([]cli.Flag{
			reportFlag("text", "json", "html"), timeoutFlag(), noCorrectionsFlag(),
			listFlag("catalog", "read the content of a catalog from `KEY=CATALOG`; KEY is NAMESPACE/NAME, CATALOG a path or an image"),
			stringFlag("into", "write the scenarios to `DIRECTORY`, creating it if necessary"),
			boolFlag("like-olm", "set the policies of OLM Classic"),
			boolFlag("migrate", "report whether each subscription can migrate to an extension of OLM v1, by rules C1 to C10"),
			stringFlag("global-namespace", "the `NAMESPACE` whose catalogs are global (default: openshift-marketplace if it exists, else olm)"),
			&cli.StringFlag{Name: "apis", Value: "none", Validator: oneOf("none", "crds"), Usage: "the `APIS` that the cluster is assumed to serve: none (like OLM) or crds"},
		}, liveFlags(), limitFlags()),
		Action: a.capture,
	}
}

// liveFlags configure how a running cluster is read.
func liveFlags() []cli.Flag {
	return []cli.Flag{
		boolFlag("live", "read a running cluster with kubectl and its configuration; nothing is changed"),
		&cli.StringFlag{Name: "kubectl", Value: "kubectl", Usage: "the kubectl `PROGRAM` to run"},
		stringFlag("context", "the kubectl `CONTEXT` to use"),
		stringFlag("kubeconfig", "the kubeconfig `FILE` to use"),
	}
}

// capture converts a cluster to scenarios.
func (a *app) capture(ctx context.Context, cmd *cli.Command) error {
	dumps := cmd.Args().Slice()
	live := cmd.Bool("live") || len(dumps) == 0 && kubectl.IsPlugin(a.args)
	switch {
	case live && len(dumps) > 0:
		return errors.New("--live cannot be combined with a DUMP")
	case !live && len(dumps) == 0:
		return fmt.Errorf("capture needs DUMP... or --live; see %s --help", cmd.FullName())
	}
	if !live {
		if err := requireFlag(cmd, "--live", "kubectl", "context", "kubeconfig"); err != nil {
			return err
		}
	}
	catalogs, err := catalogPaths(cmd.StringSlice("catalog"), cmd.String("into"))
	if err != nil {
		return err
	}
	cluster := new(olm.Cluster)
	if live {
		client := kubectl.Client{Program: cmd.String("kubectl"), Context: cmd.String("context"), Kubeconfig: cmd.String("kubeconfig"),
			APIs: cmd.String("apis") == "crds", Warn: a.say}
		err = client.Read(ctx, cluster)
	} else {
		err = a.readDumps(ctx, cluster, dumps)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return stopped(ctx, "the cluster")
	case err != nil:
		for _, p := range cluster.Problems() {
			a.say(p.Error())
		}
		return err
	}
	captured, err := cluster.Capture(ctx, olm.Options{Catalogs: catalogs, LikeOLM: cmd.Bool("like-olm"), Migration: cmd.Bool("migrate"),
		GlobalNamespace: cmd.String("global-namespace"), APIs: cmd.String("apis") == "crds"})
	if err != nil && ctx.Err() == nil {
		return err
	}
	if err != nil {
		return fmt.Errorf("stopped while creating scenarios: %w", err)
	}
	return a.writeCapture(ctx, cmd, cluster, captured)
}

// writeCapture writes a capture in the output format and to --into.
func (a *app) writeCapture(ctx context.Context, cmd *cli.Command, cluster *olm.Cluster, captured *olm.Capture) error {
	for _, p := range captured.Problems {
		a.say(p.Error())
	}
	into := cmd.String("into")
	if into != "" {
		if err := view.SaveCapture(into, captured); err != nil {
			return err
		}
	}
	a.judgePlans(ctx, cmd, captured)
	if err := a.judgeMigrations(ctx, cmd, captured); err != nil {
		return stopped(ctx, "the migrations")
	}
	missing := a.missingContent(captured, into)
	form := cmd.String("output")
	if len(missing) > 0 && form != "text" && form != "html" { // which include it
		a.say(view.WantedCatalogs(missing))
	}
	runner := a.runner(cmd)
	runner.Loader.Images = namedImages{a.images, captured}
	shown := view.Capture{Text: view.NewText(a.out), Missing: missing, Answer: func(s *scenario.Scenario) *scenario.Answer {
		defer a.progress.Done()
		return runner.Run(ctx, asWritten(s, into))
	}}
	var err error
	switch form {
	case "json":
		err = view.JSON(a.out, captured)
	case "html":
		err = shown.WriteHTML(ctx, a.out, captured)
	case "text":
		err = shown.Write(cluster, captured)
	default:
		err = a.writeReport(shown.Report(captured, buildVersion()), form)
	}
	if err != nil {
		return err
	}
	return exitError(captureStatus(captured))
}

// judgePlans resolves the approval of each pending install plan. Plans of namespaces without
// readable catalogs stay unjudged.
func (a *app) judgePlans(ctx context.Context, cmd *cli.Command, captured *olm.Capture) {
	runner := a.runner(cmd)
	runner.Loader.Images = namedImages{a.images, captured}
	for _, ns := range captured.Namespaces {
		if len(ns.Plans) == 0 {
			continue
		}
		loaded, err := runner.Loader.Load(ctx, asWritten(ns.Scenario, cmd.String("into")))
		a.progress.Done()
		for i := range ns.Plans {
			if err == nil {
				_ = ns.Plans[i].Judge(ctx, runner.Resolver, loaded.Request) // on error the plan has no verdict
			}
		}
	}
}

// judgeMigrations judges migrations against the readable catalogs.
func (a *app) judgeMigrations(ctx context.Context, cmd *cli.Command, captured *olm.Capture) error {
	runner := a.runner(cmd)
	runner.Loader.Images = namedImages{a.images, captured}
	defer a.progress.Done()
	return captured.JudgeMigrations(ctx, runner.Resolver, func(ctx context.Context, s *scenario.Scenario) (resolver.Request, error) {
		loaded, err := runner.Loader.Load(ctx, asWritten(s, cmd.String("into")))
		if err != nil {
			return resolver.Request{}, err
		}
		return loaded.Request, nil
	})
}

// missingContent returns the sorted --catalog keys of catalogs whose content is unknown.
func (a *app) missingContent(captured *olm.Capture, into string) []string {
	images := namedImages{a.images, captured}
	given := make(map[string]bool)
	for _, c := range captured.Catalogs {
		given[c.Key] = c.Path != ""
	}
	var out []string
	look := func(s *scenario.Scenario, namespace string) {
		for i := range s.Catalogs {
			c := &s.Catalogs[i]
			key := cmp.Or(c.Namespace, namespace) + "/" + c.Name
			known := given[key] || c.Image != "" && images.Allow(c.Image) == nil
			if c.Path != "" && !known {
				_, err := os.Stat(filepath.Join(into, c.Path)) // it may already be there
				known = err == nil
			}
			if !known {
				out = append(out, view.CatalogKey(c))
			}
		}
	}
	for _, ns := range captured.Namespaces {
		look(ns.Scenario, ns.Namespace)
	}
	if captured.Extensions != nil {
		look(captured.Extensions.Scenario, scenario.DefaultNamespace)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// asWritten returns a scenario as read back from the directory it is written to, with catalog
// paths relative to the working directory.
func asWritten(s *scenario.Scenario, into string) *scenario.Scenario {
	here := *s
	here.Catalogs = slices.Clone(s.Catalogs)
	for i := range here.Catalogs {
		if p := here.Catalogs[i].Path; p != "" && !filepath.IsAbs(p) {
			here.Catalogs[i].Path = filepath.Join(into, p)
		}
	}
	return &here
}

// namedImages allows fetching the images named on the command line.
type namedImages struct {
	*pull.Images
	captured *olm.Capture
}

// Allow implements scenario.Images.
func (p namedImages) Allow(reference string) error {
	for _, c := range p.captured.Catalogs {
		if c.Path == reference {
			return nil
		}
	}
	return p.Images.Allow(reference)
}

// captureStatus returns the exit status for the findings.
func captureStatus(captured *olm.Capture) int {
	for _, p := range captured.Problems {
		if p.Severity == graph.SeverityError {
			return exitNo
		}
	}
	var findings []olm.Finding
	for _, ns := range captured.Namespaces {
		findings = append(findings, ns.Findings...)
	}
	if captured.Extensions != nil {
		findings = append(findings, captured.Extensions.Findings...)
	}
	for _, f := range findings {
		if f.Severity == graph.SeverityError {
			return exitNo
		}
	}
	return exitOK
}

// readDumps adds dumps to one cluster.
func (a *app) readDumps(ctx context.Context, cluster *olm.Cluster, dumps []string) error {
	for _, dump := range dumps {
		_, err := await(ctx, func() (struct{}, error) {
			if dump == "-" {
				return struct{}{}, cluster.Read(ctx, a.in, stdinName)
			}
			return struct{}{}, cluster.ReadFile(ctx, dump)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// catalogPaths parses KEY=CATALOG arguments. Paths become relative to the output directory,
// as in scenarios.
func catalogPaths(args []string, into string) (map[string]string, error) {
	places := make(map[string]string, len(args))
	for _, arg := range args {
		key, place, ok := strings.Cut(arg, "=")
		if !ok || key == "" || place == "" {
			return nil, fmt.Errorf("--catalog %s: must have the form NAMESPACE/NAME=CATALOG", arg)
		}
		switch _, err := os.Stat(place); {
		case err == nil:
			place = pathFrom(into, place)
		case pull.IsImage(place) && !strings.Contains(place, ":/") && !strings.HasPrefix(place, "oci") && !strings.HasPrefix(place, "docker-archive:"):
			place = "docker://" + place // distinguishes it from a path in a scenario
		}
		places[key] = place
	}
	return places, nil
}

// pathFrom returns a path relative to a directory.
func pathFrom(dir, path string) string {
	if dir == "" || filepath.IsAbs(path) {
		return path
	}
	from, errFrom := filepath.Abs(dir)
	to, errTo := filepath.Abs(path)
	if errFrom != nil || errTo != nil {
		return path
	}
	if relative, err := filepath.Rel(from, to); err == nil {
		return filepath.ToSlash(relative)
	}
	return to
}
