package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/seed109e2655/resolute/examples/controller/api/v1alpha1"
	"github.com/seed109e2655/resolute/examples/controller/internal/apiserver"
)

// patience is the time limit for an answer. A broken watch reconnects after up
// to half a minute.
const patience = time.Minute

// world is the environment of the test: the API server, the controller and its
// catalogs.
type world struct {
	whole   *testing.T // the parent test of all parts
	server  *apiserver.Server
	client  client.Client // with all permissions
	account apiserver.User
	dir     string
	program string
	main    *replica
	far     *farServer
	objects []types.NamespacedName
}

// newWorld starts an API server with the resource defined and creates the
// catalogs. Everything stops at the end of the test.
func newWorld(t *testing.T) *world {
	t.Helper()
	binaries, err := apiserver.Find()
	if err != nil && os.Getenv("RESOLUTE_E2E") != "required" {
		t.Skip(err)
	}
	require.NoError(t, err)
	w := &world{whole: t, dir: t.TempDir(), account: apiserver.ServiceAccount("resolute-system", "resolute-controller")}
	built := make(chan error, 1)
	go func() { built <- w.build() }()
	require.NoError(t, os.Mkdir(w.path("server"), 0o700))
	w.server, err = apiserver.Start(t.Context(), binaries, w.path("server"),
		[]apiserver.User{apiserver.Admin(), w.account}, v1alpha1.GroupVersion().Group)
	require.NoError(t, errors.Join(err, <-built))
	t.Cleanup(w.server.Stop)
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		v1alpha1.AddToScheme, appsv1.AddToScheme, corev1.AddToScheme, rbacv1.AddToScheme, apiextensionsv1.AddToScheme,
	} {
		require.NoError(t, add(scheme))
	}
	w.client, err = client.New(w.server.Config(apiserver.Admin()), client.Options{Scheme: scheme})
	require.NoError(t, err)
	require.NoError(t, w.server.WriteKubeconfig(w.path("kubeconfig"), w.account))
	return w
}

// build builds the controller.
func (w *world) build() error {
	w.program = w.path("controller")
	out, err := exec.Command("go", "build", "-o", w.program, "..").CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

func (w *world) path(elem ...string) string {
	return filepath.Join(append([]string{w.dir}, elem...)...)
}

// replica is a running controller.
type replica struct {
	process *apiserver.Process
	metrics string // addresses
	probes  string
}

// start starts a controller and waits until it is ready. It is killed at the
// end of the parent test.
func (w *world) start(t *testing.T, name string, args ...string) *replica {
	t.Helper()
	r := new(replica)
	var err error
	r.metrics, err = apiserver.FreeAddress()
	require.NoError(t, err)
	r.probes, err = apiserver.FreeAddress()
	require.NoError(t, err)
	r.process, err = apiserver.StartProcess(w.path(name+".log"), w.program, append([]string{
		"--config=" + w.path("catalogs.yaml"), "--kubeconfig=" + w.path("kubeconfig"),
		"--metrics-bind-address=" + r.metrics, "--health-probe-bind-address=" + r.probes,
	}, args...)...)
	require.NoError(t, err)
	w.whole.Cleanup(func() {
		r.process.Kill()
		if w.whole.Failed() {
			w.whole.Logf("the log of the controller %s:\n%s", name, r.process.Log())
		}
	})
	eventually(t, func() error {
		select {
		case <-r.process.Done():
			return fmt.Errorf("the controller ended:\n%s", r.process.Log())
		default:
		}
		_, err := fetch("http://" + r.probes + "/readyz")
		return err
	})
	return r
}

// metric returns the sum of the series of a metric, 0 if there are none.
func (r *replica) metric(t *testing.T, name string) int {
	t.Helper()
	sum, err := r.sum(name)
	require.NoError(t, err)
	return sum
}

func (r *replica) sum(name string) (int, error) {
	text, err := fetch("http://" + r.metrics + "/metrics")
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for line := range strings.Lines(text) {
		series, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if base, _, _ := strings.Cut(series, "{"); base == name {
			v, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return 0, err
			}
			sum += v
		}
	}
	return int(sum), nil
}

func fetch(url string) (string, error) {
	resp, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s\n%s", url, resp.Status, body)
	}
	return string(body), err
}

