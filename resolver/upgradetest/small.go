package upgradetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/declared"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// write writes a case: its scenario, and the commands that reproduce the finding.
func (m *minimizer) write(ctx context.Context, small *Small, cats []resolver.Catalog) error {
	req, err := m.request(ctx, cats)
	if err != nil {
		return err
	}
	small.Scenario = scenario.Of(req)
	for i, c := range cats {
		small.Scenario.Catalogs[i].Blobs = declared.Of(c).Blobs()
	}
	if m.f.Code == "notInstallable" {
		small.Scenario.Expect = []byte(`{"status":"resolved"}`)
	}
	if small.replay, err = m.replays(ctx, req, cats); err != nil {
		return err
	}
	own := slices.IndexFunc(cats, func(c resolver.Catalog) bool { return c.Key == m.cfg.Around.Key })
	if own >= 0 && slices.ContainsFunc(small.replay, func(r replay) bool { return r.ofCatalog }) {
		small.catalog = declared.Of(cats[own]).Blobs()
	}
	return nil
}

// request returns the request that reproduces the finding: the bundle is to be installed on an
// empty cluster, or is installed, with its dependencies.
func (m *minimizer) request(ctx context.Context, cats []resolver.Catalog) (*resolver.Request, error) {
	o := &m.cfg.Around
	req := resolver.Request{Namespace: o.Namespace, Catalogs: cats, Cluster: o.Cluster, Policy: o.Policy, Now: o.Now}
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
	return &req, nil
}

// writeAll writes the scenarios of a report. Their names contain code and a digest of the
// content, so that the same case has the same file.
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
			return fmt.Errorf("cannot create the folder for scenarios; choose another one: %w", err)
		}
		if err := c.writeCatalog(f.Small, strings.TrimSuffix(name, ".yaml")+".jsonl"); err != nil {
			return err
		}
		f.Small.File = filepath.ToSlash(filepath.Join(c.cfg.Dir, name))
		f.Small.Replay = f.Small.lines(f.Small.File, f.Small.Catalog)
		if err := os.WriteFile(filepath.Join(c.cfg.Dir, name), append([]byte(f.header(name)), text.Bytes()...), 0o666); err != nil {
			return fmt.Errorf("cannot write the scenario; choose another folder: %w", err)
		}
	}
	return nil
}

// writeCatalog writes the catalog of a case, if a command reads it.
func (c *check) writeCatalog(s *Small, name string) error {
	if s.catalog == nil {
		return nil
	}
	var lines bytes.Buffer
	for _, blob := range s.catalog {
		lines.Write(blob)
		lines.WriteByte('\n')
	}
	s.Catalog = filepath.ToSlash(filepath.Join(c.cfg.Dir, name))
	if err := os.WriteFile(filepath.Join(c.cfg.Dir, name), lines.Bytes(), 0o666); err != nil {
		return fmt.Errorf("cannot write the catalog; choose another folder: %w", err)
	}
	return nil
}

// header returns the leading comment of a scenario.
func (f *Finding) header(name string) string {
	var b strings.Builder
	for _, line := range append([]string{f.Code + ": " + catalogdiff.Codes()[f.Code] + ".", f.Small.Text},
		text.Each(f.Small.lines(name, path.Base(f.Small.Catalog)), func(line string) string { return "replay: " + line })...) {
		b.WriteString(strings.TrimRight("# "+text.Inert(line), " ") + "\n")
	}
	return b.String()
}
