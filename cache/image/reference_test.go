package image_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/image"
	"github.com/seed109e2655/resolute/internal/testkit"
)

// hex64 is a digest.
var hex64 = "sha256:" + strings.Repeat("0a", 32)

func TestParse(t *testing.T) {
	registry := func(repository, tag, digest string) image.Reference {
		return image.Reference{Transport: image.Registry, Repository: repository, Name: tag, Digest: digest}
	}
	for text, want := range map[string]image.Reference{
		"quay.io/ns/repo":                      registry("quay.io/ns/repo", "latest", ""),
		"quay.io/ns/repo:v1.2_3":               registry("quay.io/ns/repo", "v1.2_3", ""),
		"docker://quay.io/ns/repo:v1":          registry("quay.io/ns/repo", "v1", ""),
		"quay.io/ns/repo@" + hex64:             registry("quay.io/ns/repo", "", hex64),
		"docker://quay.io/ns/repo:v1@" + hex64: registry("quay.io/ns/repo", "", hex64),
		"localhost:5000/a/b/c/d:x":             registry("localhost:5000/a/b/c/d", "x", ""),
		"localhost/a":                          registry("localhost/a", "latest", ""),
		"127.0.0.1:5000/a":                     registry("127.0.0.1:5000/a", "latest", ""),
		"[::1]:5000/a:b":                       registry("[::1]:5000/a", "b", ""),
		"busybox":                              registry("docker.io/library/busybox", "latest", ""),
		"docker.io/busybox:1":                  registry("docker.io/library/busybox", "1", ""),
		"index.docker.io/ns/x":                 registry("docker.io/ns/x", "latest", ""),
		"operatorhubio/catalog:latest":         registry("docker.io/operatorhubio/catalog", "latest", ""),
		"oci:dir":                              {Transport: image.Layout, Path: "dir"},
		"oci:/a/b:v1":                          {Transport: image.Layout, Path: "/a/b", Name: "v1"},
		"oci:///a/b":                           {Transport: image.Layout, Path: "/a/b"},
		"oci:dir:quay.io/ns/repo:v1":           {Transport: image.Layout, Path: "dir", Name: "quay.io/ns/repo:v1"},
		"oci:dir@" + hex64:                     {Transport: image.Layout, Path: "dir", Digest: hex64},
		"oci:a@b":                              {Transport: image.Layout, Path: "a@b"},
		"oci-archive:x.tar:v1":                 {Transport: image.LayoutArchive, Path: "x.tar", Name: "v1"},
		"docker-archive:/x.tar:quay.io/a:b":    {Transport: image.DockerArchive, Path: "/x.tar", Name: "quay.io/a:b"},
		"quay.io/ns/repo@sha512:" + strings.Repeat("0a", 64): registry("quay.io/ns/repo", "", "sha512:"+strings.Repeat("0a", 64)),
	} {
		got, err := image.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
		require.Equal(t, want, testkit.Must(image.Parse(got.String()))(t), "Parse inverts String")
	}
	for text, says := range map[string]string{
		"": "empty", "docker://": "empty", "quay.io/ns/repo:": "tag", "quay.io/ns/repo:-v1": "tag", "quay.io/ns/repo:" + strings.Repeat("v", 129): "tag", "quay.io/ns/-repo": "separated by", "quay.io:/x": "host", ".io/x": "host", "quay.io/ns/repo@": "no digest", "quay.io/ns/repo@sha256:00": "64 hexadecimal", "quay.io/ns/repo@md5:00": "64 hexadecimal",
		"quay.io/ns/Repo": "uppercase", "quay.io/ns//repo": "without empty elements", "quay.io/../repo": "..", "quay.io/ns/./repo": "..", "oci:": "no path", "oci::x": "no path", "oci:dir:": "no name",
		"a\nb": "control", "quay.io/ns/repo:t@g": "64 hexadecimal", "user@quay.io/x": "64 hexadecimal", "http://quay.io/x": "", "https://quay.io/x": "", "quay.io": "", " quay.io/x": "", "-": "",
		strings.Repeat("a", 9000): "longer than",
	} {
		_, err := image.Parse(text)
		if says == "" && err == nil {
			continue // any name on Docker Hub
		}
		var wrong *image.ReferenceError
		require.ErrorAs(t, err, &wrong, "%q", text)
		require.Contains(t, wrong.Reason, says)
		require.ErrorContains(t, err, "oci-archive:FILE")
	}
	require.Empty(t, image.Reference{}.String())
}

// NAME=REFERENCE, the form of catalogs on a command line, is not a host.
func TestNameIsNoHost(t *testing.T) {
	_, err := image.Parse("hub=quay.io/ns/repo:v1")
	require.Error(t, err)
	require.False(t, image.IsReference("hub=quay.io/ns/repo:v1", nil))
}

func TestIsReference(t *testing.T) {
	exists := func(path string) bool {
		return map[string]bool{"quay.io/ns/repo": true, "oci:dir": true, "docker://x": true}[path]
	}
	for text, want := range map[string]bool{
		"quay.io/ns/other": true, "quay.io/ns/other:v1": true, "quay.io/x@" + hex64: true, "localhost:5000/x": true, "localhost/x": true, "registry:5000/x": true,
		"quay.io/ns/catalog.json:v1": true, "docker://busybox": true, "docker://x": true, "oci:dir": true, "oci-archive:x": true, "docker-archive:x": true, "oci:": true,
		"quay.io/ns/repo": false, "": false, "catalog": false, "catalogs/etcd": false, "catalogs/etcd:v1": false, "./quay.io/x": false, "../quay.io/x": false, "/quay.io/x": false, "~/quay.io/x": false,
		"my.dir/catalog.json": false, "my.dir/catalog.yaml": false, "my.dir/catalog.jsonl.gz": false, `c:\x\y`: false, "c:/x/y": false, "etcd.yaml": false, "https://example.com/x": false,
		"quay.io/": false, "quay.io/NS/x": false,
	} {
		require.Equal(t, want, image.IsReference(text, exists), "%q", text)
	}
	require.True(t, image.IsReference("quay.io/ns/repo", nil))
}

// FuzzParse: a valid reference survives String and Parse, and its repository contains no "..".
func FuzzParse(f *testing.F) {
	for _, s := range []string{"quay.io/ns/repo:v1", "docker://a.b/c@" + hex64, "oci:a:b", "docker-archive:x:y:z", "[::1]:5000/a", "a/../b", "oci://x@" + hex64, "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		image.IsReference(text, nil)
		r, err := image.Parse(text)
		if err != nil {
			_ = err.Error()
			return
		}
		again, err := image.Parse(r.String())
		if err != nil || again != r {
			t.Fatalf("%q is %+v, and written %q, which is %+v, %v", text, r, r.String(), again, err)
		}
		if r.Transport == image.Registry && (strings.Contains("/"+r.Repository+"/", "/../") || strings.ContainsAny(r.Repository, "?#%\\ \n")) {
			t.Fatalf("%q names the repository %q", text, r.Repository)
		}
	})
}
