package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/examples/resolute/internal/pull"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) captureCommand() *cli.Command {
	return &cli.Command{
		Name: "capture", Usage: "a scenario for each namespace of a cluster, with what stands out", ArgsUsage: "DUMP...",
		Description: "A DUMP is what `kubectl get olm -A -o yaml` prints (`-` reads standard input), a\n" +
			"must-gather, a folder of objects, or an archive of them (tar, tar.gz, zip). Several are\n" +
			"taken as parts of one cluster. With --live, your kubectl asks the cluster instead.\n\n" +
			"A summary a namespace: what is installed, what OLM says, what the scenario gives, and each\n" +
			"finding with what to do. --into writes the scenarios for the other commands, with what OLM\n" +
			"says under expect. Nothing but names, versions, properties and conditions gets into them.\n\n" +
			"The exit status is 1 if something was found that stops OLM, or a part of a dump is missing.",
		Flags: slices.Concat([]cli.Flag{
			outputFlag("text", "json"), timeoutFlag(), noCorrectionsFlag(),
			&cli.StringSliceFlag{Name: "catalog", Usage: "where the content of a catalog lies, as `KEY=CATALOG`: KEY is NAMESPACE/NAME, CATALOG a path or an image"},
			&cli.StringFlag{Name: "into", Usage: "write the scenarios to `DIRECTORY`, which is made if need be"},
			&cli.BoolFlag{Name: "like-olm", Usage: "set the policies that agree with OLM Classic"},
			&cli.BoolFlag{Name: "migrate", Usage: "say of each subscription whether it could be an extension of OLM v1"},
			&cli.StringFlag{Name: "global-namespace", Usage: "the `NAMESPACE` whose catalogs all others see (default: openshift-marketplace if it is there, else olm)"},
			&cli.StringFlag{Name: "apis", Value: "none", Usage: "APIs that count as served by the cluster: none, as OLM does, or crds",
				Validator: func(v string) error {
					if v != "none" && v != "crds" {
						return fmt.Errorf("%q is not one of [none crds]", v)
					}
					return nil
				}},
		}, liveFlags(), limitFlags()),
		Action: a.capture,
	}
}

// capture makes scenarios of a cluster.
func (a *app) capture(ctx context.Context, cmd *cli.Command) error {
	dumps := cmd.Args().Slice()
	live := cmd.Bool("live") || len(dumps) == 0 && isPlugin(a.args)
	switch {
	case live && len(dumps) > 0:
		return fmt.Errorf("--live and a DUMP are given; give one of them")
	case !live && len(dumps) == 0:
		return needs(cmd)
	}
	catalogs, err := placesOfCatalogs(cmd.StringSlice("catalog"), cmd.String("into"))
	if err != nil {
		return err
	}
	ctx, cancel := withTimeout(ctx, cmd)
	defer cancel()
	cluster := new(olm.Cluster)
	if live {
		err = a.askCluster(ctx, cmd, cluster)
	} else {
		err = a.readDumps(ctx, cluster, dumps)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		a.say(fmt.Sprintf("stopped while the cluster was read: %v", ctx.Err()))
		return exit(exitIncomplete)
	case err != nil:
		return err
	}
	opts := olm.Options{Catalogs: catalogs, LikeOLM: cmd.Bool("like-olm"),
		GlobalNamespace: cmd.String("global-namespace"), APIs: cmd.String("apis") == "crds"}
	captured, err := await(ctx, func() (*olm.Capture, error) {
		captured := cluster.Capture(opts)
		if cmd.Bool("migrate") {
			captured.Migration = cluster.Migrate(opts)
		}
		return captured, nil
	})
	if err != nil {
		a.say(fmt.Sprintf("stopped while scenarios were made: %v", err))
		return exit(exitIncomplete)
	}
	return a.writeCapture(ctx, cmd, cluster, captured)
}

