// Package config tests the manifests in this folder and in examples/audit-job.
// It exports nothing.
package config

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/seed109e2655/resolute/examples/controller/api/v1alpha1"
	"github.com/seed109e2655/resolute/examples/controller/internal/catalogs"
)

// decode parses a manifest with the strict validation of the API server:
// unknown and duplicate fields, unknown kinds and values of the wrong type are
// errors.
func decode(manifest []byte) ([]runtime.Object, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		appsv1.AddToScheme, batchv1.AddToScheme, corev1.AddToScheme, rbacv1.AddToScheme, apiextensionsv1.AddToScheme, v1alpha1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	var objects []runtime.Object
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(manifest)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
}

// load decodes a manifest.
func load(t *testing.T, name string) []runtime.Object {
	t.Helper()
	manifest, err := os.ReadFile(name)
	require.NoError(t, err)
	objects, err := decode(manifest)
	require.NoError(t, err, name)
	return objects
}

// find returns the object of a type.
func find[T runtime.Object](t *testing.T, objects []runtime.Object) T {
	t.Helper()
	for _, o := range objects {
		if found, ok := o.(T); ok {
			return found
		}
	}
	require.FailNow(t, "no such object")
	panic("unreachable")
}

// TestDeploymentIsConfined checks that the pod satisfies the policy
// "restricted", which the namespace enforces, and that all of its references
// exist.
func TestDeploymentIsConfined(t *testing.T) {
	objects := load(t, "deployment.yaml")
	deployment := find[*appsv1.Deployment](t, objects)
	pod := deployment.Spec.Template.Spec
	require.Equal(t, deployment.Spec.Selector.MatchLabels, deployment.Spec.Template.Labels)
	require.True(t, *pod.SecurityContext.RunAsNonRoot)
	require.NotZero(t, *pod.SecurityContext.RunAsUser)
	require.Equal(t, corev1.SeccompProfileTypeRuntimeDefault, pod.SecurityContext.SeccompProfile.Type)
	require.Len(t, pod.Containers, 1)
	c := pod.Containers[0]
	require.False(t, *c.SecurityContext.AllowPrivilegeEscalation)
	require.True(t, *c.SecurityContext.ReadOnlyRootFilesystem)
	require.Equal(t, []corev1.Capability{"ALL"}, c.SecurityContext.Capabilities.Drop)
	require.False(t, c.Resources.Requests.Cpu().IsZero())
	require.False(t, c.Resources.Requests.Memory().IsZero())
	require.LessOrEqual(t, c.Resources.Requests.Memory().Cmp(*c.Resources.Limits.Memory()), 0)

	volumes := make(map[string]bool)
	for _, v := range pod.Volumes {
		require.Empty(t, validation.IsDNS1123Label(v.Name))
		volumes[v.Name] = true
	}
	require.Equal(t, len(volumes), len(c.VolumeMounts))
	var writable []string
	for _, m := range c.VolumeMounts {
		require.True(t, volumes[m.Name], m.Name)
		if !m.ReadOnly {
			writable = append(writable, m.MountPath)
		}
	}
	ports := make(map[string]int32)
	for _, p := range c.Ports {
		ports[p.Name] = p.ContainerPort
	}
	require.Contains(t, c.Args, "--metrics-bind-address=:8080")
	require.Contains(t, c.Args, "--health-probe-bind-address=:8081")
	require.Equal(t, map[string]int32{"metrics": 8080, "probes": 8081}, ports)
	for _, probe := range []*corev1.Probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
		require.Equal(t, "probes", probe.HTTPGet.Port.StrVal)
	}
	require.Greater(t, *deployment.Spec.Replicas, int32(1))
	require.Contains(t, c.Args, "--leader-elect", "several replicas need leader election")

	// The configuration is valid, and the kept catalogs are in a writable
	// volume.
	text := find[*corev1.ConfigMap](t, objects).Data["catalogs.yaml"]
	require.Contains(t, c.Args, "--config=/etc/resolute/catalogs.yaml")
	parsed, err := catalogs.ParseConfig([]byte(text), "/etc/resolute")
	require.NoError(t, err)
	require.NotEmpty(t, parsed.Catalogs)
	require.Equal(t, []string{parsed.Keep}, writable)
}

// TestRolesAreSmall checks that the controller has the permissions it needs,
// as the test in e2e proves, and no others.
func TestRolesAreSmall(t *testing.T) {
	objects := load(t, "rbac.yaml")
	account := find[*corev1.ServiceAccount](t, objects)
	deployment := find[*appsv1.Deployment](t, load(t, "deployment.yaml"))
	require.Equal(t, account.Name, deployment.Spec.Template.Spec.ServiceAccountName)
	require.Equal(t, account.Namespace, deployment.Namespace)
	cluster, role := find[*rbacv1.ClusterRole](t, objects), find[*rbacv1.Role](t, objects)
	for _, rule := range slices.Concat(cluster.Rules, role.Rules) {
		for _, list := range [][]string{rule.APIGroups, rule.Resources, rule.Verbs} {
			require.NotContains(t, list, "*")
		}
	}
	for _, rule := range cluster.Rules {
		require.Equal(t, []string{v1alpha1.GroupVersion().Group}, rule.APIGroups)
	}
	binding, leader := find[*rbacv1.ClusterRoleBinding](t, objects), find[*rbacv1.RoleBinding](t, objects)
	require.Equal(t, cluster.Name, binding.RoleRef.Name)
	require.Equal(t, role.Name, leader.RoleRef.Name)
	for _, subject := range slices.Concat(binding.Subjects, leader.Subjects) {
		require.Equal(t, account.Name, subject.Name)
		require.Equal(t, account.Namespace, subject.Namespace)
	}
	require.Equal(t, "restricted", find[*corev1.Namespace](t, objects).Labels["pod-security.kubernetes.io/enforce"])
}

func TestSampleIsARequest(t *testing.T) {
	sample := find[*v1alpha1.OperatorSet](t, load(t, "sample.yaml"))
	require.NotEmpty(t, sample.Spec.Subscriptions)
}
