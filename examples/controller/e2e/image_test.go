package e2e

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/examples/controller/api/v1alpha1"
	"github.com/seed109e2655/resolute/examples/controller/internal/apiserver"
)

// The credentials of the test registry; the second is the output of htpasswd
// -Bbn for the first.
const (
	robotPassword = "p4ssw0rd-of-the-test"
	robotEntry    = "robot:$2y$05$Gy.ZUE4iIobxwD.6li2LZ.u94JK2wDGad9Wd4b.EDxyMAMWU1SwBG\n"
)

// mayRead permits the controller to get one Secret.
const mayRead = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: resolute-pull-secrets, namespace: olm}
rules:
- {apiGroups: [""], resources: [secrets], resourceNames: [robot], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: resolute-pull-secrets, namespace: olm}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: resolute-pull-secrets}
subjects: [{kind: ServiceAccount, name: resolute-controller, namespace: resolute-system}]
`

// TestPullSecret: the controller reads a catalog from an image in a real
// registry, with the credentials of a Secret in a real API server.
func TestPullSecret(t *testing.T) {
	for _, program := range []string{"docker-registry", "skopeo", "umoci"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("SKIPPED: %s is not installed; it is a Debian package", program)
		}
	}
	w := newWorld(t)
	registry := w.startRegistry(t)
	w.push(t, registry, tool("1.0.0"))
	require.NoError(t, os.WriteFile(w.path("catalogs.yaml"), fmt.Appendf(nil, `
keep: kept
catalogs:
- {name: olm/image, image: "%[1]s/ns/catalog:v1", pullSecrets: [olm/robot], refresh: 200ms, retryMax: 300ms}
- {name: olm/refused, image: "%[1]s/ns/catalog:v1", refresh: 200ms, retryMax: 300ms}
- {name: olm/forbidden, image: "%[1]s/ns/catalog:v1", pullSecrets: [olm/other], refresh: 200ms, retryMax: 300ms}
`, registry), 0o600))
	w.applyFile(t, "crd.yaml")
	w.applyFile(t, "rbac.yaml")
	require.NoError(t, w.apply(t.Context(), "{apiVersion: v1, kind: Namespace, metadata: {name: olm}}\n---\n"+mayRead))
	auth := base64.StdEncoding.EncodeToString([]byte("robot:" + robotPassword))
	secret := fmt.Sprintf(`{"apiVersion":"v1","kind":"Secret","type":"kubernetes.io/dockerconfigjson","metadata":{"namespace":"olm","name":"robot"},"data":{".dockerconfigjson":%q}}`,
		base64.StdEncoding.EncodeToString(fmt.Appendf(nil, `{"auths":{%q:{"auth":%q}}}`, registry, auth)))
	eventually(t, func() error { return w.client.List(t.Context(), new(v1alpha1.OperatorSetList)) })
	w.main = w.start(t, "controller")

	// Without the Secret the catalog is unavailable; it becomes available soon
	// after the Secret exists.
	image := w.ask(t, "image", "{catalogs: [{name: olm/image}], subscriptions: [{name: tool, package: tool}]}")
	w.answered(t, image, v1alpha1.ReasonCatalogUnavailable, nil)
	require.NoError(t, w.apply(t.Context(), secret))
	w.answered(t, image, v1alpha1.ReasonResolved, hasSet("tool.v1.0.0"))

	// The tag moves.
	w.push(t, registry, tool("1.0.0", "1.1.0"))
	w.answered(t, image, v1alpha1.ReasonResolved, hasSet("tool.v1.1.0"))

	// Without a credential, or with a forbidden Secret, the status reports it.
	for _, name := range []string{"refused", "forbidden"} {
		key := w.ask(t, name, fmt.Sprintf("{catalogs: [{name: olm/%s}], subscriptions: [{name: tool, package: tool}]}", name))
		w.answered(t, key, v1alpha1.ReasonCatalogUnavailable, nil)
	}
	health, err := fetch("http://" + w.main.metrics + "/catalogs")
	require.NoError(t, err)
	for _, text := range []string{health, w.main.process.Log()} {
		require.NotContains(t, text, robotPassword)
		require.NotContains(t, text, auth)
	}
}

// startRegistry starts Debian's registry with authentication.
func (w *world) startRegistry(t *testing.T) string {
	address, err := apiserver.FreeAddress()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(w.path("htpasswd"), []byte(robotEntry), 0o600))
	config := fmt.Sprintf("version: 0.1\nlog: {level: error}\nstorage: {filesystem: {rootdirectory: %s}}\nhttp: {addr: %q}\nauth: {htpasswd: {realm: test, path: %s}}\n",
		w.path("registry"), address, w.path("htpasswd"))
	require.NoError(t, os.WriteFile(w.path("registry.yml"), []byte(config), 0o600))
	process, err := apiserver.StartProcess(w.path("registry.log"), "docker-registry", "serve", w.path("registry.yml"))
	require.NoError(t, err)
	t.Cleanup(process.Kill)
	eventually(t, func() error {
		resp, err := http.Get("http://" + address + "/v2/")
		if err == nil {
			resp.Body.Close()
		}
		return err
	})
	return address
}

// push creates an image with the catalog of an operator, with umoci, and tags
// it v1.
func (w *world) push(t *testing.T, registry string, o operator) {
	dir := t.TempDir()
	writeOperator(t, filepath.Join(dir, "configs"), o)
	layout := filepath.Join(dir, "layout")
	for _, args := range [][]string{
		{"umoci", "init", "--layout", layout},
		{"umoci", "new", "--image", layout + ":v1"},
		{"umoci", "insert", "--rootless", "--image", layout + ":v1", filepath.Join(dir, "configs"), "/configs"},
		{"umoci", "config", "--image", layout + ":v1", "--config.label", "operators.operatorframework.io.index.configs.v1=/configs"},
		{"skopeo", "copy", "--quiet", "--dest-tls-verify=false", "--dest-creds", "robot:" + robotPassword, "oci:" + layout + ":v1", "docker://" + registry + "/ns/catalog:v1"},
	} {
		out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
		require.NoError(t, err, "%s: %s", args, out)
	}
}
