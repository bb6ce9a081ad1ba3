package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/seed109e2655/resolute/examples/controller/internal/apiserver"
	"github.com/seed109e2655/resolute/examples/controller/internal/forecast"
)

// shared is the folder of real definitions and dumps beside the checkout.
const shared = "../../../../shared/data"

// TestOLM: a real kubectl captures OLM's objects from a real API server as
// from a dump, and the forecast does not change them.
func TestOLM(t *testing.T) {
	w := newWorld(t)
	writeOperator(t, w.path("shop"), db("1.0.0", "1.1.0"))
	require.NoError(t, os.WriteFile(w.path("catalogs.yaml"), []byte("catalogs:\n- {name: olm/shop, directory: shop, refresh: 200ms}\n"), 0o644))
	for _, name := range []string{"crd.yaml", "rbac.yaml", "rbac-olm.yaml"} {
		w.applyFile(t, name)
	}
	w.defineOLM(t)
	objects := readList(t, "testdata/cluster.yaml")
	w.create(t, objects)

	t.Run("captured by kubectl", func(t *testing.T) { w.capture(t, "testdata/cluster.yaml") })

	r := w.start(t, "forecaster", "--olm")
	front := w.forecast(t, "front", "resolved")
	require.Equal(t, []string{"db.v1.1.0"}, front.Set)
	require.Equal(t, []string{"db.v1.1.0"}, front.Plan.Names)
	stuck := w.forecast(t, "stuck", "unsatisfiable")
	require.Contains(t, stuck.Conflict.Text(), "db.v0.9.0")
	require.Equal(t, "danglingCSV", string(stuck.Findings[0].Code))

	// An unowned operator is adopted; the forecast follows.
	var sub unstructured.Unstructured
	sub.SetGroupVersionKind(forecast.Kinds()[0])
	require.NoError(t, w.client.Get(t.Context(), client.ObjectKey{Namespace: "stuck", Name: "db"}, &sub))
	require.NoError(t, unstructured.SetNestedField(sub.Object, "db.v0.9.0", "status", "installedCSV"))
	require.NoError(t, w.client.Status().Update(t.Context(), &sub))
	w.forecast(t, "stuck", "resolved")

	require.NoError(t, w.client.Delete(t.Context(), &sub))
	var csv unstructured.Unstructured
	csv.SetGroupVersionKind(forecast.Kinds()[1])
	csv.SetNamespace("stuck")
	csv.SetName("db.v0.9.0")
	require.NoError(t, w.client.Delete(t.Context(), &csv))
	eventually(t, func() error {
		err := w.client.Get(t.Context(), client.ObjectKey{Namespace: "stuck", Name: forecast.ConfigMap}, new(corev1.ConfigMap))
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("the forecast is still there: %v", err)
	})
	r.process.Kill()

	// Only forecasts were written, no objects of OLM: the role permits nothing
	// else, and no request was denied.
	require.NotContains(t, r.process.Log(), "forbidden")
	for i := range objects {
		if objects[i].GetNamespace() == "stuck" {
			continue
		}
		now := objects[i].DeepCopy()
		require.NoError(t, w.client.Get(t.Context(), client.ObjectKeyFromObject(now), now))
		require.Equal(t, objects[i].GetResourceVersion(), now.GetResourceVersion(), now.GetName())
	}
}

// TestShopCluster captures the dump of the shop from a real API server with
// the real definitions of OLM's resources.
func TestShopCluster(t *testing.T) {
	dump := filepath.Join(shared, "clusters/shop.list.yaml.gz")
	if _, err := os.Stat(dump); err != nil {
		t.Skip("the dump of the shop is not beside the checkout")
	}
	w := newWorld(t)
	w.defineOLM(t)
	w.create(t, readList(t, dump))
	w.capture(t, dump)
}

// defineOLM defines OLM's resources, with OLM's definitions if they are beside
// the checkout, otherwise without schemas.
func (w *world) defineOLM(t *testing.T) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(shared, "crds/0000_50_olm_*.yaml"))
	if len(files) == 0 {
		files = []string{"testdata/crds.yaml"}
	}
	for _, file := range files {
		for _, o := range readList(t, file) {
			unstructured.RemoveNestedField(o.Object, "status")
			require.NoError(t, w.client.Create(t.Context(), &o), file)
		}
	}
	for _, kind := range forecast.Kinds() {
		list := new(unstructured.UnstructuredList)
		list.SetGroupVersionKind(kind)
		eventually(t, func() error { return w.client.List(t.Context(), list) })
	}
}

