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
		Usage: "a scenario for each namespace of a cluster, with what stands out", ArgsUsage: "[DUMP...]",
		Description: "A DUMP is what `kubectl get olm -A -o yaml` prints (`-` reads standard input), a\n" +
			"must-gather, a folder of objects, or an archive of them (tar, tar.gz, zip). Several dumps\n" +
			"are parts of one cluster. With --live, your kubectl asks the cluster instead.\n\n" +
			"The command prints a summary of each namespace: what is installed, what OLM says, what the\n" +
			"scenario gives, and each finding with what to do. The pods, events and service accounts of a\n" +
			"must-gather say why a catalog cannot be reached and which account is missing. --into writes\n" +
			"the scenarios for the other commands, with what OLM says under expect. Nothing but names,\n" +
			"versions, properties and conditions gets into them.\n\n" +
			"The exit status is 1 if something was found that stops OLM, or if a part of a dump is\n" +
			"missing.",
		Flags: slices.Concat([]cli.Flag{
			reportFlag("text", "json"), timeoutFlag(), noCorrectionsFlag(),
			listFlag("catalog", "read the content of a catalog from `KEY=CATALOG`: KEY is NAMESPACE/NAME, CATALOG a path or an image"),
			wordFlag("into", "write the scenarios to `DIRECTORY`, which is made if need be"),
			yesFlag("like-olm", "set the policies that agree with OLM Classic"),
			yesFlag("migrate", "say whether each subscription can become an extension of OLM v1, by the rules C1 to C10"),
			wordFlag("global-namespace", "the `NAMESPACE` whose catalogs all others see (default: openshift-marketplace if it is there, else olm)"),
			&cli.StringFlag{Name: "apis", Value: "none", Validator: oneOf("none", "crds"), Usage: "the `APIS` that count as served by the cluster: none, as OLM does, or crds"},
		}, liveFlags(), limitFlags()),
		Action: a.capture,
	}
}

// liveFlags say how a cluster is asked.
func liveFlags() []cli.Flag {
	return []cli.Flag{
		yesFlag("live", "ask the cluster with kubectl: its configuration and credentials are used, nothing is changed"),
		&cli.StringFlag{Name: "kubectl", Value: "kubectl", Usage: "the `PROGRAM` that asks the cluster"},
		wordFlag("context", "the `CONTEXT` of kubectl's configuration"),
		wordFlag("kubeconfig", "the `FILE` with kubectl's configuration"),
	}
}

// capture makes scenarios of a cluster.
func (a *app) capture(ctx context.Context, cmd *cli.Command) error {
	dumps := cmd.Args().Slice()
	live := cmd.Bool("live") || len(dumps) == 0 && kubectl.IsPlugin(a.args)
	switch {
	case live && len(dumps) > 0:
		return errors.New("--live and a DUMP are given; give one of them")
	case !live && len(dumps) == 0:
		return fmt.Errorf("capture needs DUMP..., or --live; see %s --help", cmd.FullName())
	}
	if !live {
		if err := countOnly(cmd, "--live", "kubectl", "context", "kubeconfig"); err != nil {
			return err
		}
	}
	catalogs, err := placesOfCatalogs(cmd.StringSlice("catalog"), cmd.String("into"))
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
		return fmt.Errorf("stopped while scenarios were made: %w", err)
	}
	return a.writeCapture(ctx, cmd, cluster, captured)
}

// writeCapture writes what was captured, wherever it is wanted.
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
	if len(missing) > 0 && form != "text" { // where it is part of the summary
		a.say(view.WantedCatalogs(missing))
	}
	runner := a.runner(cmd)
	runner.Loader.Images = permitted{a.images, captured}
	shown := view.Capture{Text: view.NewText(a.out), Missing: missing, Answer: func(s *scenario.Scenario) *scenario.Answer {
		defer a.progress.Done()
		return runner.Run(ctx, written(s, into))
	}}
	var err error
	switch form {
	case "json":
		err = view.JSON(a.out, captured)
	case "text":
		err = shown.Write(cluster, captured)
	default:
		err = a.writeReport(shown.Report(captured, buildVersion()), form)
	}
	if err != nil {
		return err
	}
	return finish(captureStatus(captured))
}

