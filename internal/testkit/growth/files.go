package growth

import (
	"context"
	"encoding/json"
	"errors"
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
	Dump       string // the subscriptions and the installed bundles as a namespace of a cluster, with catalog c/c
	Package    string // the name of its first package
	Bundle     string // the name of its last bundle, or a missing name
	Subscribed string // the name of the first subscription
}

// Write writes the files of a world to a directory.
func (w *World) Write(t require.TestingT, dir string) {
	f := &Files{
		Catalog: filepath.Join(dir, "catalog.jsonl"), Previous: filepath.Join(dir, "previous.jsonl"), Scenario: filepath.Join(dir, "scenario.json"),
		WhatIfs: filepath.Join(dir, "whatifs.json"), Mirror: filepath.Join(dir, "mirror.yaml"), Dump: filepath.Join(dir, "dump.json"),
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
	write(t, f.Dump, w.dump)
	w.Files = f
}

// dump writes the objects of a namespace, one a line.
func (w *World) dump(out io.Writer) error {
	type object = map[string]any
	enc := json.NewEncoder(out)
	put := func(kind, name string, spec, status object) error {
		return enc.Encode(object{"apiVersion": "operators.coreos.com/v1alpha1", "kind": kind, "metadata": object{"name": name, "namespace": "c"}, "spec": spec, "status": status})
	}
	err := put("CatalogSource", "c", object{"sourceType": "grpc", "image": "registry.example/c"}, object{"connectionState": object{"lastObservedState": "READY"}})
	for _, sub := range w.Request.Subscriptions {
		spec := object{"name": sub.Package, "source": "c", "sourceNamespace": "c"}
		if len(sub.Channels) > 0 {
			spec["channel"] = sub.Channels[0]
		}
		err = errors.Join(err, put("Subscription", sub.Name, spec, object{"installedCSV": sub.InstalledCSV}))
	}
	for _, in := range w.Request.Installed {
		spec := object{}
		if in.Version != nil {
			spec["version"] = in.Version.String()
		}
		err = errors.Join(err, put("ClusterServiceVersion", in.Name, spec, object{"phase": "Succeeded"}))
	}
	return err
}

func write(t require.TestingT, name string, content func(io.Writer) error) {
	f, err := os.Create(name)
	require.NoError(t, err)
	require.NoError(t, content(f))
	require.NoError(t, f.Close())
}
