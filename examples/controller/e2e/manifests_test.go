package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/operator-framework/api/crds"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// TestManifests: an API server with OLM's own resource definitions accepts the objects for each
// example, without an unknown field, and reading them back from it gives the same answer.
func TestManifests(t *testing.T) {
	w := newWorld(t)
	for _, d := range []*apiextensionsv1.CustomResourceDefinition{crds.Subscription(), crds.OperatorGroup(), crds.CatalogSource()} {
		require.NoError(t, w.client.Create(t.Context(), d), d.Name)
	}
	for _, k := range []schema.GroupVersionKind{{Group: "operators.coreos.com", Version: "v1alpha1", Kind: "Subscription"},
		{Group: "operators.coreos.com", Version: "v1", Kind: "OperatorGroup"}} {
		w.served(t, k)
	}
	seen := make(map[string]bool)
	for _, name := range []string{"install", "alternatives", "kubernetes-version", "priorities", "policy"} {
		t.Run(name, func(t *testing.T) {
			req, m, set := solved(t, "../../scenarios/"+name+".yaml")
			if seen[req.Namespace] {
				t.Skip("another example has its namespace")
			}
			seen[req.Namespace] = true
			again := readBack(t, req, w.applyStrictly(t, m.YAML()))
			sol, err := resolver.New().Resolve(t.Context(), again)
			require.NoError(t, err)
			require.Equal(t, set, sol.Set())
		})
	}
	require.NotEmpty(t, seen)
}

// TestManifestsOfExtensions is TestManifests for OLM v1, whose definitions are no Go module.
func TestManifestsOfExtensions(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared, "crds/olm.operatorframework.io_*.yaml"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("the definitions of OLM v1 are not beside the checkout")
	}
	w := newWorld(t)
	for _, file := range files {
		for _, o := range readList(t, file) {
			unstructured.RemoveNestedField(o.Object, "status")
			require.NoError(t, w.client.Create(t.Context(), &o), file)
		}
	}
	w.served(t, schema.GroupVersionKind{Group: "olm.operatorframework.io", Version: "v1", Kind: "ClusterExtension"})
	_, m, _ := solved(t, "../../../resolver/scenario/testdata/conformance/v1-requirements-planned.yaml")
	objects := w.applyStrictly(t, m.YAML())
	kinds := make(map[string]int)
	for _, o := range objects {
		kinds[o.GetKind()]++
	}
	require.Equal(t, map[string]int{"Namespace": 1, "ServiceAccount": 1, "ClusterRoleBinding": 1, "ClusterExtension": len(m.Extensions)}, kinds)
}

// solved returns the request of a scenario, the manifests of its answer, and the result set.
func solved(t *testing.T, file string) (resolver.Request, *olm.Manifests, []string) {
	t.Helper()
	s, err := scenario.ReadFile(t.Context(), file)
	require.NoError(t, err)
	loaded, err := s.Load(t.Context())
	require.NoError(t, err)
	sol, err := resolver.New().Resolve(t.Context(), loaded.Request)
	require.NoError(t, err)
	m, err := olm.ManifestsOf(loaded.Request, sol)
	require.NoError(t, err)
	return loaded.Request, m, sol.Set()
}

// served waits until the API server serves a kind.
func (w *world) served(t *testing.T, kind schema.GroupVersionKind) {
	t.Helper()
	list := new(unstructured.UnstructuredList)
	list.SetGroupVersionKind(kind)
	eventually(t, func() error { return w.client.List(t.Context(), list) })
}

// applyStrictly creates the objects of a stream of YAML documents, in order and strictly, and returns them
// as the API server has them.
func (w *world) applyStrictly(t *testing.T, stream []byte) []unstructured.Unstructured {
	t.Helper()
	strict := client.WithFieldValidation(w.client, "Strict")
	var out []unstructured.Unstructured
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(stream), 4096); ; {
		var o unstructured.Unstructured
		if err := decoder.Decode(&o.Object); errors.Is(err, io.EOF) {
			return out
		} else {
			require.NoError(t, err)
		}
		err := strict.Create(t.Context(), &o)
		if o.GetKind() == "Namespace" {
			err = client.IgnoreAlreadyExists(err) // default
		}
		require.NoError(t, err, "%s %s", o.GetKind(), o.GetName())
		out = append(out, o)
	}
}

// readBack captures objects, and returns their request with the content of the catalogs and the
// policy of another.
func readBack(t *testing.T, req resolver.Request, objects []unstructured.Unstructured) resolver.Request {
	t.Helper()
	var c olm.Cluster
	global := ""
	for _, o := range objects {
		raw, err := json.Marshal(o.Object)
		require.NoError(t, err)
		require.NoError(t, c.Add(raw))
	}
	for _, k := range req.Catalogs {
		raw, err := json.Marshal(map[string]any{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource",
			"metadata": map[string]string{"name": k.Key.Name, "namespace": k.Key.Namespace}, "spec": map[string]any{"sourceType": "grpc", "image": "i", "priority": k.Priority}})
		require.NoError(t, err)
		require.NoError(t, c.Add(raw))
		if k.Key.Namespace != req.Namespace {
			global = k.Key.Namespace
		}
	}
	got, err := c.Capture(t.Context(), olm.Options{GlobalNamespace: global})
	require.NoError(t, err)
	require.Len(t, got.Namespaces, 1)
	again, err := got.Namespaces[0].Scenario.Request()
	require.NoError(t, err)
	for i := range again.Catalogs {
		for _, k := range req.Catalogs {
			if k.Key == again.Catalogs[i].Key {
				again.Catalogs[i].Content = k.Content
			}
		}
	}
	again.Cluster, again.Policy, again.Now = req.Cluster, req.Policy, req.Now
	return again
}
