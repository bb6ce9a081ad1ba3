package upgradetest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit/declared"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// scenarioOf writes a request as a scenario that stands alone: the catalogs are in it
// as blobs. Of requests it writes what the checks make.
func scenarioOf(req resolver.Request) *scenario.Scenario {
	s := &scenario.Scenario{Namespace: req.Namespace, Policy: req.Policy}
	if s.Namespace == scenario.DefaultNamespace {
		s.Namespace = ""
	}
	for _, c := range req.Catalogs {
		out := scenario.Catalog{Name: c.Key.Name, Namespace: c.Key.Namespace, Priority: c.Priority, Blobs: declared.Of(c).Blobs()}
		s.Catalogs = append(s.Catalogs, out)
	}
	s.Cluster.APIs = req.Cluster.APIs
	s.Cluster.KubernetesVersion, s.Cluster.OpenShiftVersion = req.Cluster.KubernetesVersion, req.Cluster.OpenShiftVersion
	s.Cluster.Properties = declared.Properties(req.Cluster.Properties)
	for _, in := range req.Installed {
		s.Installed = append(s.Installed, installedOf(&req, in))
	}
	for _, sub := range req.Subscriptions {
		s.Subscriptions = append(s.Subscriptions, subscriptionOf(&req, sub))
	}
	return s
}

func keyText(k cache.Key) string {
	if k.IsZero() {
		return ""
	}
	return k.String()
}

// installedOf leaves out what the catalog says.
func installedOf(req *resolver.Request, in resolver.Installed) scenario.Installed {
	out := scenario.Installed{Name: in.Name, Catalog: keyText(in.Catalog), Channel: in.Channel, Automatic: in.Automatic, ReplacedBy: in.ReplacedBy}
	if pkg := (packageOf{in.Catalog, in.Package}).in(req.Catalogs); pkg != nil {
		b := pkg.Bundle(in.Name)
		if b != nil && b.Quarantine == nil && (in.Version == nil || b.Version.Equals(*in.Version)) && (in.Properties == nil || b.Properties.Equal(*in.Properties)) {
			return out
		}
	}
	out.Package = scenario.PackageOf(&in)
	if in.Version != nil {
		out.Version = in.Version.String()
	}
	if in.Properties != nil {
		out.Properties = append([]scenario.Property{}, declared.Properties(*in.Properties)...)
	}
	return out
}

func subscriptionOf(req *resolver.Request, sub resolver.Subscription) scenario.Subscription {
	out := scenario.Subscription{Name: sub.Name, Package: sub.Package, Channels: sub.Channels, Hold: sub.Hold, Catalog: keyText(sub.Catalog),
		StartingCSV: sub.StartingCSV, VersionRange: sub.VersionRange.String(), InstalledCSV: sub.InstalledCSV}
	if len(sub.Channels) == 1 {
		out.Channel, out.Channels = sub.Channels[0], nil
	}
	for _, in := range req.Installed {
		if in.Subscription != "" && in.Subscription == sub.Name && out.InstalledCSV == "" {
			out.InstalledCSV = in.Name
		}
	}
	return out
}

// writeAll writes the scenarios of a report. They are named by their property and
// content, so that the same case is the same file.
func (c *check) writeAll(report *Report) error {
	first := map[Property]bool{}
	for i := range report.Findings {
		f := &report.Findings[i]
		if f.Small == nil || c.cfg.NoFiles {
			continue
		}
		var text bytes.Buffer
		if err := f.Small.Scenario.Write(&text, scenario.YAML); err != nil {
			return err
		}
		sum := sha256.Sum256(text.Bytes())
		name := fmt.Sprintf("%s-%s.yaml", f.Property, hex.EncodeToString(sum[:4]))
		if c.cfg.File != "" {
			if first[f.Property] {
				continue
			}
			first[f.Property] = true
			name = fmt.Sprintf("%s-%s.yaml", f.Property, c.cfg.File)
		}
		if err := os.MkdirAll(c.cfg.Dir, 0o777); err != nil {
			return fmt.Errorf("the folder for scenarios cannot be made; choose another one with Options.Dir: %w", err)
		}
		f.Small.File = filepath.ToSlash(filepath.Join(c.cfg.Dir, name))
		f.Small.Replay = replay(f.Small)
		if err := os.WriteFile(filepath.Join(c.cfg.Dir, name), append([]byte(f.header(name)), text.Bytes()...), 0o666); err != nil {
			return fmt.Errorf("the scenario cannot be written; choose another folder with Options.Dir: %w", err)
		}
	}
	return nil
}

// replay lists the commands that show a small case.
func replay(s *Small) []string {
	verbs := []string{"resolve", s.verb}
	if s.Scenario.Expect != nil {
		verbs = append(verbs, "test")
	}
	var lines []string
	for _, v := range slices.Compact(verbs) {
		lines = append(lines, "resolute "+v+" "+s.File)
	}
	return lines
}

// header is the comment that a scenario begins with.
func (f *Finding) header(name string) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		for l := range strings.SplitSeq(fmt.Sprintf(format, args...), "\n") {
			b.WriteString(strings.TrimRight("# "+text.Inert(l), " ") + "\n")
		}
	}
	line("%s: %s.", f.Property, f.Property.Title())
	line("expected: %s", f.Small.Want)
	line("happened: %s", f.Small.Got)
	for _, l := range replay(&Small{File: name, Scenario: f.Small.Scenario, verb: f.Small.verb}) {
		line("replay:   %s", l)
	}
	return b.String()
}
