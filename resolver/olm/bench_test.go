package olm_test

import (
	"archive/tar"
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/olm"
)

// copied is the copy of a global operator in a namespace, as large as most are: some
// 14 KB, mostly an example, a description and a deployment.
func copied(namespace string, i int) string {
	return fmt.Sprintf(`apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  annotations:
    alm-examples: "%s"
    olm.operatorGroup: global-operators
    olm.operatorNamespace: openshift-operators
  labels:
    olm.copiedFrom: openshift-operators
  name: operator-%d.v1.0.0
  namespace: %s
spec:
  description: |
    %s
  install:
    spec:
      deployments:
%s  version: 1.0.0
status:
  phase: Succeeded
  reason: Copied
`, strings.Repeat(`{\"apiVersion\": \"example.com/v1\"} `, 80), i, namespace,
		strings.Repeat("An operator that does what operators do, and says so at length.\n    ", 60),
		strings.Repeat("      - name: manager\n        spec: {replicas: 1, selector: {matchLabels: {control-plane: manager}}}\n", 70))
}

// largeDump writes a dump of namespaces with that many copies each, and a
// subscription with its operator, as a list of YAML, of JSON lines, or a must-gather.
func largeDump(w io.Writer, form string, namespaces, copies int) error {
	archive := tar.NewWriter(w)
	object := func(kind, namespace, name, text string) error {
		switch form {
		case "tar":
			file := fmt.Sprintf("must-gather/x/namespaces/%s/operators.coreos.com/%s/%s.yaml", namespace, kind, name)
			if err := archive.WriteHeader(&tar.Header{Name: file, Size: int64(len(text)), Typeflag: tar.TypeReg, Mode: 0o644}); err != nil {
				return err
			}
			_, err := io.WriteString(archive, text)
			return err
		case "json":
			_, err := io.WriteString(w, text)
			return err
		}
		_, err := io.WriteString(w, "- "+strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ")+"\n")
		return err
	}
	if form == "yaml" {
		if _, err := io.WriteString(w, "apiVersion: v1\nitems:\n"); err != nil {
			return err
		}
	}
	templates := make([]string, copies)
	for i := range templates {
		templates[i] = copied("NAMESPACE", i)
		if form == "json" {
			templates[i] = fmt.Sprintf(`{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":{"annotations":{"alm-examples":%q},"labels":{"olm.copiedFrom":"openshift-operators"},"name":"operator-%d.v1.0.0","namespace":"NAMESPACE"},"spec":{"description":%q,"version":"1.0.0"},"status":{"reason":"Copied"}}`+"\n",
				strings.Repeat(`{"apiVersion": "example.com/v1"} `, 80), i, strings.Repeat("An operator that does what operators do, and says so at length.\n", 170))
		}
	}
	for n := range namespaces {
		namespace := fmt.Sprintf("namespace-%03d", n)
		for i, text := range templates {
			if err := object("clusterserviceversions", namespace, fmt.Sprintf("operator-%d.v1.0.0", i), strings.Replace(text, "NAMESPACE", namespace, 1)); err != nil {
				return err
			}
		}
		text := sub(namespace, "own")
		if form == "json" {
			text = fmt.Sprintf(`{"apiVersion":"operators.coreos.com/v1alpha1","kind":"Subscription","metadata":{"name":"own","namespace":%q},"spec":{"name":"own"}}`+"\n", namespace)
		}
		if err := object("subscriptions", namespace, "own", text); err != nil {
			return err
		}
	}
	if form == "tar" {
		return archive.Close()
	}
	return nil
}

// A dump of a cluster with 500 namespaces and 300 operators copied to each: 150,000
// copies, 2 GB. What it costs is time and peak memory.
func BenchmarkLargeDump(b *testing.B) {
	for _, form := range []string{"yaml", "json", "tar"} {
		b.Run(form, func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "dump")
			f := testkit.Must(os.Create(file))(b)
			buffered := bufio.NewWriterSize(f, 1<<20)
			require.NoError(b, largeDump(buffered, form, 500, 300))
			require.NoError(b, buffered.Flush())
			info := testkit.Must(f.Stat())(b)
			require.NoError(b, f.Close())
			b.SetBytes(info.Size())
			for b.Loop() {
				var c olm.Cluster
				if err := c.ReadFile(b.Context(), file); err != nil {
					b.Fatal(err)
				}
				got := captureOf(b, &c, olm.Options{})
				if len(got.Namespaces) != 500 || c.Copied() != 150_000 {
					b.Fatalf("%d namespaces, %d copies, %v", len(got.Namespaces), c.Copied(), got.Problems)
				}
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				b.ReportMetric(float64(m.Sys)/(1<<20), "MB-sys")
			}
		})
	}
}

// Copies are counted in each form, and nothing of them gets into a scenario.
func TestCopies(t *testing.T) {
	for _, form := range []string{"yaml", "json", "tar"} {
		var b bytes.Buffer
		require.NoError(t, largeDump(&b, form, 3, 4))
		c := testkit.Must(read(t, b.String()))(t)
		require.Empty(t, c.Problems())
		require.Equal(t, 12, c.Copied(), form)
		got := captureOf(t, c, olm.Options{})
		require.Len(t, got.Namespaces, 3)
		require.Empty(t, got.Namespaces[0].Scenario.Installed)
	}
}

// A copy is one by its label, by its status, or by the annotation that says where the
// operator is at home, wherever and however these are written.
func TestSignsOfACopy(t *testing.T) {
	home := "  annotations:\n    olm.operatorNamespace: %s\n"
	for text, want := range map[string]int{
		strings.Replace(csv("n", "c.v1", ""), "metadata:\n", "metadata:\n  labels:\n    olm.copiedFrom: x\n", 1):                  1,
		strings.Replace(csv("n", "c.v1", ""), "metadata:\n", "metadata:\n  labels: {olm.copiedFrom: x}\n", 1):                     1,
		strings.Replace(csv("n", "c.v1", ""), "phase: Succeeded", "reason: Copied", 1):                                            1,
		strings.Replace(csv("n", "c.v1", ""), "metadata:\n", "metadata:\n"+fmt.Sprintf(home, "x"), 1):                             1,
		strings.Replace(csv("n", "c.v1", ""), "metadata:\n", "metadata:\n"+fmt.Sprintf(home, "n"), 1):                             0,
		csv("n", "c.v1", "  description: |\n    olm.copiedFrom: x\n    reason: Copied\n"):                                         0,
		csv("n", "c.v1", "  install:\n    metadata:\n      labels:\n        olm.copiedFrom: x\n"):                                 0,
		strings.Replace(csv("n", "c.v1", ""), "metadata:\n", "metadata:\n  annotations:\n    a: |\n      olm.copiedFrom: x\n", 1): 0,
	} {
		c := testkit.Must(read(t, text))(t)
		require.Equal(t, want, c.Copied(), text)
		require.Len(t, captureOf(t, c, olm.Options{}).Namespaces, 1-want)
	}
}