// writeCapture writes what was captured, wherever it is wanted.
func (a *app) writeCapture(ctx context.Context, cmd *cli.Command, cluster *olm.Cluster, captured *olm.Capture) error {
	var err error
	for _, p := range captured.Problems {
		a.say(p.String())
	}
	if dir := cmd.String("into"); dir != "" {
		if err := writeScenarios(dir, captured); err != nil {
			return err
		}
	}
	if asJSON(cmd) {
		err = writeJSON(a.out, captured)
	} else {
		err = a.printCapture(ctx, cmd, cluster, captured)
	}
	if err != nil {
		return err
	}
	return finish(captureStatus(captured))
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
		if p.Severity == olm.Error {
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
		if f.Severity == olm.Error {
			return exitNo
		}
	}
	return exitOK
}

// readDumps reads dumps as parts of one cluster.
func (a *app) readDumps(ctx context.Context, cluster *olm.Cluster, dumps []string) error {
	for _, dump := range dumps {
		var err error
		if dump == "-" {
			err = cluster.Read(ctx, a.in, stdinName)
		} else {
			err = cluster.ReadFile(ctx, dump)
		}
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
		case isImage(place) && !strings.Contains(place, ":/") && !strings.HasPrefix(place, "oci") && !strings.HasPrefix(place, "docker-archive:"):
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

// extensionsFile is the scenario of what OLM v1 manages; no namespace has such a name.
const extensionsFile = "_extensions.yaml"

// writeScenarios writes a file for each namespace. Nothing is written outside of the
// folder, whatever a namespace is called and wherever links in it lead.
func writeScenarios(dir string, captured *olm.Capture) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, ns := range captured.Namespaces {
		if err := writeScenario(root, ns.Namespace+".yaml", ns.Scenario); err != nil {
			return err
		}
	}
	if captured.Extensions != nil {
		return writeScenario(root, extensionsFile, captured.Extensions.Scenario)
	}
	return nil
}

func writeScenario(root *os.Root, name string, s *scenario.Scenario) error {
	var b bytes.Buffer
	if err := s.Write(&b, scenario.YAML); err != nil {
		return err
	}
	f, err := root.Create(name)
	if err != nil {
		return err
	}
	if _, err := b.WriteTo(f); err != nil {
		_ = f.Close() // the first error says it
		return err
	}
	return f.Close()
}

// printCapture writes a summary a namespace.
func (a *app) printCapture(ctx context.Context, cmd *cli.Command, cluster *olm.Cluster, captured *olm.Capture) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s, %s%s\n", text.Count(len(captured.Namespaces), "namespace", "namespaces"), text.Count(len(captured.Catalogs), "catalog", "catalogs"), versionsOf(captured.Cluster))
	if n := cluster.Copied(); n > 0 {
		fmt.Fprintf(&b, "%s of operators in other namespaces not looked at\n", text.Count(n, "copy", "copies"))
	}
	for _, c := range captured.Catalogs {
		fmt.Fprintf(&b, "catalog %s: priority %d, %s\n", text.Inert(c.Key), c.Priority, placeOf(c))
	}
	if _, err := b.WriteTo(a.out); err != nil {
		return err
	}
	runner := a.runner(cmd)
	runner.Loader.Images = permitted{a.images, captured}
	for _, ns := range captured.Namespaces {
		fmt.Fprintf(&b, "\nnamespace %s\n", text.Inert(ns.Namespace))
		printState(&b, ns.Scenario)
		printObserved(&b, ns.Observed)
		a.printOwn(ctx, &b, runner, ns.Scenario, cmd.String("into"))
		a.printFindings(&b, ns.Findings)
		if _, err := b.WriteTo(a.out); err != nil {
			return err
		}
	}
	printMigration(&b, captured.Migration)
	a.printExtensions(ctx, &b, runner, captured, cmd.String("into"))
	_, err := b.WriteTo(a.out)
	return err
}