// readList reads one object or a list.
func readList(t *testing.T, file string) []unstructured.Unstructured {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	if strings.HasSuffix(file, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(text))
		require.NoError(t, err)
		text, err = io.ReadAll(z)
		require.NoError(t, err)
	}
	var content map[string]any
	require.NoError(t, yaml.Unmarshal(text, &content))
	items, list := content["items"].([]any)
	if !list {
		items = []any{content}
	}
	var out []unstructured.Unstructured
	for _, item := range items {
		out = append(out, unstructured.Unstructured{Object: item.(map[string]any)})
	}
	return out
}

// create creates objects with their statuses and records their resource
// versions.
func (w *world) create(t *testing.T, objects []unstructured.Unstructured) {
	t.Helper()
	seen := map[string]bool{}
	for i := range objects {
		if n := objects[i].GetNamespace(); !seen[n] && n != "" {
			seen[n] = true
			err := w.client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: n}})
			require.NoError(t, client.IgnoreAlreadyExists(err))
		}
	}
	for i := range objects {
		o := &objects[i]
		for _, field := range []string{"uid", "resourceVersion", "creationTimestamp"} {
			unstructured.RemoveNestedField(o.Object, "metadata", field)
		}
		status, has := o.Object["status"]
		require.NoError(t, w.client.Create(t.Context(), o), o.GetName())
		if has {
			o.Object["status"] = status
			require.NoError(t, w.client.Status().Update(t.Context(), o), o.GetName())
		}
	}
}

// capture runs the command line against the API server through kubectl, and
// compares the scenarios with those of a dump, byte for byte.
func (w *world) capture(t *testing.T, dump string) {
	t.Helper()
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		t.Skip("kubectl is not installed")
	}
	program := w.path("kubectl-resolute")
	build := exec.Command("go", "build", "-o", program, "./cmd/resolute")
	build.Dir = "../../.."
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	require.NoError(t, w.server.WriteKubeconfig(w.path("admin.kubeconfig"), apiserver.Admin()))
	run := func(args ...string) {
		out, err := exec.Command(program, args...).CombinedOutput()
		var exit *exec.ExitError
		if err != nil {
			require.ErrorAs(t, err, &exit)
			require.Equal(t, 1, exit.ExitCode(), string(out)) // findings
		}
	}
	// The plugin queries the cluster if no dump is given.
	run("capture", "--kubectl", kubectl, "--kubeconfig", w.path("admin.kubeconfig"), "--into", w.path("live"), "-o", "json")
	run("capture", dump, "--into", w.path("dumped"), "-o", "json")
	live, dumped := readFiles(t, w.path("live")), readFiles(t, w.path("dumped"))
	require.NotEmpty(t, dumped)
	require.Equal(t, dumped, live)
}

// digestID matches a cluster identity that capture derives from object
// identities, which differ for recreated objects.
var digestID = regexp.MustCompile(`cluster: \{id: "?[0-9a-f]{32}"?`)

func readFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	out := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		require.Regexp(t, digestID, string(text))
		out[e.Name()] = digestID.ReplaceAllString(string(text), "cluster: {id: DIGEST")
	}
	return out
}

// forecast waits until the forecast of a namespace has a status.
func (w *world) forecast(t *testing.T, namespace, status string) *forecast.Forecast {
	t.Helper()
	out := new(forecast.Forecast)
	eventually(t, func() error {
		var m corev1.ConfigMap
		if err := w.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: forecast.ConfigMap}, &m); err != nil {
			return err
		}
		*out = forecast.Forecast{}
		if err := json.Unmarshal([]byte(m.Data[forecast.Key]), out); err != nil {
			return err
		}
		if string(out.Status) != status {
			return fmt.Errorf("status %s: %s", out.Status, m.Data[forecast.Key])
		}
		return nil
	})
	return out
}
