package mirror_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/mirror"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// TestOPMAccepts: the real opm takes what is written of a real catalog with everything in
// it, and reading it back gives the same selection; blobs that are kept are kept byte for
// byte, foreign ones too.
func TestOPMAccepts(t *testing.T) {
	program := os.Getenv("RESOLUTE_OPM")
	if program == "" {
		t.Skip("LEFT OUT: RESOLUTE_OPM does not name the real opm; cache/opmgrpc/test.sh builds it")
	}
	name := testkit.Real(t, "community-v4.19-full.jsonl.gz")
	dir, file := os.DirFS(filepath.Dir(name)), filepath.Base(name)
	content := testkit.Must(fbc.Load(context.Background(), dir, fbc.Options{File: file}))(t)
	for _, packages := range [][]string{
		{"{name: kuadrant-operator}", "{name: rabbitmq-messaging-topology-operator, channels: [{name: stable, minVersion: 1.15.0, maxVersion: 1.18.2}]}"},
		{"{name: strimzi-kafka-operator, defaultChannel: strimzi-0.45.x, channels: [{name: strimzi-0.45.x, minVersion: 0.45.0}]}", "{name: cert-manager, minVersion: 1.14.0}"},
		{"{name: prometheus}", "{name: argocd-operator, minVersion: 0.8.0, maxVersion: 0.10.0}"},
	} {
		plan := planOf(t, configuration(t, false, packages), mirror.Catalog{Content: content})
		var text bytes.Buffer
		w := mirror.NewCatalogWriter(&text, plan.Selections[0])
		foreign := []byte(`{ "schema":"example.com/unknown" , "package":"prometheus", "b":[1,  2] }`)
		for _, b := range []fbc.Blob{{Schema: "example.com/unknown", Package: "prometheus", Raw: foreign}, {Schema: "example.com/other", Raw: []byte(`{"schema":"example.com/other"}`)},
			{Schema: "example.com/unknown", Package: "nobody", Raw: foreign}} {
			require.NoError(t, w.Add(b))
		}
		original := make(map[string]string)
		for b, err := range fbc.Blobs(context.Background(), dir, fbc.Options{File: file}) {
			require.NoError(t, err)
			if b.Schema == graph.SchemaBundle {
				original[b.Package+"/"+b.Name] = string(b.Raw)
			}
			require.NoError(t, w.Add(b))
		}
		checkSame(t, plan, testkit.Must(fbc.Read(t.Context(), bytes.NewReader(text.Bytes()), "catalog.json", fbc.Options{}))(t))
		for _, p := range plan.Selections[0].Packages {
			for _, b := range p.Bundles {
				require.Contains(t, text.String(), original[p.Name+"/"+b]+"\n")
			}
		}
		require.Contains(t, text.String(), `{"schema":"example.com/other"}`)
		out := t.TempDir()
		testkit.WriteFiles(t, out, map[string]string{"configs/catalog.json": text.String()})
		said, err := exec.Command(program, "validate", filepath.Join(out, "configs")).CombinedOutput()
		require.NoError(t, err, "%v: %s", packages, said)
	}
}