func versionsOf(v olm.Versions) string {
	s := ""
	if v.OpenShiftVersion != "" {
		s += ", OpenShift " + text.Inert(v.OpenShiftVersion)
	}
	if v.KubernetesVersion != "" {
		s += ", Kubernetes " + text.Inert(v.KubernetesVersion)
	}
	return s
}

// placeOf says where the content of a catalog is.
func placeOf(c olm.Catalog) string {
	health := ""
	if !c.Healthy {
		health = ", not healthy"
	}
	switch {
	case c.Path != "":
		return text.Inert(c.Path) + health
	case c.Image != "":
		return "image " + text.Inert(c.Image) + health
	}
	return "content not known, give --catalog" + health
}

// printState writes what is installed and asked for.
func printState(b *bytes.Buffer, s *scenario.Scenario) {
	owned := make(map[string][]string)
	for _, sub := range s.Subscriptions {
		owned[sub.InstalledCSV] = append(owned[sub.InstalledCSV], sub.Name)
		if sub.InstalledCSV == "" {
			fmt.Fprintf(b, "  wanted     %s, by subscription %s\n", text.Inert(sub.Package), text.Inert(sub.Name))
		}
		if sub.Hold != "" {
			fmt.Fprintf(b, "  held       subscription %s: %s\n", text.Inert(sub.Name), text.Inert(sub.Hold))
		}
	}
	for _, in := range s.Installed {
		note := ""
		switch {
		case in.ReplacedBy != "":
			note = ", being replaced by " + text.Inert(in.ReplacedBy)
		case in.Automatic:
			note = ", a dependency"
		case len(owned[in.Name]) > 0:
			note = ", of subscription " + shortList(owned[in.Name])
		default:
			note = ", of no subscription"
		}
		fmt.Fprintf(b, "  installed  %s%s\n", text.Inert(in.Name), note)
	}
}

func printObserved(b *bytes.Buffer, o olm.Observed) {
	line := "  OLM says   " + string(o.Status)
	if o.Message != "" {
		line += ": " + text.Inert(o.Message)
	}
	b.WriteString(line + "\n")
}

// printOwn writes what a scenario gives.
func (a *app) printOwn(ctx context.Context, b *bytes.Buffer, runner *scenario.Runner, s *scenario.Scenario, into string) {
	answer := a.answerCaptured(ctx, runner, s, into)
	switch answer.Status {
	case scenario.Resolved:
		var changes []string
		for _, step := range answer.Steps {
			if step.Action != resolver.Keep {
				changes = append(changes, string(step.Action)+" "+moved(step))
			}
		}
		if len(changes) == 0 {
			changes = []string{"nothing to do"}
		}
		fmt.Fprintf(b, "  we say     %s: %s\n", headline(answer), shortList(changes))
	case scenario.Unsatisfiable:
		fmt.Fprintf(b, "  we say     %s\n", headline(answer))
		printConflict(b, answer.Conflict)
	default:
		fmt.Fprintf(b, "  we say     nothing: %s\n", text.Inert(answer.Error))
	}
}

// answerCaptured answers a scenario that has no file yet; its paths are those of the
// file that it is going to have.
func (a *app) answerCaptured(ctx context.Context, runner *scenario.Runner, s *scenario.Scenario, into string) *scenario.Answer {
	defer a.progress.done()
	if into == "" {
		return runner.Run(ctx, s)
	}
	here := *s
	here.Catalogs = slices.Clone(s.Catalogs)
	for i := range here.Catalogs {
		if p := here.Catalogs[i].Path; p != "" && !filepath.IsAbs(p) {
			here.Catalogs[i].Path = filepath.Join(into, p)
		}
	}
	return runner.Run(ctx, &here)
}

// printFindings writes findings, a line each.
func (a *app) printFindings(b *bytes.Buffer, findings []olm.Finding) {
	for _, f := range findings {
		colour := yellow
		if f.Severity == olm.Error {
			colour = red
		}
		fmt.Fprintf(b, "  %s: %s: %s\n", a.out.paint(colour, string(f.Severity)), f.Code, text.Inert(f.Message))
	}
}