// judgePlans finds out where approving each install plan leads that waits. Where the
// catalogs of its namespace cannot be read, that stays unsaid.
func (a *app) judgePlans(ctx context.Context, cmd *cli.Command, captured *olm.Capture) {
	runner := a.runner(cmd)
	runner.Loader.Images = permitted{a.images, captured}
	for _, ns := range captured.Namespaces {
		if len(ns.Plans) == 0 {
			continue
		}
		loaded, err := runner.Loader.Load(ctx, written(ns.Scenario, cmd.String("into")))
		a.progress.Done()
		for i := range ns.Plans {
			if err == nil {
				_ = ns.Plans[i].Judge(ctx, runner.Resolver, loaded.Request) // then there is no verdict
			}
		}
	}
}

// judgeMigrations judges migrations with the content of the catalogs that can be read.
func (a *app) judgeMigrations(ctx context.Context, cmd *cli.Command, captured *olm.Capture) error {
	runner := a.runner(cmd)
	runner.Loader.Images = permitted{a.images, captured}
	defer a.progress.Done()
	return captured.JudgeMigrations(ctx, runner.Resolver, func(ctx context.Context, s *scenario.Scenario) (resolver.Request, error) {
		loaded, err := runner.Loader.Load(ctx, written(s, cmd.String("into")))
		if err != nil {
			return resolver.Request{}, err
		}
		return loaded.Request, nil
	})
}

// missingContent are the catalogs of the scenarios whose content is not known here, by the
// keys that --catalog takes, sorted.
func (a *app) missingContent(captured *olm.Capture, into string) []string {
	images := permitted{a.images, captured}
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
				_, err := os.Stat(filepath.Join(into, c.Path)) // where it may have been put
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

// written is a scenario as it would be read from the folder that it is written to, with
// the paths of its catalogs as seen from here.
func written(s *scenario.Scenario, into string) *scenario.Scenario {
	here := *s
	here.Catalogs = slices.Clone(s.Catalogs)
	for i := range here.Catalogs {
		if p := here.Catalogs[i].Path; p != "" && !filepath.IsAbs(p) {
			here.Catalogs[i].Path = filepath.Join(into, p)
		}
	}
	return &here
}

// permitted are images of which those may be fetched that the command line names.
type permitted struct {
	*pull.Images
	captured *olm.Capture
}

// Allow implements scenario.Images.
func (p permitted) Allow(reference string) error {
	for _, c := range p.captured.Catalogs {
		if c.Path == reference {
			return nil
		}
	}
	return p.Images.Allow(reference)
}

// captureStatus is the exit status for what was found.
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

// readDumps reads dumps as parts of one cluster.
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

// placesOfCatalogs reads KEY=CATALOG arguments. Paths become relative to the folder
// that the scenarios go into, since that is how scenarios name catalogs.
func placesOfCatalogs(args []string, into string) (map[string]string, error) {
	places := make(map[string]string, len(args))
	for _, arg := range args {
		key, place, ok := strings.Cut(arg, "=")
		if !ok || key == "" || place == "" {
			return nil, fmt.Errorf("--catalog %s: write it as NAMESPACE/NAME=CATALOG", arg)
		}
		switch _, err := os.Stat(place); {
		case err == nil:
			place = pathFrom(into, place)
		case pull.IsImage(place) && !strings.Contains(place, ":/") && !strings.HasPrefix(place, "oci") && !strings.HasPrefix(place, "docker-archive:"):
			place = "docker://" + place // as a scenario can tell it from a path
		}
		places[key] = place
	}
	return places, nil
}

// pathFrom is a path as a file in a folder names it.
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
