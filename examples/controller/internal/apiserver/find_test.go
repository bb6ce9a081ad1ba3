package apiserver

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("RESOLUTE_CACHE", dir)
	t.Setenv("RESOLUTE_KUBE_APISERVER", "")
	t.Setenv("RESOLUTE_ETCD", "")
	t.Setenv("PATH", filepath.Join(dir, "bin"))
	var missing *MissingError
	_, err := Find()
	require.ErrorAs(t, err, &missing)
	require.ErrorContains(t, err, "apiserver.sh")
	require.ErrorContains(t, err, "kube-apiserver "+Version)

	touch := func(name string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, nil, 0o755))
		return path
	}
	api := touch("kube-apiserver-" + Version + "/kube-apiserver")
	_, err = Find()
	require.ErrorAs(t, err, &missing)
	require.Equal(t, "etcd", missing.Program)
	etcd := touch("bin/etcd")
	b, err := Find()
	require.NoError(t, err)
	require.Equal(t, Binaries{api, etcd}, b)
	etcd = touch("etcd/etcd")
	b, err = Find()
	require.NoError(t, err)
	require.Equal(t, Binaries{api, etcd}, b)
	t.Setenv("RESOLUTE_KUBE_APISERVER", touch("mine"))
	b, err = Find()
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "mine"), b.APIServer)
	t.Setenv("RESOLUTE_ETCD", filepath.Join(dir, "nowhere"))
	_, err = Find()
	require.ErrorAs(t, err, &missing)
}

// The script and the package have the same version.
func TestScriptBuildsThisVersion(t *testing.T) {
	script, err := os.ReadFile("../../apiserver.sh")
	require.NoError(t, err)
	require.Equal(t, Version, string(regexp.MustCompile(`(?m)^version=(.*)$`).FindSubmatch(script)[1]))
	require.Equal(t, "v0"+Version[len("v1"):], string(regexp.MustCompile(`(?m)^staging=(.*)$`).FindSubmatch(script)[1]))
}
