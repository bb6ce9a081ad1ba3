package upgradetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed109e2655/resolute/internal/testkit/declared"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// scenario writes the problem down that shows the finding in some catalogs: the bundle is
// to be installed on an empty cluster, or it was, with what it requires.
func (m *minimizer) scenario(ctx context.Context, cats []resolver.Catalog) (*scenario.Scenario, error) {
	o := &m.cfg.Around
	req := resolver.Request{Namespace: o.Namespace, Catalogs: cats, Cluster: o.Cluster, Policy: o.Policy}
	sub := resolver.Subscription{Name: m.f.Package, Package: m.f.Package, Catalog: o.Key, Channels: text.NonEmpty(m.f.Channel), StartingCSV: m.f.Bundle}
	for _, pkg := range req.Packages(o.Key, m.f.Package) {
		b := pkg.Bundle(m.f.Bundle)
		if b == nil {
			continue
		}
		if ch := audit.ChannelOf(pkg, b); ch != nil && m.f.Channel == "" {
			sub.Channels = []string{ch.Name}
		}
		if m.f.Code == "newProblem" || m.f.Code == "notInstallable" {
			continue
		}
		empty := req
		empty.Subscriptions = []resolver.Subscription{sub}
		sol, err := o.Resolver.Resolve(ctx, empty)
		var conflict *resolver.Conflict
		switch {
		case err == nil:
			req = empty.Advance(sol)
			req.Subscriptions[0].StartingCSV = ""
		case errors.As(err, &conflict):
			req.Installed = []resolver.Installed{{Name: b.Name, Package: b.Package, Version: b.Version, Properties: &b.Properties, Catalog: o.Key, Channel: sub.Channels[0]}}
			sub.StartingCSV, sub.InstalledCSV = "", b.Name
		default:
			return nil, err
		}
	}
	if m.f.Package != "" && len(req.Subscriptions) == 0 {
		req.Subscriptions = []resolver.Subscription{sub}
	}
	s := scenario.Of(&req)
	for i, c := range cats {
		s.Catalogs[i].Blobs = declared.Of(c).Blobs()
	}
	if m.f.Code == "notInstallable" {
		s.Expect = []byte(`{"status":"resolved"}`)
	}
	return s, nil
}

// writeAll writes the scenarios of a report. They are named by their code and content, so
// that the same case is the same file.
func (c *check) writeAll(report *Report) error {
	for i := range report.Findings {
		f := &report.Findings[i]
		if f.Small == nil || c.cfg.NoFiles {
			continue
		}
		var text bytes.Buffer
		if err := f.Small.Scenario.Write(&text); err != nil {
			return err
		}
		sum := sha256.Sum256(text.Bytes())
		name := fmt.Sprintf("%s-%s.yaml", f.Code, hex.EncodeToString(sum[:4]))
		if err := os.MkdirAll(c.cfg.Dir, 0o777); err != nil {
			return fmt.Errorf("the folder for scenarios cannot be made; choose another one with Options.Dir: %w", err)
		}
		f.Small.File = filepath.ToSlash(filepath.Join(c.cfg.Dir, name))
		f.Small.Replay = f.replay(f.Small.File)
		if err := os.WriteFile(filepath.Join(c.cfg.Dir, name), append([]byte(f.header(name)), text.Bytes()...), 0o666); err != nil {
			return fmt.Errorf("the scenario cannot be written; choose another folder with Options.Dir: %w", err)
		}
	}
	return nil
}

// replay lists the commands that show a small case in a file.
func (f *Finding) replay(file string) []string {
	verbs := map[string][]string{"newProblem": {"resolve"}, "notInstallable": {"resolve", "test"}}[f.Code]
	if verbs == nil {
		verbs = []string{"converge"}
	}
	return text.Each(verbs, func(verb string) string { return "resolute " + verb + " " + file })
}

// header is the comment that a scenario begins with.
func (f *Finding) header(name string) string {
	var b strings.Builder
	for _, line := range append([]string{f.Code + ": " + catalogdiff.Codes()[f.Code] + ".", f.Small.Text},
		text.Each(f.replay(name), func(line string) string { return "replay: " + line })...) {
		b.WriteString(strings.TrimRight("# "+text.Inert(line), " ") + "\n")
	}
	return b.String()
}
