package growth

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Files are the files of a world for commands of a program.
type Files struct {
	Catalog    string // a file-based catalog
	Previous   string // the same catalog without the last bundle of each package
	Scenario   string // the request, with the catalog
	WhatIfs    string // the same, with a few what-ifs
	Mirror     string // a configuration that mirrors all of the catalog
	Package    string // the name of its first package
	Bundle     string // the name of its last bundle, or a missing name
	Subscribed string // the name of the first subscription
}

// Write writes the files of a world to a directory.
func (w *World) Write(t require.TestingT, dir string) {
	f := &Files{
		Catalog: filepath.Join(dir, "catalog.jsonl"), Previous: filepath.Join(dir, "previous.jsonl"), Scenario: filepath.Join(dir, "scenario.json"),
		WhatIfs: filepath.Join(dir, "whatifs.json"), Mirror: filepath.Join(dir, "mirror.yaml"),
		Package: w.Packages[0].Name, Bundle: "nothing", Subscribed: "nothing",
	}
	if len(w.Request.Subscriptions) > 0 {
		f.Subscribed = w.Request.Subscriptions[0].Name
	}
	if b := w.Packages[0].Bundles; len(b) > 0 {
		f.Bundle = b[len(b)-1].Name
	}
	write(t, f.Catalog, func(out io.Writer) error { return fbc.Write(out, w.Catalog, fbc.WriteOptions{}) })
	previous, err := w.previous.Build(context.Background())
	require.NoError(t, err)
	write(t, f.Previous, func(out io.Writer) error { return fbc.Write(out, previous, fbc.WriteOptions{}) })
	s := scenario.Of(&w.Request)
	s.Catalogs = []scenario.Catalog{{Name: "c", Path: f.Catalog}}
	asJSON := func(out io.Writer) error { return json.NewEncoder(out).Encode(s) }
	write(t, f.Scenario, asJSON)
	for _, p := range w.Packages[:min(3, len(w.Packages))] {
		for _, b := range p.Bundles[:min(1, len(p.Bundles))] {
			s.WhatIf = append(s.WhatIf, scenario.WhatIf{Name: b.Name, Forbid: []scenario.Forbid{{Bundle: b.Name}}})
		}
	}
	write(t, f.WhatIfs, asJSON)
	config := "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  operators:\n  - catalog: registry.example/c\n    full: true\n"
	require.NoError(t, os.WriteFile(f.Mirror, []byte(config), 0o600))
	w.Files = f
}

func write(t require.TestingT, name string, content func(io.Writer) error) {
	f, err := os.Create(name)
	require.NoError(t, err)
	require.NoError(t, content(f))
	require.NoError(t, f.Close())
}