// eventually retries until there is no error.
func eventually(t *testing.T, try func() error) {
	t.Helper()
	deadline := time.Now().Add(patience)
	err := try()
	for ; err != nil; err = try() {
		if time.Now().After(deadline) {
			require.NoError(t, err, "still failing after %s", patience)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// apply applies YAML like kubectl --server-side.
func (w *world) apply(ctx context.Context, manifest string) error {
	for _, document := range strings.Split(manifest, "\n---\n") {
		object := new(unstructured.Unstructured)
		if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil {
			return err
		}
		err := w.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(object),
			client.FieldOwner("test"), client.ForceOwnership)
		if err != nil {
			return err
		}
	}
	return nil
}

// applyFile applies a file of config.
func (w *world) applyFile(t *testing.T, name string) {
	t.Helper()
	manifest, err := os.ReadFile(filepath.Join("../config", name))
	require.NoError(t, err)
	require.NoError(t, w.apply(t.Context(), string(manifest)))
}

// ask applies an OperatorSet with a YAML spec, in a namespace of its name.
func (w *world) ask(t *testing.T, name, spec string) types.NamespacedName {
	t.Helper()
	key := types.NamespacedName{Namespace: "team-" + name, Name: name}
	known := false
	for _, k := range w.objects {
		known = known || k == key
	}
	if !known {
		require.NoError(t, w.apply(t.Context(), fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", key.Namespace)))
		w.objects = append(w.objects, key)
	}
	require.NoError(t, w.apply(t.Context(), manifest(key, spec)))
	return key
}

func manifest(key types.NamespacedName, spec string) string {
	return fmt.Sprintf("{apiVersion: resolute.example.com/v1alpha1, kind: OperatorSet, metadata: {namespace: %s, name: %s}, spec: %s}",
		key.Namespace, key.Name, spec)
}

// get reads an object.
func (w *world) get(ctx context.Context, key types.NamespacedName) (*v1alpha1.OperatorSet, error) {
	set := new(v1alpha1.OperatorSet)
	err := w.client.Get(ctx, key, set)
	return set, err
}

// answered waits until the status of an object has an answer for its spec with
// this reason and passes check, which may be nil.
func (w *world) answered(t *testing.T, key types.NamespacedName, reason string, check func(*v1alpha1.OperatorSetStatus) error) *v1alpha1.OperatorSet {
	t.Helper()
	var set *v1alpha1.OperatorSet
	eventually(t, func() error {
		var err error
		if set, err = w.get(t.Context(), key); err != nil {
			return err
		}
		s := &set.Status
		got := condition(s, v1alpha1.ConditionResolved)
		switch {
		case s.ObservedGeneration != set.Generation:
			return fmt.Errorf("%s: the answer is not for generation %d, but for %d", key, set.Generation, s.ObservedGeneration)
		case got.Reason != reason:
			return fmt.Errorf("%s: the reason is %s, not %s: %s", key, got.Reason, reason, got.Message)
		case check != nil:
			return check(s)
		}
		return nil
	})
	return set
}

// hasSet requires this result set.
func hasSet(bundles ...string) func(*v1alpha1.OperatorSetStatus) error {
	return func(s *v1alpha1.OperatorSetStatus) error {
		if diff := cmp.Diff(bundles, s.Set); diff != "" {
			return fmt.Errorf("the set differs (-want +got):\n%s", diff)
		}
		return nil
	}
}

// state is a recorded state.
type state struct {
	objects map[types.NamespacedName]*v1alpha1.OperatorSet
	writes  []apiserver.Write
}

// freeze records all objects and the controller's writes so far.
func (w *world) freeze(t *testing.T) state {
	t.Helper()
	s := state{objects: make(map[types.NamespacedName]*v1alpha1.OperatorSet)}
	for _, key := range w.objects {
		set, err := w.get(t.Context(), key)
		require.NoError(t, err)
		s.objects[key] = set
	}
	writes, err := w.server.Writes(w.account)
	require.NoError(t, err)
	for _, write := range writes {
		// A server that has just started may temporarily deny requests.
		if write.Code < 300 {
			s.writes = append(s.writes, write)
		}
	}
	return s
}

// unchanged requires that everything is as before, whole objects with their
// resource versions and managed fields, except for some objects, and that the
// controller has written only these since.
func (w *world) unchanged(t *testing.T, before state, except ...types.NamespacedName) {
	t.Helper()
	after := w.freeze(t)
	for key, old := range before.objects {
		if !slices.Contains(except, key) {
			require.Empty(t, cmp.Diff(old, after.objects[key]), key)
		}
	}
	for _, write := range after.writes[len(before.writes):] {
		require.Contains(t, except, types.NamespacedName{Namespace: write.Namespace, Name: write.Name}, "%+v", write)
	}
}

// allBut returns all objects except some.
func (w *world) allBut(some ...types.NamespacedName) []types.NamespacedName {
	return slices.DeleteFunc(slices.Clone(w.objects), func(k types.NamespacedName) bool { return slices.Contains(some, k) })
}

// written waits until the controller has written n more objects.
func (w *world) written(t *testing.T, before state, n int) {
	t.Helper()
	eventually(t, func() error {
		objects := make(map[string]bool)
		for _, write := range w.freeze(t).writes[len(before.writes):] {
			objects[write.Namespace+"/"+write.Name] = true
		}
		if len(objects) < n {
			return fmt.Errorf("%d of %d objects were written: %v", len(objects), n, objects)
		}
		return nil
	})
}

// settled waits until a controller has resolved at least n times and is idle.
func (w *world) settled(t *testing.T, r *replica, n int) {
	t.Helper()
	eventually(t, func() error {
		answers, err := r.sum("resolute_controller_answers_total")
		if err != nil {
			return err
		}
		waiting, err := r.sum("workqueue_depth")
		if err == nil && (answers < n || waiting > 0) {
			err = fmt.Errorf("%d of %d answers, %d waiting", answers, n, waiting)
		}
		return err
	})
}

// size returns the size of an object as JSON.
func size(t *testing.T, object any) int {
	t.Helper()
	data, err := yaml.Marshal(object)
	require.NoError(t, err)
	return len(bytes.TrimSpace(data))
}
